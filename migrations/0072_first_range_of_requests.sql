-- Locks: requests, access exclusive, milliseconds
-- Runs beside: 0056

-- The ranges of ids into which the request log goes: each is a partition, and goes as a whole.
create table request_ranges (
  id bigint generated always as identity (start with 1) primary key,
  first_id bigint not null unique,
  end_id bigint not null unique,
  -- When all ids of the range before it were assigned, by the database's clock; null: not yet, and
  -- for the first range, which has rows of any age.
  filled_from timestamptz,
  -- When all of its own were. A process uses an id for a day at most after that.
  full_at timestamptz,
  constraint request_ranges_not_empty check (first_id < end_id),
  constraint request_ranges_filled_in_sequence check (full_at >= filled_from)
);

-- The rows that are there become the first range, with those of the next million ids: the two
-- migrations after this one need minutes. A constraint that is valid saves the last one a look at
-- every row.
do $$
declare
  bound bigint;
begin
  select last_value + 1001000 into bound from request_ids;
  insert into request_ranges (first_id, end_id) values (0, bound);
  execute format('alter table requests add constraint requests_of_the_first_range
                    check (id < %s) not valid', bound);
end
$$;
