-- Locks: request_ranges, share row exclusive, reads the table
-- Locks: requests, access exclusive, milliseconds
-- Runs beside: 0056

-- The request log has partitions from now on, by ranges of ids: the table that was there is the
-- first of them. Ids rise with time, and a reader by id asks one partition.
alter table requests rename to requests_0;
alter table requests_0 rename constraint requests_pkey to requests_0_pkey;
alter index requests_by_merchant rename to requests_0_by_merchant;
alter index requests_inquiries_by_order rename to requests_0_inquiries_by_order;

create table requests (like requests_0, primary key (id)) partition by range (id);
create index requests_by_merchant on requests (merchant_id, received_at);
create index requests_inquiries_by_order on requests (order_id, received_at)
  where action in ('CCSTATUS', 'CCTRANSUPDATE');

do $$
declare
  granted record;
begin
  execute format('alter table requests attach partition requests_0 for values from (minvalue) to (%s)',
                 (select end_id from request_ranges where first_id = 0));
  for granted in
    select a.privilege_type as privilege, a.is_grantable,
           case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as role
      from pg_class c cross join lateral aclexplode(c.relacl) a
     where c.oid = 'requests_0'::regclass and a.grantee <> c.relowner
  loop
    execute format('grant %s on requests to %s%s', granted.privilege, granted.role,
                   case when granted.is_grantable then ' with grant option' else '' end);
  end loop;
end
$$;
alter table requests_0 drop constraint requests_of_the_first_range;

-- A role that only serves owns no table: the two functions make and drop partitions in its place.
-- Any role may call a function, so each looks at what the role itself may do.

-- Notes which ranges are full, and opens ranges until two lie ahead of all ids that were assigned,
-- and of `ahead_of`. A range is half or twice as wide as the last full one if that one took more
-- than two days or less than half a day, so that ranges of a busy gateway last about a day.
create function keep_request_ranges(ahead_of bigint default 0) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
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
$$;

-- Drops a full range with its rows, and returns their number. Null: the range is not full, or
-- somebody reads the log for long, and every insert would wait behind a lock that waits.
create function drop_request_range(dropped bigint) returns bigint
  language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '1s' as $$
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
$$;

select keep_request_ranges();
