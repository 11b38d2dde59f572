-- One word for each movement: a refund returns funds of an order, an unreferenced credit has no order
-- before it, and a capture void cancels a capture. "Credit" stays the name on the wire (CCCREDIT) and
-- the right side of the ledger.

drop index transactions_of_batch;
alter table transactions drop constraint transactions_kind_check,
                         drop constraint transactions_moving_money_are_in_a_batch;
update transactions set kind = case kind when 'credit' then 'refund' else 'capture_void' end
 where kind in ('credit', 'void_capture');
alter table transactions
  add constraint transactions_kind_check
    check (kind in ('authorize', 'sale', 'capture', 'refund', 'void', 'capture_void')),
  add constraint transactions_moving_money_are_in_a_batch
    check (batch_id is not null or state <> 'approved' or kind not in ('sale', 'capture', 'refund'));
create index transactions_of_batch on transactions (batch_id, id)
  where batch_id is not null and kind in ('sale', 'capture', 'refund');

alter table orders drop constraint orders_kind_check,
                   drop constraint orders_credit_no_more_than_asked,
                   drop constraint orders_no_more_credited_than_captured;
update orders set kind = 'unreferenced_credit' where kind = 'credit';
alter table orders rename column credited_minor to refunded_minor;
alter table orders rename constraint orders_credited_minor_check to orders_refunded_minor_check;
alter table orders
  add constraint orders_kind_check check (kind in ('payment', 'unreferenced_credit')),
  add constraint orders_unreferenced_credit_no_more_than_asked
    check (kind = 'payment' or refunded_minor <= requested_minor),
  add constraint orders_no_more_refunded_than_captured
    check (refunded_minor <= captured_minor or kind = 'unreferenced_credit');

alter table order_lines rename column credited_minor to refunded_minor;
alter table order_lines
  rename constraint order_lines_credited_minor_check to order_lines_refunded_minor_check;
alter table order_lines
  rename constraint order_lines_no_more_credited_than_captured to order_lines_no_more_refunded_than_captured;

alter type ledger_posting_kind rename value 'credit' to 'refund';

alter table batch_sums drop constraint batch_sums_action_check;
update batch_sums set action = 'refund' where action = 'credit';
alter table batch_sums add constraint batch_sums_action_check check (action in ('sale', 'capture', 'refund'));

alter table portal_acts drop constraint portal_acts_act_check;
update portal_acts set act = case act when 'credit' then 'refund' else 'capture_void' end
 where act in ('credit', 'void_capture');
alter table portal_acts add constraint portal_acts_act_check
  check (act in ('capture', 'void', 'capture_void', 'refund', 'authorize', 'sale', 'charge'));
update portal_acts set result = jsonb_set(result::jsonb, '{did}', to_jsonb(
         case result ->> 'did' when 'credit' then 'refund' else 'capture_void' end))::json
 where result ->> 'did' in ('credit', 'void_capture');

-- Saved views and columns of the portal's lists name states, kinds and columns.
update portal_order_views
   set search = regexp_replace(regexp_replace(regexp_replace(search,
         '\mvoid_capture\M', 'capture_void', 'g'), '\m(part_)?credited\M', '\1refunded', 'g'), '\mcredit\M', 'refund', 'g');
update portal_list_columns set columns = array_replace(columns, 'credited', 'refunded');
