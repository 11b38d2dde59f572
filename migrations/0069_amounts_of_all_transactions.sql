-- Locks: transactions, share update exclusive, reads the table
-- Runs beside: 0056
-- Transaction: none

-- The index without a condition: a conclusion changed its rows. The list of open transactions
-- replaces the other one. Programs from before read whole tables where they used these indexes.
create index concurrently transactions_by_merchant_amount on transactions (merchant_id, amount_minor);
drop index concurrently transactions_by_amount;
drop index concurrently transactions_open;
