import type pg from 'pg'
import type { ReadEvent } from './event-feed.ts'

/**
 * Each fact of the demo merchant's rows: the name of its event, the object, and the transaction or
 * ''. Renewals, batches, files and payouts have one fact each.
 */
const FACTS = `
select case when t.kind = 'authorization' then 'authorization.' || t.state
            when t.kind = 'sale' then 'payment.' || t.state
            when t.kind = 'capture' then 'capture.created'
            when t.kind = 'void' then 'authorization.voided'
            when t.kind = 'capture_void' then 'capture.voided'
            when o.kind = 'unreferenced_credit' then 'refund.' || t.state
            else 'refund.created' end as type,
       'order ' || o.id as object, t.id::text as transaction
  from transactions t join orders o on o.id = t.order_id
 where o.merchant_id = 1 and t.state in ('approved', 'declined', 'failed')
union all
select a.kind || '.confirmed', 'order ' || a.order_id, a.transaction_id::text
  from advices a join transactions t on t.id = a.transaction_id
 where a.merchant_id = 1 and a.state = 'acknowledged'
   and not (a.kind = 'capture' and t.kind = 'sale')
union all
select 'membership.began', 'membership ' || m.id, '' from memberships m where m.merchant_id = 1
union all
select 'membership.renewed', 'membership ' || c.membership_id, t.id::text
  from membership_charges c join transactions t on t.id = c.transaction_id
 where t.merchant_id = 1 and t.state = 'approved'
union all
select 'batch.agreed', 'batch ' || b.id, '' from batches b
 where b.merchant_id = 1 and b.agreement = 'agreed'
union all
select 'settlement.received', 'settlement_file ' || f.id, '' from settlement_files f
 where f.merchant_id = 1 and f.state = 'booked'
union all
select case when n.state_before is null then 'dispute.opened'
            when n.state_after <> n.state_before
             and n.state_after in ('won', 'lost', 'accepted', 'withdrawn')
              then 'dispute.' || n.state_after
            else 'dispute.updated' end, 'dispute ' || n.dispute_id, ''
  from dispute_notices n where n.merchant_id = 1
union all
select 'dispute.answered', 'dispute ' || a.dispute_id, ''
  from dispute_answers a where a.merchant_id = 1
union all
select 'payout.created', 'payout ' || p.id, '' from settlement_payouts p where p.merchant_id = 1
union all
select 'payout.deposited', 'payout ' || p.id, '' from settlement_payouts p
 where p.merchant_id = 1 and p.state = 'deposited'`

/** Types whose facts are all counted; the run causes others too, such as past due memberships. */
const COUNTED = [
  /^(?:payment|refund|capture|reversal|payout|dispute)[.]/,
  /^authorization[.](?!expir)/,
  /^(?:membership[.](?:began|renewed)|batch[.]agreed|settlement[.]received)$/,
]

/** Every difference between the facts of the gateway and the events that a shop read. */
export async function compareEvents(
  pool: pg.Pool,
  events: readonly ReadEvent[],
): Promise<readonly string[]> {
  const { rows } = await pool.query<Fact>(FACTS)
  return differencesOf(rows, events)
}

interface Fact {
  readonly type: string
  readonly object: string
  /** Empty for what is about no transaction. */
  readonly transaction: string
}

/** Facts without an event, events without a fact, and events out of their sequence. */
export function differencesOf(rows: readonly Fact[], events: readonly ReadEvent[]): string[] {
  const facts = countNames(rows.map((fact) => `${fact.type} of ${fact.object} ${fact.transaction}`))
  const reported = countNames(
    events
      .filter(({ type }) => COUNTED.some((pattern) => pattern.test(type)))
      .map(({ data, object, type }) => {
        const transaction = object.type === 'order' || type === 'membership.renewed'
        const of = `${object.type} ${object.id} ${transaction ? (data.trans_id ?? '') : ''}`
        return `${type} of ${of}`
      }),
  )
  const names = new Set([...facts.keys(), ...reported.keys()])
  const differences = [...names].flatMap((name) => {
    const [made = 0, read = 0] = [facts.get(name), reported.get(name)]
    return made === read
      ? []
      : [`events: ${name} happened ${made} times and was read ${read} times`]
  })
  return [...differences, ...outOfSequence(events)]
}

/** Events that came twice, or not in the sequence of their object. */
function outOfSequence(events: readonly ReadEvent[]): string[] {
  const ids = new Set<string>()
  const last = new Map<string, number>()
  return events.flatMap(({ id, object, sequence, type }) => {
    const name = `${object.type} ${object.id}`
    const expected = (last.get(name) ?? 0) + 1
    last.set(name, sequence)
    const isTwice = ids.has(id)
    ids.add(id)
    if (isTwice) return [`events: ${type} of ${name} was read twice as ${id}`]
    if (sequence === expected) return []
    return [`events: ${type} of ${name} has number ${sequence}, and ${expected} was next`]
  })
}

function countNames(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
