import type pg from 'pg'
import { readCardHistory } from '../../../adapters/postgres/memberships/membership-charge-store.ts'
import {
  MEMBERSHIP_COLUMNS,
  storedMembership,
  type MembershipRow,
} from '../../../adapters/postgres/memberships/membership-rows.ts'
import type { MembershipState, NextStep } from '../../../domain/memberships/membership.ts'
import type { ChargeResult } from '../../../usecases/memberships/renewal-store.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type {
  ChargeView,
  MembershipBook,
  MembershipCard,
  MembershipFilter,
  MembershipList,
  MembershipRecord,
  MembershipRowView,
} from '../usecases/memberships.ts'
import { customerName } from './customer-search.ts'
import { readOperations } from './membership-operations.ts'

const STATES: readonly MembershipState[] = [
  'active',
  'past_due',
  'cancel_scheduled',
  'cancelled',
  'ended',
]
/** Of memberships that a forecast reads at once: few enough that payments need not wait for it. */
const PIECE = 500
const CHARGES_SHOWN = 200

/** Memberships as the portal reads them. */
export function createMembershipBook(pool: pg.Pool): MembershipBook {
  return {
    list: (filter, limit) => listMemberships(pool, filter, limit),
    read: (merchantId, membershipId) => readMembership(pool, merchantId, membershipId),
    readCardHistory: (stored, at) => readCardHistory(pool, stored, at),
    async *readUpcoming({ id, mode, merchantId }, until) {
      // Those that do something by then, and those whose charge is under way; few are both.
      yield* pieces(pool, 'm.next_at is not null and m.next_at <= $4', [
        merchantId,
        id,
        mode,
        until,
      ])
      yield* pieces(pool, 'm.charge_at is not null and m.next_at is null', [merchantId, id, mode])
    },
  }
}

async function* pieces(
  pool: pg.Pool,
  condition: string,
  values: readonly unknown[],
): AsyncGenerator<readonly ReturnType<typeof storedMembership>[]> {
  for (let after = '0'; ;) {
    const { rows } = await pool.query<MembershipRow>(
      `select ${MEMBERSHIP_COLUMNS} from memberships m
        where m.merchant_id = $1 and m.site_id = $2 and m.mode = $3 and ${condition}
          and m.id > $${values.length + 1} order by m.id limit ${PIECE}`,
      [...values, after],
    )
    if (rows.length > 0) yield rows.map(storedMembership)
    const last = rows.at(-1)
    if (rows.length < PIECE || last === undefined) return
    after = last.id
  }
}

interface ListRow {
  readonly id: string
  readonly site_id: string
  readonly mode: Mode
  readonly state: MembershipState
  readonly customer_id: string
  readonly first_name: string
  readonly last_name: string
  readonly email: string
  readonly product: string
  readonly name: string | null
  readonly currency: string
  readonly next_kind: NextStep['kind'] | null
  readonly next_at: Date | null
  readonly next_minor: string | null
  readonly over_at: Date | null
  readonly charged_at: Date | null
  readonly outcome: ChargeResult | 'open' | null
  readonly reason: string | null
}

async function listMemberships(
  pool: pg.Pool,
  filter: MembershipFilter,
  limit: number,
): Promise<MembershipList> {
  const values: unknown[] = [filter.merchantId]
  const param = (value: unknown): string => `$${values.push(value)}`
  const where = ['m.merchant_id = $1']
  if (filter.siteId !== null) where.push(`m.site_id = ${param(filter.siteId)}`)
  if (filter.product !== null) where.push(`m.product = ${param(filter.product)}`)
  if (filter.customerId !== null) where.push(`m.customer_id = ${param(filter.customerId)}`)
  if (filter.dueFrom !== null) where.push(`m.next_at >= ${param(filter.dueFrom)}`)
  if (filter.dueUntil !== null) where.push(`m.next_at < ${param(filter.dueUntil)}`)
  const states = filter.states.length === 0 ? STATES : filter.states
  const { after } = filter
  let source: string
  if (filter.order === 'due') {
    if (filter.states.length > 0) where.push(`m.state = any(${param(states)}::text[])`)
    if (after !== null) where.push(`(m.next_at, m.id) > (${param(after.at)}, ${param(after.id)})`)
    source = `select m.* from memberships m
               where ${where.join(' and ')} and m.next_at is not null order by m.next_at, m.id limit ${limit + 1}`
  } else {
    if (after !== null) where.push(`m.id < ${param(after.id)}`)
    // One walk down the index for each state, the newest of which are the newest of all.
    source = `select m.* from unnest(${param(states)}::text[]) as s (state)
               cross join lateral (
                 select * from memberships m where ${where.join(' and ')} and m.state = s.state
                  order by m.id desc limit ${limit + 1}) m
               order by m.id desc limit ${limit + 1}`
  }
  const { rows } = await pool.query<ListRow>(
    `select m.id, m.site_id, m.mode, m.state, m.customer_id, c.first_name, c.last_name, c.email, m.product, p.name,
            m.currency, m.next_kind, m.next_at, m.over_at,
            case m.next_kind when 'renewal' then coalesce(m.next_price_minor, m.price_minor)
                             when 'retry' then m.price_minor end as next_minor,
            e.at as charged_at, e.outcome, e.reason
       from (${source}) m
       join customers c on c.id = m.customer_id
       left join products p on p.site_id = m.site_id and p.code = m.product
       left join lateral (
         select e.at, e.outcome, e.reason from membership_charges e
          where e.membership_id = m.id order by e.due_at desc, e.attempt desc limit 1) e on true
      order by ${filter.order === 'due' ? 'm.next_at, m.id' : 'm.id desc'}`,
    values,
  )
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    memberships: shown.map(rowView),
    next:
      rows.length > limit && last !== undefined ? { at: last.next_at, id: BigInt(last.id) } : null,
  }
}

function rowView(row: ListRow): MembershipRowView {
  return {
    id: BigInt(row.id),
    siteId: BigInt(row.site_id),
    mode: row.mode,
    state: row.state,
    customer: { id: BigInt(row.customer_id), name: customerName(row), email: row.email },
    product: row.product,
    productName: row.name ?? '',
    currency: row.currency,
    next:
      row.next_kind === null || row.next_at === null
        ? null
        : {
            kind: row.next_kind,
            at: row.next_at,
            amountMinor: row.next_minor === null ? null : BigInt(row.next_minor),
          },
    overAt: row.over_at,
    lastCharge:
      row.charged_at === null || row.outcome === null
        ? null
        : { at: row.charged_at, outcome: row.outcome, reason: row.reason ?? '' },
  }
}

async function readMembership(
  pool: pg.Pool,
  merchantId: bigint,
  membershipId: bigint,
): Promise<MembershipRecord | null> {
  const { rows } = await pool.query<
    MembershipRow & {
      first_name: string
      last_name: string
      email: string
      retry_days: number[] | null
    }
  >(
    `select ${MEMBERSHIP_COLUMNS}, c.first_name, c.last_name, c.email, s.renewal_retry_days as retry_days
       from memberships m join customers c on c.id = m.customer_id join sites s on s.id = m.site_id
      where m.id = $1 and m.merchant_id = $2`,
    [membershipId, merchantId],
  )
  const [row] = rows
  if (row === undefined) return null
  const stored = storedMembership(row)
  const [cards, charges, names, operations] = await Promise.all([
    readCards(pool, stored.customerId, stored.mode),
    readCharges(pool, membershipId),
    readNames(pool, stored.siteId, [row.product, row.next_product]),
    readOperations(pool, membershipId, 0n),
  ])
  return {
    stored,
    customer: { id: stored.customerId, name: customerName(row), email: row.email },
    productNames: names,
    cards,
    charges,
    operations,
    retryDays: row.retry_days,
  }
}

async function readCards(pool: pg.Pool, customerId: bigint, mode: Mode): Promise<MembershipCard[]> {
  const { rows } = await pool.query<{
    id: string
    brand: string
    last4: string
    expiry_month: number | null
    expiry_year: number | null
  }>(
    `select id, brand, last4, expiry_month, expiry_year from payment_methods
      where customer_id = $1 and mode = $2 and removed_at is null order by last_used_at desc, id desc`,
    [customerId, mode],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    brand: row.brand,
    last4: row.last4,
    expiry:
      row.expiry_month === null || row.expiry_year === null
        ? null
        : { month: row.expiry_month, year: row.expiry_year },
  }))
}

interface ChargeRow {
  readonly due_at: Date
  readonly attempt: number
  readonly at: Date
  readonly outcome: ChargeResult | 'open'
  readonly reason: string
  readonly amount_minor: string
  readonly currency: string
  readonly payment_method_id: string
  readonly brand: string | null
  readonly last4: string | null
  readonly order_id: string | null
}

async function readCharges(pool: pg.Pool, membershipId: bigint): Promise<ChargeView[]> {
  // The order's id was given before the bank was asked: a charge that the rules forbade has none.
  const { rows } = await pool.query<ChargeRow>(
    `select e.due_at, e.attempt, e.at, e.outcome, e.reason, e.amount_minor, e.currency, e.payment_method_id,
            p.brand, p.last4, o.id as order_id
       from membership_charges e
       left join payment_methods p on p.id = e.payment_method_id
       left join orders o on o.id = e.order_id
      where e.membership_id = $1 order by e.due_at desc, e.attempt desc limit ${CHARGES_SHOWN}`,
    [membershipId],
  )
  return rows.map((row) => ({
    dueAt: row.due_at,
    attempt: row.attempt,
    at: row.at,
    outcome: row.outcome,
    reason: row.reason,
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    card: { id: BigInt(row.payment_method_id), brand: row.brand ?? '', last4: row.last4 ?? '' },
    orderId: row.order_id === null ? null : BigInt(row.order_id),
  }))
}

async function readNames(
  pool: pg.Pool,
  siteId: bigint,
  codes: readonly (string | null)[],
): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ code: string; name: string }>(
    'select code, name from products where site_id = $1 and code = any($2::text[])',
    [siteId, codes.filter((code) => code !== null)],
  )
  return Object.fromEntries(rows.map(({ code, name }) => [code, name]))
}
