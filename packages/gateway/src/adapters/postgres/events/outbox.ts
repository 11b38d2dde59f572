import type pg from 'pg'
import type { EventType } from '../../../domain/events/event-types.ts'
import type { WholeFact } from '../../../domain/events/whole-fact.ts'
import { defineColumns } from '../connection/columns.ts'

/** Something that happened, before it has a place in the feed. */
export interface Fact {
  readonly type: EventType
  readonly merchantId: bigint
  readonly siteId: bigint | null
  /** The order, membership, batch or other object that the event is about. */
  readonly objectId: bigint
  readonly transactionId: bigint | null
  /** Values that the rows of the fact do not keep; null: none. */
  readonly details: object | null
}

export const factColumns = defineColumns({
  type: 'text',
  merchant_id: 'bigint',
  site_id: 'bigint',
  object_id: 'bigint',
  transaction_id: 'bigint',
  details: 'json',
})

/** Facts as rows of `factColumns`. */
export function factRow(fact: Fact): Parameters<typeof factColumns.values>[0][number] {
  return {
    type: fact.type,
    merchant_id: fact.merchantId,
    site_id: fact.siteId,
    object_id: fact.objectId,
    transaction_id: fact.transactionId,
    details: fact.details === null ? null : JSON.stringify(fact.details),
  }
}

/**
 * An insert of facts for a statement that changes their objects, of which `changed` has the ids.
 * The parameters are those of `factColumns`.
 */
export function insertFactsOf(changed: string, firstParameter: number): string {
  return `insert into event_outbox (${factColumns.names})
  select ${factColumns.names}
    from unnest(${factColumns.parameters(firstParameter)}) as f (${factColumns.names})
   where f.object_id = any(array(select id from ${changed}))`
}

/** SQL: the type of the event of a payment that was declined without the bank, by its kind. */
export function declinedEvent(kind: string): string {
  return `case ${kind} when 'sale' then 'payment.declined'
       when 'authorization' then 'authorization.declined' else 'refund.declined' end`
}

const INSERT = `insert into event_outbox (${factColumns.names})
select * from unnest(${factColumns.parameters(1)})`

/**
 * Records facts in the transaction that makes them. Call it after the statement that locked their
 * rows: facts of one object are numbered as they are recorded.
 */
export async function recordFacts(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  facts: readonly Fact[],
): Promise<void> {
  if (facts.length === 0) return
  await client.query({
    name: 'record facts',
    text: INSERT,
    values: factColumns.values(facts.map(factRow)),
  })
}

/** A fact that says everything by itself, about an object without a site. */
export function wholeFact(
  type: EventType,
  merchantId: bigint,
  objectId: bigint,
  content: WholeFact,
): Fact {
  return { type, merchantId, siteId: null, objectId, transactionId: null, details: content }
}

/** How old the oldest fact without a place is, in seconds; 0 without one. */
export async function readOldestFact(client: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rows } = await client.query<{ age: number }>(
    `select coalesce(extract(epoch from clock_timestamp() - min(recorded_at)), 0)::float8 as age
       from event_outbox`,
  )
  return Math.max(0, rows[0]?.age ?? 0)
}
