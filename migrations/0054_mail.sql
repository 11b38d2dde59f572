-- E-mail: receipts to customers of a site, and notices to portal users. New tables only. Payments
-- write nothing into them: a job takes events out of the feed.

-- Who gets mails: the customers of a site, or a portal user. Without a row or a kind: nobody.
create table mail_subscriptions (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null references merchants,
  site_id bigint unique references sites,
  portal_user_id bigint unique references portal_users,
  kinds text[] not null,
  -- Events of the feed up to it have their mails.
  position bigint not null,
  -- Whether payments of the site's test mode have mails too.
  sends_tests boolean not null default false,
  -- '' for the name of the site.
  sender_name text not null default '' check (length(sender_name) <= 100),
  -- '' for none.
  reply_to text not null default '' check (length(reply_to) <= 254),
  constraint mail_subscriptions_of_a_site_or_a_user
    check (num_nonnulls(site_id, portal_user_id) = 1)
) with (fillfactor = 70);

-- A site's own texts. Without a row the built-in ones are sent.
create table mail_templates (
  site_id bigint not null references sites,
  kind text not null,
  subject text not null check (length(subject) between 1 and 200),
  body_text text not null check (length(body_text) between 1 and 10000),
  -- '' makes the HTML from the text.
  body_html text not null check (length(body_html) <= 50000),
  changed_at timestamptz not null default now(),
  primary key (site_id, kind)
);

-- One row for each event and recipient. The content is final, so that a repeat is the same mail.
-- Rows of a customer are deleted with the customer's erasure, and all rows by retention.
create table mail_messages (
  id bigint generated always as identity (start with 1) primary key,
  merchant_id bigint not null,
  site_id bigint,
  customer_id bigint,
  portal_user_id bigint references portal_users,
  kind text not null,
  mode text not null check (mode in ('test', 'live')),
  -- Null for a mail that a user asked for to try a template.
  position bigint,
  event_id text not null default '',
  order_id bigint,
  recipient text not null check (length(recipient) <= 254),
  sender_name text not null,
  reply_to text not null,
  subject text not null,
  body_text text not null,
  body_html text not null,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed', 'caught')),
  -- Attempts of this round: a mail that is sent again begins another round.
  attempts integer not null default 0 check (attempts between 0 and 12),
  round integer not null default 1,
  -- All times are the machine's.
  due_at timestamptz not null default now(),
  -- A process that died leaves its claim until then.
  leased_until timestamptz not null default '-infinity',
  -- Each claim has its number, so that the result of an old one is not written.
  claims integer not null default 0,
  -- The last answer of the mail server, or why there was none.
  answer text not null default '',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  unique (position, kind, recipient),
  constraint mail_messages_ended_have_a_time check ((state = 'waiting') = (ended_at is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index mail_messages_due on mail_messages (due_at) where state = 'waiting';
create index mail_messages_of_site on mail_messages (site_id, id);
create index mail_messages_of_customer on mail_messages (customer_id)
  where customer_id is not null;
create index mail_messages_of_order on mail_messages (order_id) where order_id is not null;
