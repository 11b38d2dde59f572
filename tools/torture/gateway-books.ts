import type pg from 'pg'
import {
  stanAndTerminal,
  transmissionTime,
} from '../../packages/gateway/src/adapters/processor-iso8583/message-identity.ts'

export interface GatewayOrder {
  readonly id: string
  readonly kind: 'payment' | 'unreferenced_credit'
  readonly reference: string
  /** The key of its authorization (or refund) message, by which the bank knows it. */
  readonly key: string
  readonly authorized: bigint
  readonly captured: bigint
  readonly voided: bigint
  readonly refunded: bigint
}

export interface GatewayTransaction {
  readonly id: string
  readonly orderId: string
  readonly kind: 'authorization' | 'sale' | 'capture' | 'refund' | 'void' | 'capture_void'
  readonly state: 'running' | 'pending' | 'approved' | 'declined' | 'failed'
  readonly value: bigint
  readonly serviceCode: number
}

export interface GatewayBooks {
  readonly orders: ReadonlyMap<string, GatewayOrder>
  readonly transactions: ReadonlyMap<string, GatewayTransaction>
  readonly advices: { readonly reversals: number; readonly repeated: number }
  /** Contradictions within the gateway's own books, a sentence each. */
  readonly contradictions: readonly string[]
}

/** DE 32 of the demo merchants. */
const ACQUIRER = '414000'

/** Statements that hold at any time; each query gives the orders or transactions that break one. */
const INVARIANTS: Readonly<Record<string, string>> = {
  'more is captured and voided than was authorized': `
    select id from orders where captured_minor + voided_minor > authorized_minor
      or (kind = 'payment' and refunded_minor > captured_minor)`,
  'its lines do not add up to it': `
    select o.id from orders o join order_lines l on l.order_id = o.id
      where o.state = 'authorized' and o.kind = 'payment'
      group by o.id having sum(l.amount_minor) <> o.authorized_minor
        or sum(l.captured_minor) <> o.captured_minor or sum(l.voided_minor) <> o.voided_minor
        or sum(l.refunded_minor) <> o.refunded_minor`,
  'its captures do not add up to what is captured': `
    select o.id from orders o
      left join transactions t on t.order_id = o.id and t.state = 'approved'
                              and t.kind in ('sale', 'capture')
      where o.kind = 'payment'
      group by o.id having coalesce(sum(t.value_minor - t.voided_minor), 0) <> o.captured_minor`,
  'its refunds do not add up to what is refunded': `
    select o.id from orders o
      left join transactions t on t.order_id = o.id and t.state = 'approved' and t.kind = 'refund'
      group by o.id having coalesce(sum(t.value_minor), 0) <> o.refunded_minor`,
  'it was refused or failed and holds money': `
    select id from orders where state in ('declined', 'failed')
      and (authorized_minor, captured_minor, voided_minor, refunded_minor) <> (0, 0, 0, 0)`,
  'it still claims its reference, although nothing is running': `
    select order_id as id from order_claims where state = 'running'`,
  'the bank refused one of its advices': `
    select order_id as id from advices
      where state = 'acknowledged' and response_code not in ('00', '21', '25')`,
  'one of its advices was acknowledged before an earlier one': `
    select order_id as id from advices a where exists (select from advices b
      where b.order_id = a.order_id and b.sequence < a.sequence
        and b.acknowledged_at > a.acknowledged_at)`,
}

/** Reads the gateway's books, once nothing changes any more. */
export async function readGatewayBooks(pool: pg.Pool): Promise<GatewayBooks> {
  const orders = await pool.query<{
    id: string
    kind: GatewayOrder['kind']
    reference: string
    message_number: string
    message_at: Date
    authorized: string
    captured: string
    voided: string
    refunded: string
  }>(
    `select id, kind, reference, message_number, message_at, authorized_minor as authorized,
            captured_minor as captured, voided_minor as voided, refunded_minor as refunded
       from orders`,
  )
  const transactions = await pool.query<{
    id: string
    order_id: string
    kind: GatewayTransaction['kind']
    state: GatewayTransaction['state']
    value: string
    service_code: number
  }>('select id, order_id, kind, state, value_minor as value, service_code from transactions')
  const advices = await pool.query<{ reversals: number; repeated: number }>(
    `select count(*) filter (where kind = 'reversal')::int as reversals,
            count(*) filter (where tries > 1)::int as repeated from advices`,
  )
  const contradictions: string[] = []
  for (const [invariant, sql] of Object.entries(INVARIANTS)) {
    const broken = await pool.query<{ id: string }>(sql)
    for (const { id } of broken.rows) contradictions.push(`order ${id}: ${invariant}`)
  }
  return {
    orders: new Map(
      orders.rows.map((row) => [
        row.id,
        {
          id: row.id,
          kind: row.kind,
          reference: row.reference,
          key: messageKeyOf(BigInt(row.message_number), row.message_at),
          authorized: BigInt(row.authorized),
          captured: BigInt(row.captured),
          voided: BigInt(row.voided),
          refunded: BigInt(row.refunded),
        },
      ]),
    ),
    transactions: new Map(
      transactions.rows.map((row) => [
        row.id,
        {
          id: row.id,
          orderId: row.order_id,
          kind: row.kind,
          state: row.state,
          value: BigInt(row.value),
          serviceCode: row.service_code,
        },
      ]),
    ),
    advices: advices.rows[0] ?? { reversals: 0, repeated: 0 },
    contradictions,
  }
}

/** The key of a message, as the bank has it. */
export function messageKeyOf(number: bigint, at: Date): string {
  const { stan, terminal } = stanAndTerminal(number)
  return `${ACQUIRER}/${terminal}/${stan}/${transmissionTime(at)}`
}
