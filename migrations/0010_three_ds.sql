-- 3-D Secure 2: what was collected of a browser, and what an issuer said of a payment.

-- Null: the account takes no part in 3-D Secure. The Directory Server knows the merchant by this id.
alter table merchant_accounts
  add column three_ds_requestor_id text check (length(three_ds_requestor_id) between 1 and 35),
  add column three_ds_requestor_url text check (length(three_ds_requestor_url) between 1 and 2048),
  add constraint merchant_accounts_three_ds_whole
    check ((three_ds_requestor_id is null) = (three_ds_requestor_url is null));

alter table sites
  -- Whether a payment that asks for 3-D Secure and lacks the browser's data is declined, not just done without.
  add column three_ds_required boolean not null default false,
  -- What happens where nobody can authenticate.
  add column three_ds_unavailable text not null default 'authorize'
    check (three_ds_unavailable in ('authorize', 'decline')),
  -- Whether the final call must carry REQUEST_PARES, be it empty.
  add column three_ds_pares_required boolean not null default false,
  -- threeDSRequestorChallengeInd; null leaves it out.
  add column three_ds_challenge char(2) check (three_ds_challenge in ('01', '02', '03', '04')),
  -- Hosts that P3DS_RETURN_URL may name; empty: any.
  add column three_ds_return_hosts text[] not null default '{}';

-- One for each answer of 3dsrequest.cfm: what the customer's browser told before the payment.
create table three_ds_collections (
  -- DDC_REFERENCEID: id of the request, a hyphen, the merchant account.
  reference text primary key,
  merchant_id bigint not null,
  site_id bigint not null,
  mode text not null check (mode in ('test', 'live')),
  merchant_account_id bigint not null,
  api_user_id bigint not null,
  -- The first six to eight digits of the card.
  leading_digits text not null check (leading_digits ~ '^[0-9]{6,8}$'),
  -- threeDSServerTransID of the 3DS Method and of the first AReq.
  server_trans_id uuid not null unique,
  -- jti of its JWT.
  token_id text not null unique,
  -- By which the page that was loaded last sends what it collected.
  page_handle text unique,
  state text not null default 'set_up' check (state in ('set_up', 'collecting', 'collected', 'used')),
  -- What the page's script found out, as JSON; the first complete run wins.
  browser json,
  method_url text,
  method_state text not null default 'none'
    check (method_state in ('none', 'running', 'completed', 'failed')),
  method_started_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index three_ds_collections_by_age on three_ds_collections (expires_at);

-- One for each payment that an issuer was asked about.
create table three_ds_authentications (
  -- threeDSServerTransID.
  server_trans_id uuid primary key,
  -- P3DS_PROCTRANSID: 20 letters and digits.
  proc_trans_id text not null unique,
  transaction_id bigint not null unique references transactions,
  order_id bigint not null,
  merchant_id bigint not null,
  site_id bigint not null,
  mode text not null check (mode in ('test', 'live')),
  merchant_account_id bigint not null,
  api_user_id bigint not null,
  -- DDC_REFERENCEID.
  reference text not null,
  -- asking: the AReq is on its way. challenge: the customer has to do something. result: the RReq came.
  -- consumed: the payment was decided on. failed, expired: it never will be.
  state text not null
    check (state in ('asking', 'challenge', 'result', 'consumed', 'failed', 'expired')),
  -- What the issuer was asked about, which the final call has to be about too.
  fingerprint bytea not null,
  expiry_month smallint,
  expiry_year smallint,
  amount_minor bigint not null check (amount_minor >= 0),
  currency char(3) not null,
  kind text not null check (kind in ('authorize', 'sale')),
  order_reference text not null,
  lines_digest bytea not null,
  return_url text not null,
  challenge_window char(2) not null check (challenge_window in ('01', '02', '03', '04', '05')),
  -- The AReq and its answer. Without an answer the status is U, and the cause says why.
  message_version text,
  comp_ind char(1) check (comp_ind in ('Y', 'N', 'U')),
  trans_status char(1) check (trans_status in ('Y', 'A', 'N', 'R', 'U', 'C', 'I')),
  trans_status_reason text not null default '',
  cause text not null default '',
  ds_trans_id uuid,
  acs_trans_id uuid,
  acs_url text,
  cardholder_info text not null default '',
  -- The challenge: jti of the step-up JWT, handles of its page and of the issuer's way back.
  step_up_token_id text unique,
  page_handle text unique,
  session_handle text unique,
  creq_sent_at timestamptz,
  -- MD: what the shop wants back as it is.
  merchant_data text not null default '',
  -- What the browser brought back; it decides nothing, but may contradict.
  returned_at timestamptz,
  cres_status text not null default '' check (cres_status in ('', 'Y', 'N', 'erro', 'unreadable')),
  -- The RReq, which decides.
  result_status char(1) check (result_status in ('Y', 'A', 'N', 'R', 'U')),
  result_reason text not null default '',
  result_digest bytea,
  challenge_cancel text not null default '',
  result_at timestamptz,
  -- What the payment is told once it was decided on: a status letter, which need not be the issuer's.
  response text not null default '',
  -- Its ECI as the Directory Server gave it, or the brand's value for none.
  eci text not null default '',
  -- Sealed as payment_methods.pan_ciphertext is; erased once the payment was decided on.
  cavv_ciphertext bytea,
  cavv_data_key_id integer,
  -- Final calls that were about something else.
  mismatches smallint not null default 0,
  -- SHA-256 of what the deciding call asked for, to tell a repeat from something else.
  final_digest bytea,
  -- When it was consumed, failed or expired: a payment that goes on runs since then.
  decided_at timestamptz,
  created_at timestamptz not null,
  -- When the payment is given up if nothing more happens.
  expires_at timestamptz not null,
  constraint three_ds_cavv_has_its_key check ((cavv_ciphertext is null) = (cavv_data_key_id is null)),
  constraint three_ds_cavv_is_erased
    check (cavv_ciphertext is null or state in ('asking', 'challenge', 'result')),
  constraint three_ds_decided_with_a_time
    check ((decided_at is null) = (state in ('asking', 'challenge', 'result'))),
  constraint three_ds_result_is_whole check ((result_status is null) = (result_at is null))
) with (fillfactor = 70);
create index three_ds_authentications_open on three_ds_authentications (expires_at)
  where state in ('asking', 'challenge', 'result');

-- Every message to and from Directory Servers and browsers, in the sequence they came; nothing is
-- changed or taken away. Card numbers are masked, CAVVs left out.
create table three_ds_messages (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  server_trans_id uuid,
  direction text not null check (direction in ('in', 'out')),
  type text not null,
  content json not null
);
create index three_ds_messages_by_transaction on three_ds_messages (server_trans_id);
