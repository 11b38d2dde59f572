-- The schema that the migrations of this folder make, and the rows that they put in.
-- Written by `npm run schema` from a freshly migrated database; not read by any program.

create type ledger_posting_kind as enum ('authorization', 'release', 'capture', 'capture_void', 'refund');

create type settlement_event as enum ('line', 'deposit', 'difference');

create type settlement_posting_kind as enum ('from_acquirer_receivable', 'to_acquirer_receivable', 'from_merchant_refunds', 'to_merchant_refunds', 'from_suspense', 'to_suspense', 'from_currency_conversion', 'to_currency_conversion', 'from_fx_difference', 'to_fx_difference', 'from_fee_interchange', 'to_fee_interchange', 'from_fee_scheme', 'to_fee_scheme', 'from_fee_acquirer', 'to_fee_acquirer', 'from_fee_dispute', 'to_fee_dispute', 'from_fee_tax', 'to_fee_tax', 'from_fee_other', 'to_fee_other', 'from_disputes_open', 'to_disputes_open', 'from_adjustments', 'to_adjustments', 'from_reserve_held', 'to_reserve_held', 'from_payout_in_transit', 'to_payout_in_transit', 'from_carried_forward', 'to_carried_forward', 'capture_rejected', 'refund_rejected', 'capture_converted', 'refund_converted', 'deposit', 'deposit_debited', 'deposit_short', 'deposit_over', 'deposit_unknown', 'debit_unknown', 'capture_written_off', 'refund_written_off', 'loss_written_off', 'gain_written_off');

create sequence advice_ids as bigint start 1000 increment 1000 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence batch_ids as bigint start 501 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence card_token_ids as bigint start 1000 increment 1000 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence customer_ids as bigint start 9000 increment 1000 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence id_notes as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence line_ids as bigint start 650000 increment 1000 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence membership_ids as bigint start 5000 increment 1000 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence message_numbers as bigint start 1000 increment 1000 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence order_ids as bigint start 600000 increment 1000 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence payment_method_ids as bigint start 7000 increment 1000 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence product_numbers as bigint start 81000000001 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence request_ids as bigint start 700000 increment 1000 minvalue 1 maxvalue 9223372036854775807 cache 1;

create sequence transaction_ids as bigint start 800000 increment 1000 minvalue 1 maxvalue 9223372036854775807 cache 1;

create table account_updates (
  transaction_id bigint not null,
  merchant_id bigint not null,
  merchant_advice text not null default ''::text,
  update_result character(1),
  at timestamp with time zone not null,
  constraint account_updates_pkey PRIMARY KEY (transaction_id),
  constraint account_updates_update_result_check CHECK ((update_result = ANY (ARRAY['A'::bpchar, 'C'::bpchar, 'E'::bpchar, 'Q'::bpchar])))
);

create table account_volumes (
  merchant_id bigint not null,
  merchant_account_id bigint not null,
  currency character(3) not null,
  day date not null,
  volume_minor bigint not null,
  constraint account_volumes_pkey PRIMARY KEY (merchant_account_id, currency, day),
  constraint account_volumes_volume_minor_check CHECK ((volume_minor >= 0)),
  constraint account_volumes_merchant_account_id_fkey FOREIGN KEY (merchant_account_id) REFERENCES merchant_accounts(id),
  constraint account_volumes_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
) with (fillfactor=50);

create table adjustment_lines (
  transaction_id bigint not null,
  merchant_id bigint not null,
  order_line_id bigint not null,
  shown_id bigint not null,
  amount_minor bigint not null,
  constraint adjustment_lines_pkey PRIMARY KEY (transaction_id, order_line_id),
  constraint adjustment_lines_amount_minor_check CHECK ((amount_minor > 0)),
  constraint adjustment_lines_order_line_id_fkey FOREIGN KEY (order_line_id) REFERENCES order_lines(id),
  constraint adjustment_lines_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transactions(id)
);

create table advice_erasures (
  order_id bigint not null,
  transaction_ids bigint[] not null,
  erased integer not null,
  at timestamp with time zone not null default now(),
  constraint advice_erasures_pkey PRIMARY KEY (order_id),
  constraint advice_erasures_erased_check CHECK ((erased > 0))
);

create table advices (
  id bigint not null,
  merchant_id bigint not null,
  order_id bigint not null,
  transaction_id bigint not null,
  sequence integer not null,
  kind text not null,
  state text not null default 'queued'::text,
  amount_minor bigint not null,
  remaining_minor bigint,
  reason character(2),
  original_mti character(4) not null,
  original_number bigint not null,
  original_at timestamp with time zone not null,
  message_number bigint not null,
  message_at timestamp with time zone not null,
  tries integer not null default 0,
  next_try_at timestamp with time zone not null,
  response_code text,
  acknowledged_at timestamp with time zone,
  created_at timestamp with time zone not null,
  batch_id bigint,
  left_batch_id bigint,
  bank_test text,
  constraint advices_pkey PRIMARY KEY (id),
  constraint advices_in_sequence UNIQUE (order_id, sequence),
  constraint advices_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint advices_are_acknowledged_with_a_time CHECK (((state = 'acknowledged'::text) = (acknowledged_at IS NOT NULL))),
  constraint advices_kind_check CHECK ((kind = ANY (ARRAY['capture'::text, 'refund'::text, 'reversal'::text]))),
  constraint advices_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'acknowledged'::text])))
) with (fillfactor=100);
CREATE INDEX advices_by_transaction ON public.advices USING btree (transaction_id);
CREATE INDEX advices_due_by_merchant ON public.advices USING btree (merchant_id, next_try_at) WHERE (state = 'queued'::text);
CREATE INDEX advices_queued_by_batch ON public.advices USING btree (batch_id, id) WHERE ((state = 'queued'::text) AND (batch_id IS NOT NULL));
CREATE INDEX advices_queued_by_left_batch ON public.advices USING btree (left_batch_id) WHERE ((state = 'queued'::text) AND (left_batch_id IS NOT NULL));

create table api_user_passwords (
  user_id bigint not null,
  number integer not null,
  place smallint not null,
  hash text not null,
  made_at timestamp with time zone not null default now(),
  made_by text not null,
  last_used_at timestamp with time zone,
  retired_at timestamp with time zone,
  retired_by text,
  constraint api_user_passwords_pkey PRIMARY KEY (user_id, number),
  constraint api_user_passwords_check CHECK (((retired_at IS NULL) = (retired_by IS NULL))),
  constraint api_user_passwords_number_check CHECK ((number > 0)),
  constraint api_user_passwords_place_check CHECK ((place = ANY (ARRAY[1, 2]))),
  constraint api_user_passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES api_users(id)
);
CREATE UNIQUE INDEX api_user_passwords_two_live ON public.api_user_passwords USING btree (user_id, place) WHERE (retired_at IS NULL);

create table api_users (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  username text not null,
  active boolean not null default true,
  allowed_from cidr[] not null default '{}'::cidr[],
  made_at timestamp with time zone not null default now(),
  made_by text not null default 'tollgate'::text,
  last_used_at timestamp with time zone,
  enabled_at timestamp with time zone,
  reads_api boolean not null default false,
  request_rate integer,
  request_burst integer,
  constraint api_users_pkey PRIMARY KEY (id),
  constraint api_users_username_key UNIQUE (username),
  constraint api_users_name_is_plain CHECK (((username ~ '^[!-~]{3,64}$'::text) AND (username !~ '([0-9][^A-Za-z0-9]{0,2}){12}'::text))),
  constraint api_users_request_rate_whole CHECK ((((request_rate IS NULL) = (request_burst IS NULL)) AND ((request_rate >= 1) AND (request_rate <= 1000000)) AND ((request_burst >= 1) AND (request_burst <= 1000000)) AND (request_burst <= (request_rate * (3600)::bigint)))),
  constraint api_users_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table audit_entries (
  number bigint not null,
  at timestamp with time zone not null,
  actor text not null,
  operation text not null,
  object text not null default ''::text,
  merchant_id bigint,
  address text not null default ''::text,
  result text not null,
  details text not null default '{}'::text,
  previous_hash bytea not null,
  hash bytea not null,
  constraint audit_entries_pkey PRIMARY KEY (number),
  constraint audit_entries_actor_check CHECK ((actor <> ''::text)),
  constraint audit_entries_details_check CHECK ((json_typeof((details)::json) = 'object'::text)),
  constraint audit_entries_hash_check CHECK ((length(hash) = 32)),
  constraint audit_entries_operation_check CHECK ((operation <> ''::text)),
  constraint audit_entries_previous_hash_check CHECK ((length(previous_hash) = 32)),
  constraint audit_entries_result_check CHECK ((result = ANY (ARRAY['done'::text, 'refused'::text, 'failed'::text])))
);
CREATE INDEX audit_entries_by_merchant ON public.audit_entries USING btree (merchant_id, number) WHERE (merchant_id IS NOT NULL);
CREATE TRIGGER audit_entries_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entries_are_chained BEFORE INSERT ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();
CREATE TRIGGER audit_head_follows AFTER INSERT ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION move_audit_head();
CREATE TRIGGER audit_head_is_held BEFORE INSERT ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION hold_audit_head();

create table audit_head (
  only_one boolean not null default true,
  number bigint not null,
  hash bytea not null,
  constraint audit_head_pkey PRIMARY KEY (only_one),
  constraint audit_head_only_one_check CHECK (only_one)
) with (fillfactor=50);

create table audit_push (
  only_one boolean not null default true,
  number bigint not null default 0,
  claims bigint not null default 0,
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint audit_push_pkey PRIMARY KEY (only_one),
  constraint audit_push_number_check CHECK ((number >= 0)),
  constraint audit_push_only_one_check CHECK (only_one)
);

create table bank_accounts (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  number_sha256 text not null,
  last4 text not null,
  currency character(3) not null,
  reversals text not null,
  since date not null,
  made_at timestamp with time zone not null default now(),
  made_by text not null,
  constraint bank_accounts_pkey PRIMARY KEY (id),
  constraint bank_accounts_number_sha256_currency_key UNIQUE (number_sha256, currency),
  constraint bank_accounts_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint bank_accounts_last4_check CHECK ((last4 ~ '^[0-9A-Z]{4}$'::text)),
  constraint bank_accounts_number_sha256_check CHECK ((number_sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint bank_accounts_reversals_check CHECK ((reversals = ANY (ARRAY['as_given'::text, 'inverted'::text]))),
  constraint bank_accounts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX bank_accounts_by_merchant ON public.bank_accounts USING btree (merchant_id);

create table bank_entries (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  statement_id bigint not null,
  bank_account_id bigint not null,
  merchant_id bigint not null,
  "position" integer not null,
  state text not null,
  amount_minor bigint not null,
  booked_on date not null,
  reference text,
  is_reversal boolean not null,
  charges_minor bigint,
  sources bigint[] not null,
  texts text[] not null,
  has_reference boolean not null,
  constraint bank_entries_pkey PRIMARY KEY (id),
  constraint bank_entries_statement_id_position_key UNIQUE (statement_id, "position"),
  constraint bank_entries_name_a_source CHECK (((state = ANY (ARRAY['other'::text, 'repeated'::text])) OR ((cardinality(sources) > 0) AND (amount_minor <> 0)))),
  constraint bank_entries_of_others_keep_no_text CHECK (((state = ANY (ARRAY['unknown'::text, 'matched'::text])) OR ((texts = '{}'::text[]) AND (sources = '{}'::bigint[])))),
  constraint bank_entries_position_check CHECK (("position" > 0)),
  constraint bank_entries_state_check CHECK ((state = ANY (ARRAY['other'::text, 'repeated'::text, 'unknown'::text, 'matched'::text]))),
  constraint bank_entries_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id),
  constraint bank_entries_statement_id_fkey FOREIGN KEY (statement_id) REFERENCES bank_statements(id)
);
CREATE INDEX bank_entries_by_reference ON public.bank_entries USING btree (bank_account_id, reference) WHERE (reference IS NOT NULL);
CREATE INDEX bank_entries_unknown ON public.bank_entries USING btree (merchant_id, id) WHERE (state = 'unknown'::text);
CREATE TRIGGER bank_entries_never_change BEFORE UPDATE ON public.bank_entries FOR EACH ROW WHEN ((((((((((((((old.id IS DISTINCT FROM new.id) OR (old.statement_id IS DISTINCT FROM new.statement_id)) OR (old.bank_account_id IS DISTINCT FROM new.bank_account_id)) OR (old.merchant_id IS DISTINCT FROM new.merchant_id)) OR (old."position" IS DISTINCT FROM new."position")) OR (old.amount_minor IS DISTINCT FROM new.amount_minor)) OR (old.booked_on IS DISTINCT FROM new.booked_on)) OR (old.reference IS DISTINCT FROM new.reference)) OR (old.is_reversal IS DISTINCT FROM new.is_reversal)) OR (old.charges_minor IS DISTINCT FROM new.charges_minor)) OR (old.sources IS DISTINCT FROM new.sources)) OR (old.texts IS DISTINCT FROM new.texts)) OR (old.has_reference IS DISTINCT FROM new.has_reference))) EXECUTE FUNCTION refuse_to_rewrite_bank_statements();
CREATE TRIGGER bank_entries_stay BEFORE DELETE OR TRUNCATE ON public.bank_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_bank_statements();

create table bank_statements (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  bank_account_id bigint not null,
  merchant_id bigint not null,
  statement text not null,
  sequence text not null,
  opened_on date,
  closed_on date not null,
  opening_minor bigint not null,
  closing_minor bigint not null,
  entries integer not null,
  content_sha256 text not null,
  files_sha256 text[] not null,
  follows_gap boolean not null,
  imported_by text not null,
  imported_at timestamp with time zone not null,
  constraint bank_statements_pkey PRIMARY KEY (id),
  constraint bank_statements_bank_account_id_statement_sequence_key UNIQUE (bank_account_id, statement, sequence),
  constraint bank_statements_content_sha256_check CHECK ((content_sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint bank_statements_entries_check CHECK ((entries >= 0)),
  constraint bank_statements_files_sha256_check CHECK ((cardinality(files_sha256) > 0)),
  constraint bank_statements_sequence_check CHECK ((length(sequence) <= 32)),
  constraint bank_statements_statement_check CHECK (((statement <> ''::text) AND (length(statement) <= 64))),
  constraint bank_statements_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES bank_accounts(id)
);
CREATE TRIGGER bank_statements_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.bank_statements FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_bank_statements();

create table batch_agreements (
  batch_id bigint not null,
  currency character(3) not null,
  message_number bigint not null,
  message_at timestamp with time zone not null,
  state text not null default 'queued'::text,
  tries integer not null default 0,
  next_try_at timestamp with time zone not null,
  totals jsonb not null,
  bank_totals jsonb,
  in_balance boolean,
  response_code text,
  answered_at timestamp with time zone,
  constraint batch_agreements_pkey PRIMARY KEY (batch_id, currency),
  constraint batch_agreements_message_number_key UNIQUE (message_number),
  constraint batch_agreements_answered_whole CHECK ((((state = 'answered'::text) = (answered_at IS NOT NULL)) AND ((state = 'answered'::text) = (in_balance IS NOT NULL)) AND ((state = 'answered'::text) = (bank_totals IS NOT NULL)))),
  constraint batch_agreements_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'answered'::text]))),
  constraint batch_agreements_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id)
);
CREATE INDEX batch_agreements_due ON public.batch_agreements USING btree (next_try_at) WHERE (state = 'queued'::text);

create table batch_differences (
  batch_id bigint not null,
  number integer not null,
  currency character(3) not null,
  kind text not null,
  transaction_id bigint,
  order_id bigint,
  message_number bigint not null,
  gateway_minor bigint,
  gateway_voided_minor bigint,
  bank_minor bigint,
  bank_voided_minor bigint,
  constraint batch_differences_pkey PRIMARY KEY (batch_id, number),
  constraint batch_differences_are_somewhere CHECK (((gateway_minor IS NOT NULL) OR (bank_minor IS NOT NULL))),
  constraint batch_differences_differ CHECK (((gateway_minor IS DISTINCT FROM bank_minor) OR (gateway_voided_minor IS DISTINCT FROM bank_voided_minor))),
  constraint batch_differences_kind_check CHECK ((kind = ANY (ARRAY['capture'::text, 'refund'::text]))),
  constraint batch_differences_number_check CHECK ((number > 0)),
  constraint batch_differences_of_the_bank CHECK (((bank_minor IS NULL) = (bank_voided_minor IS NULL))),
  constraint batch_differences_of_the_gateway CHECK ((((gateway_minor IS NULL) = (gateway_voided_minor IS NULL)) AND ((gateway_minor IS NULL) = (transaction_id IS NULL)) AND ((transaction_id IS NULL) = (order_id IS NULL)))),
  constraint batch_differences_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id)
);

create table batch_sums (
  batch_id bigint not null,
  currency character(3) not null,
  action text not null,
  brand text not null,
  transactions bigint not null,
  amount_minor bigint not null,
  voided_minor bigint not null,
  constraint batch_sums_pkey PRIMARY KEY (batch_id, currency, action, brand),
  constraint batch_sums_action_check CHECK ((action = ANY (ARRAY['sale'::text, 'capture'::text, 'refund'::text]))),
  constraint batch_sums_check CHECK (((voided_minor >= 0) AND (voided_minor <= amount_minor))),
  constraint batch_sums_transactions_check CHECK ((transactions > 0)),
  constraint batch_sums_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id)
);

create table batches (
  id bigint not null default nextval('batch_ids'::regclass),
  merchant_id bigint not null,
  merchant_account_id bigint not null,
  opened_at timestamp with time zone not null default now(),
  closed_at timestamp with time zone,
  closed_by text not null default ''::text,
  agreement text not null default 'none'::text,
  agreed_at timestamp with time zone,
  named_to_bank boolean not null default true,
  compared_until timestamp with time zone,
  constraint batches_pkey PRIMARY KEY (id),
  constraint batches_agreed_with_a_time CHECK (((agreement = ANY (ARRAY['agreed'::text, 'differing'::text])) = (agreed_at IS NOT NULL))),
  constraint batches_agreement_check CHECK ((agreement = ANY (ARRAY['none'::text, 'closing'::text, 'agreeing'::text, 'comparing'::text, 'agreed'::text, 'differing'::text]))),
  constraint batches_open_without_agreement CHECK (((closed_at IS NOT NULL) OR (agreement = 'none'::text))),
  constraint batches_merchant_account_id_fkey FOREIGN KEY (merchant_account_id) REFERENCES merchant_accounts(id)
);
CREATE INDEX batches_being_agreed ON public.batches USING btree (id) WHERE (agreement = ANY (ARRAY['closing'::text, 'agreeing'::text, 'comparing'::text]));
CREATE INDEX batches_by_merchant ON public.batches USING btree (merchant_id, id);
CREATE UNIQUE INDEX batches_one_open_per_account ON public.batches USING btree (merchant_account_id) WHERE (closed_at IS NULL);

create unlogged table card_testing_counters (
  subject bytea not null,
  ends_at timestamp with time zone not null,
  count integer not null default 0,
  cards bytea[] not null default '{}'::bytea[],
  constraint card_testing_counters_pkey PRIMARY KEY (subject),
  constraint card_testing_counters_count_check CHECK ((count >= 0)),
  constraint card_testing_counters_subject_check CHECK ((length(subject) = 16))
) with (fillfactor=50);
CREATE INDEX card_testing_counters_ended ON public.card_testing_counters USING btree (ends_at);

create table card_testing_hits (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  at timestamp with time zone not null default now(),
  merchant_id bigint not null,
  site_id bigint not null,
  rule text not null,
  refused boolean not null,
  order_id bigint not null,
  transaction_id bigint not null,
  constraint card_testing_hits_pkey PRIMARY KEY (id)
);
CREATE INDEX card_testing_hits_by_site ON public.card_testing_hits USING btree (site_id, at);

create table card_testing_policies (
  site_id bigint not null,
  mode text not null default 'off'::text,
  rules json not null,
  except_addresses text[] not null default '{}'::text[],
  revision integer not null default 1,
  changed_at timestamp with time zone not null default now(),
  constraint card_testing_policies_pkey PRIMARY KEY (site_id),
  constraint card_testing_policies_mode_check CHECK ((mode = ANY (ARRAY['off'::text, 'watch'::text, 'enforce'::text]))),
  constraint card_testing_policies_rules_check CHECK ((json_typeof(rules) = 'array'::text)),
  constraint card_testing_policies_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);

create unlogged table card_token_codes (
  token_id bigint not null,
  code_ciphertext bytea not null,
  expires_at timestamp with time zone not null,
  constraint card_token_codes_pkey PRIMARY KEY (token_id)
);
CREATE INDEX card_token_codes_to_erase ON public.card_token_codes USING btree (expires_at);

create table card_tokens (
  id bigint not null,
  token_hash bytea not null,
  merchant_id bigint not null,
  site_id bigint not null,
  mode text not null,
  pan_ciphertext bytea,
  data_key_id integer,
  fingerprint bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  used_for text not null default ''::text,
  constraint card_tokens_pkey PRIMARY KEY (id),
  constraint card_tokens_token_hash_key UNIQUE (token_hash),
  constraint card_tokens_are_empty_once_used CHECK (((used_at IS NULL) OR (pan_ciphertext IS NULL))),
  constraint card_tokens_hold_a_number_or_none CHECK (((pan_ciphertext IS NULL) = (data_key_id IS NULL))),
  constraint card_tokens_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint card_tokens_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX card_tokens_by_expiry ON public.card_tokens USING btree (expires_at);
CREATE INDEX card_tokens_to_erase ON public.card_tokens USING btree (expires_at) WHERE (pan_ciphertext IS NOT NULL);
CREATE INDEX card_tokens_to_erase_of_test_sites ON public.card_tokens USING btree (site_id, expires_at) WHERE ((pan_ciphertext IS NOT NULL) AND (mode = 'test'::text));

create table caught_webhooks (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  receiver_id text not null,
  site_id bigint not null,
  at timestamp with time zone not null,
  site_at timestamp with time zone not null,
  event_id text not null,
  event_type text not null,
  verdict text not null,
  headers jsonb not null,
  body text not null,
  body_bytes integer not null,
  manner text not null,
  status integer not null,
  constraint caught_webhooks_pkey PRIMARY KEY (id),
  constraint caught_webhooks_body_bytes_check CHECK (((body_bytes >= 0) AND (body_bytes <= 65536))),
  constraint caught_webhooks_manner_check CHECK ((manner = ANY (ARRAY['answer'::text, 'trickle'::text, 'hang'::text, 'close'::text]))),
  constraint caught_webhooks_verdict_check CHECK ((verdict = ANY (ARRAY['current'::text, 'previous'::text, 'wrong'::text, 'missing'::text, 'too_old'::text]))),
  constraint caught_webhooks_receiver_id_fkey FOREIGN KEY (receiver_id) REFERENCES webhook_receivers(id) ON DELETE CASCADE
);
CREATE INDEX caught_webhooks_of_site ON public.caught_webhooks USING btree (site_id, id);

create table customer_erasures (
  customer_id bigint not null,
  merchant_id bigint not null,
  actor text not null,
  at timestamp with time zone not null default now(),
  constraint customer_erasures_pkey PRIMARY KEY (customer_id),
  constraint customer_erasures_actor_check CHECK ((actor <> ''::text))
);

create table customer_logins (
  site_id bigint not null,
  login text not null,
  customer_id bigint not null,
  claimed_at timestamp with time zone not null,
  mode text not null,
  constraint customer_logins_pkey PRIMARY KEY (site_id, login, mode),
  constraint customer_logins_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint customer_logins_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);

create table customers (
  id bigint not null,
  merchant_id bigint not null,
  reference text not null default ''::text,
  first_name text not null default ''::text,
  last_name text not null default ''::text,
  email text not null default ''::text,
  phone text not null default ''::text,
  login text not null default ''::text,
  billing json not null default '{}'::json,
  shipping json not null default '{}'::json,
  others json not null default '{}'::json,
  created_at timestamp with time zone not null,
  mode text not null,
  constraint customers_pkey PRIMARY KEY (id),
  constraint customers_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);
CREATE INDEX customers_by_email ON public.customers USING btree (merchant_id, lower(email)) WHERE (email <> ''::text);
CREATE INDEX customers_by_first_name ON public.customers USING btree (merchant_id, lower(((first_name || ' '::text) || last_name)) text_pattern_ops) WHERE (first_name <> ''::text);
CREATE INDEX customers_by_merchant ON public.customers USING btree (merchant_id, id);
CREATE INDEX customers_by_name ON public.customers USING btree (merchant_id, lower(((last_name || ' '::text) || first_name)) text_pattern_ops) WHERE (last_name <> ''::text);
CREATE INDEX customers_by_reference ON public.customers USING btree (merchant_id, reference) WHERE (reference <> ''::text);

create table data_key_holders (
  worker text not null,
  data_key_ids integer[] not null,
  seals_under integer not null,
  seals_since timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  constraint data_key_holders_pkey PRIMARY KEY (worker)
) with (fillfactor=50);

create table data_keys (
  id integer not null generated always as identity (as integer start 1 increment 1 minvalue 1 maxvalue 2147483647 cache 1),
  purpose text not null,
  wrapped bytea,
  kek_id text not null,
  created_at timestamp with time zone not null default now(),
  state text not null default 'active'::text,
  retired_at timestamp with time zone,
  destroyed_at timestamp with time zone,
  destroyed_by text,
  constraint data_keys_pkey PRIMARY KEY (id),
  constraint data_keys_fingerprint_key_stays CHECK (((purpose <> 'fingerprint'::text) OR (state = 'active'::text))),
  constraint data_keys_lose_their_bytes_when_destroyed CHECK (((state = 'destroyed'::text) = (wrapped IS NULL))),
  constraint data_keys_purpose_check CHECK ((purpose = ANY (ARRAY['pan'::text, 'fingerprint'::text]))),
  constraint data_keys_state_check CHECK ((state = ANY (ARRAY['active'::text, 'retired'::text, 'destroyed'::text]))),
  constraint data_keys_tell_when_they_were_retired CHECK (((state = 'active'::text) = (retired_at IS NULL))),
  constraint data_keys_tell_who_destroyed_them CHECK ((((state = 'destroyed'::text) = (destroyed_at IS NOT NULL)) AND ((destroyed_at IS NULL) = (destroyed_by IS NULL))))
);
CREATE UNIQUE INDEX data_keys_one_active_key ON public.data_keys USING btree (purpose) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX data_keys_one_fingerprint_key ON public.data_keys USING btree (purpose) WHERE (purpose = 'fingerprint'::text);
CREATE TRIGGER data_keys_are_never_deleted BEFORE DELETE ON public.data_keys FOR EACH ROW EXECUTE FUNCTION refuse_key_substitution();
CREATE TRIGGER data_keys_only_move_on BEFORE UPDATE ON public.data_keys FOR EACH ROW WHEN (((((old.id IS DISTINCT FROM new.id) OR (old.purpose IS DISTINCT FROM new.purpose)) OR (old.created_at IS DISTINCT FROM new.created_at)) OR (old.state = 'destroyed'::text) OR ((old.state <> new.state) AND (((old.state <> 'active'::text) OR (new.state <> 'retired'::text)) AND ((old.state <> 'retired'::text) OR (new.state <> 'destroyed'::text)))))) EXECUTE FUNCTION refuse_key_substitution();

create table database_identity (
  id uuid not null default gen_random_uuid(),
  is_only boolean not null default true,
  constraint database_identity_pkey PRIMARY KEY (id),
  constraint database_identity_is_only_key UNIQUE (is_only),
  constraint database_identity_is_only_check CHECK (is_only)
);

create table deposit_payers (
  source_id bigint not null,
  merchant_id bigint not null,
  payer_name text not null,
  reference_pattern text not null,
  made_at timestamp with time zone not null default now(),
  made_by text not null,
  constraint deposit_payers_pkey PRIMARY KEY (source_id),
  constraint deposit_payers_payer_name_check CHECK ((length(payer_name) <= 140)),
  constraint deposit_payers_recognise_something CHECK (((payer_name <> ''::text) OR (reference_pattern <> ''::text))),
  constraint deposit_payers_reference_pattern_check CHECK ((length(reference_pattern) <= 200)),
  constraint deposit_payers_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint deposit_payers_source_id_fkey FOREIGN KEY (source_id) REFERENCES settlement_sources(id)
);

create table dispute_answers (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  dispute_id bigint not null,
  state text not null default 'queued'::text,
  answer text not null,
  stage_n bigint not null,
  text_ciphertext bytea,
  text_data_key_id integer,
  made_by text not null,
  made_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  acknowledged_at timestamp with time zone,
  refused_reason text,
  erased_at timestamp with time zone,
  constraint dispute_answers_pkey PRIMARY KEY (id),
  constraint dispute_answers_answer_check CHECK ((answer = ANY (ARRAY['accept'::text, 'contest'::text]))),
  constraint dispute_answers_refused_with_reason CHECK (((state = 'refused'::text) = (refused_reason IS NOT NULL))),
  constraint dispute_answers_sealed_whole CHECK (((text_ciphertext IS NULL) = (text_data_key_id IS NULL))),
  constraint dispute_answers_sent_with_a_time CHECK (((state = ANY (ARRAY['queued'::text, 'refused'::text])) OR (sent_at IS NOT NULL))),
  constraint dispute_answers_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sent'::text, 'acknowledged'::text, 'refused'::text]))),
  constraint dispute_answers_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id)
);
CREATE INDEX dispute_answers_by_dispute ON public.dispute_answers USING btree (dispute_id);
CREATE UNIQUE INDEX dispute_answers_once_per_stage ON public.dispute_answers USING btree (dispute_id, stage_n) WHERE (state <> 'refused'::text);
CREATE INDEX dispute_answers_queued ON public.dispute_answers USING btree (id) WHERE (state = 'queued'::text);

create table dispute_feeds (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  merchant_account_id bigint not null,
  sender text not null,
  account text not null,
  last_n bigint not null default 0,
  made_at timestamp with time zone not null default now(),
  made_by text not null,
  constraint dispute_feeds_pkey PRIMARY KEY (id),
  constraint dispute_feeds_merchant_account_id_key UNIQUE (merchant_account_id),
  constraint dispute_feeds_sender_account_key UNIQUE (sender, account),
  constraint dispute_feeds_account_check CHECK (((account <> ''::text) AND (length(account) <= 64))),
  constraint dispute_feeds_last_n_check CHECK ((last_n >= 0)),
  constraint dispute_feeds_sender_check CHECK (((sender <> ''::text) AND (length(sender) <= 64))),
  constraint dispute_feeds_merchant_account_id_fkey FOREIGN KEY (merchant_account_id) REFERENCES merchant_accounts(id),
  constraint dispute_feeds_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table dispute_files (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  dispute_id bigint not null,
  answer_id bigint,
  name text not null,
  content_type text not null,
  bytes integer not null,
  sha256 text not null,
  content_ciphertext bytea,
  key_ciphertext bytea,
  data_key_id integer,
  uploaded_by text not null,
  uploaded_at timestamp with time zone not null,
  erased_at timestamp with time zone,
  constraint dispute_files_pkey PRIMARY KEY (id),
  constraint dispute_files_bytes_check CHECK (((bytes >= 1) AND (bytes <= 5000000))),
  constraint dispute_files_content_type_check CHECK ((content_type = ANY (ARRAY['application/pdf'::text, 'image/png'::text, 'image/jpeg'::text, 'text/plain'::text]))),
  constraint dispute_files_name_check CHECK (((name <> ''::text) AND (length(name) <= 120))),
  constraint dispute_files_sealed_whole CHECK ((((content_ciphertext IS NULL) = (key_ciphertext IS NULL)) AND ((key_ciphertext IS NULL) = (data_key_id IS NULL)) AND ((content_ciphertext IS NULL) = (erased_at IS NOT NULL)))),
  constraint dispute_files_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint dispute_files_answer_id_fkey FOREIGN KEY (answer_id) REFERENCES dispute_answers(id),
  constraint dispute_files_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id)
);
CREATE INDEX dispute_files_by_dispute ON public.dispute_files USING btree (dispute_id);

create table dispute_movements (
  file_id bigint not null,
  n integer not null,
  dispute_id bigint not null,
  merchant_id bigint not null,
  source_id bigint not null,
  kind text not null,
  currency character(3) not null,
  taken_minor bigint not null,
  fee_minor bigint not null,
  linked_at timestamp with time zone not null,
  constraint dispute_movements_pkey PRIMARY KEY (file_id, n),
  constraint dispute_movements_have_their_sign CHECK ((((taken_minor < 0) = (kind = 'dispute_reversal'::text)) AND ((taken_minor = 0) = (kind = 'dispute_fee'::text)))),
  constraint dispute_movements_kind_check CHECK ((kind = ANY (ARRAY['chargeback'::text, 'chargeback_again'::text, 'dispute_reversal'::text, 'dispute_fee'::text]))),
  constraint dispute_movements_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id),
  constraint dispute_movements_file_id_fkey FOREIGN KEY (file_id) REFERENCES settlement_files(id),
  constraint dispute_movements_source_id_fkey FOREIGN KEY (source_id) REFERENCES settlement_sources(id)
);
CREATE INDEX dispute_movements_by_dispute ON public.dispute_movements USING btree (dispute_id);
CREATE TRIGGER dispute_movements_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.dispute_movements FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_dispute_records();

create table dispute_notices (
  feed_id bigint not null,
  n bigint not null,
  merchant_id bigint not null,
  sender text not null,
  notice_id text not null,
  dispute_id bigint not null,
  event text not null,
  happened_at timestamp with time zone not null,
  amount_minor bigint not null,
  currency character(3) not null,
  reason text,
  network_due date,
  answer_id bigint,
  state_before text,
  state_after text not null,
  content_sha256 text not null,
  received_at timestamp with time zone not null,
  received_by text not null,
  constraint dispute_notices_pkey PRIMARY KEY (feed_id, n),
  constraint dispute_notices_once_per_sender UNIQUE (sender, notice_id),
  constraint dispute_notices_amount_minor_check CHECK ((amount_minor > 0)),
  constraint dispute_notices_content_sha256_check CHECK ((content_sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint dispute_notices_event_check CHECK ((event = ANY (ARRAY['inquiry'::text, 'fraud_report'::text, 'chargeback'::text, 'representment'::text, 'pre_arbitration'::text, 'arbitration'::text, 'won'::text, 'lost'::text, 'withdrawn'::text, 'accepted'::text, 'rapid_resolution'::text]))),
  constraint dispute_notices_n_check CHECK ((n > 0)),
  constraint dispute_notices_notice_id_check CHECK (((notice_id <> ''::text) AND (length(notice_id) <= 64))),
  constraint dispute_notices_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id),
  constraint dispute_notices_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES dispute_feeds(id)
);
CREATE INDEX dispute_notices_by_dispute ON public.dispute_notices USING btree (dispute_id, n);
CREATE TRIGGER dispute_notices_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.dispute_notices FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_dispute_records();

create table dispute_posting_kinds (
  kind text not null,
  debit text not null,
  credit text not null,
  sign smallint not null,
  constraint dispute_posting_kinds_pkey PRIMARY KEY (kind),
  constraint dispute_posting_kinds_sign_check CHECK ((sign = ANY (ARRAY['-1'::integer, 1])))
);

create table dispute_postings (
  dispute_id bigint not null,
  n integer not null,
  kind text not null,
  source_id bigint not null,
  merchant_id bigint not null,
  currency character(3) not null,
  amount_minor bigint not null,
  posted_at timestamp with time zone not null,
  constraint dispute_postings_pkey PRIMARY KEY (dispute_id, n),
  constraint dispute_postings_move_money CHECK ((amount_minor > 0)),
  constraint dispute_postings_n_check CHECK ((n > 0)),
  constraint dispute_postings_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id),
  constraint dispute_postings_kind_fkey FOREIGN KEY (kind) REFERENCES dispute_posting_kinds(kind),
  constraint dispute_postings_source_id_fkey FOREIGN KEY (source_id) REFERENCES settlement_sources(id)
);
CREATE TRIGGER dispute_postings_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.dispute_postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_the_ledger();

create table disputed_orders (
  order_id bigint not null,
  merchant_id bigint not null,
  disputed_minor bigint not null,
  is_excess boolean not null,
  constraint disputed_orders_pkey PRIMARY KEY (order_id),
  constraint disputed_orders_disputed_minor_check CHECK ((disputed_minor >= 0))
);
CREATE TRIGGER disputed_orders_within_captured BEFORE INSERT OR UPDATE ON public.disputed_orders FOR EACH ROW EXECUTE FUNCTION keep_disputes_within_captured();

create table disputes (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  merchant_account_id bigint not null,
  feed_id bigint not null,
  case_id text not null,
  state text not null,
  order_id bigint,
  order_key text,
  rrn text,
  ref text,
  brand text not null,
  amount_minor bigint not null,
  currency character(3) not null,
  reason text,
  is_charged boolean not null,
  blocked_minor bigint not null default 0,
  network_due date,
  respond_by date,
  is_overdue boolean not null default false,
  opened_at timestamp with time zone not null,
  charged_at timestamp with time zone,
  changed_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint disputes_pkey PRIMARY KEY (id),
  constraint disputes_feed_id_case_id_key UNIQUE (feed_id, case_id),
  constraint disputes_amount_minor_check CHECK ((amount_minor > 0)),
  constraint disputes_block_only_charged CHECK (((blocked_minor = 0) OR is_charged)),
  constraint disputes_blocked_minor_check CHECK ((blocked_minor >= 0)),
  constraint disputes_case_id_check CHECK (((case_id <> ''::text) AND (length(case_id) <= 64))),
  constraint disputes_charged_with_a_time CHECK ((is_charged = (charged_at IS NOT NULL))),
  constraint disputes_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint disputes_due_whole CHECK (((network_due IS NULL) = (respond_by IS NULL))),
  constraint disputes_ended_with_a_time CHECK (((state = ANY (ARRAY['won'::text, 'lost'::text, 'withdrawn'::text, 'accepted'::text])) = (ended_at IS NOT NULL))),
  constraint disputes_state_check CHECK ((state = ANY (ARRAY['inquiry'::text, 'reported'::text, 'chargeback'::text, 'represented'::text, 'pre_arbitration'::text, 'arbitration'::text, 'won'::text, 'lost'::text, 'withdrawn'::text, 'accepted'::text]))),
  constraint disputes_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES dispute_feeds(id)
);
CREATE INDEX disputes_by_case ON public.disputes USING btree (merchant_account_id, case_id);
CREATE INDEX disputes_by_merchant ON public.disputes USING btree (merchant_id, id);
CREATE INDEX disputes_by_order ON public.disputes USING btree (order_id) WHERE (order_id IS NOT NULL);
CREATE INDEX disputes_due ON public.disputes USING btree (respond_by) WHERE ((ended_at IS NULL) AND (respond_by IS NOT NULL));
CREATE INDEX disputes_of_month ON public.disputes USING btree (merchant_account_id, opened_at);

create table event_days (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  day date not null,
  first_position bigint not null,
  constraint event_days_pkey PRIMARY KEY (id),
  constraint event_days_day_key UNIQUE (day)
);

create table event_epochs (
  epoch integer not null,
  system_identifier text not null,
  timeline integer not null,
  first_position bigint not null,
  began_at timestamp with time zone not null default now(),
  constraint event_epochs_pkey PRIMARY KEY (epoch)
);

create table event_expiring_marks (
  site_id bigint not null,
  until timestamp with time zone not null,
  order_id bigint not null,
  constraint event_expiring_marks_pkey PRIMARY KEY (site_id)
);

create table event_head (
  only_one boolean not null default true,
  "position" bigint not null,
  numbered_at timestamp with time zone not null,
  looked_to bigint not null,
  first_order_id bigint not null,
  constraint event_head_pkey PRIMARY KEY (only_one),
  constraint event_head_only_one_check CHECK (only_one)
) with (fillfactor=50);

create table event_objects (
  type text collate "C" not null,
  id bigint not null,
  sequence bigint not null,
  constraint event_objects_pkey PRIMARY KEY (id, type)
) with (fillfactor=80);

create table event_outbox (
  n bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  type text not null,
  merchant_id bigint not null,
  site_id bigint,
  object_id bigint not null,
  transaction_id bigint,
  recorded_at timestamp with time zone not null default now(),
  details json
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);

create table events (
  day date not null,
  "position" bigint not null,
  merchant_id bigint not null,
  site_id bigint,
  type text not null,
  object_id bigint not null,
  sequence bigint not null,
  transaction_id bigint,
  salt bigint not null,
  at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  details json,
  constraint events_pkey PRIMARY KEY (merchant_id, day, "position")
) partition by RANGE (day);
CREATE TRIGGER events_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_events();

create table fee_charges (
  batch_id bigint not null,
  merchant_id bigint not null,
  after_transaction_id bigint not null default 0,
  fees integer not null default 0,
  charged_at timestamp with time zone,
  constraint fee_charges_pkey PRIMARY KEY (batch_id),
  constraint fee_charges_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id),
  constraint fee_charges_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table fee_months (
  merchant_id bigint not null,
  month date not null,
  constraint fee_months_pkey PRIMARY KEY (merchant_id),
  constraint fee_months_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint fee_months_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table fee_plans (
  merchant_id bigint not null,
  starts_on date not null,
  prices jsonb not null,
  actor text not null,
  put_at timestamp with time zone not null default now(),
  constraint fee_plans_pkey PRIMARY KEY (merchant_id, starts_on),
  constraint fee_plans_actor_check CHECK ((actor <> ''::text)),
  constraint fee_plans_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table go_live_requests (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  site_id bigint not null,
  wanted_mode text not null,
  state text not null default 'open'::text,
  listed jsonb not null,
  digest bytea not null,
  reason text not null default ''::text,
  asked_by bigint not null,
  asked_session bigint not null,
  asked_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null default (now() + '24:00:00'::interval),
  decided_by bigint,
  decided_session bigint,
  decided_at timestamp with time zone,
  decision_reason text not null default ''::text,
  constraint go_live_requests_pkey PRIMARY KEY (id),
  constraint go_live_requests_decided_by_a_user CHECK (((state <> ALL (ARRAY['approved'::text, 'refused'::text, 'withdrawn'::text])) OR ((decided_by IS NOT NULL) AND (decided_session IS NOT NULL)))),
  constraint go_live_requests_decided_with_a_time CHECK (((state = 'open'::text) = (decided_at IS NULL))),
  constraint go_live_requests_decision_reason_check CHECK ((length(decision_reason) <= 500)),
  constraint go_live_requests_digest_check CHECK ((length(digest) = 32)),
  constraint go_live_requests_listed_check CHECK ((jsonb_typeof(listed) = 'array'::text)),
  constraint go_live_requests_need_two_portal_users CHECK (((state <> ALL (ARRAY['approved'::text, 'refused'::text])) OR ((decided_by <> asked_by) AND (decided_session <> asked_session)))),
  constraint go_live_requests_reason_check CHECK ((length(reason) <= 500)),
  constraint go_live_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'approved'::text, 'refused'::text, 'withdrawn'::text, 'void'::text, 'expired'::text]))),
  constraint go_live_requests_wanted_mode_check CHECK ((wanted_mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint go_live_requests_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES portal_users(id),
  constraint go_live_requests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES portal_users(id),
  constraint go_live_requests_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint go_live_requests_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);
CREATE INDEX go_live_requests_by_merchant ON public.go_live_requests USING btree (merchant_id, id);
CREATE UNIQUE INDEX go_live_requests_one_open ON public.go_live_requests USING btree (site_id) WHERE (state = 'open'::text);

create table idempotency_keys (
  site_id bigint not null,
  mode text not null,
  key bytea not null,
  merchant_id bigint not null,
  content bytea not null,
  transaction_id bigint not null,
  taken_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (site_id, mode, key),
  constraint idempotency_keys_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

create table imported_ids (
  origin text not null,
  kind text not null,
  old_id bigint not null,
  merchant_id bigint not null,
  new_id bigint not null,
  constraint imported_ids_pkey PRIMARY KEY (origin, kind, old_id),
  constraint imported_ids_kind_check CHECK ((kind = ANY (ARRAY['customer'::text, 'payment method'::text])))
);

create table late_answers (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  message_number bigint,
  mti text not null,
  response_code text not null,
  auth_code text not null,
  received_at timestamp with time zone not null,
  constraint late_answers_pkey PRIMARY KEY (id)
);
CREATE INDEX late_answers_by_message ON public.late_answers USING btree (message_number);

create table ledger_kinds (
  kind ledger_posting_kind not null,
  debit text not null,
  credit text not null,
  constraint ledger_kinds_pkey PRIMARY KEY (kind),
  constraint ledger_kinds_check CHECK ((debit <> credit))
);

create table ledger_postings (
  merchant_id bigint not null,
  order_id bigint not null,
  transaction_id bigint not null,
  kind ledger_posting_kind not null,
  currency character(3) not null,
  amount_minor bigint not null,
  posted_at timestamp with time zone not null,
  constraint ledger_postings_pkey PRIMARY KEY (order_id, transaction_id, kind),
  constraint ledger_postings_move_money CHECK ((amount_minor > 0))
);
CREATE TRIGGER ledger_postings_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_the_ledger();

create table login_failures (
  caller text not null,
  window_started_at timestamp with time zone not null,
  attempts integer not null,
  open integer not null,
  opened_at timestamp with time zone not null,
  locked_until timestamp with time zone,
  constraint login_failures_pkey PRIMARY KEY (caller),
  constraint login_failures_attempts_check CHECK ((attempts >= 0)),
  constraint login_failures_check CHECK (((open >= 0) AND (open <= attempts)))
) with (fillfactor=70);
CREATE INDEX login_failures_by_window ON public.login_failures USING btree (window_started_at);
CREATE INDEX login_failures_locked ON public.login_failures USING btree (locked_until) WHERE (locked_until IS NOT NULL);

create table mail_messages (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  site_id bigint,
  customer_id bigint,
  portal_user_id bigint,
  kind text not null,
  mode text not null,
  "position" bigint,
  event_id text not null default ''::text,
  order_id bigint,
  recipient text not null,
  sender_name text not null,
  reply_to text not null,
  subject text not null,
  body_text text not null,
  body_html text not null,
  state text not null default 'waiting'::text,
  attempts integer not null default 0,
  round integer not null default 1,
  due_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  claims integer not null default 0,
  answer text not null default ''::text,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  constraint mail_messages_pkey PRIMARY KEY (id),
  constraint mail_messages_position_kind_recipient_key UNIQUE ("position", kind, recipient),
  constraint mail_messages_attempts_check CHECK (((attempts >= 0) AND (attempts <= 12))),
  constraint mail_messages_ended_have_a_time CHECK (((state = 'waiting'::text) = (ended_at IS NULL))),
  constraint mail_messages_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint mail_messages_recipient_check CHECK ((length(recipient) <= 254)),
  constraint mail_messages_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text, 'caught'::text]))),
  constraint mail_messages_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id)
) with (autovacuum_vacuum_scale_factor=0.02, fillfactor=80);
CREATE INDEX mail_messages_due ON public.mail_messages USING btree (due_at) WHERE (state = 'waiting'::text);
CREATE INDEX mail_messages_of_customer ON public.mail_messages USING btree (customer_id) WHERE (customer_id IS NOT NULL);
CREATE INDEX mail_messages_of_order ON public.mail_messages USING btree (order_id) WHERE (order_id IS NOT NULL);
CREATE INDEX mail_messages_of_site ON public.mail_messages USING btree (site_id, id);

create table mail_subscriptions (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  site_id bigint,
  portal_user_id bigint,
  kinds text[] not null,
  "position" bigint not null,
  sends_tests boolean not null default false,
  sender_name text not null default ''::text,
  reply_to text not null default ''::text,
  constraint mail_subscriptions_pkey PRIMARY KEY (id),
  constraint mail_subscriptions_portal_user_id_key UNIQUE (portal_user_id),
  constraint mail_subscriptions_site_id_key UNIQUE (site_id),
  constraint mail_subscriptions_of_a_site_or_a_user CHECK ((num_nonnulls(site_id, portal_user_id) = 1)),
  constraint mail_subscriptions_reply_to_check CHECK ((length(reply_to) <= 254)),
  constraint mail_subscriptions_sender_name_check CHECK ((length(sender_name) <= 100)),
  constraint mail_subscriptions_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint mail_subscriptions_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id),
  constraint mail_subscriptions_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
) with (fillfactor=70);

create table mail_templates (
  site_id bigint not null,
  kind text not null,
  subject text not null,
  body_text text not null,
  body_html text not null,
  changed_at timestamp with time zone not null default now(),
  constraint mail_templates_pkey PRIMARY KEY (site_id, kind),
  constraint mail_templates_body_html_check CHECK ((length(body_html) <= 50000)),
  constraint mail_templates_body_text_check CHECK (((length(body_text) >= 1) AND (length(body_text) <= 10000))),
  constraint mail_templates_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 200))),
  constraint mail_templates_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);

create table membership_charges (
  membership_id bigint not null,
  merchant_id bigint not null,
  due_at timestamp with time zone not null,
  attempt integer not null,
  at timestamp with time zone not null,
  payment_method_id bigint not null,
  amount_minor bigint not null,
  currency character(3) not null,
  outcome text not null default 'open'::text,
  order_id bigint not null,
  transaction_id bigint not null,
  reason text not null default ''::text,
  bank_test text,
  constraint membership_charges_pkey PRIMARY KEY (membership_id, due_at, attempt),
  constraint membership_charges_transaction_id_key UNIQUE (transaction_id),
  constraint membership_charges_amount_minor_check CHECK ((amount_minor > 0)),
  constraint membership_charges_attempt_check CHECK ((attempt >= 1)),
  constraint membership_charges_outcome_check CHECK ((outcome = ANY (ARRAY['open'::text, 'approved'::text, 'declined'::text, 'unknown'::text, 'not_sent'::text, 'forbidden'::text])))
);
CREATE UNIQUE INDEX membership_charges_one_at_a_time ON public.membership_charges USING btree (membership_id) WHERE (outcome = 'open'::text);
CREATE UNIQUE INDEX membership_charges_paid_once ON public.membership_charges USING btree (membership_id, due_at) WHERE (outcome = 'approved'::text);

create table membership_claims (
  site_id bigint not null,
  mode text not null,
  customer_id bigint not null,
  product text not null,
  merchant_id bigint not null,
  transaction_id bigint not null,
  claimed_at timestamp with time zone not null,
  constraint membership_claims_pkey PRIMARY KEY (site_id, mode, customer_id, product),
  constraint membership_claims_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

create table membership_operations (
  merchant_id bigint not null,
  key uuid not null,
  membership_id bigint not null,
  version bigint not null,
  actor text not null,
  request text not null,
  what text not null,
  at timestamp with time zone not null,
  constraint membership_operations_pkey PRIMARY KEY (merchant_id, key),
  constraint membership_operations_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships(id)
);
CREATE INDEX membership_operations_of_membership ON public.membership_operations USING btree (membership_id, version);

create table memberships (
  id bigint not null,
  merchant_id bigint not null,
  site_id bigint not null,
  mode text not null,
  customer_id bigint not null,
  merchant_account_id bigint not null,
  order_id bigint not null,
  order_line_id bigint not null,
  network_transaction_id text not null default ''::text,
  state text not null,
  product text not null,
  type text not null,
  metric character(1) not null,
  period_length integer not null,
  price_minor bigint not null,
  currency character(3) not null,
  next_product text,
  next_type text,
  next_metric character(1),
  next_period_length integer,
  next_price_minor bigint,
  payment_method_id bigint not null,
  anchor_at timestamp with time zone not null,
  paid_period integer not null,
  renewal_due_at timestamp with time zone,
  renewal_attempts integer not null default 0,
  renewal_first_failed_at timestamp with time zone,
  charge_at timestamp with time zone,
  charge_card_id bigint,
  next_kind text,
  next_at timestamp with time zone,
  over_at timestamp with time zone,
  created_at timestamp with time zone not null,
  leased_until timestamp with time zone,
  version bigint not null default 1,
  charge_test text,
  constraint memberships_pkey PRIMARY KEY (id),
  constraint memberships_order_line_id_key UNIQUE (order_line_id),
  constraint memberships_charge_a_renewal CHECK (((charge_at IS NULL) OR (renewal_due_at IS NOT NULL))),
  constraint memberships_charge_whole CHECK (((charge_at IS NULL) = (charge_card_id IS NULL))),
  constraint memberships_metric_check CHECK ((metric = ANY (ARRAY['D'::bpchar, 'M'::bpchar, 'Y'::bpchar]))),
  constraint memberships_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint memberships_next_kind_check CHECK ((next_kind = ANY (ARRAY['renewal'::text, 'retry'::text, 'end'::text, 'cancel'::text, 'give_up'::text]))),
  constraint memberships_next_metric_check CHECK ((next_metric = ANY (ARRAY['D'::bpchar, 'M'::bpchar, 'Y'::bpchar]))),
  constraint memberships_next_period_length_check CHECK (((next_period_length >= 1) AND (next_period_length <= 9999))),
  constraint memberships_next_price_minor_check CHECK ((next_price_minor > 0)),
  constraint memberships_next_product_whole CHECK ((num_nulls(next_product, next_type, next_metric, next_period_length, next_price_minor) = ANY (ARRAY[0, 5]))),
  constraint memberships_next_step_whole CHECK (((next_kind IS NULL) = (next_at IS NULL))),
  constraint memberships_next_type_check CHECK ((next_type = ANY (ARRAY['ends'::text, 'renews'::text]))),
  constraint memberships_over_do_nothing_more CHECK (((over_at IS NULL) OR (next_at IS NULL))),
  constraint memberships_over_since CHECK (((over_at IS NULL) = (state <> ALL (ARRAY['cancelled'::text, 'ended'::text])))),
  constraint memberships_paid_period_check CHECK ((paid_period >= '-1'::integer)),
  constraint memberships_period_length_check CHECK (((period_length >= 1) AND (period_length <= 9999))),
  constraint memberships_price_minor_check CHECK ((price_minor > 0)),
  constraint memberships_renewal_attempts_check CHECK ((renewal_attempts >= 0)),
  constraint memberships_state_check CHECK ((state = ANY (ARRAY['active'::text, 'past_due'::text, 'cancel_scheduled'::text, 'cancelled'::text, 'ended'::text]))),
  constraint memberships_type_check CHECK ((type = ANY (ARRAY['ends'::text, 'renews'::text])))
) with (fillfactor=70);
CREATE INDEX memberships_by_card ON public.memberships USING btree (payment_method_id);
CREATE INDEX memberships_by_customer ON public.memberships USING btree (customer_id);
CREATE INDEX memberships_by_next ON public.memberships USING btree (merchant_id, next_at, id) WHERE (next_at IS NOT NULL);
CREATE INDEX memberships_by_state ON public.memberships USING btree (merchant_id, state, id);
CREATE INDEX memberships_charging ON public.memberships USING btree (charge_at) WHERE (charge_at IS NOT NULL);
CREATE INDEX memberships_due ON public.memberships USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX memberships_of_product ON public.memberships USING btree (site_id, product, id);

create table merchant_accounts (
  id bigint not null,
  merchant_id bigint not null,
  mode text not null,
  processor_name text not null,
  acquirer_id text not null,
  acquirer_merchant_id text not null,
  category_code character(4) not null,
  name_and_location text not null,
  currencies text[] not null,
  unreferenced_credits boolean not null default false,
  processor_link_id bigint,
  stands_for bigint,
  three_ds_requestor_id text,
  three_ds_requestor_url text,
  batch_cutoff smallint,
  limits jsonb,
  brands text[],
  required_fields text[] not null default '{}'::text[],
  constraint merchant_accounts_pkey PRIMARY KEY (id),
  constraint merchant_accounts_stands_for_key UNIQUE (stands_for),
  constraint merchant_accounts_acquirer_id_check CHECK ((acquirer_id ~ '^[0-9]{1,11}$'::text)),
  constraint merchant_accounts_acquirer_merchant_id_check CHECK (((length(acquirer_merchant_id) >= 1) AND (length(acquirer_merchant_id) <= 15))),
  constraint merchant_accounts_batch_cutoff_check CHECK (((batch_cutoff >= 0) AND (batch_cutoff <= 1439))),
  constraint merchant_accounts_limits_check CHECK ((jsonb_typeof(limits) = 'object'::text)),
  constraint merchant_accounts_live_have_a_link CHECK (((mode = 'test'::text) OR (processor_link_id IS NOT NULL))),
  constraint merchant_accounts_live_stand_for_test CHECK (((stands_for IS NULL) OR (mode = 'live'::text))),
  constraint merchant_accounts_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint merchant_accounts_name_and_location_check CHECK ((length(name_and_location) <= 40)),
  constraint merchant_accounts_required_fields_check CHECK ((required_fields <@ ARRAY['security_code'::text, 'country'::text, 'birthday'::text, 'ssn'::text, 'address'::text, 'city'::text, 'state'::text, 'postal_code'::text, 'phone'::text, 'ip_address'::text, 'tax_number'::text, 'email'::text, 'first_name'::text, 'last_name'::text])),
  constraint merchant_accounts_take_a_brand CHECK ((cardinality(brands) > 0)),
  constraint merchant_accounts_three_ds_requestor_id_check CHECK (((length(three_ds_requestor_id) >= 1) AND (length(three_ds_requestor_id) <= 35))),
  constraint merchant_accounts_three_ds_requestor_url_check CHECK (((length(three_ds_requestor_url) >= 1) AND (length(three_ds_requestor_url) <= 2048))),
  constraint merchant_accounts_three_ds_whole CHECK (((three_ds_requestor_id IS NULL) = (three_ds_requestor_url IS NULL))),
  constraint merchant_accounts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint merchant_accounts_stands_for_fkey FOREIGN KEY (stands_for) REFERENCES merchant_accounts(id),
  constraint merchant_accounts_use_a_link_of_their_mode FOREIGN KEY (processor_link_id, mode) REFERENCES processor_links(id, mode)
);
CREATE TRIGGER merchant_accounts_stay_with_their_bank BEFORE UPDATE ON public.merchant_accounts FOR EACH ROW WHEN (((old.mode <> new.mode) OR (old.merchant_id <> new.merchant_id) OR (old.acquirer_id <> new.acquirer_id) OR (old.acquirer_merchant_id <> new.acquirer_merchant_id) OR (old.processor_link_id IS DISTINCT FROM new.processor_link_id))) EXECUTE FUNCTION refuse_another_bank();

create table merchants (
  id bigint not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  time_zone text not null default 'UTC'::text,
  peer_approval boolean not null default false,
  disabled_at timestamp with time zone,
  disabled_by text,
  disabled_reason text,
  constraint merchants_pkey PRIMARY KEY (id),
  constraint merchants_are_disabled_with_a_reason CHECK ((((disabled_at IS NULL) = (disabled_by IS NULL)) AND ((disabled_at IS NULL) = (disabled_reason IS NULL)))),
  constraint merchants_time_zone_is_known CHECK ((timezone(time_zone, '1970-01-01 00:00:00+00'::timestamp with time zone) IS NOT NULL))
);
CREATE INDEX merchants_disabled ON public.merchants USING btree (id) WHERE (disabled_at IS NOT NULL);

create table monthly_fees (
  merchant_id bigint not null,
  month date not null,
  currency character(3) not null,
  plan_starts_on date not null,
  fee_minor bigint not null,
  posted_at timestamp with time zone not null default now(),
  constraint monthly_fees_pkey PRIMARY KEY (merchant_id, month, currency),
  constraint monthly_fees_fee_minor_check CHECK ((fee_minor > 0)),
  constraint monthly_fees_follow_their_plan CHECK ((plan_starts_on <= month)),
  constraint monthly_fees_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint monthly_fees_merchant_id_plan_starts_on_fkey FOREIGN KEY (merchant_id, plan_starts_on) REFERENCES fee_plans(merchant_id, starts_on)
);
CREATE TRIGGER monthly_fees_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.monthly_fees FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_the_ledger();

create table open_transactions (
  merchant_id bigint not null,
  transaction_id bigint not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=10000);

create table operator_invitations (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  operator_id bigint not null,
  kind text not null,
  token_digest bytea not null,
  made_by text not null,
  made_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null default (now() + '24:00:00'::interval),
  ended_at timestamp with time zone,
  constraint operator_invitations_pkey PRIMARY KEY (id),
  constraint operator_invitations_token_digest_key UNIQUE (token_digest),
  constraint operator_invitations_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'reset'::text]))),
  constraint operator_invitations_token_digest_check CHECK ((length(token_digest) = 32)),
  constraint operator_invitations_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id)
);
CREATE UNIQUE INDEX operator_invitations_one_open ON public.operator_invitations USING btree (operator_id) WHERE (ended_at IS NULL);

create table operator_past_passwords (
  operator_id bigint not null,
  hash text not null,
  replaced_at timestamp with time zone not null default clock_timestamp(),
  constraint operator_past_passwords_pkey PRIMARY KEY (operator_id, replaced_at),
  constraint operator_past_passwords_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id)
);

create table operator_recon_bank_orders (
  bank_key text not null,
  constraint operator_recon_bank_orders_pkey PRIMARY KEY (bank_key)
);

create table operator_recon_orders (
  order_id bigint not null,
  reason text not null,
  constraint operator_recon_orders_pkey PRIMARY KEY (order_id),
  constraint operator_recon_orders_reason_check CHECK ((reason = ANY (ARRAY['open'::text, 'found'::text])))
);

create table operator_recon_runs (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  began_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  is_full boolean not null,
  "position" bigint not null,
  bank_position text not null,
  constraint operator_recon_runs_pkey PRIMARY KEY (id)
);

create table operator_recovery_codes (
  operator_id bigint not null,
  digest bytea not null,
  used_at timestamp with time zone,
  constraint operator_recovery_codes_pkey PRIMARY KEY (operator_id, digest),
  constraint operator_recovery_codes_digest_check CHECK ((length(digest) = 32)),
  constraint operator_recovery_codes_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id)
);

create table operator_requests (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  wanted json not null,
  subject text not null,
  seen text not null,
  reason text not null default ''::text,
  state text not null default 'open'::text,
  asked_by bigint not null,
  asked_session bigint not null,
  asked_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null default (now() + '24:00:00'::interval),
  decided_by bigint,
  decided_session bigint,
  decided_at timestamp with time zone,
  used_at timestamp with time zone,
  used_by text,
  link_key_ciphertext bytea,
  link_key_data_key_id integer,
  constraint operator_requests_pkey PRIMARY KEY (id),
  constraint operator_requests_decided_by_an_operator CHECK (((state <> ALL (ARRAY['approved'::text, 'refused'::text, 'withdrawn'::text])) OR ((decided_by IS NOT NULL) AND (decided_session IS NOT NULL)))),
  constraint operator_requests_decided_with_a_time CHECK (((state = 'open'::text) = (decided_at IS NULL))),
  constraint operator_requests_link_key_while_open CHECK (((state = 'open'::text) OR (link_key_ciphertext IS NULL))),
  constraint operator_requests_link_key_whole CHECK (((link_key_ciphertext IS NULL) = (link_key_data_key_id IS NULL))),
  constraint operator_requests_need_two_operators CHECK (((state <> ALL (ARRAY['approved'::text, 'refused'::text])) OR ((decided_by <> asked_by) AND (decided_session <> asked_session)))),
  constraint operator_requests_not_decided_by_their_subject CHECK (((decided_by IS NULL) OR (state = 'withdrawn'::text) OR (subject <> ('operator '::text || decided_by)))),
  constraint operator_requests_reason_check CHECK ((length(reason) <= 500)),
  constraint operator_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'approved'::text, 'refused'::text, 'withdrawn'::text, 'void'::text, 'expired'::text]))),
  constraint operator_requests_subject_check CHECK ((subject <> ''::text)),
  constraint operator_requests_used_once_approved CHECK ((((used_at IS NULL) = (used_by IS NULL)) AND ((used_at IS NULL) OR (state = 'approved'::text)))),
  constraint operator_requests_wanted_check CHECK ((json_typeof(wanted) = 'object'::text)),
  constraint operator_requests_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES operators(id),
  constraint operator_requests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES operators(id),
  constraint operator_requests_link_key_data_key_id_fkey FOREIGN KEY (link_key_data_key_id) REFERENCES data_keys(id)
);
CREATE UNIQUE INDEX operator_requests_one_open ON public.operator_requests USING btree (subject) WHERE (state = 'open'::text);
CREATE TRIGGER operator_requests_forget_link_key BEFORE UPDATE ON public.operator_requests FOR EACH ROW WHEN ((new.state <> 'open'::text)) EXECUTE FUNCTION forget_link_key_of_request();

create table operator_sessions (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  operator_id bigint not null,
  token_digest bytea not null,
  csrf_token text not null,
  second_factor boolean not null default false,
  address text not null,
  browser text not null,
  started_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  constraint operator_sessions_pkey PRIMARY KEY (id),
  constraint operator_sessions_token_digest_key UNIQUE (token_digest),
  constraint operator_sessions_token_digest_check CHECK ((length(token_digest) = 32)),
  constraint operator_sessions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id)
);
CREATE INDEX operator_sessions_by_operator ON public.operator_sessions USING btree (operator_id) WHERE (ended_at IS NULL);

create table operators (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  email text not null,
  name text not null,
  role text not null,
  password_hash text,
  password_changed_at timestamp with time zone not null default now(),
  active boolean not null default true,
  second_factor_ciphertext bytea,
  second_factor_data_key_id integer,
  second_factor_set_at timestamp with time zone,
  second_factor_step bigint,
  created_at timestamp with time zone not null default now(),
  enabled_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone,
  constraint operators_pkey PRIMARY KEY (id),
  constraint operators_email_key UNIQUE (email),
  constraint operators_email_check CHECK (((email = lower(email)) AND (email ~ '^[^@ ]+@[^@ ]+$'::text) AND (length(email) <= 254))),
  constraint operators_name_check CHECK (((name <> ''::text) AND (length(name) <= 100))),
  constraint operators_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'viewer'::text]))),
  constraint operators_second_factor_whole CHECK ((((second_factor_ciphertext IS NULL) = (second_factor_data_key_id IS NULL)) AND ((second_factor_ciphertext IS NULL) = (second_factor_set_at IS NULL)) AND ((second_factor_ciphertext IS NOT NULL) OR (second_factor_step IS NULL)))),
  constraint operators_second_factor_data_key_id_fkey FOREIGN KEY (second_factor_data_key_id) REFERENCES data_keys(id)
);

create table order_claims (
  site_id bigint not null,
  reference text not null,
  merchant_id bigint not null,
  order_id bigint not null,
  transaction_id bigint not null,
  state text not null,
  content bytea not null,
  claimed_at timestamp with time zone not null,
  mode text not null,
  details bytea,
  ended_at timestamp with time zone,
  earlier jsonb not null default '[]'::jsonb,
  constraint order_claims_pkey PRIMARY KEY (site_id, reference, mode),
  constraint order_claims_declined_are_dated CHECK (((state <> 'declined'::text) OR ((details IS NOT NULL) AND (ended_at IS NOT NULL)))),
  constraint order_claims_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint order_claims_state_check CHECK ((state = ANY (ARRAY['running'::text, 'approved'::text, 'declined'::text])))
);

create table order_lines (
  id bigint not null,
  merchant_id bigint not null,
  order_id bigint not null,
  number smallint not null,
  product text not null,
  merchant_product text not null default ''::text,
  count smallint not null,
  amount_minor bigint not null,
  captured_minor bigint not null default 0,
  voided_minor bigint not null default 0,
  refunded_minor bigint not null default 0,
  membership_id bigint,
  constraint order_lines_pkey PRIMARY KEY (id),
  constraint order_lines_captured_minor_check CHECK ((captured_minor >= 0)),
  constraint order_lines_count_check CHECK (((count >= 1) AND (count <= 99))),
  constraint order_lines_no_more_captured_than_the_line CHECK (((captured_minor + voided_minor) <= amount_minor)),
  constraint order_lines_no_more_refunded_than_captured CHECK ((refunded_minor <= captured_minor)),
  constraint order_lines_refunded_minor_check CHECK ((refunded_minor >= 0)),
  constraint order_lines_voided_minor_check CHECK ((voided_minor >= 0))
) with (fillfactor=80);
CREATE INDEX order_lines_by_order ON public.order_lines USING btree (order_id);

create table order_notes (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  order_id bigint not null,
  portal_user_id bigint not null,
  text text not null,
  written_at timestamp with time zone not null default now(),
  key text not null,
  constraint order_notes_pkey PRIMARY KEY (id),
  constraint order_notes_once UNIQUE (merchant_id, key),
  constraint order_notes_key_check CHECK (((length(key) >= 16) AND (length(key) <= 80))),
  constraint order_notes_text_check CHECK (((length(text) >= 1) AND (length(text) <= 4000))),
  constraint order_notes_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint order_notes_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint order_notes_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id)
);
CREATE INDEX order_notes_by_order ON public.order_notes USING btree (order_id);
CREATE TRIGGER order_notes_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.order_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_notes();

create table orders (
  id bigint not null,
  merchant_id bigint not null,
  site_id bigint not null,
  merchant_account_id bigint not null,
  mode text not null,
  customer_id bigint not null,
  payment_method_id bigint not null,
  kind text not null,
  state text not null,
  currency character(3) not null,
  reference text not null default ''::text,
  requested_minor bigint not null,
  authorized_minor bigint not null default 0,
  captured_minor bigint not null default 0,
  voided_minor bigint not null default 0,
  refunded_minor bigint not null default 0,
  reversed_whole boolean not null default false,
  expires_at timestamp with time zone,
  released_at timestamp with time zone,
  message_number bigint not null,
  message_at timestamp with time zone not null,
  entry_mode character(3) not null,
  auth_code text not null default ''::text,
  network_transaction_id text not null default ''::text,
  advice_count integer not null default 0,
  membership_reference text not null default ''::text,
  receipt text,
  extras json not null default '{}'::json,
  created_at timestamp with time zone not null,
  constraint orders_pkey PRIMARY KEY (id),
  constraint orders_captured_minor_check CHECK ((captured_minor >= 0)),
  constraint orders_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'unreferenced_credit'::text]))),
  constraint orders_no_more_approved_than_asked CHECK ((authorized_minor <= requested_minor)),
  constraint orders_no_more_captured_than_authorized CHECK (((captured_minor + voided_minor) <= authorized_minor)),
  constraint orders_no_more_refunded_than_captured CHECK (((refunded_minor <= captured_minor) OR (kind = 'unreferenced_credit'::text))),
  constraint orders_refunded_minor_check CHECK ((refunded_minor >= 0)),
  constraint orders_state_check CHECK ((state = ANY (ARRAY['running'::text, 'pending'::text, 'authorized'::text, 'declined'::text, 'failed'::text]))),
  constraint orders_unreferenced_credit_no_more_than_asked CHECK (((kind = 'payment'::text) OR (refunded_minor <= requested_minor))),
  constraint orders_voided_minor_check CHECK ((voided_minor >= 0))
) with (fillfactor=60);
CREATE INDEX orders_by_customer ON public.orders USING btree (customer_id, created_at);
CREATE INDEX orders_by_membership_reference ON public.orders USING btree (site_id, membership_reference) WHERE (membership_reference <> ''::text);
CREATE INDEX orders_by_merchant ON public.orders USING btree (merchant_id, created_at, id);
CREATE INDEX orders_by_reference ON public.orders USING btree (site_id, reference text_pattern_ops) WHERE (reference <> ''::text);
CREATE INDEX orders_to_release ON public.orders USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (released_at IS NULL));
CREATE INDEX orders_to_release_of_test_sites ON public.orders USING btree (site_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (released_at IS NULL) AND (mode = 'test'::text));
CREATE TRIGGER orders_refund_no_disputed_money BEFORE UPDATE OF refunded_minor ON public.orders FOR EACH ROW WHEN ((new.refunded_minor > old.refunded_minor)) EXECUTE FUNCTION keep_refunds_beside_disputes();

create table payment_hours (
  merchant_id bigint not null,
  site_id bigint not null,
  hour timestamp with time zone not null,
  currency character(3) not null,
  outcome text not null,
  service_code smallint not null,
  payments bigint not null,
  amount_minor bigint not null,
  constraint payment_hours_pkey PRIMARY KEY (merchant_id, site_id, hour, currency, outcome, service_code),
  constraint payment_hours_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint payment_hours_outcome_check CHECK ((outcome = ANY (ARRAY['approved'::text, 'declined'::text, 'failed'::text, 'refunded'::text]))),
  constraint payment_hours_payments_check CHECK ((payments > 0))
);

create table payment_hours_until (
  site_id bigint not null,
  merchant_id bigint not null,
  until timestamp with time zone not null,
  constraint payment_hours_until_pkey PRIMARY KEY (site_id),
  constraint payment_hours_until_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);

create table payment_methods (
  id bigint not null,
  merchant_id bigint not null,
  customer_id bigint not null,
  mode text not null,
  pan_ciphertext bytea,
  data_key_id integer,
  fingerprint bytea not null,
  brand text not null,
  last4 character(4) not null,
  expiry_month smallint,
  expiry_year smallint,
  reference text not null default ''::text,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  data_changed_at timestamp with time zone,
  update_description text not null default ''::text,
  updated_on date,
  updated_at timestamp with time zone,
  removed_at timestamp with time zone,
  constraint payment_methods_pkey PRIMARY KEY (id),
  constraint payment_methods_fingerprint_check CHECK ((length(fingerprint) = 32)),
  constraint payment_methods_number_until_removed CHECK ((num_nulls(pan_ciphertext, data_key_id) =
CASE
    WHEN (removed_at IS NULL) THEN 0
    ELSE 2
END))
) with (fillfactor=95);
CREATE INDEX payment_methods_by_customer ON public.payment_methods USING btree (customer_id);
CREATE INDEX payment_methods_by_last4 ON public.payment_methods USING btree (merchant_id, last4);

create table payout_deposits (
  entry_id bigint not null,
  n integer not null,
  payout_id bigint not null,
  merchant_id bigint not null,
  kind text not null,
  cleared_minor bigint not null,
  matched_by text not null,
  matched_at timestamp with time zone not null,
  constraint payout_deposits_pkey PRIMARY KEY (entry_id, n),
  constraint payout_deposits_once UNIQUE (entry_id, payout_id),
  constraint payout_deposits_kind_check CHECK ((kind = ANY (ARRAY['deposit'::text, 'supplement'::text, 'return'::text]))),
  constraint payout_deposits_n_check CHECK ((n > 0)),
  constraint payout_deposits_supplement_clears_nothing CHECK (((kind = 'supplement'::text) = (cleared_minor = 0))),
  constraint payout_deposits_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES bank_entries(id),
  constraint payout_deposits_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES settlement_payouts(id)
);
CREATE INDEX payout_deposits_by_payout ON public.payout_deposits USING btree (payout_id);
CREATE TRIGGER payout_deposits_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payout_deposits FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_the_ledger();

create table portal_invitations (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  portal_user_id bigint not null,
  kind text not null,
  token_digest bytea not null,
  made_by text not null,
  made_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null default (now() + '24:00:00'::interval),
  ended_at timestamp with time zone,
  constraint portal_invitations_pkey PRIMARY KEY (id),
  constraint portal_invitations_token_digest_key UNIQUE (token_digest),
  constraint portal_invitations_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'reset'::text]))),
  constraint portal_invitations_token_digest_check CHECK ((length(token_digest) = 32)),
  constraint portal_invitations_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id)
);
CREATE UNIQUE INDEX portal_invitations_one_open ON public.portal_invitations USING btree (portal_user_id) WHERE (ended_at IS NULL);

create table portal_list_columns (
  portal_user_id bigint not null,
  list text not null,
  columns text[] not null,
  constraint portal_list_columns_pkey PRIMARY KEY (portal_user_id, list),
  constraint portal_list_columns_list_check CHECK ((list = ANY (ARRAY['orders'::text, 'transactions'::text]))),
  constraint portal_list_columns_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id)
);

create table portal_operations (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  portal_user_id bigint not null,
  site_id bigint not null,
  key text not null,
  operation text not null,
  order_id bigint not null,
  source_order_id bigint,
  digest bytea not null,
  request_id bigint not null,
  transaction_id bigint,
  state text not null default 'begun'::text,
  result json,
  address text not null,
  begun_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  came_in_by text,
  constraint portal_operations_pkey PRIMARY KEY (id),
  constraint portal_operations_once UNIQUE (merchant_id, key),
  constraint portal_operations_request_id_key UNIQUE (request_id),
  constraint portal_operations_digest_check CHECK ((length(digest) = 32)),
  constraint portal_operations_end_with_a_result CHECK ((((state = 'begun'::text) = (ended_at IS NULL)) AND ((state = 'begun'::text) = (result IS NULL)))),
  constraint portal_operations_key_check CHECK (((length(key) >= 16) AND (length(key) <= 80))),
  constraint portal_operations_operation_check CHECK ((operation = ANY (ARRAY['capture'::text, 'void'::text, 'capture_void'::text, 'refund'::text, 'authorization'::text, 'sale'::text, 'charge'::text]))),
  constraint portal_operations_state_check CHECK ((state = ANY (ARRAY['begun'::text, 'done'::text, 'refused'::text, 'interrupted'::text]))),
  constraint portal_operations_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint portal_operations_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id),
  constraint portal_operations_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);
CREATE INDEX portal_operations_by_order ON public.portal_operations USING btree (order_id);
CREATE INDEX portal_operations_open ON public.portal_operations USING btree (begun_at) WHERE (state = 'begun'::text);

create table portal_order_views (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  portal_user_id bigint not null,
  list text not null,
  name text not null,
  search text not null,
  shared boolean not null default false,
  created_at timestamp with time zone not null default now(),
  constraint portal_order_views_pkey PRIMARY KEY (id),
  constraint portal_order_views_one_of_each_name UNIQUE (portal_user_id, list, name),
  constraint portal_order_views_list_check CHECK ((list = ANY (ARRAY['orders'::text, 'transactions'::text]))),
  constraint portal_order_views_name_check CHECK (((length(name) >= 1) AND (length(name) <= 80))),
  constraint portal_order_views_search_check CHECK ((length(search) <= 4000)),
  constraint portal_order_views_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint portal_order_views_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id)
);
CREATE INDEX portal_order_views_by_merchant ON public.portal_order_views USING btree (merchant_id, list);

create table portal_past_passwords (
  portal_user_id bigint not null,
  hash text not null,
  replaced_at timestamp with time zone not null default clock_timestamp(),
  constraint portal_past_passwords_pkey PRIMARY KEY (portal_user_id, replaced_at),
  constraint portal_past_passwords_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id)
);

create table portal_recovery_codes (
  portal_user_id bigint not null,
  digest bytea not null,
  used_at timestamp with time zone,
  constraint portal_recovery_codes_pkey PRIMARY KEY (portal_user_id, digest),
  constraint portal_recovery_codes_digest_check CHECK ((length(digest) = 32)),
  constraint portal_recovery_codes_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id)
);

create table portal_sessions (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  portal_user_id bigint not null,
  token_digest bytea not null,
  csrf_token text not null,
  second_factor boolean not null default false,
  address text not null,
  browser text not null,
  started_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  constraint portal_sessions_pkey PRIMARY KEY (id),
  constraint portal_sessions_token_digest_key UNIQUE (token_digest),
  constraint portal_sessions_token_digest_check CHECK ((length(token_digest) = 32)),
  constraint portal_sessions_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id)
);
CREATE INDEX portal_sessions_by_user ON public.portal_sessions USING btree (portal_user_id) WHERE (ended_at IS NULL);

create table portal_user_requests (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  portal_user_id bigint,
  wanted json not null,
  seen text not null,
  state text not null default 'open'::text,
  asked_by bigint not null,
  asked_session bigint not null,
  asked_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null default (now() + '24:00:00'::interval),
  decided_by bigint,
  decided_session bigint,
  decided_at timestamp with time zone,
  constraint portal_user_requests_pkey PRIMARY KEY (id),
  constraint portal_user_requests_decided_by_a_user CHECK (((state <> ALL (ARRAY['approved'::text, 'refused'::text, 'withdrawn'::text])) OR ((decided_by IS NOT NULL) AND (decided_session IS NOT NULL)))),
  constraint portal_user_requests_decided_with_a_time CHECK (((state = 'open'::text) = (decided_at IS NULL))),
  constraint portal_user_requests_need_two_users CHECK (((state <> ALL (ARRAY['approved'::text, 'refused'::text])) OR ((decided_by <> asked_by) AND (decided_session <> asked_session)))),
  constraint portal_user_requests_not_decided_by_their_subject CHECK (((portal_user_id IS NULL) OR (decided_by IS NULL) OR (decided_by <> portal_user_id))),
  constraint portal_user_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'approved'::text, 'refused'::text, 'withdrawn'::text, 'void'::text, 'expired'::text]))),
  constraint portal_user_requests_wanted_check CHECK ((json_typeof(wanted) = 'object'::text)),
  constraint portal_user_requests_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES portal_users(id),
  constraint portal_user_requests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES portal_users(id),
  constraint portal_user_requests_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint portal_user_requests_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id)
);
CREATE INDEX portal_user_requests_by_merchant ON public.portal_user_requests USING btree (merchant_id, id);
CREATE UNIQUE INDEX portal_user_requests_one_open ON public.portal_user_requests USING btree (merchant_id, COALESCE(portal_user_id, (0)::bigint)) WHERE (state = 'open'::text);

create table portal_users (
  id bigint not null generated always as identity (as bigint start 101 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  email text not null,
  name text not null,
  role text not null,
  password_hash text,
  published_password_hash text,
  password_changed_at timestamp with time zone not null default now(),
  active boolean not null default true,
  refund_limit_minor bigint,
  refund_limit_currency character(3),
  second_factor_ciphertext bytea,
  second_factor_data_key_id integer,
  second_factor_set_at timestamp with time zone,
  second_factor_step bigint,
  created_at timestamp with time zone not null default now(),
  enabled_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone,
  came_in_by text,
  came_in_at timestamp with time zone,
  constraint portal_users_pkey PRIMARY KEY (id),
  constraint portal_users_email_key UNIQUE (email),
  constraint portal_users_came_in_whole CHECK (((came_in_by IS NULL) = (came_in_at IS NULL))),
  constraint portal_users_email_check CHECK (((email = lower(email)) AND (email ~ '^[^@ ]+@[^@ ]+$'::text) AND (length(email) <= 254))),
  constraint portal_users_name_check CHECK (((name <> ''::text) AND (length(name) <= 100))),
  constraint portal_users_refund_limit_minor_check CHECK ((refund_limit_minor >= 0)),
  constraint portal_users_refund_limit_whole CHECK (((refund_limit_minor IS NULL) = (refund_limit_currency IS NULL))),
  constraint portal_users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'finance'::text, 'support'::text, 'developer'::text, 'read_only'::text]))),
  constraint portal_users_second_factor_whole CHECK ((((second_factor_ciphertext IS NULL) = (second_factor_data_key_id IS NULL)) AND ((second_factor_ciphertext IS NULL) = (second_factor_set_at IS NULL)) AND ((second_factor_ciphertext IS NOT NULL) OR (second_factor_step IS NULL)))),
  constraint portal_users_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint portal_users_second_factor_data_key_id_fkey FOREIGN KEY (second_factor_data_key_id) REFERENCES data_keys(id)
);
CREATE INDEX portal_users_by_merchant ON public.portal_users USING btree (merchant_id);
CREATE TRIGGER portal_users_keep_an_owner AFTER UPDATE OF role, active ON public.portal_users FOR EACH ROW WHEN (((old.role = 'owner'::text) AND old.active AND (NOT ((new.role = 'owner'::text) AND new.active)))) EXECUTE FUNCTION hold_last_owner();

create unlogged table processor_link_states (
  link_id bigint not null,
  worker text not null,
  state text not null,
  address text not null,
  signed_on_since timestamp with time zone,
  last_error text,
  in_flight integer not null,
  reported_at timestamp with time zone not null,
  constraint processor_link_states_pkey PRIMARY KEY (link_id, worker),
  constraint processor_link_states_link_id_fkey FOREIGN KEY (link_id) REFERENCES processor_links(id) ON DELETE CASCADE
);

create table processor_links (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  name text not null,
  mode text not null,
  addresses text[] not null,
  profile text not null,
  institution_id text not null,
  echo_idle_seconds integer not null,
  request_window integer not null,
  message_timeout_ms integer not null,
  tls_ca text,
  tls_certificate text,
  tls_key_ciphertext bytea,
  tls_key_data_key_id integer,
  revision integer not null default 1,
  changed_at timestamp with time zone not null default now(),
  batch_agreement boolean not null default false,
  constraint processor_links_pkey PRIMARY KEY (id),
  constraint processor_links_id_mode_key UNIQUE (id, mode),
  constraint processor_links_name_key UNIQUE (name),
  constraint processor_links_addresses_check CHECK (((cardinality(addresses) >= 1) AND (cardinality(addresses) <= 2))),
  constraint processor_links_client_certificate_has_its_key CHECK ((((tls_certificate IS NULL) = (tls_key_ciphertext IS NULL)) AND ((tls_key_ciphertext IS NULL) = (tls_key_data_key_id IS NULL)))),
  constraint processor_links_client_certificate_needs_tls CHECK (((tls_certificate IS NULL) OR (tls_ca IS NOT NULL))),
  constraint processor_links_echo_idle_seconds_check CHECK (((echo_idle_seconds >= 1) AND (echo_idle_seconds <= 3600))),
  constraint processor_links_institution_id_check CHECK ((institution_id ~ '^[1-9][0-9]{0,10}$'::text)),
  constraint processor_links_message_timeout_ms_check CHECK (((message_timeout_ms >= 100) AND (message_timeout_ms <= 120000))),
  constraint processor_links_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint processor_links_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9-]{0,39}$'::text)),
  constraint processor_links_profile_check CHECK ((profile = ANY (ARRAY['house'::text, 'house-bcd'::text]))),
  constraint processor_links_request_window_check CHECK (((request_window >= 1) AND (request_window <= 4096))),
  constraint processor_links_tls_key_data_key_id_fkey FOREIGN KEY (tls_key_data_key_id) REFERENCES data_keys(id)
);

create table products (
  site_id bigint not null,
  code text not null,
  active boolean not null default true,
  name text not null default ''::text,
  type text,
  metric character(1),
  period integer,
  price_minor bigint,
  currency character(3),
  created_at timestamp with time zone not null default now(),
  constraint products_pkey PRIMARY KEY (site_id, code),
  constraint products_code_check CHECK (((length(code) >= 1) AND (length(code) <= 64))),
  constraint products_metric_check CHECK ((metric = ANY (ARRAY['D'::bpchar, 'M'::bpchar, 'Y'::bpchar]))),
  constraint products_name_check CHECK ((length(name) <= 255)),
  constraint products_period_check CHECK (((period >= 1) AND (period <= 9999))),
  constraint products_price_minor_check CHECK ((price_minor > 0)),
  constraint products_terms_whole CHECK ((num_nulls(type, metric, period, price_minor, currency) = ANY (ARRAY[0, 5]))),
  constraint products_type_check CHECK ((type = ANY (ARRAY['ends'::text, 'renews'::text]))),
  constraint products_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);
CREATE UNIQUE INDEX products_one_of_each_definition ON public.products USING btree (site_id, name, type, metric, period, price_minor, currency) WHERE (type IS NOT NULL);

create table recon_differences (
  id bigint not null generated always as identity (as bigint start 701 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  order_id bigint not null,
  currency character(3) not null,
  bank_currency text,
  gateway_minor bigint[],
  ledger_minor bigint[],
  bank_minor bigint[],
  reasons jsonb not null,
  first_seen_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  last_run_id bigint not null,
  gone_at timestamp with time zone,
  owner_id bigint,
  resolved_by bigint,
  resolved_at timestamp with time zone,
  version integer not null default 1,
  constraint recon_differences_pkey PRIMARY KEY (id),
  constraint recon_differences_bank_minor_check CHECK ((cardinality(bank_minor) = 3)),
  constraint recon_differences_gateway_minor_check CHECK ((cardinality(gateway_minor) = 3)),
  constraint recon_differences_ledger_minor_check CHECK ((cardinality(ledger_minor) = 3)),
  constraint recon_differences_resolved_by_a_user CHECK (((resolved_by IS NULL) = (resolved_at IS NULL))),
  constraint recon_differences_last_run_id_fkey FOREIGN KEY (last_run_id) REFERENCES recon_runs(id),
  constraint recon_differences_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES portal_users(id),
  constraint recon_differences_resolved_by_fkey FOREIGN KEY (resolved_by) REFERENCES portal_users(id)
);
CREATE INDEX recon_differences_by_merchant ON public.recon_differences USING btree (merchant_id, id);
CREATE UNIQUE INDEX recon_differences_one_at_a_time ON public.recon_differences USING btree (merchant_id, order_id) WHERE (gone_at IS NULL);

create table recon_notes (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  difference_id bigint not null,
  portal_user_id bigint not null,
  at timestamp with time zone not null default now(),
  what text not null,
  text text not null default ''::text,
  constraint recon_notes_pkey PRIMARY KEY (id),
  constraint recon_notes_text_check CHECK ((length(text) <= 2000)),
  constraint recon_notes_what_check CHECK ((what = ANY (ARRAY['taken'::text, 'handed'::text, 'noted'::text, 'resolved'::text, 'reopened'::text]))),
  constraint recon_notes_difference_id_fkey FOREIGN KEY (difference_id) REFERENCES recon_differences(id),
  constraint recon_notes_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id)
);
CREATE INDEX recon_notes_by_difference ON public.recon_notes USING btree (difference_id, id);

create table recon_runs (
  id bigint not null generated always as identity (as bigint start 301 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  state text not null default 'waiting'::text,
  asked_by text not null,
  asked_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  doing text not null default ''::text,
  orders_seen bigint not null default 0,
  alive_at timestamp with time zone not null default now(),
  fault text not null default ''::text,
  orders bigint,
  differences integer,
  totals jsonb not null default '[]'::jsonb,
  constraint recon_runs_pkey PRIMARY KEY (id),
  constraint recon_runs_done_with_figures CHECK (((state = 'done'::text) = ((orders IS NOT NULL) AND (differences IS NOT NULL)))),
  constraint recon_runs_end_with_a_time CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text])) = (finished_at IS NOT NULL))),
  constraint recon_runs_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text]))),
  constraint recon_runs_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX recon_runs_by_merchant ON public.recon_runs USING btree (merchant_id, id);
CREATE UNIQUE INDEX recon_runs_one_at_a_time ON public.recon_runs USING btree (merchant_id) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));

create table recon_schedules (
  merchant_id bigint not null,
  hour smallint not null,
  constraint recon_schedules_pkey PRIMARY KEY (merchant_id),
  constraint recon_schedules_hour_check CHECK (((hour >= 0) AND (hour <= 23))),
  constraint recon_schedules_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table reencryption_passes (
  place text not null,
  data_key_id integer not null,
  after_id bigint not null default 0,
  moved_in_pass bigint not null default 0,
  moved bigint not null default 0,
  pass_started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint reencryption_passes_pkey PRIMARY KEY (place),
  constraint reencryption_passes_data_key_id_fkey FOREIGN KEY (data_key_id) REFERENCES data_keys(id)
);

create unlogged table request_buckets (
  caller text not null,
  level bigint not null,
  refilled_at timestamp with time zone not null,
  constraint request_buckets_pkey PRIMARY KEY (caller),
  constraint request_buckets_level_check CHECK ((level >= 0))
) with (fillfactor=50);

create table request_ranges (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  first_id bigint not null,
  end_id bigint not null,
  filled_from timestamp with time zone,
  full_at timestamp with time zone,
  constraint request_ranges_pkey PRIMARY KEY (id),
  constraint request_ranges_end_id_key UNIQUE (end_id),
  constraint request_ranges_first_id_key UNIQUE (first_id),
  constraint request_ranges_filled_in_sequence CHECK ((full_at >= filled_from)),
  constraint request_ranges_not_empty CHECK ((first_id < end_id))
);

create table requests (
  id bigint not null,
  received_at timestamp with time zone not null,
  merchant_id bigint,
  site_id bigint,
  username text not null,
  address text not null,
  action text not null,
  parameters json not null,
  http_status smallint not null,
  api_code text not null,
  service_code integer not null,
  ref_field text not null,
  state text not null,
  order_id bigint,
  transaction_id bigint,
  took_ms integer not null,
  constraint requests_pkey PRIMARY KEY (id)
) partition by RANGE (id);
CREATE INDEX requests_by_merchant ON ONLY public.requests USING btree (merchant_id, received_at);
CREATE INDEX requests_inquiries_by_order ON ONLY public.requests USING btree (order_id, received_at) WHERE (action = ANY (ARRAY['CCSTATUS'::text, 'CCTRANSUPDATE'::text]));

create table requests_0 (
  id bigint not null,
  received_at timestamp with time zone not null,
  merchant_id bigint,
  site_id bigint,
  username text not null,
  address text not null,
  action text not null,
  parameters json not null,
  http_status smallint not null,
  api_code text not null,
  service_code integer not null,
  ref_field text not null,
  state text not null,
  order_id bigint,
  transaction_id bigint,
  took_ms integer not null,
  constraint requests_0_pkey PRIMARY KEY (id)
) inherits requests FOR VALUES FROM (MINVALUE) TO ('1701000');
CREATE INDEX requests_0_by_merchant ON public.requests_0 USING btree (merchant_id, received_at);
CREATE INDEX requests_0_inquiries_by_order ON public.requests_0 USING btree (order_id, received_at) WHERE (action = ANY (ARRAY['CCSTATUS'::text, 'CCTRANSUPDATE'::text]));

create table requests_1701000 (
  id bigint not null,
  received_at timestamp with time zone not null,
  merchant_id bigint,
  site_id bigint,
  username text not null,
  address text not null,
  action text not null,
  parameters json not null,
  http_status smallint not null,
  api_code text not null,
  service_code integer not null,
  ref_field text not null,
  state text not null,
  order_id bigint,
  transaction_id bigint,
  took_ms integer not null,
  constraint requests_1701000_pkey PRIMARY KEY (id)
) inherits requests FOR VALUES FROM ('1701000') TO ('2701000');
CREATE INDEX requests_1701000_merchant_id_received_at_idx ON public.requests_1701000 USING btree (merchant_id, received_at);
CREATE INDEX requests_1701000_order_id_received_at_idx ON public.requests_1701000 USING btree (order_id, received_at) WHERE (action = ANY (ARRAY['CCSTATUS'::text, 'CCTRANSUPDATE'::text]));

create table requests_2701000 (
  id bigint not null,
  received_at timestamp with time zone not null,
  merchant_id bigint,
  site_id bigint,
  username text not null,
  address text not null,
  action text not null,
  parameters json not null,
  http_status smallint not null,
  api_code text not null,
  service_code integer not null,
  ref_field text not null,
  state text not null,
  order_id bigint,
  transaction_id bigint,
  took_ms integer not null,
  constraint requests_2701000_pkey PRIMARY KEY (id)
) inherits requests FOR VALUES FROM ('2701000') TO ('3701000');
CREATE INDEX requests_2701000_merchant_id_received_at_idx ON public.requests_2701000 USING btree (merchant_id, received_at);
CREATE INDEX requests_2701000_order_id_received_at_idx ON public.requests_2701000 USING btree (order_id, received_at) WHERE (action = ANY (ARRAY['CCSTATUS'::text, 'CCTRANSUPDATE'::text]));

create table retention_passes (
  kind text not null,
  after_id bigint not null default 0,
  erased bigint not null default 0,
  next_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint retention_passes_pkey PRIMARY KEY (kind)
);

create table schema_migrations (
  number integer not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  runs_beside integer,
  constraint schema_migrations_pkey PRIMARY KEY (number)
);

create table settled_transactions (
  transaction_id bigint not null,
  order_id bigint not null,
  merchant_id bigint not null,
  file_id bigint not null,
  n integer not null,
  state text not null,
  settled_on date not null,
  currency character(3) not null,
  gross_minor bigint not null,
  net_minor bigint not null,
  rate text,
  constraint settled_transactions_pkey PRIMARY KEY (transaction_id),
  constraint settled_transactions_file_id_n_key UNIQUE (file_id, n),
  constraint settled_transactions_rejected_without_money CHECK (((state = 'settled'::text) OR (net_minor = 0))),
  constraint settled_transactions_state_check CHECK ((state = ANY (ARRAY['settled'::text, 'rejected'::text])))
);
CREATE INDEX settled_transactions_by_order ON public.settled_transactions USING btree (order_id);

create table settlement_checked_batches (
  batch_id bigint not null,
  checked_at timestamp with time zone not null default now(),
  constraint settlement_checked_batches_pkey PRIMARY KEY (batch_id),
  constraint settlement_checked_batches_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id)
);

create table settlement_difference_notes (
  difference_id bigint not null,
  number integer not null,
  author text not null,
  written_at timestamp with time zone not null default now(),
  content text not null,
  constraint settlement_difference_notes_pkey PRIMARY KEY (difference_id, number),
  constraint settlement_difference_notes_content_check CHECK (((content <> ''::text) AND (length(content) <= 2000))),
  constraint settlement_difference_notes_number_check CHECK ((number > 0)),
  constraint settlement_difference_notes_difference_id_fkey FOREIGN KEY (difference_id) REFERENCES settlement_differences(id)
);
CREATE TRIGGER settlement_difference_notes_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.settlement_difference_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_notes();

create table settlement_differences (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  source_id bigint not null,
  merchant_id bigint not null,
  code text not null,
  state text not null default 'open'::text,
  file_id bigint,
  n integer,
  transaction_id bigint,
  order_id bigint,
  payout_id bigint,
  proposal bigint[] not null default '{}'::bigint[],
  here_minor bigint,
  here_currency character(3),
  bank_minor bigint,
  bank_currency character(3),
  since date not null,
  found_at timestamp with time zone not null,
  owner text not null default ''::text,
  ended_as text,
  ended_by text,
  ended_at timestamp with time zone,
  ended_reason text,
  entry_id bigint,
  payouts bigint[] not null default '{}'::bigint[],
  dispute_id bigint,
  constraint settlement_differences_pkey PRIMARY KEY (id),
  constraint settlement_differences_once_per_line UNIQUE (file_id, n, code),
  constraint settlement_differences_code_check CHECK ((code = ANY (ARRAY['missing_at_bank'::text, 'missing_here'::text, 'amount'::text, 'currency'::text, 'state'::text, 'duplicate'::text, 'ambiguous'::text, 'fx_rate'::text, 'fee_orphan'::text, 'dispute_unknown'::text, 'payout_missing'::text, 'payout_unknown'::text, 'payout_short'::text, 'payout_over'::text]))),
  constraint settlement_differences_ended_as_check CHECK ((ended_as = ANY (ARRAY['matched_late'::text, 'corrected_by_acquirer'::text, 'corrected_here'::text, 'accepted_timing'::text, 'written_off'::text, 'not_ours'::text]))),
  constraint settlement_differences_ended_whole CHECK ((((state = 'ended'::text) = (ended_as IS NOT NULL)) AND ((ended_as IS NULL) = (ended_at IS NULL)) AND ((ended_as IS NULL) = (ended_by IS NULL)) AND ((ended_as IS NULL) = (ended_reason IS NULL)))),
  constraint settlement_differences_have_a_side CHECK (((file_id IS NOT NULL) OR (transaction_id IS NOT NULL) OR (payout_id IS NOT NULL) OR (entry_id IS NOT NULL) OR (dispute_id IS NOT NULL))),
  constraint settlement_differences_line_whole CHECK (((file_id IS NULL) = (n IS NULL))),
  constraint settlement_differences_state_check CHECK ((state = ANY (ARRAY['open'::text, 'ended'::text]))),
  constraint settlement_differences_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id),
  constraint settlement_differences_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES bank_entries(id),
  constraint settlement_differences_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES settlement_payouts(id),
  constraint settlement_differences_source_id_fkey FOREIGN KEY (source_id) REFERENCES settlement_sources(id)
);
CREATE UNIQUE INDEX settlement_differences_missing_once ON public.settlement_differences USING btree (transaction_id) WHERE (code = 'missing_at_bank'::text);
CREATE UNIQUE INDEX settlement_differences_once_per_dispute ON public.settlement_differences USING btree (dispute_id, code) WHERE ((state = 'open'::text) AND (dispute_id IS NOT NULL));
CREATE UNIQUE INDEX settlement_differences_once_per_entry ON public.settlement_differences USING btree (entry_id, code) WHERE (entry_id IS NOT NULL);
CREATE INDEX settlement_differences_open ON public.settlement_differences USING btree (merchant_id, id) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX settlement_differences_payout_missing_once ON public.settlement_differences USING btree (payout_id) WHERE (code = 'payout_missing'::text);
CREATE TRIGGER differences_are_events AFTER INSERT ON public.settlement_differences FOR EACH ROW EXECUTE FUNCTION record_difference();
CREATE TRIGGER ended_differences_are_events AFTER UPDATE OF state ON public.settlement_differences FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION record_difference();

create table settlement_files (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  source_id bigint not null,
  merchant_id bigint not null,
  seq bigint not null,
  file_id uuid not null,
  state text not null default 'staging'::text,
  business_date date not null,
  value_date date not null,
  zone text not null,
  created_at timestamp with time zone not null,
  prev_sha256 text not null,
  content_sha256 text not null,
  bytes_sha256 text not null,
  lines integer not null,
  by_kind jsonb not null,
  opening_minor bigint not null,
  gross_minor bigint not null,
  fees_minor bigint not null,
  net_minor bigint not null,
  closing_minor bigint not null,
  mapping text not null default ''::text,
  mapping_version integer,
  staged_by text not null,
  staged_at timestamp with time zone not null default now(),
  booked_by text,
  booked_at timestamp with time zone,
  constraint settlement_files_pkey PRIMARY KEY (id),
  constraint settlement_files_bytes_sha256_key UNIQUE (bytes_sha256),
  constraint settlement_files_file_id_key UNIQUE (file_id),
  constraint settlement_files_source_id_seq_key UNIQUE (source_id, seq),
  constraint settlement_files_add_up CHECK (((net_minor = (gross_minor + fees_minor)) AND (closing_minor = (opening_minor + net_minor)))),
  constraint settlement_files_booked_with_a_time CHECK ((((state = 'booked'::text) = (booked_at IS NOT NULL)) AND ((booked_at IS NULL) = (booked_by IS NULL)))),
  constraint settlement_files_bytes_sha256_check CHECK ((bytes_sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint settlement_files_content_sha256_check CHECK ((content_sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint settlement_files_lines_check CHECK ((lines >= 0)),
  constraint settlement_files_mapping_whole CHECK (((mapping = ''::text) = (mapping_version IS NULL))),
  constraint settlement_files_prev_sha256_check CHECK ((prev_sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint settlement_files_seq_check CHECK ((seq > 0)),
  constraint settlement_files_state_check CHECK ((state = ANY (ARRAY['staging'::text, 'booked'::text]))),
  constraint settlement_files_source_id_fkey FOREIGN KEY (source_id) REFERENCES settlement_sources(id)
);

create table settlement_lines (
  file_id bigint not null,
  n integer not null,
  sender text not null,
  line_id text not null,
  kind text not null,
  gross_minor bigint not null,
  net_minor bigint not null,
  fee_interchange_minor bigint not null,
  fee_scheme_minor bigint not null,
  fee_acquirer_minor bigint not null,
  fee_dispute_minor bigint not null,
  fee_tax_minor bigint not null,
  fee_other_minor bigint not null,
  value_date date not null,
  order_key text,
  order_message bigint,
  ref_message bigint,
  rrn text,
  arn text,
  batch text,
  brand text,
  orig_minor bigint,
  orig_currency character(3),
  orig_rate text,
  case_id text,
  reason text,
  payout text,
  trace text,
  arrives date,
  iban_last4 text,
  corrects text,
  ref text,
  period text,
  fee_code text,
  extra jsonb,
  constraint settlement_lines_pkey PRIMARY KEY (file_id, n),
  constraint settlement_lines_once_per_sender UNIQUE (sender, line_id),
  constraint settlement_lines_add_up CHECK ((net_minor = ((((((gross_minor + fee_interchange_minor) + fee_scheme_minor) + fee_acquirer_minor) + fee_dispute_minor) + fee_tax_minor) + fee_other_minor))),
  constraint settlement_lines_iban_last4_check CHECK ((iban_last4 ~ '^[0-9A-Z]{4}$'::text)),
  constraint settlement_lines_line_id_check CHECK (((line_id <> ''::text) AND (length(line_id) <= 64))),
  constraint settlement_lines_n_check CHECK ((n > 0))
);
CREATE INDEX settlement_lines_corrections ON public.settlement_lines USING btree (sender, corrects) WHERE (corrects IS NOT NULL);
CREATE INDEX settlement_lines_of_disputes ON public.settlement_lines USING btree (case_id) WHERE ((kind = ANY (ARRAY['chargeback'::text, 'chargeback_again'::text, 'dispute_reversal'::text, 'dispute_fee'::text])) AND (case_id IS NOT NULL));
CREATE INDEX settlement_lines_periodic_fees ON public.settlement_lines USING btree (sender, fee_code, period) WHERE ((kind = 'fee'::text) AND (fee_code IS NOT NULL) AND (period IS NOT NULL));
CREATE TRIGGER settlement_lines_never_change BEFORE UPDATE OR TRUNCATE ON public.settlement_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_settlement_lines();
CREATE TRIGGER settlement_lines_stay AFTER DELETE ON public.settlement_lines REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_booked_settlement_lines();

create table settlement_payouts (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  source_id bigint not null,
  merchant_id bigint not null,
  file_id bigint not null,
  n integer not null,
  state text not null default 'announced'::text,
  payout text,
  trace text,
  iban_last4 text,
  currency character(3) not null,
  carried_minor bigint not null,
  gross_minor bigint not null,
  refunds_minor bigint not null,
  chargebacks_minor bigint not null,
  fees_minor bigint not null,
  reserve_minor bigint not null,
  other_minor bigint not null,
  left_minor bigint not null,
  net_minor bigint not null,
  value_date date not null,
  arrives date,
  constraint settlement_payouts_pkey PRIMARY KEY (id),
  constraint settlement_payouts_file_id_n_key UNIQUE (file_id, n),
  constraint settlement_payouts_add_up CHECK ((((((((carried_minor + gross_minor) + refunds_minor) + chargebacks_minor) + fees_minor) + reserve_minor) + other_minor) = (net_minor + left_minor))),
  constraint settlement_payouts_net_minor_check CHECK ((net_minor <> 0)),
  constraint settlement_payouts_state_check CHECK ((state = ANY (ARRAY['announced'::text, 'deposited'::text, 'returned'::text]))),
  constraint settlement_payouts_file_id_fkey FOREIGN KEY (file_id) REFERENCES settlement_files(id),
  constraint settlement_payouts_source_id_fkey FOREIGN KEY (source_id) REFERENCES settlement_sources(id)
);
CREATE INDEX settlement_payouts_announced ON public.settlement_payouts USING btree (arrives) WHERE (state = 'announced'::text);
CREATE INDEX settlement_payouts_by_id ON public.settlement_payouts USING btree (merchant_id, id);
CREATE INDEX settlement_payouts_by_merchant ON public.settlement_payouts USING btree (merchant_id, value_date);
CREATE INDEX settlement_payouts_by_source ON public.settlement_payouts USING btree (source_id, file_id, n);
CREATE INDEX settlement_payouts_by_trace ON public.settlement_payouts USING btree (trace) WHERE (trace IS NOT NULL);
CREATE TRIGGER moved_payouts_are_events AFTER UPDATE OF state ON public.settlement_payouts FOR EACH ROW WHEN (((old.state <> new.state) AND (new.state = ANY (ARRAY['deposited'::text, 'returned'::text])))) EXECUTE FUNCTION record_payout_state();

create table settlement_posting_kinds (
  kind settlement_posting_kind not null,
  debit text not null,
  credit text not null,
  constraint settlement_posting_kinds_pkey PRIMARY KEY (kind),
  constraint settlement_posting_kinds_check CHECK ((debit <> credit))
);

create table settlement_postings (
  event settlement_event not null,
  event_id bigint not null,
  n integer not null,
  kind settlement_posting_kind not null,
  source_id bigint not null,
  merchant_id bigint not null,
  currency character(3) not null,
  amount_minor bigint not null,
  posted_at timestamp with time zone not null,
  constraint settlement_postings_pkey PRIMARY KEY (event, event_id, n, kind),
  constraint settlement_postings_move_money CHECK ((amount_minor > 0))
);
CREATE TRIGGER settlement_postings_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.settlement_postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_the_ledger();

create table settlement_sources (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  merchant_account_id bigint not null,
  currency character(3) not null,
  sender text not null,
  receiver text not null,
  account text not null,
  since date not null,
  fx_band_basis_points integer not null,
  made_at timestamp with time zone not null default now(),
  made_by text not null,
  constraint settlement_sources_pkey PRIMARY KEY (id),
  constraint settlement_sources_merchant_account_id_currency_key UNIQUE (merchant_account_id, currency),
  constraint settlement_sources_sender_account_currency_key UNIQUE (sender, account, currency),
  constraint settlement_sources_account_check CHECK (((account <> ''::text) AND (length(account) <= 64))),
  constraint settlement_sources_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint settlement_sources_fx_band_basis_points_check CHECK (((fx_band_basis_points >= 0) AND (fx_band_basis_points <= 10000))),
  constraint settlement_sources_receiver_check CHECK (((receiver <> ''::text) AND (length(receiver) <= 64))),
  constraint settlement_sources_sender_check CHECK (((sender <> ''::text) AND (length(sender) <= 64))),
  constraint settlement_sources_merchant_account_id_fkey FOREIGN KEY (merchant_account_id) REFERENCES merchant_accounts(id),
  constraint settlement_sources_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table site_clocks (
  site_id bigint not null,
  site_at timestamp with time zone not null,
  real_at timestamp with time zone not null,
  speed integer not null default 1,
  target_at timestamp with time zone,
  moved_from timestamp with time zone,
  done jsonb not null default '{}'::jsonb,
  made_at timestamp with time zone not null default now(),
  changed_by text not null,
  changed_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone,
  lease bigint not null default 0,
  look_at timestamp with time zone not null default now(),
  constraint site_clocks_pkey PRIMARY KEY (site_id),
  constraint site_clocks_end CHECK (((site_at < '2100-01-01 00:00:00+00'::timestamp with time zone) AND ((target_at IS NULL) OR (target_at < '2100-01-01 00:00:00+00'::timestamp with time zone)))),
  constraint site_clocks_move_forward CHECK (((target_at IS NULL) OR (target_at >= site_at))),
  constraint site_clocks_speed_check CHECK (((speed >= 0) AND (speed <= 1000000))),
  constraint site_clocks_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);
CREATE TRIGGER site_clocks_of_test_sites BEFORE INSERT OR UPDATE OF site_id ON public.site_clocks FOR EACH ROW EXECUTE FUNCTION refuse_clock_of_live_site();

create table site_merchant_accounts (
  site_id bigint not null,
  merchant_account_id bigint not null,
  "position" integer not null default 1,
  constraint site_merchant_accounts_pkey PRIMARY KEY (site_id, merchant_account_id),
  constraint site_merchant_accounts_merchant_account_id_fkey FOREIGN KEY (merchant_account_id) REFERENCES merchant_accounts(id),
  constraint site_merchant_accounts_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);

create table site_resets (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  site_id bigint not null,
  portal_user_id bigint,
  key text not null,
  begun_at timestamp with time zone not null default now(),
  done_at timestamp with time zone,
  done jsonb not null default '{}'::jsonb,
  constraint site_resets_pkey PRIMARY KEY (id),
  constraint site_resets_once UNIQUE (site_id, key),
  constraint site_resets_key_check CHECK (((length(key) >= 16) AND (length(key) <= 64))),
  constraint site_resets_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint site_resets_portal_user_id_fkey FOREIGN KEY (portal_user_id) REFERENCES portal_users(id),
  constraint site_resets_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);
CREATE TRIGGER site_resets_of_test_sites BEFORE INSERT OR UPDATE ON public.site_resets FOR EACH ROW EXECUTE FUNCTION refuse_reset_of_live_site();

create table site_token_keys (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  site_id bigint not null,
  generation text not null,
  key_ciphertext bytea not null,
  data_key_id integer not null,
  made_at timestamp with time zone not null default now(),
  constraint site_token_keys_pkey PRIMARY KEY (site_id, generation),
  constraint site_token_keys_id_key UNIQUE (id),
  constraint site_token_keys_generation_check CHECK ((generation = ANY (ARRAY['current'::text, 'previous'::text]))),
  constraint site_token_keys_data_key_id_fkey FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  constraint site_token_keys_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);

create table sites (
  id bigint not null,
  merchant_id bigint not null,
  name text not null,
  mode text not null default 'test'::text,
  tolerance text not null default 'strict'::text,
  default_currency character(3) not null default 'USD'::bpchar,
  cvv_required boolean not null default false,
  avs_mode character(1) not null default 'I'::bpchar,
  cvv_mode character(1) not null default 'I'::bpchar,
  avs_match_set text not null default 'ABDEFGHIJLMOPQRSTUVWXYZ'::text,
  cvv_match_set text not null default 'M'::text,
  catalogue text not null default 'open'::text,
  default_product text not null default '1'::text,
  token_origins text[] not null default '{}'::text[],
  three_ds_required boolean not null default false,
  three_ds_unavailable text not null default 'authorize'::text,
  three_ds_pares_required boolean not null default false,
  three_ds_challenge character(2),
  three_ds_return_hosts text[] not null default '{}'::text[],
  renewal_retry_days integer[],
  constraint sites_pkey PRIMARY KEY (id),
  constraint sites_avs_mode_check CHECK ((avs_mode = ANY (ARRAY['T'::bpchar, 'F'::bpchar, 'C'::bpchar, 'I'::bpchar]))),
  constraint sites_catalogue_check CHECK ((catalogue = ANY (ARRAY['open'::text, 'strict'::text]))),
  constraint sites_cvv_mode_check CHECK ((cvv_mode = ANY (ARRAY['T'::bpchar, 'F'::bpchar, 'C'::bpchar, 'I'::bpchar]))),
  constraint sites_default_currency_is_a_code CHECK ((default_currency ~ '^[A-Z]{3}$'::text)),
  constraint sites_default_product_is_an_id CHECK (((length(default_product) >= 1) AND (length(default_product) <= 64))),
  constraint sites_match_sets_are_letters CHECK (((avs_match_set ~ '^[A-Za-z]{0,26}$'::text) AND (cvv_match_set ~ '^[A-Za-z]{0,26}$'::text))),
  constraint sites_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint sites_name_can_be_shown CHECK (((name ~ '[^ ]'::text) AND (length(name) <= 100))),
  constraint sites_renewal_retry_days_within_caps CHECK (((cardinality(renewal_retry_days) <= 15) AND (1 <= ALL (renewal_retry_days)) AND (30 >= ALL (renewal_retry_days)))),
  constraint sites_three_ds_challenge_check CHECK ((three_ds_challenge = ANY (ARRAY['01'::bpchar, '02'::bpchar, '03'::bpchar, '04'::bpchar]))),
  constraint sites_three_ds_unavailable_check CHECK ((three_ds_unavailable = ANY (ARRAY['authorize'::text, 'decline'::text]))),
  constraint sites_tolerance_check CHECK ((tolerance = ANY (ARRAY['strict'::text, 'wide'::text]))),
  constraint sites_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE CONSTRAINT TRIGGER sites_live_have_a_record AFTER UPDATE OF mode ON public.sites DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.mode = 'live'::text) AND (old.mode <> 'live'::text))) EXECUTE FUNCTION hold_live_site_to_its_record();
CREATE CONSTRAINT TRIGGER sites_live_have_a_record_when_new AFTER INSERT ON public.sites DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.mode = 'live'::text)) EXECUTE FUNCTION hold_live_site_to_its_record();
CREATE TRIGGER sites_lose_their_clock AFTER UPDATE OF mode ON public.sites FOR EACH ROW WHEN ((new.mode = 'live'::text)) EXECUTE FUNCTION drop_clock_of_live_site();
CREATE TRIGGER sites_lose_their_faults AFTER UPDATE OF mode ON public.sites FOR EACH ROW WHEN ((new.mode = 'live'::text)) EXECUTE FUNCTION drop_faults_of_live_site();
CREATE TRIGGER sites_lose_their_receivers AFTER UPDATE OF mode ON public.sites FOR EACH ROW WHEN ((new.mode = 'live'::text)) EXECUTE FUNCTION drop_receivers_of_live_site();
CREATE TRIGGER throwaway_sites_stay_in_test_mode BEFORE UPDATE OF mode ON public.sites FOR EACH ROW WHEN ((new.mode = 'live'::text)) EXECUTE FUNCTION refuse_live_throwaway_site();

create table support_visits (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  operator_id bigint not null,
  operator_session bigint not null,
  merchant_id bigint not null,
  reason text not null,
  begun_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  ended_by text,
  constraint support_visits_pkey PRIMARY KEY (id),
  constraint support_visits_end_with_an_author CHECK (((ended_at IS NULL) = (ended_by IS NULL))),
  constraint support_visits_last_four_hours CHECK (((expires_at > begun_at) AND (expires_at <= (begun_at + '04:00:00'::interval)))),
  constraint support_visits_reason_check CHECK (((length(reason) >= 3) AND (length(reason) <= 200))),
  constraint support_visits_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint support_visits_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id)
);
CREATE INDEX support_visits_of_merchant ON public.support_visits USING btree (merchant_id, id);
CREATE UNIQUE INDEX support_visits_one_open ON public.support_visits USING btree (operator_id) WHERE (ended_at IS NULL);

create table three_ds_authentications (
  server_trans_id uuid not null,
  proc_trans_id text not null,
  transaction_id bigint not null,
  order_id bigint not null,
  merchant_id bigint not null,
  site_id bigint not null,
  mode text not null,
  merchant_account_id bigint not null,
  api_user_id bigint not null,
  reference text not null,
  state text not null,
  fingerprint bytea not null,
  expiry_month smallint,
  expiry_year smallint,
  amount_minor bigint not null,
  currency character(3) not null,
  kind text not null,
  order_reference text not null,
  lines_digest bytea not null,
  return_url text not null,
  challenge_window character(2) not null,
  message_version text,
  comp_ind character(1),
  trans_status character(1),
  trans_status_reason text not null default ''::text,
  cause text not null default ''::text,
  ds_trans_id uuid,
  acs_trans_id uuid,
  acs_url text,
  cardholder_info text not null default ''::text,
  step_up_token_id text,
  page_handle text,
  session_handle text,
  creq_sent_at timestamp with time zone,
  merchant_data text not null default ''::text,
  returned_at timestamp with time zone,
  cres_status text not null default ''::text,
  result_status character(1),
  result_reason text not null default ''::text,
  result_digest bytea,
  challenge_cancel text not null default ''::text,
  result_at timestamp with time zone,
  response text not null default ''::text,
  eci text not null default ''::text,
  cavv_ciphertext bytea,
  cavv_data_key_id integer,
  mismatches smallint not null default 0,
  final_digest bytea,
  decided_at timestamp with time zone,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  card_token_id bigint,
  bank_test text,
  constraint three_ds_authentications_pkey PRIMARY KEY (server_trans_id),
  constraint three_ds_authentications_page_handle_key UNIQUE (page_handle),
  constraint three_ds_authentications_proc_trans_id_key UNIQUE (proc_trans_id),
  constraint three_ds_authentications_session_handle_key UNIQUE (session_handle),
  constraint three_ds_authentications_step_up_token_id_key UNIQUE (step_up_token_id),
  constraint three_ds_authentications_transaction_id_key UNIQUE (transaction_id),
  constraint three_ds_authentications_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint three_ds_authentications_challenge_window_check CHECK ((challenge_window = ANY (ARRAY['01'::bpchar, '02'::bpchar, '03'::bpchar, '04'::bpchar, '05'::bpchar]))),
  constraint three_ds_authentications_comp_ind_check CHECK ((comp_ind = ANY (ARRAY['Y'::bpchar, 'N'::bpchar, 'U'::bpchar]))),
  constraint three_ds_authentications_cres_status_check CHECK ((cres_status = ANY (ARRAY[''::text, 'Y'::text, 'N'::text, 'erro'::text, 'unreadable'::text]))),
  constraint three_ds_authentications_kind_check CHECK ((kind = ANY (ARRAY['authorization'::text, 'sale'::text]))),
  constraint three_ds_authentications_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint three_ds_authentications_result_status_check CHECK ((result_status = ANY (ARRAY['Y'::bpchar, 'A'::bpchar, 'N'::bpchar, 'R'::bpchar, 'U'::bpchar]))),
  constraint three_ds_authentications_state_check CHECK ((state = ANY (ARRAY['asking'::text, 'challenge'::text, 'result'::text, 'consumed'::text, 'failed'::text, 'expired'::text]))),
  constraint three_ds_authentications_trans_status_check CHECK ((trans_status = ANY (ARRAY['Y'::bpchar, 'A'::bpchar, 'N'::bpchar, 'R'::bpchar, 'U'::bpchar, 'C'::bpchar, 'I'::bpchar]))),
  constraint three_ds_cavv_has_its_key CHECK (((cavv_ciphertext IS NULL) = (cavv_data_key_id IS NULL))),
  constraint three_ds_cavv_is_erased CHECK (((cavv_ciphertext IS NULL) OR (state = ANY (ARRAY['asking'::text, 'challenge'::text, 'result'::text])))),
  constraint three_ds_decided_with_a_time CHECK (((decided_at IS NULL) = (state = ANY (ARRAY['asking'::text, 'challenge'::text, 'result'::text])))),
  constraint three_ds_result_is_whole CHECK (((result_status IS NULL) = (result_at IS NULL))),
  constraint three_ds_authentications_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transactions(id)
) with (fillfactor=70);
CREATE INDEX three_ds_authentications_open ON public.three_ds_authentications USING btree (expires_at) WHERE (state = ANY (ARRAY['asking'::text, 'challenge'::text, 'result'::text]));
CREATE INDEX three_ds_authentications_open_of_test_sites ON public.three_ds_authentications USING btree (site_id, expires_at) WHERE ((state = ANY (ARRAY['asking'::text, 'challenge'::text, 'result'::text])) AND (mode = 'test'::text));

create table three_ds_collections (
  reference text not null,
  merchant_id bigint not null,
  site_id bigint not null,
  mode text not null,
  merchant_account_id bigint not null,
  api_user_id bigint not null,
  leading_digits text not null,
  server_trans_id uuid not null,
  token_id text not null,
  page_handle text,
  state text not null default 'set_up'::text,
  browser json,
  method_url text,
  method_state text not null default 'none'::text,
  method_started_at timestamp with time zone,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint three_ds_collections_pkey PRIMARY KEY (reference),
  constraint three_ds_collections_page_handle_key UNIQUE (page_handle),
  constraint three_ds_collections_server_trans_id_key UNIQUE (server_trans_id),
  constraint three_ds_collections_token_id_key UNIQUE (token_id),
  constraint three_ds_collections_leading_digits_check CHECK ((leading_digits ~ '^[0-9]{6,8}$'::text)),
  constraint three_ds_collections_method_state_check CHECK ((method_state = ANY (ARRAY['none'::text, 'running'::text, 'completed'::text, 'failed'::text]))),
  constraint three_ds_collections_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint three_ds_collections_state_check CHECK ((state = ANY (ARRAY['set_up'::text, 'collecting'::text, 'collected'::text, 'used'::text])))
);
CREATE INDEX three_ds_collections_by_age ON public.three_ds_collections USING btree (expires_at);

create table three_ds_directories (
  name text not null,
  next_ask_at timestamp with time zone not null,
  lease_until timestamp with time zone,
  serial_num text,
  ds_from text,
  ds_to text,
  ranges json not null default '[]'::json,
  revision bigint not null default 0,
  refreshed_at timestamp with time zone,
  last_fault text not null default ''::text,
  constraint three_ds_directories_pkey PRIMARY KEY (name),
  constraint three_ds_directories_have_a_version CHECK (((revision = 0) = (ds_from IS NULL))),
  constraint three_ds_directories_serial_num_check CHECK (((length(serial_num) >= 1) AND (length(serial_num) <= 20)))
);

create table three_ds_keys (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  kid text not null,
  public_key json not null,
  private_key_ciphertext bytea not null,
  data_key_id integer not null,
  created_at timestamp with time zone not null,
  constraint three_ds_keys_pkey PRIMARY KEY (id),
  constraint three_ds_keys_kid_key UNIQUE (kid),
  constraint three_ds_keys_data_key_id_fkey FOREIGN KEY (data_key_id) REFERENCES data_keys(id)
);

create table three_ds_messages (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  at timestamp with time zone not null,
  server_trans_id uuid,
  direction text not null,
  type text not null,
  content json not null,
  constraint three_ds_messages_pkey PRIMARY KEY (id),
  constraint three_ds_messages_direction_check CHECK ((direction = ANY (ARRAY['in'::text, 'out'::text])))
);
CREATE INDEX three_ds_messages_by_transaction ON public.three_ds_messages USING btree (server_trans_id);

create table throwaway_sites (
  site_id bigint not null,
  merchant_id bigint not null,
  made_at timestamp with time zone not null default now(),
  made_by text not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  erased_customers bigint not null default 0,
  looked_at timestamp with time zone,
  removed_at timestamp with time zone,
  constraint throwaway_sites_pkey PRIMARY KEY (site_id),
  constraint throwaway_sites_check CHECK (((removed_at IS NULL) OR (ended_at IS NOT NULL))),
  constraint throwaway_sites_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);
CREATE INDEX throwaway_sites_open ON public.throwaway_sites USING btree (merchant_id) WHERE (ended_at IS NULL);
CREATE INDEX throwaway_sites_to_remove ON public.throwaway_sites USING btree (site_id) WHERE ((ended_at IS NOT NULL) AND (removed_at IS NULL));

create table token_request_ids (
  site_id bigint not null,
  unique_id text not null,
  used_at timestamp with time zone not null,
  constraint token_request_ids_pkey PRIMARY KEY (site_id, unique_id)
);
CREATE INDEX token_request_ids_to_forget ON public.token_request_ids USING btree (used_at);

create table transaction_fees (
  transaction_id bigint not null,
  merchant_id bigint not null,
  batch_id bigint not null,
  kind text not null,
  brand text not null,
  plan_starts_on date not null,
  day date not null,
  currency character(3) not null,
  amount_minor bigint not null,
  fee_minor bigint not null,
  posted_at timestamp with time zone not null default now(),
  constraint transaction_fees_pkey PRIMARY KEY (transaction_id),
  constraint transaction_fees_amount_minor_check CHECK ((amount_minor > 0)),
  constraint transaction_fees_fee_minor_check CHECK ((fee_minor <> 0)),
  constraint transaction_fees_follow_their_plan CHECK ((plan_starts_on <= day)),
  constraint transaction_fees_kind_check CHECK ((kind = ANY (ARRAY['sale'::text, 'refund'::text]))),
  constraint transaction_fees_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES fee_charges(batch_id),
  constraint transaction_fees_merchant_id_plan_starts_on_fkey FOREIGN KEY (merchant_id, plan_starts_on) REFERENCES fee_plans(merchant_id, starts_on)
);
CREATE INDEX transaction_fees_by_day ON public.transaction_fees USING btree (merchant_id, day);
CREATE INDEX transaction_fees_of_batch ON public.transaction_fees USING btree (batch_id);
CREATE TRIGGER transaction_fees_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.transaction_fees FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_the_ledger();

create table transactions (
  id bigint not null,
  merchant_id bigint not null,
  order_id bigint not null,
  request_id bigint not null,
  kind text not null,
  state text not null,
  amount_minor bigint not null,
  value_minor bigint not null,
  voided_minor bigint not null default 0,
  order_line_id bigint,
  batch_id bigint,
  to_processor boolean not null default true,
  service_code smallint not null default 0,
  processor_code text not null default ''::text,
  processor_advice text not null default ''::text,
  industry_code text not null default ''::text,
  industry_advice text not null default ''::text,
  response_code text not null default ''::text,
  avs_code text not null default ''::text,
  cvv_code text not null default ''::text,
  card_product text not null default ''::text,
  card_balance_minor bigint,
  settled_minor bigint,
  settled_currency character(3),
  settled_rate text,
  processor_udf1 text not null default ''::text,
  processor_udf2 text not null default ''::text,
  created_at timestamp with time zone not null,
  concluded_at timestamp with time zone,
  origin text not null default 'api'::text,
  constraint transactions_pkey PRIMARY KEY (id),
  constraint transactions_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint transactions_have_an_end_once_past_running CHECK (((state = ANY (ARRAY['running'::text, 'pending'::text])) = (concluded_at IS NULL))),
  constraint transactions_kind_check CHECK ((kind = ANY (ARRAY['authorization'::text, 'sale'::text, 'capture'::text, 'refund'::text, 'void'::text, 'capture_void'::text]))),
  constraint transactions_moving_money_are_in_a_batch CHECK (((batch_id IS NOT NULL) OR (state <> 'approved'::text) OR (kind <> ALL (ARRAY['sale'::text, 'capture'::text, 'refund'::text])))),
  constraint transactions_origin_check CHECK ((origin = ANY (ARRAY['api'::text, 'portal'::text, 'rebill'::text, 'resolver'::text]))),
  constraint transactions_state_check CHECK ((state = ANY (ARRAY['running'::text, 'pending'::text, 'approved'::text, 'declined'::text, 'failed'::text]))),
  constraint transactions_void_no_more_than_their_value CHECK ((voided_minor <= value_minor)),
  constraint transactions_voided_minor_check CHECK ((voided_minor >= 0))
) with (fillfactor=60);
CREATE INDEX transactions_by_merchant ON public.transactions USING btree (merchant_id, created_at, id);
CREATE INDEX transactions_by_merchant_amount ON public.transactions USING btree (merchant_id, amount_minor);
CREATE INDEX transactions_by_order ON public.transactions USING btree (order_id);
CREATE INDEX transactions_of_batch ON public.transactions USING btree (batch_id, id) WHERE ((batch_id IS NOT NULL) AND (kind = ANY (ARRAY['sale'::text, 'capture'::text, 'refund'::text])));
CREATE TRIGGER transactions_without_a_batch_are_listed AFTER INSERT ON public.transactions FOR EACH ROW WHEN (((new.concluded_at IS NULL) AND (new.batch_id IS NULL))) EXECUTE FUNCTION list_open_transaction();

create table verify_orders (
  order_id bigint not null,
  reason text not null,
  constraint verify_orders_pkey PRIMARY KEY (order_id),
  constraint verify_orders_reason_check CHECK ((reason = ANY (ARRAY['open'::text, 'found'::text])))
);

create table verify_runs (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  began_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  is_full boolean not null,
  "position" bigint not null,
  constraint verify_runs_pkey PRIMARY KEY (id)
);

create table webhook_attempts (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  delivery_id bigint not null,
  at timestamp with time zone not null,
  duration_ms integer not null,
  request_bytes integer not null,
  status integer,
  fault text not null,
  answer text not null,
  signature text not null default ''::text,
  played text not null default ''::text,
  constraint webhook_attempts_pkey PRIMARY KEY (id),
  constraint webhook_attempts_played_check CHECK ((played = ANY (ARRAY[''::text, 'delay'::text, 'double'::text, 'reorder'::text, 'lose'::text, 'forge'::text, 'stale'::text]))),
  constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries(id) ON DELETE CASCADE
);
CREATE INDEX webhook_attempts_of_delivery ON public.webhook_attempts USING btree (delivery_id);

create table webhook_deliveries (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  endpoint_id bigint not null,
  day date not null,
  "position" bigint not null,
  event_id text not null,
  type text not null,
  object text not null,
  object_id bigint not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  due_at timestamp with time zone not null,
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  claims integer not null default 0,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  yields boolean not null default false,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_endpoint_id_position_key UNIQUE (endpoint_id, "position"),
  constraint concluded_deliveries_yield_to_none CHECK (((NOT yields) OR (state = 'pending'::text))),
  constraint ended_deliveries_have_a_time CHECK (((state = 'pending'::text) = (ended_at IS NULL))),
  constraint webhook_deliveries_attempts_check CHECK (((attempts >= 0) AND (attempts <= 12))),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  constraint webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE
) with (autovacuum_vacuum_scale_factor=0.02, fillfactor=80);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (endpoint_id, due_at, "position") WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_failed ON public.webhook_deliveries USING btree (endpoint_id, "position") WHERE (state = 'failed'::text);
CREATE INDEX webhook_deliveries_in_turn ON public.webhook_deliveries USING btree (endpoint_id, object, object_id, "position") WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_yielding ON public.webhook_deliveries USING btree (endpoint_id, due_at, "position") WHERE yields;

create table webhook_endpoints (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  merchant_id bigint not null,
  site_id bigint not null,
  url text not null,
  types text[] not null,
  state text not null default 'enabled'::text,
  reason text not null default ''::text,
  "position" bigint not null,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  wait_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint a_reason_for_each_pause CHECK (((state = 'enabled'::text) = (reason = ''::text))),
  constraint failures_have_a_beginning CHECK (((failures = 0) = (failing_since IS NULL))),
  constraint webhook_endpoints_failures_check CHECK ((failures >= 0)),
  constraint webhook_endpoints_reason_check CHECK ((reason = ANY (ARRAY[''::text, 'requested'::text, 'failing'::text, 'gone'::text]))),
  constraint webhook_endpoints_state_check CHECK ((state = ANY (ARRAY['enabled'::text, 'paused'::text, 'disabled'::text]))),
  constraint webhook_endpoints_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
) with (fillfactor=70);
CREATE INDEX webhook_endpoints_of_site ON public.webhook_endpoints USING btree (site_id);

create table webhook_faults (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  endpoint_id bigint not null,
  site_id bigint not null,
  kind text not null,
  type text not null,
  share integer not null,
  seconds integer not null,
  events_left integer,
  constraint webhook_faults_pkey PRIMARY KEY (id),
  constraint webhook_faults_events_left_check CHECK (((events_left >= 0) AND (events_left <= 1000))),
  constraint webhook_faults_kind_check CHECK ((kind = ANY (ARRAY['delay'::text, 'double'::text, 'reorder'::text, 'lose'::text, 'forge'::text, 'stale'::text]))),
  constraint webhook_faults_seconds_check CHECK (((seconds >= 1) AND (seconds <= 86400))),
  constraint webhook_faults_share_check CHECK (((share >= 1) AND (share <= 100))),
  constraint webhook_faults_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  constraint webhook_faults_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);
CREATE INDEX webhook_faults_of_endpoint ON public.webhook_faults USING btree (endpoint_id, id);
CREATE TRIGGER webhook_faults_of_test_sites BEFORE INSERT OR UPDATE OF site_id, endpoint_id ON public.webhook_faults FOR EACH ROW EXECUTE FUNCTION refuse_faults_of_live_site();

create table webhook_receivers (
  id text not null,
  site_id bigint not null,
  endpoint_id bigint not null,
  manner text not null default 'answer'::text,
  status integer not null default 204,
  retry_after_s integer,
  delay_ms integer not null default 0,
  answers_left integer,
  created_at timestamp with time zone not null default now(),
  constraint webhook_receivers_pkey PRIMARY KEY (id),
  constraint webhook_receivers_endpoint_id_key UNIQUE (endpoint_id),
  constraint webhook_receivers_answers_left_check CHECK (((answers_left >= 1) AND (answers_left <= 1000))),
  constraint webhook_receivers_delay_ms_check CHECK (((delay_ms >= 0) AND (delay_ms <= 30000))),
  constraint webhook_receivers_id_check CHECK ((id ~ '^rcv_[A-Za-z0-9_-]{32}$'::text)),
  constraint webhook_receivers_manner_check CHECK ((manner = ANY (ARRAY['answer'::text, 'trickle'::text, 'hang'::text, 'close'::text]))),
  constraint webhook_receivers_retry_after_s_check CHECK (((retry_after_s >= 0) AND (retry_after_s <= 86400))),
  constraint webhook_receivers_status_check CHECK (((status >= 200) AND (status <= 599))),
  constraint webhook_receivers_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  constraint webhook_receivers_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id)
);
CREATE INDEX webhook_receivers_of_site ON public.webhook_receivers USING btree (site_id);
CREATE TRIGGER webhook_receivers_of_test_sites BEFORE INSERT OR UPDATE OF site_id ON public.webhook_receivers FOR EACH ROW EXECUTE FUNCTION refuse_receiver_of_live_site();

create table webhook_secrets (
  id bigint not null generated always as identity (as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1),
  endpoint_id bigint not null,
  generation text not null,
  secret_ciphertext bytea not null,
  data_key_id integer not null,
  made_at timestamp with time zone not null default now(),
  constraint webhook_secrets_pkey PRIMARY KEY (id),
  constraint webhook_secrets_endpoint_id_generation_key UNIQUE (endpoint_id, generation),
  constraint webhook_secrets_generation_check CHECK ((generation = ANY (ARRAY['current'::text, 'previous'::text]))),
  constraint webhook_secrets_data_key_id_fkey FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  constraint webhook_secrets_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE
);

create view account_entries as
 SELECT p.merchant_id,
    k.debit,
    k.credit,
    p.currency,
    p.amount_minor,
    p.posted_at,
    (p.kind)::text AS kind
   FROM (ledger_postings p
     JOIN ledger_kinds k USING (kind))
UNION ALL
 SELECT p.merchant_id,
    k.debit,
    k.credit,
    p.currency,
    p.amount_minor,
    p.posted_at,
    (p.kind)::text AS kind
   FROM (settlement_postings p
     JOIN settlement_posting_kinds k USING (kind))
UNION ALL
 SELECT fee_entries.merchant_id,
    fee_entries.debit,
    fee_entries.credit,
    fee_entries.currency,
    fee_entries.amount_minor,
    fee_entries.posted_at,
    'operator_fee'::text AS kind
   FROM fee_entries
UNION ALL
 SELECT p.merchant_id,
    k.debit,
    k.credit,
    p.currency,
    p.amount_minor,
    p.posted_at,
    p.kind
   FROM (dispute_postings p
     JOIN dispute_posting_kinds k USING (kind));

create view dispute_money as
 SELECT d.id AS dispute_id,
    d.merchant_id,
    d.state,
    m.source_id,
    m.currency,
    m.taken_minor,
    m.returned_minor,
        CASE
            WHEN (d.state = ANY (ARRAY['lost'::text, 'accepted'::text])) THEN GREATEST((m.taken_minor - m.returned_minor), (0)::numeric)
            ELSE (0)::numeric
        END AS loss_minor,
    COALESCE(p.posted_minor, (0)::numeric) AS posted_minor,
    (EXISTS ( SELECT
           FROM dispute_notices n
          WHERE ((n.dispute_id = d.id) AND (n.event = 'rapid_resolution'::text)))) AS is_rapid
   FROM ((disputes d
     CROSS JOIN LATERAL ( SELECT v.source_id,
            v.currency,
            COALESCE(sum(v.taken_minor) FILTER (WHERE (v.taken_minor > 0)), (0)::numeric) AS taken_minor,
            COALESCE((- sum(v.taken_minor) FILTER (WHERE (v.taken_minor < 0))), (0)::numeric) AS returned_minor
           FROM dispute_movements v
          WHERE (v.dispute_id = d.id)
          GROUP BY v.source_id, v.currency) m)
     LEFT JOIN LATERAL ( SELECT sum((k.sign * q.amount_minor)) AS posted_minor
           FROM (dispute_postings q
             JOIN dispute_posting_kinds k USING (kind))
          WHERE ((q.dispute_id = d.id) AND (q.source_id = m.source_id))) p ON (true));

create view fee_entries as
 SELECT transaction_fees.merchant_id,
    transaction_fees.currency,
    abs(transaction_fees.fee_minor) AS amount_minor,
    transaction_fees.posted_at,
        CASE
            WHEN (transaction_fees.fee_minor > 0) THEN 'fee_gateway'::text
            ELSE 'operator_payable'::text
        END AS debit,
        CASE
            WHEN (transaction_fees.fee_minor > 0) THEN 'operator_payable'::text
            ELSE 'fee_gateway'::text
        END AS credit
   FROM transaction_fees
UNION ALL
 SELECT monthly_fees.merchant_id,
    monthly_fees.currency,
    monthly_fees.fee_minor AS amount_minor,
    monthly_fees.posted_at,
    'fee_gateway'::text AS debit,
    'operator_payable'::text AS credit
   FROM monthly_fees;

create view ledger_entries as
 SELECT p.merchant_id,
    p.order_id,
    p.transaction_id,
    p.kind,
    p.currency,
    p.amount_minor,
    p.posted_at,
    k.debit,
    k.credit
   FROM (ledger_postings p
     JOIN ledger_kinds k USING (kind));

CREATE OR REPLACE FUNCTION public.analyze_filled_tables()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  filled regclass;
  analyzed int := 0;
begin
  if not has_table_privilege(session_user, 'orders', 'insert') then
    raise insufficient_privilege using message = 'permission denied for the statistics of tables';
  end if;
  for filled in
    select oid from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace
       and reltuples between 0 and 99 and pg_stat_get_live_tuples(oid) >= 200
       -- A table whose rows come and go would be planned for again and again.
       and coalesce(pg_stat_get_last_analyze_time(oid) < now() - interval '1 minute', true)
  loop
    -- A vacuum that has the lock brings statistics of its own.
    execute format('analyze (skip_locked) %s', filled);
    analyzed := analyzed + 1;
  end loop;
  return analyzed;
end
$function$;

CREATE OR REPLACE FUNCTION public.audit_field(field text)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select convert_to(octet_length(convert_to(field, 'UTF8')) || ':' || field, 'UTF8')
$function$;

CREATE OR REPLACE FUNCTION public.audit_hash(entry audit_entries)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(entry.previous_hash
    || audit_field(entry.number::text)
    || audit_field(to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    || audit_field(entry.actor) || audit_field(entry.operation) || audit_field(entry.object)
    || audit_field(coalesce(entry.merchant_id::text, '')) || audit_field(entry.address)
    || audit_field(entry.result) || audit_field(entry.details))
$function$;

CREATE OR REPLACE FUNCTION public.chain_audit_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- The head is behind the entries of this very statement, and ahead of any that somebody took away.
  select coalesce(latest.number, head.number) + 1, coalesce(latest.hash, head.hash)
    into strict new.number, new.previous_hash
    from audit_head head
    left join lateral (select e.number, e.hash from audit_entries e where e.number > head.number
                        order by e.number desc limit 1) as latest on true;
  -- Read under the lock of the head: times run backwards only when the clock itself does.
  new.at := clock_timestamp();
  new.hash := audit_hash(new);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.drop_clock_of_live_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from site_clocks where site_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.drop_event_day(dropped date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not has_table_privilege(session_user, 'event_days', 'delete') then
    raise insufficient_privilege using message = 'permission denied for the days of events';
  end if;
  delete from event_days where day = dropped;
  if found then execute format('drop table %I', 'events_' || to_char(dropped, 'YYYY_MM_DD')); end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.drop_faults_of_live_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from webhook_faults where site_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.drop_receivers_of_live_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from webhook_endpoints
   where id in (select endpoint_id from webhook_receivers where site_id = new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.drop_request_range(dropped bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '1s'
AS $function$
declare
  partition text;
  rows_of_it bigint;
begin
  if not has_table_privilege(session_user, 'requests', 'delete') then
    raise insufficient_privilege using message = 'permission denied for the ranges of requests';
  end if;
  -- As the other function: first the ranges, then the log.
  lock table request_ranges in share row exclusive mode;
  select 'requests_' || first_id into partition from request_ranges
   where id = dropped and full_at is not null;
  if not found then return null; end if;
  execute format('select count(*) from %I', partition) into rows_of_it;
  execute format('drop table %I', partition);
  delete from request_ranges where id = dropped;
  return rows_of_it;
exception when lock_not_available then
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.forget_link_key_of_request()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.link_key_ciphertext := null;
  new.link_key_data_key_id := null;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.hold_audit_head()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- The lock comes first: what is read after it was written before it.
  perform from audit_head for update;
  if not found then
    raise exception 'The head of the audit log is missing.' using errcode = 'no_data_found';
  end if;
  if exists (select from audit_entries e, audit_head h where e.number > h.number) then
    raise exception 'The audit log goes on behind its head.' using errcode = 'unique_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.hold_last_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from merchants where id = old.merchant_id for no key update;
  if not exists (select from portal_users
                  where merchant_id = old.merchant_id and role = 'owner' and active) then
    raise exception 'A merchant keeps one owner who is active.'
      using errcode = 'check_violation', constraint = 'portal_users_keep_an_owner';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.hold_live_site_to_its_record()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  mover text;
begin
  -- A transaction holds the head of the audit log from its first entry to its end, so its entries
  -- are the last ones.
  select e.actor into mover
    from (select number, xmin as written_by, actor, operation, object, result, details
            from audit_entries order by number desc limit 100) e
   where e.written_by = pg_current_xact_id()::xid
     and e.operation = 'site.mode_set' and e.object = 'site ' || new.id and e.result = 'done'
     and e.details::json ->> 'after' = 'live'
   limit 1;
  if mover is null
     or (mover not like 'operator:%' and not exists (
           select from go_live_requests r
            where r.site_id = new.id and r.wanted_mode = 'live' and r.state = 'approved'
              and r.xmin = pg_current_xact_id()::xid)) then
    raise exception
      'Site % cannot be live without a record: two portal users or "tollgate sites set-mode" move it.',
      new.id
      using errcode = 'check_violation', constraint = 'sites_live_have_a_record';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.judge_card_testing(p_payments integer[], p_subjects text[], p_counts text[], p_limits integer[], p_windows integer[], p_cards text[], p_at timestamp with time zone)
 RETURNS SETOF integer
 LANGUAGE plpgsql
AS $function$
declare
  present timestamptz := coalesce(p_at, clock_timestamp());
  first_row int := 1;
  last_row int;
  full_rows int[];
begin
  -- Every counter of the group is made or locked in one pass and one sequence, so that groups of
  -- several nodes wait for each other and never in a circle. Those of declines are only looked at.
  insert into card_testing_counters as c (subject, ends_at)
  select s.subject, present + make_interval(secs => max(s.window_s))
    from (select decode(u.subject, 'hex') as subject, u.window_s
            from unnest(p_subjects, p_counts, p_windows) as u (subject, counts, window_s)
           where u.counts <> 'declines') s
   group by s.subject
   order by s.subject
      on conflict (subject) do update
     set ends_at = case when c.ends_at <= present then excluded.ends_at else c.ends_at end,
         count = case when c.ends_at <= present then 0 else c.count end,
         cards = case when c.ends_at <= present then '{}' else c.cards end;

  -- Rows of one payment are neighbours.
  while first_row <= coalesce(array_length(p_payments, 1), 0) loop
    last_row := first_row;
    while p_payments[last_row + 1] = p_payments[first_row] loop
      last_row := last_row + 1;
    end loop;
    select array_agg(n order by n) into full_rows
      from generate_series(first_row, last_row) as n
      join card_testing_counters c on c.subject = decode(p_subjects[n], 'hex')
     where c.ends_at > present and c.count >= p_limits[n]
       and (p_cards[n] is null or decode(p_cards[n], 'hex') <> all (c.cards));
    if full_rows is null then
      update card_testing_counters c
         set count = c.count + 1,
             cards = case when p_cards[n] is null then c.cards else c.cards || decode(p_cards[n], 'hex') end
        from generate_series(first_row, last_row) as n
       where p_counts[n] <> 'declines' and c.subject = decode(p_subjects[n], 'hex')
         and (p_cards[n] is null or decode(p_cards[n], 'hex') <> all (c.cards));
    else
      return query select unnest(full_rows);
    end if;
    first_row := last_row + 1;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.keep_booked_settlement_lines()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from settlement_files f
              where f.state = 'booked' and f.id in (select g.file_id from gone g)) then
    raise exception 'Lines of a booked settlement file never change: another line corrects them.'
      using errcode = 'check_violation', constraint = 'settlement_lines_stay';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.keep_disputes_within_captured()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not new.is_excess and new.disputed_minor >
      coalesce((select captured_minor from orders where id = new.order_id), 0) then
    raise exception 'More of order % is in dispute than was captured.', new.order_id
      using errcode = 'check_violation', constraint = 'disputed_orders_within_captured';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.keep_refunds_beside_disputes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from disputed_orders d
              where d.order_id = new.id and d.disputed_minor > 0
                and d.disputed_minor + new.refunded_minor > new.captured_minor) then
    raise exception 'Money of order % is in dispute, and cannot be refunded too.', new.id
      using errcode = 'check_violation', constraint = 'orders_refund_no_disputed_money';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.keep_request_ranges(ahead_of bigint DEFAULT 0)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  narrowest constant bigint := 1000000;
  widest constant bigint := 10000000;
  assigned bigint;
  open_from bigint;
  open_to bigint;
  width bigint;
  partition text;
  has_opened boolean := false;
begin
  if not has_table_privilege(session_user, 'requests', 'insert') then
    raise insufficient_privilege using message = 'permission denied for the ranges of requests';
  end if;
  lock table request_ranges in share row exclusive mode;
  select last_value into assigned from request_ids;
  update request_ranges set full_at = now() where full_at is null and end_id <= assigned;
  update request_ranges r set filled_from = f.full_at from request_ranges f
   where f.end_id = r.first_id and f.full_at is not null and r.filled_from is null;
  select case when lasts < interval '12 hours' then least(2 * ids, widest)
              when lasts > interval '48 hours' then greatest(ids / 2, narrowest)
              else ids end
    into width
    from (select greatest(least(end_id - first_id, widest), narrowest) as ids,
                 full_at - filled_from as lasts
            from request_ranges where full_at is not null and filled_from is not null
           order by end_id desc limit 1) f;
  while (select count(*) < 2 from request_ranges where first_id > greatest(assigned, ahead_of)) loop
    select max(end_id) into open_from from request_ranges;
    open_to := greatest(open_from + coalesce(width, narrowest), ahead_of + 1);
    partition := 'requests_' || open_from;
    insert into request_ranges (first_id, end_id, filled_from)
      select open_from, open_to, (select full_at from request_ranges where end_id = open_from);
    execute format('create table %I (like requests including all)', partition);
    execute format('alter table requests attach partition %I for values from (%s) to (%s)',
                   partition, open_from, open_to);
    has_opened := true;
  end loop;
  -- Autovacuum looks at partitions, and never at the whole.
  if has_opened then analyze requests; end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.lease_requests(p_callers text[], p_waiting integer[], p_per_second integer, p_burst integer, p_portion integer, p_at timestamp with time zone)
 RETURNS TABLE(granted integer, missing bigint)
 LANGUAGE plpgsql
AS $function$
declare
  capacity bigint := p_burst * 1000000::bigint;
  present timestamptz;
  has bigint;
  room int;
begin
  -- Every bucket is made or locked in one sequence, so that groups of several nodes wait for each other
  -- and never in a circle. A conflict locks the row although nothing is changed.
  insert into request_buckets as b (caller, level, refilled_at)
  select c, capacity, coalesce(p_at, clock_timestamp()) from unnest(p_callers) c order by c
      on conflict (caller) do update set level = b.level where false;
  -- Read when nobody else can: what flowed in by then is counted once.
  present := coalesce(p_at, clock_timestamp());

  for n in 1 .. coalesce(array_length(p_callers, 1), 0) loop
    select least(capacity, b.level + p_per_second
                 * greatest(0, extract(epoch from present - b.refilled_at) * 1000000))
      into has from request_buckets b where b.caller = p_callers[n];
    room := has / 1000000;
    granted := least(room, p_waiting[n] + least(p_portion, greatest(0, room - p_waiting[n] + 1) / 2));
    has := has - granted * 1000000::bigint;
    update request_buckets b set level = has, refilled_at = present where b.caller = p_callers[n];
    missing := capacity - has;
    return next;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.list_open_transaction()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into open_transactions (merchant_id, transaction_id) values (new.merchant_id, new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.move_audit_head()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update audit_head h set number = last.number, hash = last.hash
    from (select number, hash from audit_entries order by number desc limit 1) as last
   where last.number > h.number;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.open_event_day(opened date, first bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  partition text := 'events_' || to_char(opened, 'YYYY_MM_DD');
begin
  if not has_table_privilege(session_user, 'event_days', 'insert') then
    raise insufficient_privilege using message = 'permission denied for the days of events';
  end if;
  insert into event_days (day, first_position) values (opened, first) on conflict do nothing;
  if not found then return; end if;
  execute format('create table %I (like events including all)', partition);
  execute format('alter table events attach partition %I for values from (%L) to (%L)',
                 partition, opened, opened + 1);
  execute format('create trigger events_never_change before update or delete or truncate on %I
                    for each statement execute function refuse_to_rewrite_events()', partition);
end
$function$;

CREATE OR REPLACE FUNCTION public.record_difference()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into event_outbox (type, merchant_id, object_id, details)
  select case new.state when 'open' then 'settlement.difference' else 'settlement.cleared' end,
         new.merchant_id, new.id,
         json_build_object(
           'mode', a.mode,
           'origin', case when new.state = 'open' then 'BANK'
                          when new.ended_by like 'portal:%' then 'PORTAL' else 'GATEWAY' end,
           'actor', new.ended_by, 'order', coalesce(new.order_id, t.order_id)::text,
           'amounts', json_build_object(
             'here_amount', case when new.here_minor is not null
                                 then json_build_array(new.here_minor::text, new.here_currency) end,
             'bank_amount', case when new.bank_minor is not null
                                 then json_build_array(new.bank_minor::text, new.bank_currency) end),
           'data', json_build_object(
             'difference_id', new.id::text, 'merchant_account_id', a.id::text, 'code', new.code,
             'since', new.since, 'here_currency', new.here_currency,
             'bank_currency', new.bank_currency, 'trans_id', new.transaction_id::text,
             'payout_id', new.payout_id::text, 'dispute_id', new.dispute_id::text,
             'settlement_file_id', new.file_id::text, 'ended_as', new.ended_as))
    from settlement_sources s
    join merchant_accounts a on a.id = s.merchant_account_id
    left join transactions t on t.id = new.transaction_id
   where s.id = new.source_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.record_payout_state()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into event_outbox (type, merchant_id, object_id, details)
  select 'payout.' || new.state, new.merchant_id, new.id,
         json_build_object(
           'mode', a.mode, 'origin', 'BANK',
           'amounts', json_build_object(
             'amount', json_build_array(new.net_minor::text, new.currency)),
           'data', json_build_object(
             'payout_id', new.id::text, 'merchant_account_id', a.id::text,
             'settlement_file_id', new.file_id::text, 'currency', new.currency,
             'reference', coalesce(new.payout, ''), 'trace', coalesce(new.trace, ''),
             'value_date', new.value_date, 'arrives', new.arrives))
    from settlement_sources s
    join merchant_accounts a on a.id = s.merchant_account_id
   where s.id = new.source_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_another_bank()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'Merchant account % stays with its bank: another bank needs another account.', old.id
    using errcode = 'check_violation', constraint = 'merchant_accounts_stay_with_their_bank';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'The audit log is append-only.'
    using errcode = 'check_violation', constraint = 'audit_entries_are_append_only';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_clock_of_live_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Locked, so that it can't go live meanwhile.
  perform from sites where id = new.site_id and mode = 'test' for share;
  if not found then
    raise exception 'site % is not in test mode, so it goes by the real time', new.site_id
      using errcode = 'check_violation', constraint = 'site_clocks_of_test_sites';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_faults_of_live_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Locked, so that it cannot go live meanwhile.
  perform from sites s join webhook_endpoints e on e.site_id = s.id
    where s.id = new.site_id and e.id = new.endpoint_id and s.mode = 'test' for share of s;
  if not found then
    raise exception 'site % is not in test mode, so its webhooks have no faults', new.site_id
      using errcode = 'check_violation', constraint = 'webhook_faults_of_test_sites';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_key_substitution()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'Data key % can only move from active to retired to destroyed.', old.id
    using errcode = 'check_violation', constraint = 'data_keys_only_move_on';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_live_throwaway_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from throwaway_sites where site_id = new.id) then
    raise exception 'Site % was made for a test and stays in test mode.', new.id
      using errcode = 'check_violation', constraint = 'throwaway_sites_stay_in_test_mode';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_receiver_of_live_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Locked, so that it cannot go live meanwhile.
  perform from sites where id = new.site_id and mode = 'test' for share;
  if not found then
    raise exception 'site % is not in test mode, so it has no receiver', new.site_id
      using errcode = 'check_violation', constraint = 'webhook_receivers_of_test_sites';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_reset_of_live_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Locked, so that it can't go live meanwhile.
  perform from sites where id = new.site_id and merchant_id = new.merchant_id and mode = 'test' for share;
  if not found then
    raise exception 'site % is not in test mode, so it can not be reset', new.site_id
      using errcode = 'check_violation', constraint = 'site_resets_of_test_sites';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_to_rewrite_bank_statements()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'Bank statements never change: the next statement corrects them.'
    using errcode = 'check_violation', constraint = 'bank_statements_never_change';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_to_rewrite_dispute_records()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'Records of disputes never change: the next notice or line corrects them.'
    using errcode = 'check_violation', constraint = 'dispute_records_never_change';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_to_rewrite_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'Events never change: days of them are dropped when their retention is over.'
    using errcode = 'check_violation', constraint = 'events_never_change';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_to_rewrite_notes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'Notes are append-only: write another one instead of %.', tg_op;
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_to_rewrite_settlement_lines()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'Lines of a settlement file never change: another line corrects them.'
    using errcode = 'check_violation', constraint = 'settlement_lines_never_change';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_to_rewrite_the_ledger()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'The ledger is append-only: a posting is put right by another posting, never by %.', tg_op;
end
$function$;

CREATE OR REPLACE FUNCTION public.retrieval_reference(message_number bigint, message_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (to_char((message_at AT TIME ZONE 'UTC'::text), 'YDDDHH24'::text) || lpad((((message_number % (999999)::bigint) + 1))::text, 6, '0'::text));

CREATE OR REPLACE FUNCTION public.site_time(site bigint, machine_time timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN COALESCE((SELECT CASE WHEN ((c.speed = 1) AND (c.target_at IS NULL)) THEN (c.site_at + GREATEST((site_time.machine_time - c.real_at), '00:00:00'::interval)) ELSE c.site_at END AS site_at FROM site_clocks c WHERE (c.site_id = site_time.site)), machine_time);

comment on column card_token_id of table three_ds_authentications is 'The card token that the payment used; null for any other card.';

-- rows of audit_head:
-- (t,0,"\\xfd83f1ce95db74c529a8ce86d311bc75ff0634dcb2377b0b2aa1eb741094716f")

-- rows of audit_push:
-- (t,0,0,-infinity)

-- rows of dispute_posting_kinds:
-- (chargeback_loss,chargeback_loss,disputes_open,1)
-- (chargeback_loss_returned,disputes_open,chargeback_loss,-1)
-- (rapid_refund,merchant_refunds,disputes_open,1)
-- (rapid_refund_returned,disputes_open,merchant_refunds,-1)

-- rows of event_head:
-- (t,0,-infinity,0,1)

-- rows of ledger_kinds:
-- (authorization,authorizations,authorizations_contra)
-- (capture,acquirer_receivable,merchant_payable)
-- (capture_void,merchant_payable,acquirer_receivable)
-- (refund,merchant_refunds,acquirer_receivable)
-- (release,authorizations_contra,authorizations)

-- rows of request_ranges:
-- (1,0,1701000,,)
-- (2,1701000,2701000,,)
-- (3,2701000,3701000,,)

-- rows of settlement_posting_kinds:
-- (capture_converted,currency_conversion,acquirer_receivable)
-- (capture_rejected,merchant_payable,acquirer_receivable)
-- (capture_written_off,fee_other,acquirer_receivable)
-- (debit_unknown,suspense,bank)
-- (deposit,bank,payout_in_transit)
-- (deposit_debited,payout_in_transit,bank)
-- (deposit_over,bank,suspense)
-- (deposit_short,suspense,payout_in_transit)
-- (deposit_unknown,bank,suspense)
-- (from_acquirer_receivable,acquirer_balance,acquirer_receivable)
-- (from_adjustments,acquirer_balance,adjustments)
-- (from_carried_forward,acquirer_balance,carried_forward)
-- (from_currency_conversion,acquirer_balance,currency_conversion)
-- (from_disputes_open,acquirer_balance,disputes_open)
-- (from_fee_acquirer,acquirer_balance,fee_acquirer)
-- (from_fee_dispute,acquirer_balance,fee_dispute)
-- (from_fee_interchange,acquirer_balance,fee_interchange)
-- (from_fee_other,acquirer_balance,fee_other)
-- (from_fee_scheme,acquirer_balance,fee_scheme)
-- (from_fee_tax,acquirer_balance,fee_tax)
-- (from_fx_difference,acquirer_balance,fx_difference)
-- (from_merchant_refunds,acquirer_balance,merchant_refunds)
-- (from_payout_in_transit,acquirer_balance,payout_in_transit)
-- (from_reserve_held,acquirer_balance,reserve_held)
-- (from_suspense,acquirer_balance,suspense)
-- (gain_written_off,suspense,fee_other)
-- (loss_written_off,fee_other,suspense)
-- (refund_converted,acquirer_receivable,currency_conversion)
-- (refund_rejected,acquirer_receivable,merchant_refunds)
-- (refund_written_off,acquirer_receivable,fee_other)
-- (to_acquirer_receivable,acquirer_receivable,acquirer_balance)
-- (to_adjustments,adjustments,acquirer_balance)
-- (to_carried_forward,carried_forward,acquirer_balance)
-- (to_currency_conversion,currency_conversion,acquirer_balance)
-- (to_disputes_open,disputes_open,acquirer_balance)
-- (to_fee_acquirer,fee_acquirer,acquirer_balance)
-- (to_fee_dispute,fee_dispute,acquirer_balance)
-- (to_fee_interchange,fee_interchange,acquirer_balance)
-- (to_fee_other,fee_other,acquirer_balance)
-- (to_fee_scheme,fee_scheme,acquirer_balance)
-- (to_fee_tax,fee_tax,acquirer_balance)
-- (to_fx_difference,fx_difference,acquirer_balance)
-- (to_merchant_refunds,merchant_refunds,acquirer_balance)
-- (to_payout_in_transit,payout_in_transit,acquirer_balance)
-- (to_reserve_held,reserve_held,acquirer_balance)
-- (to_suspense,suspense,acquirer_balance)
