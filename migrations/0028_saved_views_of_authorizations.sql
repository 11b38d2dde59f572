-- Saved views separate the kinds that they ask for by a comma, sent as %2C, which hid most of them from
-- the search of migration 0026 for the whole word. Locks the rows that it changes; no payment waits.

update portal_order_views
   set search = regexp_replace(search, '((?:^|&)action=(?:[a-z_]+(?:,|%2C))*)authorize(?=$|&|,|%2C)',
                               '\1authorization')
 where search ~ '(?:^|&)action=(?:[a-z_]+(?:,|%2C))*authorize(?:$|&|,|%2C)';
