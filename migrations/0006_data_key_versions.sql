-- Data keys over their life: active (encrypts and decrypts), retired (decrypts only), destroyed (gone).

alter table data_keys
  add column state text not null default 'active' check (state in ('active', 'retired', 'destroyed')),
  add column retired_at timestamptz,
  add column destroyed_at timestamptz,
  add column destroyed_by text,
  alter column wrapped drop not null,
  add constraint data_keys_lose_their_bytes_when_destroyed check ((state = 'destroyed') = (wrapped is null)),
  add constraint data_keys_tell_when_they_were_retired check ((state = 'active') = (retired_at is null)),
  add constraint data_keys_tell_who_destroyed_them
    check ((state = 'destroyed') = (destroyed_at is not null)
       and (destroyed_at is null) = (destroyed_by is null)),
  -- Fingerprints made under it must compare for ever.
  add constraint data_keys_fingerprint_key_stays check (purpose <> 'fingerprint' or state = 'active');
create unique index data_keys_one_active_key on data_keys (purpose) where state = 'active';

create function refuse_key_substitution() returns trigger language plpgsql as $$
begin
  raise exception 'Data key % can only move from active to retired to destroyed.', old.id
    using errcode = 'check_violation', constraint = 'data_keys_only_move_on';
end $$;
create trigger data_keys_only_move_on before update on data_keys for each row
  when ((old.id, old.purpose, old.created_at) is distinct from (new.id, new.purpose, new.created_at)
     or old.state = 'destroyed'
     or (old.state <> new.state and (old.state, new.state) not in (('active', 'retired'), ('retired', 'destroyed'))))
  execute function refuse_key_substitution();
create trigger data_keys_are_never_deleted before delete on data_keys
  for each row execute function refuse_key_substitution();

-- Which keys each gateway process has in memory. Nobody encrypts under a key that another process
-- still lacks, and no key is destroyed that somebody encrypts under.
create table data_key_holders (
  worker text primary key,
  data_key_ids integer[] not null,
  seals_under integer not null,
  seals_since timestamptz not null,
  seen_at timestamptz not null
) with (fillfactor = 50);

-- How far the re-encryption has come, for each table that holds ciphertexts.
create table reencryption_passes (
  place text primary key,
  -- What everything is to be under.
  data_key_id integer not null references data_keys,
  after_id bigint not null default 0,
  -- In this pass, and since the key became the active one.
  moved_in_pass bigint not null default 0,
  moved bigint not null default 0,
  pass_started_at timestamptz not null,
  -- When a whole pass that began after everybody encrypts under the key had found nothing.
  finished_at timestamptz
);

-- Which id a record of another vault's export has here, so that an import can be repeated.
create table imported_ids (
  origin text not null,
  kind text not null check (kind in ('customer', 'payment method')),
  old_id bigint not null,
  merchant_id bigint not null,
  new_id bigint not null,
  primary key (origin, kind, old_id)
);
