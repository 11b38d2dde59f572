-- Locks: transactions, share row exclusive, milliseconds
-- Runs beside: 0056

-- The transactions that wait for the bank, and some that were concluded since: an intent adds its
-- own, and a job removes what is concluded. So no index has a column that a conclusion changes, and
-- PostgreSQL updates the rows of a payment in place.
create table open_transactions (
  merchant_id bigint not null,
  transaction_id bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- Programs from before do not know the list. Their open transactions have no batch yet.
create function list_open_transaction() returns trigger language plpgsql as $$
begin
  insert into open_transactions (merchant_id, transaction_id) values (new.merchant_id, new.id);
  return null;
end $$;
create trigger transactions_without_a_batch_are_listed after insert on transactions
  for each row when (new.concluded_at is null and new.batch_id is null)
  execute function list_open_transaction();

insert into open_transactions (merchant_id, transaction_id)
select merchant_id, id from transactions where state = 'running'
union all
select merchant_id, transaction_id from three_ds_authentications where state in ('asking', 'challenge', 'result');
