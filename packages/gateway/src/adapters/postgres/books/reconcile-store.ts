import type pg from 'pg'
import type {
  AdviceFacts,
  OrderFacts,
  OrderFigures,
  OrderInBooks,
} from '../../../domain/books/order-comparison.ts'
import {
  bankKeyOf,
  type BankOrder,
  type ReconcileStore,
} from '../../../usecases/books/reconcile.ts'
import { RUNNING_SINCE } from '../clocks/site-clock-rows.ts'
import { BANK_AGREED } from './advice-agreement.ts'
import type { OrdersInBooks } from './orders-in-books.ts'

const ROWS_AT_ONCE = 5_000

/**
 * The gateway's books and the ledger beside the bank's. The bank's are put into a table of this
 * connection only: a million orders are joined there, and none of them is held here. `numberOf`
 * gives the message number of a STAN and a terminal, null when they are none of ours.
 */
export function createReconcileStore(
  client: pg.ClientBase,
  numberOf: (stan: string, terminal: string) => bigint | null,
  { settings, sql: inBooks }: OrdersInBooks,
): ReconcileStore {
  return {
    async takeBankOrders(orders) {
      await client.query('drop table if exists pg_temp.bank_orders')
      await client.query(
        `create temporary table bank_orders (
           message_number bigint, acquirer text, transmitted_at text, key text, currency text,
           approved_minor bigint, captured_minor bigint, refunded_minor bigint)`,
      )
      let count = 0
      for await (const group of groupsOf(orders)) {
        await insertBankOrders(client, group, numberOf)
        count += group.length
      }
      await client.query('analyze pg_temp.bank_orders')
      return count
    },
    readOrders: () => readOrders(client, settings, inBooks, []),
    readOrdersAgain(orders) {
      const ids = orders.flatMap(({ orderId }) => (orderId === null ? [] : [orderId.toString()]))
      const keys = orders.flatMap(({ orderId, bankKey }) => (orderId === null ? [bankKey] : []))
      const among = 'where g.id = any($1::bigint[]) or b.key = any($2::text[])'
      return readOrders(client, settings, `${inBooks} ${among}`, [ids, keys])
    },
    readFacts: (orderIds) => readFacts(client, orderIds),
  }
}

async function* groupsOf(orders: AsyncIterable<BankOrder>): AsyncGenerator<BankOrder[]> {
  let group: BankOrder[] = []
  for await (const order of orders) {
    group.push(order)
    if (group.length < ROWS_AT_ONCE) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

async function insertBankOrders(
  client: pg.ClientBase,
  group: readonly BankOrder[],
  numberOf: (stan: string, terminal: string) => bigint | null,
): Promise<void> {
  await client.query(
    `insert into pg_temp.bank_orders
       select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[],
                            $6::bigint[], $7::bigint[], $8::bigint[])`,
    [
      group.map(({ stan, terminal }) => numberOf(stan, terminal)?.toString() ?? null),
      group.map(({ acquirer }) => acquirer),
      group.map(({ transmittedAt }) => transmittedAt),
      group.map(bankKeyOf),
      group.map(({ currency }) => currency),
      group.map(({ figures }) => figures.approvedMinor.toString()),
      group.map(({ figures }) => figures.capturedMinor.toString()),
      group.map(({ figures }) => figures.refundedMinor.toString()),
    ],
  )
}

interface OrderRow {
  readonly id: string | null
  readonly key: string | null
  readonly currency: string | null
  readonly approved: string | null
  readonly captured: string | null
  readonly refunded: string | null
  readonly ledger_approved: string | null
  readonly ledger_captured: string | null
  readonly ledger_refunded: string | null
  readonly bank_currency: string | null
  readonly bank_approved: string | null
  readonly bank_captured: string | null
  readonly bank_refunded: string | null
}

async function* readOrders(
  client: pg.ClientBase,
  settings: string,
  sql: string,
  values: readonly unknown[],
): AsyncGenerator<OrderInBooks> {
  await client.query('begin isolation level repeatable read')
  try {
    if (settings !== '') await client.query(settings)
    await client.query(`declare orders_in_books no scroll cursor for ${sql}`, [...values])
    for (;;) {
      const { rows } = await client.query<OrderRow>(`fetch ${ROWS_AT_ONCE} from orders_in_books`)
      for (const row of rows) yield orderInBooks(row)
      if (rows.length < ROWS_AT_ONCE) break
    }
  } finally {
    await client.query('rollback')
  }
}

function orderInBooks(row: OrderRow): OrderInBooks {
  const { currency, bank_currency: bankCurrency } = row
  return {
    orderId: row.id === null ? null : BigInt(row.id),
    bankKey: row.key ?? '',
    currency: currency ?? bankCurrency ?? '',
    bankCurrency:
      currency === null || bankCurrency === null || bankCurrency === currency ? null : bankCurrency,
    gateway: figuresOf(row.approved, row.captured, row.refunded),
    ledger: figuresOf(row.ledger_approved, row.ledger_captured, row.ledger_refunded),
    bank: figuresOf(row.bank_approved, row.bank_captured, row.bank_refunded),
  }
}

function figuresOf(
  approved: string | null,
  captured: string | null,
  refunded: string | null,
): OrderFigures | null {
  if (approved === null || captured === null || refunded === null) return null
  return {
    approvedMinor: BigInt(approved),
    capturedMinor: BigInt(captured),
    refundedMinor: BigInt(refunded),
  }
}

async function readFacts(
  client: pg.ClientBase,
  orderIds: readonly bigint[],
): Promise<Map<bigint, OrderFacts>> {
  const ids = orderIds.map(String)
  // DE 39: done; done before; nothing to reverse. Anything else is a refusal.
  const { rows: advices } = await client.query<{
    order_id: string
    kind: AdviceFacts['kind']
    sequence: number
    amount_minor: string
    state: AdviceFacts['state']
    tries: number
    age_ms: number
    response_code: string
  }>(
    `select order_id, kind, sequence, amount_minor, tries,
            coalesce(response_code, '') as response_code,
            case state when 'queued' then 'queued' else 'refused' end as state,
            (extract(epoch from now() - created_at) * 1000)::double precision as age_ms
       from advices
      where order_id = any($1::bigint[])
        and (state = 'queued' or not ${BANK_AGREED})
      order by order_id, sequence`,
    [ids],
  )
  const { rows: running } = await client.query<{ order_id: string; age_ms: number }>(
    `select t.order_id,
            (extract(epoch from now() - min(${RUNNING_SINCE})) * 1000)::double precision as age_ms
       from transactions t join orders o on o.id = t.order_id
       left join three_ds_authentications a on a.transaction_id = t.id
      where t.order_id = any($1::bigint[]) and t.state = 'running'
      group by t.order_id`,
    [ids],
  )
  const runningMs = new Map(running.map((row) => [row.order_id, row.age_ms]))
  const byOrder = Map.groupBy(advices, (row) => row.order_id)
  return new Map(
    orderIds.map((id) => [
      id,
      {
        runningMs: runningMs.get(id.toString()) ?? null,
        advices: (byOrder.get(id.toString()) ?? []).map((row) => ({
          kind: row.kind,
          sequence: row.sequence,
          amountMinor: BigInt(row.amount_minor),
          state: row.state,
          tries: row.tries,
          ageMs: row.age_ms,
          responseCode: row.response_code,
        })),
      },
    ]),
  )
}
