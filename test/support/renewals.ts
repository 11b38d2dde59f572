import { monthBefore } from './dates.ts'
import { untilSeen } from './eventually.ts'
import { ask, codes, monthly, sale } from './memberships.ts'
import type { RunningGateway } from './running-gateway.ts'

export interface NewMembership {
  readonly cardNumber?: string
  /** Decimal text. */
  readonly amount?: string
  /** When it was first paid; a month before `dueAt` by default. */
  readonly startedAt?: Date
  readonly dueAt?: Date
}

export interface TestMembership {
  readonly id: string
  readonly customerId: string
  readonly cardId: string
  readonly firstOrderId: string
}

let products = 0

/**
 * A monthly membership whose next renewal is due at `dueAt`, by default now; its first period is
 * paid.
 */
export async function startMembership(
  gateway: RunningGateway,
  { cardNumber, amount = '10.00', dueAt = new Date(), startedAt }: NewMembership = {},
): Promise<TestMembership> {
  products += 1
  const first = await ask(
    gateway,
    sale(
      monthly(`Product ${products}`, {
        LI_VALUE_1: amount,
        ...(cardNumber === undefined ? {} : { PMT_NUMB: cardNumber }),
      }),
    ),
  )
  const {
    MBSHP_ID_1: id = '',
    CUST_ID: customerId = '',
    PMT_ID: cardId = '',
    PO_ID: firstOrderId = '',
  } = first
  if (id === '') throw new Error(`The first payment was ${codes(first)}.`)
  await gateway.pool.query(
    'update memberships set anchor_at = $2, created_at = $2, next_at = $3 where id = $1',
    [id, startedAt ?? monthBefore(dueAt), dueAt],
  )
  return { id, customerId, cardId, firstOrderId }
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
export async function untilCharged(
  gateway: RunningGateway,
  id: string,
  charges = 1,
): Promise<ChargeRow[]> {
  return untilSeen(
    `${charges} charges of membership ${id} are concluded`,
    () => chargesOf(gateway, id),
    (rows) => rows.length >= charges && rows.every(({ outcome }) => outcome !== 'open'),
  )
}

/** The orders that renewals of a membership have made, with every outcome. */
export async function renewalOrders(
  gateway: RunningGateway,
  id: string,
): Promise<{ id: string; state: string }[]> {
  const { rows } = await gateway.pool.query<{ id: string; state: string }>(
    `select o.id, o.state from orders o
       join order_lines l on l.order_id = o.id
       join memberships m on m.id = l.membership_id
      where m.id = $1 and o.id <> m.order_id order by o.id`,
    [id],
  )
  return rows
}
