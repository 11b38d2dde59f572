-- The transaction that asks for an authorization is called authorization, like the other kinds, which
-- are nouns; CCAUTHORIZE stays the name on the wire. What capture voids take from a capture is voided.
--
-- Locks transactions, batch_sums, three_ds_authentications and portal_operations against everything until it
-- ends. It writes the row of every authorization anew: about a minute for ten million of them.

alter table transactions drop constraint transactions_kind_check;
update transactions set kind = 'authorization' where kind = 'authorize';
alter table transactions add constraint transactions_kind_check
  check (kind in ('authorization', 'sale', 'capture', 'refund', 'void', 'capture_void'));

alter table transactions rename column undone_minor to voided_minor;
alter table transactions
  rename constraint transactions_undone_minor_check to transactions_voided_minor_check;
alter table transactions
  rename constraint transactions_undo_no_more_than_their_value to transactions_void_no_more_than_their_value;
alter table batch_sums rename column undone_minor to voided_minor;

alter table three_ds_authentications drop constraint three_ds_authentications_kind_check;
update three_ds_authentications set kind = 'authorization' where kind = 'authorize';
alter table three_ds_authentications add constraint three_ds_authentications_kind_check
  check (kind in ('authorization', 'sale'));

alter table portal_operations drop constraint portal_operations_operation_check;
update portal_operations set operation = 'authorization' where operation = 'authorize';
alter table portal_operations add constraint portal_operations_operation_check
  check (operation in ('capture', 'void', 'capture_void', 'refund', 'authorization', 'sale', 'charge'));
update portal_operations set result = jsonb_set(result::jsonb, '{did}', '"authorization"')::json
 where result ->> 'did' = 'authorize';

-- Saved views of the portal's lists name kinds.
update portal_order_views set search = regexp_replace(search, '\mauthorize\M', 'authorization', 'g')
 where search ~ '\mauthorize\M';
