-- Locks: api_users, access exclusive, reads the table
-- Runs beside: 0056

-- The rate limit of one API user, in requests: a second, and at once. Both or neither; null is the
-- limit of the installation. A bucket fills up within an hour, because unused ones are removed then.
alter table api_users
  add column request_rate integer,
  add column request_burst integer,
  add constraint api_users_request_rate_whole check (
    (request_rate is null) = (request_burst is null)
    and request_rate between 1 and 1000000
    and request_burst between 1 and 1000000
    and request_burst <= request_rate * 3600::bigint);
