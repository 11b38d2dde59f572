-- Who did what, to which object, from where, and what came of it. Append-only, and chained: each entry
-- holds the hash of the one before it, so that a change, a gap or a swap shows (tollgate audit verify).

create table audit_entries (
  -- 1, 2, 3, ... without a gap.
  number bigint primary key,
  -- Of the database's clock; a site's test clock never reaches it.
  at timestamptz not null,
  actor text not null check (actor <> ''),
  act text not null check (act <> ''),
  object text not null default '',
  merchant_id bigint,
  address text not null default '',
  result text not null check (result in ('done', 'refused', 'failed')),
  details text not null default '{}' check (json_typeof(details::json) = 'object'),
  previous_hash bytea not null check (length(previous_hash) = 32),
  hash bytea not null unique check (length(hash) = 32)
);
create index audit_entries_by_merchant on audit_entries (merchant_id, number) where merchant_id is not null;

-- The end of the chain; its lock puts entries in sequence. Small and half empty, so that its next
-- version fits beside the last one and no index learns of it.
create table audit_head (
  only_one boolean primary key default true check (only_one),
  number bigint not null,
  hash bytea not null
) with (fillfactor = 50);
insert into audit_head (number, hash) values (0, sha256('tollgate audit log'));

-- Each field with its length in bytes in front, so that nothing can move from one field to the next.
-- docs/operators/audit-log.md describes the same for readers in other languages.
create function audit_hash(entry audit_entries) returns bytea immutable language sql as $$
  select sha256(entry.previous_hash || string_agg(
           convert_to(octet_length(field) || ':', 'UTF8') || field, '' order by place))
    from (select convert_to(text, 'UTF8') as field, place
            from unnest(array[
              entry.number::text,
              to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
              entry.actor, entry.act, entry.object, coalesce(entry.merchant_id::text, ''), entry.address,
              entry.result, entry.details]) with ordinality as texts (text, place)) as fields
$$;

-- Runs with the rights of who made it, so that a role that may only insert can append.
create function chain_audit_entry() returns trigger language plpgsql security definer as $$
begin
  select number + 1, hash into strict new.number, new.previous_hash from audit_head for update;
  -- Read under the lock of the head: times run backwards only when the clock itself does.
  new.at := clock_timestamp();
  new.hash := audit_hash(new);
  update audit_head set number = new.number, hash = new.hash;
  return new;
end $$;
-- Temporary tables come last, or a session could put a head of its own in front.
do $$ begin
  execute format('alter function chain_audit_entry() set search_path = %I, pg_temp', current_schema());
end $$;
create trigger audit_entries_are_chained before insert on audit_entries
  for each row execute function chain_audit_entry();

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only.'
    using errcode = 'check_violation', constraint = 'audit_entries_are_append_only';
end $$;
create trigger audit_entries_are_append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_audit_change();
