-- The log of webhooks: an attempt keeps the signature that it sent, and failed deliveries are found
-- by an index. Gateways of the version before write no signature.

alter table webhook_attempts add column signature text not null default '';

create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, position)
  where state = 'failed';
