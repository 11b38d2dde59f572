import { setTimeout as pause } from 'node:timers/promises'
import { payment, VISA } from './payments.ts'
import type { RunningGateway } from './running-gateway.ts'

export interface NewMembership {
  readonly cardNumber?: string
  /** Decimal text. */
  readonly amount?: string
  /** When it was first paid; a month before `dueAt` by default. */
  readonly startedAt?: Date
  readonly dueAt?: Date
  readonly expiry?: string
}

export interface TestMembership {
  readonly id: string
  readonly customerId: string
  readonly cardId: string
  readonly firstOrderId: string
}

/** A monthly membership whose next renewal is due at `dueAt`, by default now; its first period is paid. */
export async function startMembership(
  gateway: RunningGateway,
  { cardNumber = VISA, amount = '10.00', dueAt = new Date(), expiry, startedAt }: NewMembership = {},
): Promise<TestMembership> {
  const first = await gateway.client().sale(
    payment(amount, { cardNumber, ...(expiry === undefined ? {} : { expiry }) }),
  )
  if (first.status !== 'APPROVED') throw new Error(`The first payment was ${first.status}.`)
  const anchor = startedAt ?? monthBefore(dueAt)
  const { rows } = await gateway.pool.query<{ id: string; customer_id: string; payment_method_id: string }>(
    `insert into memberships
       (id, merchant_id, site_id, mode, customer_id, merchant_account_id, order_id, order_line_id,
        network_transaction_id, state, product, type, metric, period_length, price_minor, currency,
        payment_method_id, anchor_at, paid_period, next_kind, next_at, created_at)
     select nextval('membership_ids'), o.merchant_id, o.site_id, o.mode, o.customer_id,
            o.merchant_account_id, o.id, l.id, o.network_transaction_id, 'active', 'gold', 'renews',
            'M', 1, o.authorized_minor, o.currency, o.payment_method_id, $2, 0, 'renewal', $3, $2
       from orders o join order_lines l on l.order_id = o.id where o.id = $1
     returning id, customer_id, payment_method_id`,
    [first.orderId, anchor, dueAt],
  )
  const [row] = rows
  if (row === undefined) throw new Error('The first order is not there.')
  const { id, customer_id: customerId, payment_method_id: cardId } = row
  return { id, customerId, cardId, firstOrderId: String(first.orderId) }
}

/** A month earlier in UTC; the test's days are never the last of a longer month. */
export function monthBefore(at: Date): Date {
  const before = new Date(at)
  before.setUTCMonth(before.getUTCMonth() - 1)
  return before
}

export interface ChargeRow {
  readonly attempt: number
  readonly outcome: string
  readonly reason: string
  readonly order_id: string
  readonly due_at: Date
  readonly at: Date
}

export async function chargesOf(gateway: RunningGateway, id: string): Promise<ChargeRow[]> {
  const { rows } = await gateway.pool.query<ChargeRow>(
    `select attempt, outcome, reason, order_id, due_at, at from membership_charges
      where membership_id = $1 order by due_at, attempt`,
    [id],
  )
  return rows
}

export interface MembershipState {
  readonly state: string
  readonly paid_period: number
  readonly next_kind: string | null
  readonly next_at: Date | null
  readonly charge_at: Date | null
}

export async function membershipOf(gateway: RunningGateway, id: string): Promise<MembershipState> {
  const { rows } = await gateway.pool.query<MembershipState>(
    'select state, paid_period, next_kind, next_at, charge_at from memberships where id = $1',
    [id],
  )
  const [row] = rows
  if (row === undefined) throw new Error(`There is no membership ${id}.`)
  return row
}

/** Waits until so many charges of a membership are concluded. */
export async function untilCharged(gateway: RunningGateway, id: string, charges = 1): Promise<ChargeRow[]> {
  for (;;) {
    const rows = await chargesOf(gateway, id)
    if (rows.length >= charges && rows.every(({ outcome }) => outcome !== 'open')) return rows
    await pause(20)
  }
}
