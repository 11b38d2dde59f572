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
  hash bytea not null check (length(hash) = 32)
);
create index audit_entries_by_merchant on audit_entries (merchant_id, number) where merchant_id is not null;

-- The end of the chain; its lock puts entries in sequence. Small and half empty, so that its next
-- version fits beside the last one and no index learns of it. Written once for each statement: a
-- version for each entry would have the next ones read through all of them.
create table audit_head (
  only_one boolean primary key default true check (only_one),
  number bigint not null,
  hash bytea not null
) with (fillfactor = 50);
insert into audit_head (number, hash) values (0, sha256('tollgate audit log'));

-- Each field with its length in bytes in front, so that nothing can move from one field to the next.
-- docs/operators/audit-log.md describes the same for readers in other languages. Stable like what they
-- call: were they declared more than that, PostgreSQL would not make one expression of them all.
create function audit_field(field text) returns bytea stable language sql as $$
  select convert_to(octet_length(convert_to(field, 'UTF8')) || ':' || field, 'UTF8')
$$;
create function audit_hash(entry audit_entries) returns bytea stable language sql as $$
  select sha256(entry.previous_hash
    || audit_field(entry.number::text)
    || audit_field(to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    || audit_field(entry.actor) || audit_field(entry.act) || audit_field(entry.object)
    || audit_field(coalesce(entry.merchant_id::text, '')) || audit_field(entry.address)
    || audit_field(entry.result) || audit_field(entry.details))
$$;

-- These run with the rights of who made them, so that a role that may only insert can append.
create function hold_audit_head() returns trigger language plpgsql security definer as $$
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
end $$;
create function chain_audit_entry() returns trigger language plpgsql security definer as $$
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
end $$;
create function move_audit_head() returns trigger language plpgsql security definer as $$
begin
  update audit_head h set number = last.number, hash = last.hash
    from (select number, hash from audit_entries order by number desc limit 1) as last
   where last.number > h.number;
  return null;
end $$;
-- Temporary tables come last, or a session could put a head of its own in front.
do $$ begin
  execute format('alter function hold_audit_head() set search_path = %I, pg_temp', current_schema());
  execute format('alter function chain_audit_entry() set search_path = %I, pg_temp', current_schema());
  execute format('alter function move_audit_head() set search_path = %I, pg_temp', current_schema());
end $$;
create trigger audit_head_is_held before insert on audit_entries
  for each statement execute function hold_audit_head();
create trigger audit_entries_are_chained before insert on audit_entries
  for each row execute function chain_audit_entry();
create trigger audit_head_follows after insert on audit_entries
  for each statement execute function move_audit_head();

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only.'
    using errcode = 'check_violation', constraint = 'audit_entries_are_append_only';
end $$;
create trigger audit_entries_are_append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_audit_change();
