-- Locks: requests, share update exclusive, reads the table
-- Runs beside: 0056

alter table requests validate constraint requests_of_the_first_range;
