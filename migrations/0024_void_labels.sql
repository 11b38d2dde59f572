-- The lists of the portal call a void by what it voided: of an authorization, a sale, captures, or an
-- authorization and its captures. Saved views that ask for voids mean all of them, as they did before.
-- Locks the rows of portal_order_views that it changes; no payment waits for them.

update portal_order_views
   set search = regexp_replace(search, '((?:^|&)action=(?:[a-z_]+(?:,|%2C))*)void(?=$|&|,|%2C)',
                               '\1void%2Csale_void%2Cfull_void')
 where search ~ '(?:^|&)action=(?:[a-z_]+(?:,|%2C))*void(?:$|&|,|%2C)';
