import type pg from 'pg'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { CustomerFilter, CustomerList, CustomerRow } from '../usecases/customers.ts'

/**
 * How many customers one page looks through for those that a filter shows. Rare ones are found over
 * several pages, each as fast as the first.
 */
const LOOKED_AT = 2_000

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
  const values: unknown[] = [filter.merchantId, filter.before, LOOKED_AT]
  const param = (value: unknown): string => `$${values.push(value)}`
  const found = filter.search === null ? null : termsOf(filter.search, param)
  const from =
    found === null
      ? `select id from customers where merchant_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`
      : `select id from (${found.join(' union ')}) f
          where $2::bigint is null or id < $2 order by id desc limit $3`
  const conditions = [
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
  const { rows: walked } = await pool.query<{ id: string; shown: boolean }>(
    `select c.id, ${conditions.length === 0 ? 'true' : conditions.join(' and ')} as shown
       from (${from}) w join customers c on c.id = w.id and c.merchant_id = $1
      order by c.id desc`,
    values,
  )
  const shown = walked.filter((row) => row.shown).slice(0, limit)
  const isFull = shown.length === limit
  const last = isFull ? shown.at(-1) : walked.at(-1)
  const goesOn = isFull
    ? walked.at(-1)?.id !== last?.id || walked.length === LOOKED_AT
    : walked.length === LOOKED_AT
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

/** Statements that find customers by a typed text, each by its index. */
function termsOf(search: string, param: (value: unknown) => string): string[] {
  const text = search.trim()
  const whole = param(text)
  const terms = [
    `select id from customers where merchant_id = $1 and reference <> '' and reference = ${whole}`,
  ]
  if (/^[0-9]{1,18}$/.test(text)) {
    terms.push(`select id from customers where merchant_id = $1 and id = ${param(BigInt(text))}`)
    if (text.length === 4) {
      terms.push(
        `select customer_id as id from payment_methods where merchant_id = $1 and last4 = ${whole}::char(4) and removed_at is null`,
      )
    }
    return terms
  }
  const lower = text.toLowerCase()
  if (lower.includes('@')) {
    terms.push(
      `select id from customers where merchant_id = $1 and email <> '' and lower(email) = ${param(lower)}`,
    )
    return terms
  }
  const byName = (name: string, rest = ''): void => {
    terms.push(
      `select id from customers where merchant_id = $1 and last_name <> ''
          and lower(last_name || ' ' || first_name) like ${param(prefix(name))}${rest}`,
    )
  }
  const words = lower.split(/[\s,]+/).filter((word) => word !== '')
  const [head = '', ...tail] = words
  byName(words.join(' '))
  terms.push(
    `select id from customers where merchant_id = $1 and first_name <> ''
        and lower(first_name || ' ' || last_name) like ${param(prefix(words.join(' ')))}`,
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
