-- CCSTATUS shows where each transaction came from (TRANS_ORIGIN). The origin is written with the
-- transaction and changes only if the job "resolve transactions" ends it in place of a dead process.
--
-- Locks `transactions` against everything for one pass over the table, which checks the constraint;
-- the default itself rewrites nothing. Older gateways go on writing under the default while they serve.

alter table transactions add column origin text not null default 'api'
  constraint transactions_origin_check check (origin in ('api', 'portal', 'rebill', 'resolver'));

-- What can be known of earlier ones. Who ended a payment was not kept, so that none is `resolver`.
update transactions t set origin = 'portal'
  from portal_operations a where t.order_id = a.order_id and t.request_id = a.request_id;
update transactions t set origin = 'rebill'
  from membership_charges c where t.id = c.transaction_id;
