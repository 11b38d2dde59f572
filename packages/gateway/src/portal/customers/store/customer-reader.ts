import type pg from 'pg'
import { loggedCardNumber } from '../../../adapters/postgres/audit/logged-parameters.ts'
import type { MembershipState } from '../../../domain/memberships/membership.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type {
  SavedCardView,
  CustomerMembership,
  CustomerOrder,
  CustomerView,
  SimilarCustomer,
} from '../usecases/customers.ts'
import { customerName } from './customer-search.ts'
import { contactOf, type ContactRow } from './stored-contact.ts'

interface CustomerHead extends ContactRow {
  readonly id: string
  readonly mode: Mode
  readonly reference: string
  readonly login: string
  readonly others: Readonly<Record<string, string>>
  readonly created_at: Date
  readonly erased_at: Date | null
}

const ORDERS_SHOWN = 10
const SIMILAR_SHOWN = 20
/** Test cards and test addresses are shared by millions. */
const SIMILAR_COMPARED = 1_000

/** A customer with all that belongs to it; null where the merchant has none of that id. */
export async function readCustomer(
  pool: pg.Pool,
  merchantId: bigint,
  id: bigint,
): Promise<CustomerView | null> {
  const { rows } = await pool.query<CustomerHead>(
    `select c.*, e.at as erased_at from customers c
       left join customer_erasures e on e.customer_id = c.id
      where c.id = $1 and c.merchant_id = $2`,
    [id, merchantId],
  )
  const [row] = rows
  if (row === undefined) return null
  const [cards, orders, memberships, similar] = await Promise.all([
    readCards(pool, id),
    readOrders(pool, id),
    readMemberships(pool, id),
    readSimilar(pool, merchantId, row),
  ])
  return {
    id,
    mode: row.mode,
    reference: row.reference,
    login: row.login,
    createdAt: row.created_at,
    erasedAt: row.erased_at,
    contact: contactOf(row),
    others: row.others,
    cards,
    orders,
    memberships,
    similar,
  }
}

interface CardRow {
  readonly id: string
  readonly mode: Mode
  readonly brand: string
  readonly last4: string
  readonly expiry_month: number | null
  readonly expiry_year: number | null
  readonly expires: SavedCardView['expires']
  readonly reference: string
  readonly created_at: Date
  readonly last_used_at: Date
  readonly update_description: string
  readonly updated_on: string | null
  readonly removed_at: Date | null
  readonly memberships: number
  readonly sent: string | null
}

/**
 * The request log keeps a number as its first six and last four digits; the account updater may
 * have changed it since.
 */
const CUT_NUMBER = /^([0-9]{6})[^0-9]+([0-9]{4})$/

async function readCards(pool: pg.Pool, customerId: bigint): Promise<SavedCardView[]> {
  const { rows } = await pool.query<CardRow>(
    `select p.id, p.mode, p.brand, p.last4, p.expiry_month, p.expiry_year, p.reference, p.created_at, p.last_used_at,
            p.update_description, p.updated_on::text as updated_on, p.removed_at,
            case when p.expiry_year is null or p.expiry_month is null then 'unknown'
                 when e.over <= t.now then 'past'
                 when e.over <= t.now + interval '60 days' then 'soon' else 'later' end as expires,
            (select count(*)::int from memberships m where m.payment_method_id = p.id and m.over_at is null) as memberships,
            r.sent
       from payment_methods p
       left join lateral (
         select o.site_id, x.request_id from orders o join transactions x
             on x.order_id = o.id and x.kind in ('authorization', 'sale', 'refund')
          where o.customer_id = p.customer_id and o.payment_method_id = p.id
          order by o.created_at, x.id limit 1) first on true
       left join lateral (select ${loggedCardNumber('r')} as sent from requests r where r.id = first.request_id) r on true
       cross join lateral (
         select make_timestamptz(p.expiry_year, p.expiry_month, 1, 0, 0, 0, 'UTC') + interval '1 month' as over) e
       cross join lateral (select coalesce(site_time(first.site_id, now()), now()) as now) t
      where p.customer_id = $1
      order by p.removed_at nulls first, p.last_used_at desc, p.id desc`,
    [customerId],
  )
  return rows.map((row) => {
    const [, bin = '', end] = CUT_NUMBER.exec(row.sent ?? '') ?? []
    return {
      id: BigInt(row.id),
      mode: row.mode,
      brand: row.brand,
      bin: end === row.last4 ? bin : '',
      last4: row.last4,
      expiry:
        row.expiry_month === null || row.expiry_year === null
          ? null
          : { month: row.expiry_month, year: row.expiry_year },
      expires: row.expires,
      reference: row.reference,
      firstUsedAt: row.created_at,
      lastUsedAt: row.last_used_at,
      update:
        row.update_description === ''
          ? null
          : { description: row.update_description, on: row.updated_on },
      removedAt: row.removed_at,
      memberships: row.memberships,
    }
  })
}

interface OrderRow {
  readonly id: string
  readonly site_id: string
  readonly reference: string
  readonly kind: 'payment' | 'unreferenced_credit'
  readonly state: string
  readonly requested_minor: string
  readonly authorized_minor: string
  readonly captured_minor: string
  readonly refunded_minor: string
  readonly currency: string
  readonly created_at: Date
}

async function readOrders(pool: pg.Pool, customerId: bigint): Promise<CustomerOrder[]> {
  const { rows } = await pool.query<OrderRow>(
    `select id, site_id, reference, kind, state, requested_minor, authorized_minor, captured_minor, refunded_minor,
            currency, created_at
       from orders where customer_id = $1 order by created_at desc limit ${ORDERS_SHOWN}`,
    [customerId],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    siteId: BigInt(row.site_id),
    reference: row.reference,
    kind: row.kind,
    state: row.state,
    requestedMinor: BigInt(row.requested_minor),
    authorizedMinor: BigInt(row.authorized_minor),
    capturedMinor: BigInt(row.captured_minor),
    refundedMinor: BigInt(row.refunded_minor),
    currency: row.currency,
    createdAt: row.created_at,
  }))
}

async function readMemberships(pool: pg.Pool, customerId: bigint): Promise<CustomerMembership[]> {
  const { rows } = await pool.query<{
    id: string
    state: MembershipState
    product: string
    name: string | null
    next_at: Date | null
  }>(
    `select m.id, m.state, m.product, p.name, m.next_at
       from memberships m left join products p on p.site_id = m.site_id and p.code = m.product
      where m.customer_id = $1 order by m.over_at nulls first, m.id desc limit 100`,
    [customerId],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    state: row.state,
    product: row.product,
    productName: row.name ?? '',
    nextAt: row.next_at,
  }))
}

async function readSimilar(
  pool: pg.Pool,
  merchantId: bigint,
  { id, mode, email }: CustomerHead,
): Promise<SimilarCustomer[]> {
  // The last four digits lead to the cards whose fingerprints are compared: few of live cards.
  const { rows } = await pool.query<{
    id: string
    first_name: string
    last_name: string
    email: string
    because: ('card' | 'email')[]
  }>(
    `select c.id, c.first_name, c.last_name, c.email, s.because
       from (select id, array_agg(distinct because) as because
               from (select other.customer_id as id, 'card' as because
                       from payment_methods own
                      cross join lateral (
                            select customer_id, fingerprint, mode, removed_at from payment_methods
                             where merchant_id = own.merchant_id and last4 = own.last4
                             limit ${SIMILAR_COMPARED}) other
                      where own.customer_id = $2 and other.customer_id <> $2
                        and other.fingerprint = own.fingerprint and other.mode = own.mode
                        and own.removed_at is null and other.removed_at is null
                      union all
                     (select id, 'email' from customers
                       where merchant_id = $1 and email <> '' and lower(email) = lower($4)
                         and id <> $2
                       limit ${SIMILAR_COMPARED})) found
              group by id) s
      -- Each by its key: a join would read all customers.
      cross join lateral (
            select * from customers c
             where c.id = s.id and c.merchant_id = $1 and c.mode = $3 offset 0) c
      order by c.id desc limit ${SIMILAR_SHOWN}`,
    [merchantId, id, mode, email],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    name: customerName(row),
    email: row.email,
    because: row.because,
  }))
}
