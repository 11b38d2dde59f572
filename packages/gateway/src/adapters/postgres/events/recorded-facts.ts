import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { EVENT_TYPES, type EventType } from '../../../domain/events/event-types.ts'
import type { EventActor } from '../../../domain/events/event.ts'
import type { MembershipDetails } from '../../../domain/events/membership-event.ts'
import type { AdviceFacts, OrderFacts, OrderSums } from '../../../domain/events/order-facts.ts'
import type { WholeFact } from '../../../domain/events/whole-fact.ts'
import { reversalReason } from '../../../domain/payments/reversal-reason.ts'
import type { RecordedFact } from '../../../usecases/events/event-store.ts'
import { readMemberships, readOrders, readTransactions } from './fact-rows.ts'

/** A row of the feed, as far as its event follows from it. */
export interface EventRow {
  readonly type: EventType
  readonly merchant_id: string
  readonly site_id: string | null
  readonly object_id: string
  readonly transaction_id: string | null
  readonly at: Date
  readonly details: Readonly<Record<string, unknown>> | null
}

type Client = Pick<pg.Pool, 'query'>

/** Reads what events need, with one statement for each kind of row. */
export async function readFacts(
  client: Client,
  rows: readonly EventRow[],
): Promise<readonly RecordedFact[]> {
  const ids = (wanted: readonly Source[], idOf: (row: EventRow) => string | null): string[] =>
    rows.flatMap((row) => (wanted.includes(sourceOf(row)) ? (idOf(row) ?? []) : []))
  const objectId = (row: EventRow): string => row.object_id
  const [transactions, orders, memberships, actors] = await Promise.all([
    readTransactions(
      client,
      ids(['transaction', 'rejected', 'abandoned'], (row) => row.transaction_id),
    ),
    readOrders(client, [...ids(['advice', 'expiry'], objectId), ...ids(['whole'], orderOfObject)]),
    readMemberships(client, ids(['membership'], objectId)),
    readActors(client, rows),
  ])
  return rows.map((row): RecordedFact => {
    const { at, details, type } = row
    switch (sourceOf(row)) {
      case 'transaction': {
        const facts = found(transactions.get(row.transaction_id ?? ''))
        const actor = facts.actor ?? actors.get(String(details?.['actor'])) ?? null
        return { kind: 'transaction', type, facts: { ...facts, actor, sums: sumsOf(details) } }
      }
      case 'rejected': {
        const facts = found(transactions.get(row.transaction_id ?? ''))
        return { kind: 'rejected', facts, fileId: String(details?.['file']), at }
      }
      case 'abandoned': {
        const facts = found(transactions.get(row.transaction_id ?? ''))
        return { kind: 'abandoned', facts, result: facts.authentication }
      }
      case 'advice':
        return { kind: 'advice', type, facts: adviceFacts(row, found(orders.get(row.object_id))) }
      case 'expiry': {
        const facts = found(orders.get(row.object_id))
        return {
          kind: 'expiry',
          type: type === 'authorization.expiring' ? type : 'authorization.expired',
          facts,
          at: new Date(String(details?.['at'])),
          minor: BigInt(String(details?.['amount'])),
          expiresAt: facts.expiresAt,
          sums: sumsOf(details),
        }
      }
      case 'membership':
        return {
          kind: 'membership',
          type,
          facts: found(memberships.get(row.object_id)),
          details: (details ?? {}) as MembershipDetails,
          actor: actors.get(String(details?.['actor'])) ?? null,
        }
      case 'whole':
        return {
          kind: 'whole',
          type,
          merchantId: row.merchant_id,
          siteId: row.site_id,
          objectId: row.object_id,
          at,
          actor: actors.get(String(details?.['actor'])) ?? null,
          content: details as unknown as WholeFact,
          order: orders.get(orderOfObject(row) ?? '') ?? null,
        }
    }
  })
}

function adviceFacts(row: EventRow, order: OrderFacts): AdviceFacts {
  const { at, details, transaction_id: id } = row
  const reason = details?.['reason']
  return {
    ...order,
    transactionId: id ?? '',
    reason: typeof reason === 'string' ? reversalReason(reason) : null,
    amountMinor: BigInt(String(details?.['amount'])),
    bankCode: String(details?.['code']),
    at,
  }
}

/** The order of an object with a row of its own, such as a dispute. */
function orderOfObject({ details }: EventRow): string | null {
  const order = details?.['order']
  return typeof order === 'string' ? order : null
}

/** The source of an event's content. */
type Source = RecordedFact['kind']

function sourceOf({ details, type }: Pick<EventRow, 'details' | 'type'>): Source {
  const { object } = EVENT_TYPES[type]
  if (object === 'membership') return 'membership'
  if (object !== 'order') return 'whole'
  if (type === 'three_ds.abandoned') return 'abandoned'
  if (type === 'authorization.expiring' || type === 'authorization.expired') return 'expiry'
  if (details !== null && 'file' in details) return 'rejected'
  return /[.](?:confirmed|rejected)$/.test(type) ? 'advice' : 'transaction'
}

function found<Facts>(facts: Facts | undefined): Facts {
  invariant(facts !== undefined, 'an event has lost the row of its fact')
  return facts
}

function sumsOf(details: EventRow['details']): OrderSums | null {
  const sums = details?.['sums']
  if (!Array.isArray(sums)) return null
  const [authorizedMinor = 0n, capturedMinor = 0n, voidedMinor = 0n, refundedMinor = 0n] = sums.map(
    (sum) => BigInt(String(sum)),
  )
  return { authorizedMinor, capturedMinor, voidedMinor, refundedMinor }
}

const PORTAL = 'portal:'
const API_USER = 'api_user:'

/** The users that facts name: portal users as the audit log does, API users by their ids. */
async function readActors(
  client: Client,
  rows: readonly EventRow[],
): Promise<ReadonlyMap<string, EventActor>> {
  const names = rows.flatMap(({ details }) => {
    const actor = details?.['actor']
    return typeof actor === 'string' ? [actor] : []
  })
  const actors = new Map<string, EventActor>()
  for (const name of names) {
    if (!name.startsWith(API_USER)) continue
    actors.set(name, { type: 'api_user', id: name.slice(API_USER.length) })
  }
  const emails = names
    .filter((name) => name.startsWith(PORTAL))
    .map((name) => name.slice(PORTAL.length))
  if (emails.length === 0) return actors
  const { rows: users } = await client.query<{ id: string; email: string }>(
    'select id, email from portal_users where email = any($1::text[])',
    [emails],
  )
  for (const { email, id } of users) actors.set(`${PORTAL}${email}`, { type: 'portal_user', id })
  return actors
}
