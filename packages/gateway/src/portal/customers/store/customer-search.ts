import type pg from 'pg'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { CustomerFilter, CustomerList, CustomerRow } from '../usecases/customers.ts'

/**
 * How many customers one page looks through for those that a filter shows. Rare ones are found over
 * several pages, each as fast as the first.
 */
const LOOKED_AT = 2_000

/**
 * A search with more matches by one of its terms is common. Its matches cannot be sorted in time.
 * So a page looks through the newest customers, and meets some soon.
 */
const COMMON = 5_000
const LOOKED_AT_FOR_COMMON = 10_000

interface Row {
  readonly id: string
  readonly shown: boolean
  readonly mode: Mode
  readonly reference: string
  readonly first_name: string
  readonly last_name: string
  readonly email: string
  readonly created_at: Date
  readonly cards: number
  readonly brand: string | null
  readonly last4: string | null
  readonly memberships: number
  readonly last_order_at: Date | null
}

/** One page of customers, the newest first. Every search goes through an index of its own. */
export async function searchCustomers(
  pool: pg.Pool,
  filter: CustomerFilter,
  limit: number,
): Promise<CustomerList> {
  const isCommon =
    filter.search !== null && (await isCommonSearch(pool, filter.merchantId, filter.search))
  const lookedAt = isCommon ? LOOKED_AT_FOR_COMMON : LOOKED_AT
  const values: unknown[] = [filter.merchantId, filter.before, lookedAt]
  const param = (value: unknown): string => `$${values.push(value)}`
  const terms = filter.search === null ? [] : termsOf(filter.search, param)
  const from =
    filter.search === null || isCommon
      ? `select id from customers where merchant_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`
      : `select id from (${terms.map(idsOf).join(' union ')}) f
          where $2::bigint is null or id < $2 order by id desc limit $3`
  const conditions = [
    isCommon ? `(${terms.map(isFound).join(' or ')})` : '',
    filter.siteId === null
      ? ''
      : `exists (select from orders o where o.customer_id = c.id and o.merchant_id = $1 and o.site_id = ${param(filter.siteId)})`,
    presence(
      filter.hasCard,
      'select from payment_methods p where p.customer_id = c.id and p.removed_at is null',
    ),
    presence(
      filter.hasMembership,
      'select from memberships m where m.customer_id = c.id and m.over_at is null',
    ),
  ].filter((condition) => condition !== '')
  // The last one of those looked through comes too, as the place where the next page begins.
  const { rows } = await pool.query<{ id: string; shown: boolean; looked: number }>(
    `select id, shown, looked
       from (select c.id, ${conditions.length === 0 ? 'true' : conditions.join(' and ')} as shown,
                    count(*) over ()::int as looked, min(c.id) over () as last_id
               from (${from}) w (found_id)
               join customers c on c.id = found_id and c.merchant_id = $1) l
      where shown or id = last_id
      order by id desc`,
    values,
  )
  const shown = rows.filter((row) => row.shown).slice(0, limit)
  const isFull = shown.length === limit
  const last = isFull ? shown.at(-1) : rows.at(-1)
  const hasMore = rows.at(-1)?.looked === lookedAt
  const goesOn = hasMore || (isFull && rows.at(-1)?.id !== last?.id)
  return {
    customers: await describe(
      pool,
      filter.merchantId,
      shown.map(({ id }) => id),
    ),
    next: goesOn && last !== undefined ? BigInt(last.id) : null,
  }
}

function presence(wanted: boolean | null, sql: string): string {
  return wanted === null ? '' : `${wanted ? '' : 'not '}exists (${sql})`
}

/** Finds customers of the merchant $1 by an index: a condition over customers, or over cards. */
interface Term {
  readonly of: 'customers' | 'payment_methods'
  readonly condition: string
}

function idsOf({ of, condition }: Term): string {
  return `select ${of === 'customers' ? 'id' : 'customer_id as id'} from ${of}
           where merchant_id = $1 and ${condition}`
}

/** Whether the term finds customer `c`, the only one of a statement. */
function isFound({ of, condition }: Term): string {
  if (of === 'customers') return `(${condition})`
  // For each customer by itself: a join would read all cards.
  return `exists (select from ${of} f where f.customer_id = c.id and ${condition} offset 0)`
}

async function isCommonSearch(pool: pg.Pool, merchantId: bigint, search: string): Promise<boolean> {
  const values: unknown[] = [merchantId]
  const counts = termsOf(search, (value) => `$${values.push(value)}`).map(
    (term) => `(select count(*) from (${idsOf(term)} limit ${COMMON + 1}) f)`,
  )
  const { rows } = await pool.query<{ common: boolean }>(
    `select greatest(${counts.join(', ')}) > ${COMMON} as common`,
    values,
  )
  return rows[0]?.common === true
}

/** Terms that find customers by a typed text, each by its index. */
function termsOf(search: string, param: (value: unknown) => string): Term[] {
  const text = search.trim()
  const terms: Term[] = []
  const customer = (condition: string): void => void terms.push({ of: 'customers', condition })
  const whole = param(text)
  customer(`reference <> '' and reference = ${whole}`)
  if (/^[0-9]{1,18}$/.test(text)) {
    customer(`id = ${param(BigInt(text))}`)
    if (text.length === 4)
      terms.push({
        of: 'payment_methods',
        condition: `last4 = ${whole}::char(4) and removed_at is null`,
      })
    return terms
  }
  const lower = text.toLowerCase()
  if (lower.includes('@')) {
    customer(`email <> '' and lower(email) = ${param(lower)}`)
    return terms
  }
  const byName = (name: string, rest = ''): void =>
    customer(
      `last_name <> '' and lower(last_name || ' ' || first_name) like ${param(prefix(name))}${rest}`,
    )
  const words = lower.split(/[\s,]+/).filter((word) => word !== '')
  const [head = '', ...tail] = words
  byName(words.join(' '))
  customer(
    `first_name <> '' and lower(first_name || ' ' || last_name) like ${param(prefix(words.join(' ')))}`,
  )
  // Of several words the first may be the first name; the last name may have several.
  if (tail.length > 0) byName(tail.join(' '), ` and lower(first_name) like ${param(prefix(head))}`)
  return terms
}

function prefix(text: string): string {
  return `${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

async function describe(
  pool: pg.Pool,
  merchantId: bigint,
  ids: readonly string[],
): Promise<CustomerRow[]> {
  if (ids.length === 0) return []
  const { rows } = await pool.query<Row>(
    `select c.id, c.mode, c.reference, c.first_name, c.last_name, c.email, c.created_at,
            (select count(*)::int from payment_methods p
              where p.customer_id = c.id and p.removed_at is null) as cards,
            card.brand, card.last4,
            (select count(*)::int from memberships m where m.customer_id = c.id and m.over_at is null) as memberships,
            (select max(o.created_at) from orders o where o.customer_id = c.id) as last_order_at
       from unnest($2::bigint[]) with ordinality as w (id, n)
       join customers c on c.id = w.id and c.merchant_id = $1
       left join lateral (
         select p.brand, p.last4 from payment_methods p
          where p.customer_id = c.id and p.removed_at is null order by p.last_used_at desc, p.id desc limit 1) card on true
      order by w.n`,
    [merchantId, ids],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    mode: row.mode,
    reference: row.reference,
    name: customerName(row),
    email: row.email,
    createdAt: row.created_at,
    cards: row.cards,
    latestCard: row.last4 === null ? null : { brand: row.brand ?? '', last4: row.last4 },
    memberships: row.memberships,
    lastOrderAt: row.last_order_at,
  }))
}

/** First name first; empty where neither is known. */
export function customerName({
  first_name: first,
  last_name: last,
}: {
  first_name: string
  last_name: string
}): string {
  return `${first} ${last}`.trim()
}
