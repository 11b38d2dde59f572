-- The portal's search by first names, and by the beginning of the shop's own order ids.
--
-- Both statements build an index while a SHARE lock keeps writers of the table waiting: of customers
-- for seconds, of orders for about four seconds per million orders. Payments wait that long, or get
-- 503 when they waited too long, and are to be sent again.

-- Customers without a first name, such as those of most renewals, have no entry.
create index customers_by_first_name
  on customers (merchant_id, lower(first_name || ' ' || last_name) text_pattern_ops)
  where first_name <> '';

-- The same columns as before. This order of texts serves equality as well as beginnings, whatever the
-- collation of the database, and costs a payment no more than the one that it replaces.
drop index orders_by_reference;
create index orders_by_reference on orders (site_id, reference text_pattern_ops) where reference <> '';
