import type { SearchKind, SearchReading } from '@tollgate/portal-contract/search-readings'
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { CURRENCIES, findCurrency } from '../../../domain/currency.ts'
import { commonAmount, possibleMinors } from '../domain/order-filter.ts'
import { namePatterns, referencePattern } from './reading-conditions.ts'

/** Orders that one meaning of a search stands for, or transactions where it is of those. */
export interface Candidates {
  readonly orderId: bigint
  readonly transactionId: bigint | null
}

/** More than this is not looked up by id, but met on the way through the list. */
export const MANY = 1_000

/** A reading, or a filter that is looked up in the same way. */
export type NarrowLookup =
  | SearchReading
  | { readonly kind: 'card' | 'batch'; readonly value: string; readonly currency?: string }

interface Lookup {
  readonly text: string
  /** Null where the reading cannot be looked up in this way. */
  values(reading: NarrowLookup): readonly unknown[] | null
  /** Whether it is only tried when the ones before it found nothing. */
  readonly isSpare?: true
}

const ALL_CODES = CURRENCIES.map(({ code }) => code)

const byValue = (text: string): Lookup => ({ text, values: ({ value }) => [value] })

const SITES = '(select id from sites where merchant_id = $1)'

/**
 * How each kind is looked up, by an index; `$1` is the merchant. Kinds that are not here have none.
 */
const LOOKUPS: Readonly<Partial<Record<SearchKind | 'card' | 'batch', readonly Lookup[]>>> = {
  order: [
    byValue(
      'select id as order_id, null as transaction_id from orders where id = $2 and merchant_id = $1',
    ),
  ],
  reference: [
    byValue(`select id as order_id, null as transaction_id from orders
              where merchant_id = $1 and site_id in ${SITES}
                and reference = $2 and reference <> ''`),
    {
      text: `select id as order_id, null as transaction_id from orders
              where merchant_id = $1 and site_id in ${SITES}
                and reference like $2 and reference <> ''`,
      values: ({ value }) => {
        const pattern = referencePattern(value)
        return pattern === null ? null : [pattern]
      },
      isSpare: true,
    },
  ],
  transaction: [
    byValue(
      'select order_id, id as transaction_id from transactions where id = $2 and merchant_id = $1',
    ),
  ],
  request: [
    byValue(`select order_id, transaction_id from requests
              where id = $2 and merchant_id = $1 and order_id is not null`),
  ],
  customer: [
    byValue(
      'select id as order_id, null as transaction_id from orders where customer_id = $2 and merchant_id = $1',
    ),
  ],
  membership: [
    byValue(`select order_id, null as transaction_id from memberships where id = $2 and merchant_id = $1
             union all
             select order_id, transaction_id from membership_charges where membership_id = $2 and merchant_id = $1`),
    {
      text: `select id as order_id, null as transaction_id from orders
              where site_id in ${SITES} and membership_reference = $2 and membership_reference <> '' and merchant_id = $1`,
      values: ({ value }) => [value],
    },
  ],
  card: [
    byValue(`select o.id as order_id, null as transaction_id from payment_methods p
               join orders o on o.customer_id = p.customer_id and o.payment_method_id = p.id
              where p.id = $2 and p.merchant_id = $1`),
  ],
  batch: [
    byValue(`select order_id, id as transaction_id from transactions 
              where batch_id = $2 and batch_id is not null and kind in ('sale', 'capture', 'refund') and merchant_id = $1`),
    // The index of batches has no voids: they are found by the captures that they voided.
    byValue(`select v.order_id, v.id as transaction_id
               from transactions t
               join transactions v on v.order_id = t.order_id and v.batch_id = t.batch_id
                and v.kind in ('void', 'capture_void')
              where t.batch_id = $2 and t.batch_id is not null and t.voided_minor > 0
                and t.kind in ('sale', 'capture', 'refund') and t.merchant_id = $1`),
  ],
  email: [
    byValue(`select o.id as order_id, null as transaction_id from customers c join orders o on o.customer_id = c.id
              where c.merchant_id = $1 and lower(c.email) = $2 and c.email <> ''`),
  ],
  name: [
    {
      text: `select o.id as order_id, null as transaction_id from customers c join orders o on o.customer_id = c.id
              where c.merchant_id = $1 and c.last_name <> '' and lower(c.last_name || ' ' || c.first_name) like $2
             union all
             select o.id, null from customers c join orders o on o.customer_id = c.id
              where c.merchant_id = $1 and c.last_name <> '' and lower(c.last_name || ' ' || c.first_name) like $3
             union all
             select o.id, null from customers c join orders o on o.customer_id = c.id
              where c.merchant_id = $1 and c.first_name <> ''
                and lower(c.first_name || ' ' || c.last_name) like $2`,
      values: ({ value }) => {
        const { beginning, turned } = namePatterns(value)
        return [beginning, turned]
      },
    },
  ],
  last4: [
    byValue(`select o.id as order_id, null as transaction_id from payment_methods p
               join orders o on o.customer_id = p.customer_id and o.payment_method_id = p.id
              where p.merchant_id = $1 and p.last4 = $2`),
  ],
  amount: [
    {
      text: `select t.order_id, t.id as transaction_id from transactions t join orders o on o.id = t.order_id
              where t.merchant_id = $1 and t.amount_minor = any($2::bigint[]) and t.concluded_at is not null
                and (o.currency, t.amount_minor) in (select * from unnest($3::text[], $4::bigint[]))`,
      values: amountValues,
    },
  ],
  token: [
    {
      // A token does not name its payment: it is the one of the same card, a moment later, or of
      // its reference.
      text: `with token as (select * from card_tokens where token_hash = decode($2, 'hex') and merchant_id = $1 and used_at is not null)
             select o.id as order_id, null as transaction_id from token k
               join orders o on o.site_id = k.site_id and o.reference = k.used_for and o.reference <> ''
               join payment_methods p on p.id = o.payment_method_id and p.fingerprint = k.fingerprint
             union all
             select o.id, null from token k
               join orders o on o.merchant_id = $1 and o.site_id = k.site_id
                and o.created_at between k.used_at - interval '5 seconds' and k.used_at + interval '5 seconds'
               join payment_methods p on p.id = o.payment_method_id and p.fingerprint = k.fingerprint
              where k.used_for = ''`,
      values: ({ value }) => [createHash('sha256').update(value).digest('hex')],
    },
  ],
}

/** Whether so many orders fit a word of the lists that the list meets them soon. */
export function isMetInList({ kind }: SearchReading): boolean {
  return kind === 'brand' || kind === 'status' || kind === 'action'
}

/** Whether a kind can only be met on the way through the list. */
export function hasNoIndex({ kind }: SearchReading): boolean {
  return LOOKUPS[kind] === undefined
}

/** The candidates of a reading; null for more than MANY. */
export async function findCandidates(
  pool: pg.Pool,
  merchantId: bigint,
  reading: NarrowLookup,
): Promise<readonly Candidates[] | null> {
  const found: Candidates[] = []
  for (const { text, values, isSpare } of LOOKUPS[reading.kind] ?? []) {
    const sent = values(reading)
    if (sent === null || (isSpare && found.length > 0)) continue
    const { rows } = await pool.query<{ order_id: string; transaction_id: string | null }>(
      `select order_id, transaction_id from (${text}) found limit ${MANY + 1}`,
      [merchantId.toString(), ...sent],
    )
    found.push(
      ...rows.map((row) => ({
        orderId: BigInt(row.order_id),
        transactionId: row.transaction_id === null ? null : BigInt(row.transaction_id),
      })),
    )
    if (found.length > MANY) return null
  }
  return found
}

/** The minor units that the amount can be, and for each what currencies they fit. */
function amountValues({ value, currency }: NarrowLookup): readonly unknown[] {
  const minors = possibleMinors(value)
  const codes = currency === undefined ? ALL_CODES : [currency]
  const pairs = codes.flatMap((code) => {
    const digits = findCurrency(code)?.digits ?? 2
    const factor = 10n ** BigInt(4 - digits)
    const common = commonAmount(value)
    return common % factor === 0n ? [[code, (common / factor).toString()] as const] : []
  })
  return [minors.map(String), pairs.map(([code]) => code), pairs.map(([, minor]) => minor)]
}
