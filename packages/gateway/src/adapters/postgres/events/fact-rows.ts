import type pg from 'pg'
import type { MembershipFacts } from '../../../domain/events/membership-event.ts'
import type { OrderFacts, TransactionFacts } from '../../../domain/events/order-facts.ts'
import { storedCurrency } from '../connection/stored-currency.ts'
import { NAMES_COLUMNS, NAMES_JOINS, namesOf, type NamesRow } from './order-names.ts'

type Client = Pick<pg.ClientBase, 'query'>

interface OrderRow extends NamesRow {
  readonly merchant_id: string
}

const ORDER_COLUMNS = `o.merchant_id, ${NAMES_COLUMNS}`

/** The transactions with these ids, which are concluded. */
export async function readTransactions(
  client: Client,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TransactionFacts & { readonly authentication: string }>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<
    OrderRow & {
      id: string
      request_id: string
      kind: TransactionFacts['kind']
      state: TransactionFacts['state']
      amount_minor: string
      value_minor: string
      service_code: number
      processor_code: string
      industry_code: string
      response_code: string
      avs_code: string
      cvv_code: string
      origin: TransactionFacts['origin']
      concluded_at: Date
      expires_at: Date | null
      eci: string
      authentication: string
      portal_user_id: string | null
    }
  >({
    name: 'transactions of events',
    text: `select t.id, t.request_id, t.kind, t.state, t.amount_minor, t.value_minor,
                  t.service_code,
                  t.processor_code, t.industry_code, t.response_code, t.avs_code, t.cvv_code,
                  t.origin, t.concluded_at,
                  case when t.state = 'approved' then o.expires_at end as expires_at,
                  coalesce(a.eci, '') as eci,
                  coalesce(a.result_status, a.trans_status, '') as authentication,
                  case when t.origin = 'portal' then
                    (select u.portal_user_id from portal_operations u
                      where u.order_id = t.order_id and u.request_id = t.request_id)
                  end as portal_user_id, ${ORDER_COLUMNS}
             from transactions t
             join orders o on o.id = t.order_id ${NAMES_JOINS}
             left join three_ds_authentications a on a.transaction_id = t.id
            where t.id = any($1::bigint[])`,
    values: [ids],
  })
  return new Map(
    rows.map((row) => [
      row.id,
      {
        ...orderFacts(row),
        transactionId: row.id,
        requestId: row.request_id,
        kind: row.kind,
        state: row.state,
        origin: row.origin,
        actor: row.portal_user_id === null ? null : { type: 'portal_user', id: row.portal_user_id },
        requestedMinor: BigInt(row.amount_minor),
        valueMinor: BigInt(row.value_minor),
        codes: {
          service: row.service_code,
          processor: row.processor_code,
          industry: row.industry_code,
          response: row.response_code,
        },
        avs: row.avs_code,
        cvv: row.cvv_code,
        eci: row.eci,
        authentication: row.authentication,
        expiresAt: row.expires_at,
        at: row.concluded_at,
        sums: null,
      },
    ]),
  )
}

/** The orders with these ids, with the time at which their authorization expires. */
export async function readOrders(
  client: Client,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OrderFacts & { readonly expiresAt: Date | null }>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<OrderRow & { expires_at: Date | null }>({
    name: 'orders of events',
    text: `select o.expires_at, ${ORDER_COLUMNS} from orders o ${NAMES_JOINS}
            where o.id = any($1::bigint[])`,
    values: [ids],
  })
  return new Map(
    rows.map((row) => [row.order_id, { ...orderFacts(row), expiresAt: row.expires_at }]),
  )
}

/** The memberships with these ids. */
export async function readMemberships(
  client: Client,
  ids: readonly string[],
): Promise<ReadonlyMap<string, MembershipFacts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<{
    id: string
    merchant_id: string
    site_id: string
    mode: 'test' | 'live'
    currency: string
    customer_id: string
    customer_reference: string
    reference: string
    order_id: string
    payment_method_id: string
  }>({
    name: 'memberships of events',
    text: `select m.id, m.merchant_id, m.site_id, m.mode, m.currency, m.customer_id,
                  c.reference as customer_reference, o.membership_reference as reference,
                  o.id as order_id, o.payment_method_id
             from memberships m
             join orders o on o.id = m.order_id
             join customers c on c.id = m.customer_id
            where m.id = any($1::bigint[])`,
    values: [ids],
  })
  return new Map(
    rows.map((row) => [
      row.id,
      {
        membershipId: row.id,
        merchantId: row.merchant_id,
        siteId: row.site_id,
        mode: row.mode,
        currency: storedCurrency(row.currency),
        customerId: row.customer_id,
        customerReference: row.customer_reference,
        reference: row.reference,
        orderId: row.order_id,
        cardId: row.payment_method_id,
      },
    ]),
  )
}

function orderFacts(row: OrderRow): OrderFacts {
  return { ...namesOf(row), merchantId: row.merchant_id }
}
