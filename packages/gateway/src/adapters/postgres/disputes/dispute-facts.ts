import type pg from 'pg'
import type { EventType } from '../../../domain/events/event-types.ts'

/** The case as it stands now. The order's names are added when the event is read. */
const RECORD = `
insert into event_outbox (type, merchant_id, site_id, object_id, details)
select $2, d.merchant_id, o.site_id, d.id,
       json_build_object(
         'mode', a.mode, 'origin', $3::text, 'actor', $4::text, 'order', d.order_id::text,
         'amounts', json_build_object(
           'amount', json_build_array(d.amount_minor::text, d.currency)),
         'data', (jsonb_build_object(
           'dispute_id', d.id::text, 'case_id', d.case_id, 'merchant_account_id', a.id::text,
           'status', upper(d.state), 'brand', d.brand, 'currency', d.currency, 'reason', d.reason,
           'is_charged', d.is_charged, 'respond_by', d.respond_by, 'network_due', d.network_due,
           'changed_at', to_char(d.changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
           || $5::jsonb))
  from disputes d
  join merchant_accounts a on a.id = d.merchant_account_id
  left join orders o on o.id = d.order_id
 where d.id = $1`

/** Records a fact of a case that the caller has locked and changed. */
export async function recordDisputeFact(
  client: pg.ClientBase,
  type: EventType,
  disputeId: bigint,
  /** A portal user by its name in the audit log; null for a notice of the acquirer. */
  answer: { readonly kind: 'accept' | 'contest'; readonly by: string } | null,
): Promise<void> {
  const [origin, actor] =
    answer === null
      ? ['BANK', null]
      : [answer.by.startsWith('portal:') ? 'PORTAL' : 'OPERATOR', answer.by]
  const more = answer === null ? {} : { answer: answer.kind }
  await client.query({
    name: 'record fact of dispute',
    text: RECORD,
    values: [disputeId, type, origin, actor, JSON.stringify(more)],
  })
}
