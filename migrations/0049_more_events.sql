-- Events of settlement differences and payouts. Many statements open and end differences, and move
-- payouts: triggers see each of them. Their rows are rare; no payment writes one. New functions and
-- triggers only.

create function record_difference() returns trigger language plpgsql as $$
begin
  insert into event_outbox (type, merchant_id, object_id, details)
  select case new.state when 'open' then 'settlement.difference' else 'settlement.cleared' end,
         new.merchant_id, new.id,
         json_build_object(
           'mode', a.mode,
           'origin', case when new.state = 'open' then 'BANK'
                          when new.ended_by like 'portal:%' then 'PORTAL' else 'GATEWAY' end,
           'actor', new.ended_by, 'order', coalesce(new.order_id, t.order_id)::text,
           'amounts', json_build_object(
             'here_amount', case when new.here_minor is not null
                                 then json_build_array(new.here_minor::text, new.here_currency) end,
             'bank_amount', case when new.bank_minor is not null
                                 then json_build_array(new.bank_minor::text, new.bank_currency) end),
           'data', json_build_object(
             'difference_id', new.id::text, 'merchant_account_id', a.id::text, 'code', new.code,
             'since', new.since, 'here_currency', new.here_currency,
             'bank_currency', new.bank_currency, 'trans_id', new.transaction_id::text,
             'payout_id', new.payout_id::text, 'dispute_id', new.dispute_id::text,
             'settlement_file_id', new.file_id::text, 'ended_as', new.ended_as))
    from settlement_sources s
    join merchant_accounts a on a.id = s.merchant_account_id
    left join transactions t on t.id = new.transaction_id
   where s.id = new.source_id;
  return null;
end
$$;

create trigger differences_are_events after insert on settlement_differences
  for each row execute function record_difference();
create trigger ended_differences_are_events after update of state on settlement_differences
  for each row when (old.state <> new.state) execute function record_difference();

create function record_payout_state() returns trigger language plpgsql as $$
begin
  insert into event_outbox (type, merchant_id, object_id, details)
  select 'payout.' || new.state, new.merchant_id, new.id,
         json_build_object(
           'mode', a.mode, 'origin', 'BANK',
           'amounts', json_build_object(
             'amount', json_build_array(new.net_minor::text, new.currency)),
           'data', json_build_object(
             'payout_id', new.id::text, 'merchant_account_id', a.id::text,
             'settlement_file_id', new.file_id::text, 'currency', new.currency,
             'reference', coalesce(new.payout, ''), 'trace', coalesce(new.trace, ''),
             'value_date', new.value_date, 'arrives', new.arrives))
    from settlement_sources s
    join merchant_accounts a on a.id = s.merchant_account_id
   where s.id = new.source_id;
  return null;
end
$$;

create trigger moved_payouts_are_events after update of state on settlement_payouts
  for each row when (old.state <> new.state and new.state in ('deposited', 'returned'))
  execute function record_payout_state();
