import type { ListName } from '@tollgate/portal-contract/order-columns'
import { saidByMerchant, saidRenewal } from '../../../adapters/postgres/audit/logged-parameters.ts'
import type { ListTotals } from '../usecases/order-list.ts'

/** The table whose rows are listed, by its short name. */
export const DRIVER: Readonly<Record<ListName, 'o' | 't'>> = { orders: 'o', transactions: 't' }

/** SQL of a key of STATUS_TEXTS. */
export const STATUS: Readonly<Record<ListName, string>> = {
  orders: `case
    when o.state <> 'authorized' then o.state
    when o.kind = 'unreferenced_credit' then 'refunded'
    when o.requested_minor = 0 then 'checked'
    when o.captured_minor = 0 and o.released_at is not null then 'expired'
    when o.captured_minor = 0 and o.voided_minor >= o.authorized_minor then 'voided'
    when o.captured_minor = 0 then 'authorized'
    when o.refunded_minor >= o.captured_minor then 'refunded'
    when o.refunded_minor > 0 then 'part_refunded'
    when o.captured_minor + o.voided_minor < o.authorized_minor then 'part_captured'
    else 'captured' end`,
  transactions: 't.state',
}

/**
 * How much a void took from captures, in minor units. Only its posting says how much of it was
 * captured; the lookup is by key, and for voids alone.
 */
const capturesVoidedBy = (row: string): string =>
  `coalesce((select b.amount_minor from ledger_postings b
    where b.order_id = ${row}.order_id and b.transaction_id = ${row}.id
      and b.kind = 'capture_void'), 0)`

/**
 * The kind of a transaction, with the object of a void. A key of ACTION_TEXTS. Not by `exists`,
 * which may be turned into one scan of the whole table.
 */
export function kindOf(row: string): string {
  return `case when ${row}.kind <> 'void' then ${row}.kind
    when (select true from transactions b where b.order_id = ${row}.order_id and b.kind = 'sale'
           limit 1) then 'sale_void'
    when ${capturesVoidedBy(row)} = 0 then 'void'
    when ${capturesVoidedBy(row)} < ${row}.value_minor then 'full_void'
    else 'capture_void' end`
}

/** A key of ACTION_TEXTS. */
export const ACTION = `case when m.transaction_id is not null then 'renewal'
  when t.kind = 'authorization' and t.amount_minor = 0 then 'check' else ${kindOf('t')} end`

/** A key of INITIATOR_TEXTS, by what the request said. */
export const INITIATOR = `case
  when m.transaction_id is not null or ${saidRenewal('r')} then 'renewal'
  when ${saidByMerchant('r')} then 'merchant'
  else 'customer' end`

/** A status letter: the one that was decided on, or where the authentication stands. */
export const THREE_DS = `case when a.server_trans_id is null then ''
  when a.response <> '' then a.response when a.state = 'challenge' then 'C'
  else coalesce(a.result_status, a.trans_status, 'U') end`

/** The batch in which money is moved: an authorization has only been made while it was open. */
export const BATCH = `case when t.state <> 'approved' then null
  when t.kind in ('sale', 'capture', 'refund') then t.batch_id
  when t.kind in ('void', 'capture_void') and ${capturesVoidedBy('t')} > 0 then t.batch_id end`

/**
 * The signed effect of a transaction on what is authorized, captured and refunded, in minor units.
 * It never changes after the conclusion: later transactions have effects of their own.
 */
const EFFECTS = {
  authorized: `case when t.state <> 'approved' then 0
    when t.kind in ('authorization', 'sale') then t.value_minor
    when t.kind in ('void', 'capture_void') then -t.value_minor else 0 end`,
  captured: `case when t.state <> 'approved' then 0
    when t.kind in ('sale', 'capture') then t.value_minor
    when t.kind in ('void', 'capture_void') then -${capturesVoidedBy('t')} else 0 end`,
  refunded: `case when t.state = 'approved' and t.kind = 'refund' then t.value_minor else 0 end`,
} as const

/** Sums of an order as it is now, or effects of a transaction: the columns that totals add up. */
const MONEY: Readonly<
  Record<ListName, Readonly<Record<'authorized' | 'voided' | 'captured' | 'refunded', string>>>
> = {
  orders: {
    authorized: 'o.authorized_minor',
    voided: 'o.voided_minor',
    captured: 'o.captured_minor',
    refunded: 'o.refunded_minor',
  },
  transactions: { ...EFFECTS, voided: '0' },
}

/** The columns of a row. */
export function rowColumns(list: ListName): string {
  const driver = DRIVER[list]
  const { authorized, voided, captured, refunded } = MONEY[list]
  return `(extract(epoch from ${driver}.created_at) * 1000000)::bigint as micros,
    ${driver}.id as cursor_id,
    o.id as order_id, t.id as transaction_id, ${driver}.created_at as at,
    coalesce(s.name, o.site_id::text) as site, o.merchant_account_id::text as account, o.reference,
    ${STATUS[list]} as status, ${ACTION} as action, ${INITIATOR} as initiator,
    o.customer_id, trim(coalesce(c.first_name, '') || ' ' || coalesce(c.last_name, '')) as customer,
    coalesce(c.email, '') as email, coalesce(p.brand, '') as brand,
    coalesce(p.last4, '') as last4, o.currency,
    ${list === 'orders' ? 'o.requested_minor' : 't.amount_minor'} as amount,
    ${authorized} as authorized, ${voided} as voided, ${captured} as captured,
    ${refunded} as refunded, coalesce(t.service_code, 0) as service_code,
    coalesce(t.avs_code, '') as avs, coalesce(t.cvv_code, '') as cvv,
    ${THREE_DS} as three_ds, o.auth_code, o.network_transaction_id as network_id,
    ${BATCH} as batch,
    coalesce(r.username, '') as username`
}

/** Sums by currency, of the same expressions that a row shows. */
export function totalColumns(list: ListName): string {
  const { state, approved } =
    list === 'orders'
      ? { state: 'o.state', approved: 'authorized' }
      : { state: 't.state', approved: 'approved' }
  const sums = Object.entries(MONEY[list]).map(
    ([name, minor]) => `coalesce(sum(${minor}), 0)::bigint as ${name}`,
  )
  return `o.currency, count(*)::int as count,
    count(*) filter (where ${state} = '${approved}')::int as approved,
    count(*) filter (where ${state} = 'declined')::int as declined,
    count(*) filter (where ${state} in ('running', 'pending'))::int as open,
    ${sums.join(', ')}`
}

/** A row of `totalColumns`. */
export interface TotalsRow {
  readonly currency: string
  readonly count: number
  readonly approved: number
  readonly declined: number
  readonly open: number
  readonly authorized: string
  readonly voided: string
  readonly captured: string
  readonly refunded: string
}

/** The totals of one currency, with their net. */
export function totalsOf(row: TotalsRow): ListTotals {
  const captured = BigInt(row.captured)
  const refunded = BigInt(row.refunded)
  return {
    ...row,
    authorized: BigInt(row.authorized),
    voided: BigInt(row.voided),
    captured,
    refunded,
    net: captured - refunded,
  }
}
