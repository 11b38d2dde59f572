-- A claim reads due deliveries in their sequence, and stops at the last one that it takes. Without
-- the position, it sorted all that were due at one moment, such as those of a resumed endpoint.

drop index webhook_deliveries_due;

create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, position)
  where state = 'pending';
