-- Locks: three_ds_authentications, access exclusive, milliseconds
-- Runs beside: 0056

-- The words of a test that the first request of a payment sent, such as `de39=51`, for the
-- authorization after the challenge. Sites in test mode only; null for everything else. They are
-- words of a fixed list and hold no card data.
alter table three_ds_authentications add column bank_test text;
