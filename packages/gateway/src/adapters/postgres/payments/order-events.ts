import type pg from 'pg'
import type { SiteInMode } from '../../../usecases/merchants/merchant-directory.ts'
import { NO_FOLLOW_UP } from '../../../usecases/payments/follow-up.ts'
import {
  MOST_EVENTS,
  type OrderEvent,
  type OrderEvents,
  type OrderSelector,
  type ReadOrder,
  type UpdateOrder,
} from '../../../usecases/payments/order-status.ts'
import type { MessageIdentity } from '../../../usecases/payments/payment-store.ts'
import { transactionView } from './order-reader.ts'
import { FIND_TRANSACTIONS, type TransactionRow } from './transaction-rows.ts'

type RetrievalReference = (order: MessageIdentity) => string

/** Reads what happened to orders, as CCSTATUS lists it, and stores texts with them. */
export function createOrderEvents(
  pool: pg.Pool,
  retrievalReference: RetrievalReference,
): { readonly readOrder: ReadOrder; readonly updateOrder: UpdateOrder } {
  return {
    async readOrder(site, selector) {
      const orderIds = await findOrders(pool, site, selector)
      return orderIds.length === 0 ? null : readEvents(pool, orderIds, retrievalReference)
    },
    async updateOrder(site, selector, update) {
      const orderId = await findOrderToUpdate(pool, site, selector)
      if (orderId === null) return null
      await pool.query({
        name: 'update order',
        text: `update orders set receipt = coalesce($2, receipt),
                membership_reference = coalesce($3, membership_reference),
                extras = case when $4 = '{}' then extras
                              else (extras::jsonb || $4::jsonb)::json end
          where id = $1`,
        values: [
          orderId,
          update.receipt,
          update.membershipReference,
          JSON.stringify(update.fields),
        ],
      })
      return readEvents(pool, [orderId], retrievalReference)
    },
  }
}

/** One more than can be listed, so that the rest is noticed: each order has an event at least. */
const MOST_ORDERS = MOST_EVENTS + 1

/** Their ids, the latest first. */
async function findOrders(
  pool: pg.Pool,
  site: SiteInMode,
  selector: Parameters<ReadOrder>[1],
): Promise<string[]> {
  const { condition, named } = namedBy(selector)
  const { rows } = await pool.query<{ id: string }>({
    name: `orders by ${selector.by}`,
    text: `select o.id from orders o where o.site_id = $1 and o.mode = $2 and ${condition}
      order by o.created_at desc, o.id desc limit ${MOST_ORDERS}`,
    values: [site.id, site.mode, named],
  })
  return rows.map(({ id }) => id)
}

/** A condition over `orders o` with the parameter $3. */
function namedBy(selector: Parameters<ReadOrder>[1]): {
  readonly condition: string
  readonly named: bigint | string
} {
  switch (selector.by) {
    case 'id':
      return { condition: 'o.id = $3', named: selector.orderId }
    case 'reference':
      // Without the second half, the index of references would not serve a prepared statement.
      return { condition: `o.reference = $3 and o.reference <> ''`, named: selector.reference }
    case 'membership':
      return {
        condition: `o.id in (select m.order_id from memberships m where m.id = $3 and m.site_id = $1
                      union all
                      select c.order_id from membership_charges c where c.membership_id = $3)`,
        named: selector.membershipId,
      }
  }
}

/** Of several orders with one reference, the one that went through, and of those the latest. */
async function findOrderToUpdate(
  pool: pg.Pool,
  site: SiteInMode,
  selector: OrderSelector,
): Promise<string | null> {
  const { condition, named } = namedBy(selector)
  const { rows } = await pool.query<{ id: string }>({
    name: `order to update by ${selector.by}`,
    text: `select o.id from orders o where o.site_id = $1 and o.mode = $2 and ${condition}
      order by (o.state = 'authorized') desc, o.created_at desc, o.id desc limit 1`,
    values: [site.id, site.mode, named],
  })
  return rows[0]?.id ?? null
}

/** @param orderIds at most `MOST_ORDERS`; the events come in their sequence */
async function readEvents(
  pool: pg.Pool,
  orderIds: readonly string[],
  retrievalReference: RetrievalReference,
): Promise<OrderEvents> {
  // The ids first: an order with very many transactions is cut before anything is joined to them.
  const { rows: listed } = await pool.query<{ id: string }>({
    name: 'transactions of orders',
    text: `select t.id from unnest($1::bigint[]) with ordinality as o (id, place)
      cross join lateral (
        select t.id, t.created_at from transactions t where t.order_id = o.id
         order by t.created_at, t.id limit ${MOST_EVENTS + 1}) t
      order by o.place, t.created_at, t.id limit ${MOST_EVENTS + 1}`,
    values: [orderIds],
  })
  const ids = listed.map(({ id }) => id)
  const [{ rows }, expiries] = await Promise.all([
    pool.query<TransactionRow>({ ...FIND_TRANSACTIONS, values: [ids] }),
    readExpiries(pool, orderIds),
  ])
  const rowOf = new Map(rows.map((row) => [row.id, row]))
  const ofOrder = new Map<string, OrderEvent[]>()
  for (const id of ids) {
    const row = rowOf.get(id)
    if (row === undefined) continue
    const events = ofOrder.get(row.order_id) ?? []
    ofOrder.set(row.order_id, events)
    const event = eventOf(row, retrievalReference)
    events.push(event)
    const expiry = expiries.get(id)
    if (expiry !== undefined) events.push(expiryOf(event, expiry))
  }
  const events = [...ofOrder.values()].flatMap((each) =>
    each.toSorted((one, other) => one.at.getTime() - other.at.getTime()),
  )
  return { events: events.slice(0, MOST_EVENTS), isTruncated: events.length > MOST_EVENTS }
}

function eventOf(row: TransactionRow, retrievalReference: RetrievalReference): OrderEvent {
  return {
    transaction: transactionView(row, retrievalReference),
    origin: row.origin,
    at: row.created_at,
    requestId: BigInt(row.request_id),
    membershipReference: row.membership_reference,
    batchClosed: row.batch_closed,
  }
}

interface Expiry {
  readonly transaction_id: string
  readonly amount_minor: string
  readonly posted_at: Date
}

/**
 * The expiries of authorizations, by the transaction that expired. Every other release of money is
 * posted under a transaction of its own, a void.
 */
async function readExpiries(
  pool: pg.Pool,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, Expiry>> {
  const { rows } = await pool.query<Expiry>({
    name: 'expiries of orders',
    text: `select p.transaction_id, p.amount_minor, p.posted_at
       from ledger_postings p
       join transactions t on t.id = p.transaction_id and t.kind in ('authorization', 'sale')
      where p.order_id = any($1::bigint[]) and p.kind = 'release'`,
    values: [orderIds],
  })
  return new Map(rows.map((row) => [row.transaction_id, row]))
}

function expiryOf(authorization: OrderEvent, expiry: Expiry): OrderEvent {
  return {
    ...authorization,
    transaction: {
      ...authorization.transaction,
      kind: 'void',
      valueMinor: -BigInt(expiry.amount_minor),
      batchId: null,
      conversion: null,
      avsCode: '',
      cvvCode: '',
      followUp: NO_FOLLOW_UP,
      lines: [],
      createdAt: expiry.posted_at,
    },
    origin: 'expiry',
    at: expiry.posted_at,
    batchClosed: false,
  }
}
