-- Fresh starts of test sites: what is open is ended, and references are free again.

create table site_resets (
  id bigint generated always as identity primary key,
  merchant_id bigint not null references merchants,
  site_id bigint not null references sites,
  person_id bigint not null references portal_people,
  -- Of the dialogue that asked for it: the same one once more goes on with the same reset.
  key text not null check (length(key) between 16 and 64),
  begun_at timestamptz not null default now(),
  done_at timestamptz,
  -- How much of what was done, by kind.
  done jsonb not null default '{}',
  constraint site_resets_once unique (site_id, key)
);

-- Only sites in test mode are reset, whatever the code does.
create function refuse_reset_of_live_site() returns trigger language plpgsql as $$
begin
  -- Locked, so that it can't go live meanwhile.
  perform from sites where id = new.site_id and merchant_id = new.merchant_id and mode = 'test' for share;
  if not found then
    raise exception 'site % is not in test mode, so it can not be reset', new.site_id
      using errcode = 'check_violation', constraint = 'site_resets_of_test_sites';
  end if;
  return new;
end $$;
create trigger site_resets_of_test_sites before insert or update on site_resets
  for each row execute function refuse_reset_of_live_site();
