-- The defence against card testing: rules of sites, and what they count.

-- A site without a row has never been given rules; mode 'off' is the same as no rules.
create table card_testing_policies (
  site_id bigint primary key references sites,
  mode text not null default 'off' check (mode in ('off', 'watch', 'enforce')),
  rules json not null check (json_typeof(rules) = 'array'),
  except_addresses text[] not null default '{}',
  revision integer not null default 1,
  changed_at timestamptz not null default now()
);

-- One row for what one rule counts of one subject: a card, a BIN, an address, an amount, the site. The
-- subject and the cards are keyed digests, each card's another in every row, so that no two rows and no
-- stored card can be joined. Unlogged: they change with every payment, are worth nothing after their
-- window, and so stay out of the log that is archived and copied.
create unlogged table card_testing_counters (
  subject bytea primary key check (length(subject) = 16),
  ends_at timestamptz not null,
  count integer not null default 0 check (count >= 0),
  cards bytea[] not null default '{}'
) with (fillfactor = 50);
create index card_testing_counters_ended on card_testing_counters (ends_at);

-- What was refused, or would have been.
create table card_testing_hits (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  merchant_id bigint not null,
  site_id bigint not null,
  rule text not null,
  refused boolean not null,
  order_id bigint not null,
  transaction_id bigint not null
);
create index card_testing_hits_by_site on card_testing_hits (site_id, at);

-- Judges a group of payments, one after the other, and counts those that pass. One array element is one
-- rule of one payment; the numbers (from 1) of those that are full come back. A payment that any rule
-- refuses is counted by none, so that what is refused uses nobody else's limit up.
create function judge_card_testing(
  p_payments int[], p_subjects text[], p_counts text[], p_limits int[], p_windows int[], p_cards text[],
  p_at timestamptz
) returns setof int language plpgsql as $$
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
end $$;
