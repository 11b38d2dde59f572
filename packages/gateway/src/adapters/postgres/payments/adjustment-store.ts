import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { findCurrency } from '../../../domain/currency.ts'
import type { OrderCapture, OrderLine } from '../../../domain/payments/order-snapshot.ts'
import type { OrderState } from '../../../domain/payments/order-states.ts'
import { originalMti } from '../../../domain/payments/original-message.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { AdjustmentStore, LockedOrder } from '../../../usecases/payments/adjustment-store.ts'
import { KeyTakenError } from '../../../usecases/payments/idempotency-key.ts'
import type { MessageIdentity } from '../../../usecases/payments/payment-store.ts'
import type { TransactionView } from '../../../usecases/payments/transaction-view.ts'
import type { Database } from '../connection/database.ts'
import { createGroupLane } from '../connection/group-lane.ts'
import { inTransaction } from '../connection/transaction.ts'
import type { LineRow, PartRow } from './adjusted-rows.ts'
import { decideGroup, type Adjustment } from './adjustment-group.ts'
import { writeAdjustments } from './adjustment-statements.ts'
import type { OrderReader } from './order-reader.ts'

const MOST_LOOKS_FOR_BATCHES = 3

/** Keeps adjustments in groups, one of each order, all decided under lock. */
export function createAdjustmentStore(
  database: Database,
  reader: OrderReader,
): AdjustmentStore & { idle(): Promise<void> } {
  const pool = database.lane('adjustments')
  const lane = createGroupLane<Adjustment, TransactionView | 'key_taken' | null>({
    groupSize: 64,
    limit: 4_096,
    keyOf: (adjustment) => adjustment.orderId,
    write: (group) => adjustGroup(pool, reader, group),
  })
  return {
    async adjust(site, orderId, plan, key) {
      const view = await lane.submit({ site, orderId, plan, key })
      if (view === 'key_taken') throw new KeyTakenError()
      return view
    },
    async waitForLock(site, orderId) {
      // Each adjustment writes under the order's lock, even one whose gateway has lost sight of it.
      await lane.submit({ site, orderId, plan: () => Promise.resolve(null), key: null })
    },
    idle: () => lane.idle(),
  }
}

async function adjustGroup(
  pool: pg.Pool,
  reader: OrderReader,
  group: readonly Adjustment[],
): Promise<(TransactionView | 'key_taken' | null)[]> {
  return inTransaction(pool, null, async (client) => {
    const orders = await lockOrders(client, group)
    const { planned, refused } = await decideGroup(client, orders, group)
    if (planned.length > 0) await writeAdjustments(client, planned)
    const views = await reader.findTransactions(
      client,
      planned.flatMap(({ plan }) => (plan.transaction === null ? [] : [plan.transaction.id])),
    )
    const idOf = new Map(planned.map(({ order, plan }) => [order.id, plan.transaction?.id]))
    return group.map((requested) => {
      if (refused.has(requested)) return 'key_taken'
      const transactionId = idOf.get(requested.orderId)
      return transactionId === undefined ? null : (views.get(transactionId) ?? null)
    })
  })
}

interface OrderRow {
  readonly id: string
  readonly merchant_id: string
  readonly site_id: string
  readonly merchant_account_id: string
  readonly mode: Mode
  readonly state: OrderState
  readonly kind: 'payment' | 'unreferenced_credit'
  readonly currency: string
  readonly authorized_minor: string
  readonly captured_minor: string
  readonly voided_minor: string
  readonly refunded_minor: string
  readonly reversed_whole: boolean
  readonly expires_at: Date | null
  readonly message_number: string
  readonly message_at: Date
}

async function lockOrders(
  client: pg.ClientBase,
  group: readonly Adjustment[],
): Promise<Map<bigint, LockedOrder>> {
  const ids = group.map(({ orderId }) => orderId.toString())
  // The lock first, in a statement of its own: the previous holder has then committed every row
  // that the next statements read. Always in the sequence of ids, so that no two groups wait for
  // each other.
  const { rows: orders } = await client.query<OrderRow>({
    name: 'lock orders',
    text: `select id, merchant_id, site_id, merchant_account_id, mode, state, kind, currency,
                  authorized_minor, captured_minor, voided_minor, refunded_minor, reversed_whole, expires_at, message_number, message_at
             from orders where id = any($1::bigint[]) order by id for update`,
    values: [ids],
  })
  await lockOpenBatches(client, new Set(orders.map((row) => row.merchant_account_id)))
  const { rows: lines } = await client.query<LineRow>({
    name: 'lines of orders',
    text: `select l.id, l.order_id, l.number, l.amount_minor, l.captured_minor, l.voided_minor,
                  l.refunded_minor, p.removed_at is not null as card_removed,
                  coalesce(d.disputed_minor, 0) as disputed_minor
             from order_lines l
             join orders o on o.id = l.order_id
             left join disputed_orders d on d.order_id = o.id
             left join payment_methods p on p.id = o.payment_method_id
            where l.order_id = any($1::bigint[]) order by l.order_id, l.number`,
    values: [ids],
  })
  const { rows: parts } = await client.query<PartRow>({
    name: 'parts of orders',
    text: `select t.id, t.order_id, t.kind, t.value_minor, t.voided_minor, t.order_line_id,
                  t.avs_code, t.cvv_code, b.closed_at is not null as batch_closed,
                  coalesce(s.state = 'rejected', false) as rejected,
                  a.message_number as advice_number, a.message_at as advice_at
             from transactions t
             left join batches b on b.id = t.batch_id
             left join advices a on a.transaction_id = t.id and a.kind = 'capture'
             left join settled_transactions s on s.transaction_id = t.id
            where t.order_id = any($1::bigint[]) and t.kind in ('authorization', 'sale', 'capture')
              and t.state = 'approved'
            order by t.order_id, t.created_at, t.id`,
    values: [ids],
  })
  const clocks = new Map(group.map(({ orderId, site }) => [orderId, site.clock]))
  return new Map(
    orders.map((row) => {
      const id = BigInt(row.id)
      const now = clocks.get(id)?.now()
      invariant(now !== undefined, 'an order was locked that nobody asked for')
      const itsLines = lines.filter((line) => line.order_id === row.id)
      const itsParts = parts.filter((part) => part.order_id === row.id)
      return [id, lockedOrder(row, itsLines, itsParts, now)]
    }),
  )
}

/**
 * Closing a batch waits for this lock: nothing is added to a batch whose totals are reported. A
 * statement that waited for a closing batch finds none open, and the next one when it reads again.
 */
async function lockOpenBatches(
  client: pg.ClientBase,
  accounts: ReadonlySet<string>,
): Promise<void> {
  for (let look = 0; look < MOST_LOOKS_FOR_BATCHES; look += 1) {
    const { rowCount } = await client.query({
      name: 'lock open batches',
      text: `select id from batches
              where closed_at is null and merchant_account_id = any($1::bigint[])
              order by id for share`,
      values: [[...accounts]],
    })
    if (rowCount === accounts.size) return
  }
}

function lockedOrder(
  row: OrderRow,
  lineRows: readonly LineRow[],
  parts: readonly PartRow[],
  now: Date,
): LockedOrder {
  const currency = findCurrency(row.currency)
  invariant(currency !== null, 'a stored order has an unknown currency')
  const captureParts = parts.filter((part) => part.kind !== 'authorization')
  const captures: OrderCapture[] = captureParts.map((part) => ({
    transactionId: BigInt(part.id),
    amountMinor: BigInt(part.value_minor),
    voidedMinor: BigInt(part.voided_minor),
    batchClosed: part.batch_closed,
    rejected: part.rejected,
    lineId: part.order_line_id === null ? null : BigInt(part.order_line_id),
  }))
  const first = parts.find((part) => part.kind !== 'capture')
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    siteId: BigInt(row.site_id),
    mode: row.mode,
    currency,
    isCardRemoved: lineRows.some((line) => line.card_removed),
    snapshot: {
      state: row.state,
      expired: row.expires_at !== null && row.expires_at <= now,
      money: {
        authorizedMinor: BigInt(row.authorized_minor),
        capturedMinor: BigInt(row.captured_minor),
        voidedMinor: BigInt(row.voided_minor),
        refundedMinor: BigInt(row.refunded_minor),
        closedBatchCapturedMinor: captures
          .filter((capture) => capture.batchClosed)
          .reduce((sum, capture) => sum + capture.amountMinor - capture.voidedMinor, 0n),
      },
      lines: lineRows.map(orderLine),
      captures,
      reversedWhole: row.reversed_whole,
      disputedMinor: BigInt(lineRows[0]?.disputed_minor ?? 0),
    },
    authorization: {
      mti: originalMti(row.kind),
      transactionId: first === undefined ? 0n : BigInt(first.id),
      number: BigInt(row.message_number),
      at: row.message_at,
    },
    avsCode: first?.avs_code ?? '',
    cvvCode: first?.cvv_code ?? '',
    captureMessages: captureMessages(captureParts),
  }
}

function captureMessages(parts: readonly PartRow[]): Map<bigint, MessageIdentity> {
  const messages = new Map<bigint, MessageIdentity>()
  for (const { id, advice_number: number, advice_at: at } of parts) {
    if (number !== null && at !== null) messages.set(BigInt(id), { number: BigInt(number), at })
  }
  return messages
}

function orderLine(row: LineRow): OrderLine {
  return {
    id: BigInt(row.id),
    number: row.number,
    amountMinor: BigInt(row.amount_minor),
    capturedMinor: BigInt(row.captured_minor),
    voidedMinor: BigInt(row.voided_minor),
    refundedMinor: BigInt(row.refunded_minor),
  }
}
