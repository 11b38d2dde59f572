-- Locks: advices, share update exclusive, milliseconds
-- Locks: payment_methods, share update exclusive, milliseconds
-- Runs beside: 0056

-- Room on a page is for updates in place. No update of an advice is in place, because its indexes
-- have what it changes. A guest's card is not changed before retention erases its number. Pages
-- that are there stay as they are.
alter table advices set (fillfactor = 100);
alter table payment_methods set (fillfactor = 95);
