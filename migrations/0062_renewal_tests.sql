-- Locks: membership_charges, access exclusive, milliseconds
-- Locks: memberships, access exclusive, milliseconds
-- Runs beside: 0056

-- The words of a test that the test bank obeys for the next charge, such as `de39=51`, and for a
-- charge that took them. Sites in test mode only; null for everything else. They are words of a
-- fixed list and hold no card data.
alter table memberships add column charge_test text;
alter table membership_charges add column bank_test text;
