-- What Directory Servers told of card ranges, for all processes; and when they may be asked again.
create table three_ds_directories (
  name text primary key,
  -- A Directory Server is not asked before this time, whoever asks.
  next_ask_at timestamptz not null,
  -- Who took the question is left alone until then.
  lease_until timestamptz,
  -- Goes with the next question, for what has changed; null asks for everything.
  serial_num text check (length(serial_num) between 1 and 20),
  ds_from text,
  ds_to text,
  -- Objects with start, end, acsFrom, acsTo and methodUrl.
  ranges json not null default '[]',
  -- Changes with the ranges.
  revision bigint not null default 0,
  -- When the ranges were last confirmed.
  refreshed_at timestamptz,
  -- Why the last question failed; '' when it did not.
  last_fault text not null default '',
  constraint three_ds_directories_have_a_version check ((revision = 0) = (ds_from is null))
);
