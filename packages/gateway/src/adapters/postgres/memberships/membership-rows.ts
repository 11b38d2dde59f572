import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { findCurrency, type Currency } from '../../../domain/currency.ts'
import type { PeriodMetric } from '../../../domain/memberships/calendar.ts'
import {
  membershipFacts,
  type MembershipCause,
} from '../../../domain/memberships/membership-facts.ts'
import type {
  Membership,
  MembershipProduct,
  MembershipState,
  NextStep,
  OpenRenewal,
} from '../../../domain/memberships/membership.ts'
import type { ProductType } from '../../../domain/memberships/product.ts'
import type {
  ReadMembership,
  StoredMembership,
} from '../../../usecases/memberships/membership-store.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import { insertFactsOf } from '../events/outbox.ts'
import { membershipFactValues } from './membership-fact-rows.ts'

/** The columns that change in the life of a membership; the currency never does. */
export interface MembershipStateRow {
  readonly state: MembershipState
  readonly product: string
  readonly type: ProductType
  readonly metric: PeriodMetric
  readonly period_length: number
  readonly price_minor: string
  readonly next_product: string | null
  readonly next_type: ProductType | null
  readonly next_metric: PeriodMetric | null
  readonly next_period_length: number | null
  readonly next_price_minor: string | null
  readonly payment_method_id: string
  readonly anchor_at: Date
  readonly paid_period: number
  readonly renewal_due_at: Date | null
  readonly renewal_attempts: number
  readonly renewal_first_failed_at: Date | null
  readonly charge_at: Date | null
  readonly charge_card_id: string | null
  readonly next_kind: NextStep['kind'] | null
  readonly next_at: Date | null
  readonly over_at: Date | null
}

export interface MembershipRow extends MembershipStateRow {
  readonly id: string
  readonly merchant_id: string
  readonly site_id: string
  readonly mode: Mode
  readonly customer_id: string
  readonly merchant_account_id: string
  readonly order_id: string
  readonly order_line_id: string
  readonly network_transaction_id: string
  readonly reference: string
  readonly currency: string
  readonly created_at: Date
  readonly version: string
}

/** The columns that `storedMembership` reads, of `memberships m`. */
export const MEMBERSHIP_COLUMNS = `
  m.id, m.merchant_id, m.site_id, m.mode, m.customer_id, m.merchant_account_id, m.order_id,
  m.order_line_id, m.network_transaction_id, m.state, m.product, m.type, m.metric, m.period_length,
  m.price_minor, m.currency, m.next_product, m.next_type, m.next_metric, m.next_period_length,
  m.next_price_minor, m.payment_method_id, m.anchor_at, m.paid_period, m.renewal_due_at,
  m.renewal_attempts, m.renewal_first_failed_at, m.charge_at, m.charge_card_id, m.next_kind,
  m.next_at, m.over_at, m.created_at, m.version,
  coalesce((select f.membership_reference from orders f where f.id = m.order_id), '') as reference`

export function storedMembership(row: MembershipRow): StoredMembership {
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    siteId: BigInt(row.site_id),
    mode: row.mode,
    customerId: BigInt(row.customer_id),
    merchantAccountId: BigInt(row.merchant_account_id),
    orderId: BigInt(row.order_id),
    orderLineId: BigInt(row.order_line_id),
    networkTransactionId: row.network_transaction_id,
    reference: row.reference,
    createdAt: row.created_at,
    version: BigInt(row.version),
    membership: membershipOf(row),
  }
}

/** The columns that hold a membership, in one sequence for every statement that writes them. */
export const MEMBERSHIP_STATE_TYPES = {
  state: 'text',
  product: 'text',
  type: 'text',
  metric: 'text',
  period_length: 'integer',
  price_minor: 'bigint',
  next_product: 'text',
  next_type: 'text',
  next_metric: 'text',
  next_period_length: 'integer',
  next_price_minor: 'bigint',
  payment_method_id: 'bigint',
  anchor_at: 'timestamptz',
  paid_period: 'integer',
  renewal_due_at: 'timestamptz',
  renewal_attempts: 'integer',
  renewal_first_failed_at: 'timestamptz',
  charge_at: 'timestamptz',
  charge_card_id: 'bigint',
  next_kind: 'text',
  next_at: 'timestamptz',
  over_at: 'timestamptz',
} as const satisfies Readonly<Record<keyof MembershipStateRow, string>>

export const MEMBERSHIP_STATE_COLUMNS = Object.keys(
  MEMBERSHIP_STATE_TYPES,
) as (keyof MembershipStateRow)[]

export function membershipStateRow(membership: Membership): MembershipStateRow {
  const { product, nextProduct, renewal, next } = membership
  const charge = renewal === null ? null : renewal.charge
  return {
    state: membership.state,
    product: product.productId,
    type: product.type,
    metric: product.period.metric,
    period_length: product.period.length,
    price_minor: product.price.minor.toString(),
    next_product: nextProduct?.productId ?? null,
    next_type: nextProduct?.type ?? null,
    next_metric: nextProduct?.period.metric ?? null,
    next_period_length: nextProduct?.period.length ?? null,
    next_price_minor: nextProduct?.price.minor.toString() ?? null,
    payment_method_id: membership.cardId.toString(),
    anchor_at: membership.anchorAt,
    paid_period: membership.period,
    renewal_due_at: renewal?.dueAt ?? null,
    renewal_attempts: renewal?.attempts ?? 0,
    renewal_first_failed_at: renewal?.firstFailedAt ?? null,
    charge_at: charge?.at ?? null,
    charge_card_id: charge?.cardId.toString() ?? null,
    next_kind: next?.kind ?? null,
    next_at: next?.at ?? null,
    over_at: membership.overAt,
  }
}

const CHANGE = `
with changed as (
  update memberships
     set ${MEMBERSHIP_STATE_COLUMNS.map((name, at) => `${name} = $${at + 3}`).join(', ')},
         version = version + 1
   where id = $1 and version = $2
  returning id
), new_facts as (
  ${insertFactsOf('changed', MEMBERSHIP_STATE_COLUMNS.length + 3)}
)
select from changed`

/** False when it was changed since it was read; nothing is written then. */
export async function changeMembership(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  read: ReadMembership,
  membership: Membership,
  cause: MembershipCause,
): Promise<boolean> {
  const { id, version } = read
  const row = membershipStateRow(membership)
  const facts = membershipFacts(read.membership, membership, cause, null)
  const { rowCount } = await client.query({
    name: 'change membership',
    text: CHANGE,
    values: [
      id,
      version,
      ...MEMBERSHIP_STATE_COLUMNS.map((name) => row[name]),
      ...membershipFactValues([{ read, facts }]),
    ],
  })
  return rowCount === 1
}

function membershipOf(row: MembershipRow): Membership {
  const currency = findCurrency(row.currency)
  invariant(currency !== null, 'a stored membership has an unknown currency')
  return {
    state: row.state,
    product: {
      productId: row.product,
      type: row.type,
      period: { metric: row.metric, length: row.period_length },
      price: { minor: BigInt(row.price_minor), currency },
    },
    nextProduct: nextProductOf(row, currency),
    cardId: BigInt(row.payment_method_id),
    anchorAt: row.anchor_at,
    period: row.paid_period,
    renewal: renewalOf(row),
    next:
      row.next_kind === null || row.next_at === null
        ? null
        : { kind: row.next_kind, at: row.next_at },
    overAt: row.over_at,
  }
}

function nextProductOf(row: MembershipStateRow, currency: Currency): MembershipProduct | null {
  const { next_product: productId, next_type: type, next_metric: metric } = row
  const { next_period_length: length, next_price_minor: minor } = row
  if (productId === null || type === null || metric === null || length === null || minor === null) {
    return null
  }
  return { productId, type, period: { metric, length }, price: { minor: BigInt(minor), currency } }
}

function renewalOf(row: MembershipStateRow): OpenRenewal | null {
  if (row.renewal_due_at === null) return null
  return {
    dueAt: row.renewal_due_at,
    attempts: row.renewal_attempts,
    firstFailedAt: row.renewal_first_failed_at,
    charge:
      row.charge_at === null || row.charge_card_id === null
        ? null
        : { at: row.charge_at, cardId: BigInt(row.charge_card_id) },
  }
}
