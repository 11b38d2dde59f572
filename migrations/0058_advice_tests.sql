-- Locks: advices, access exclusive, milliseconds
-- Runs beside: 0056

-- The words of a test that the test bank obeys for this advice, such as `de39=96`. Sites in test
-- mode only; null for every other advice. They are words of a fixed list and hold no card data.
alter table advices add column bank_test text;
