import type pg from 'pg'
import { obstacles } from '../../../domain/retention/customer-retention.ts'
import type {
  CustomerErasure,
  CustomerErasureStore,
  ErasurePreview,
  ErasureRequester,
} from '../../../usecases/retention/retention-store.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { isInquiry } from '../audit/logged-parameters.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'
import { recordRemovedCards } from '../events/card-facts.ts'
import { lockCustomers, readCustomerFacts, SERIES_MARKS } from './customer-facts.ts'

/**
 * Each takes the ids of the customers. Orders, lines, transactions and postings stay.
 * A fingerprint becomes random: it could show that two customers had one card.
 */
const ERASURES: readonly string[] = [
  `update payment_methods
      set pan_ciphertext = null, data_key_id = null, removed_at = coalesce(removed_at, now()),
          fingerprint = sha256(uuid_send(gen_random_uuid())),
          expiry_month = null, expiry_year = null,
          reference = '', update_description = '', updated_on = null
    where customer_id = any($1::bigint[])`,
  `delete from customer_logins l using customers c, sites s
    where c.id = any($1::bigint[]) and s.merchant_id = c.merchant_id and l.site_id = s.id
      and l.login = c.login and l.mode = c.mode and l.customer_id = c.id`,
  `update orders o
      set extras = (select coalesce(json_object_agg(e.key, e.value), '{}')
                      from json_each(o.extras) e where e.key in ${SERIES_MARKS})
    where customer_id = any($1::bigint[]) and extras::text <> '{}'`,
  `delete from requests where id in (
     select t.request_id from orders o join transactions t on t.order_id = o.id
      where o.customer_id = any($1::bigint[]))`,
  `delete from requests r using orders o
    where o.customer_id = any($1::bigint[]) and r.order_id = o.id
      and ${isInquiry('r')}`,
  `delete from three_ds_messages where server_trans_id in (
     select a.server_trans_id from orders o join transactions t on t.order_id = o.id
       join three_ds_authentications a on a.transaction_id = t.id
      where o.customer_id = any($1::bigint[]))`,
  `update three_ds_authentications a
      set fingerprint = sha256(uuid_send(gen_random_uuid())),
          cardholder_info = '', merchant_data = ''
     from orders o join transactions t on t.order_id = o.id
    where o.customer_id = any($1::bigint[]) and a.transaction_id = t.id`,
  `delete from mail_messages where customer_id = any($1::bigint[])`,
  `update customers
      set reference = '', first_name = '', last_name = '', email = '', phone = '', login = '',
          billing = '{}', shipping = '{}', others = '{}'
    where id = any($1::bigint[])`,
]

/** Within a transaction of the caller, which holds the locks of these customers. */
export async function eraseCustomers(
  client: pg.ClientBase,
  ids: readonly string[],
  actor: string,
): Promise<void> {
  const removal = { reason: 'customer_erased', by: actor } as const
  await recordRemovedCards(client, { customers: ids }, removal)
  for (const erasure of ERASURES) await client.query(erasure, [ids])
  await client.query(
    `insert into customer_erasures (customer_id, merchant_id, actor)
     select id, merchant_id, $2 from customers where id = any($1::bigint[])`,
    [ids, actor],
  )
}

export function createCustomerErasureStore(pool: pg.Pool): CustomerErasureStore {
  return {
    async erase(customerId, now, requester) {
      // A refusal has written nothing, so it is committed like the rest.
      const { erasure } = await inTransaction(pool, AUDITED, async (client) => ({
        erasure: await eraseOne(client, customerId.toString(), now, requester),
      }))
      return erasure
    },

    async preview(merchantId, customerId, now) {
      const id = customerId.toString()
      if (!(await isThere(pool, id, merchantId))) return null
      const [facts] = await readCustomerFacts(pool, [id], now)
      if (facts === undefined) return null
      return {
        isErased: facts.isErased,
        obstacles: obstacles(facts),
        cards: await countCards(pool, id),
        orders: facts.orders,
        refundable: await readRefundable(pool, id),
      }
    },
  }
}

async function eraseOne(
  client: pg.ClientBase,
  id: string,
  now: Date,
  { merchantId, ...author }: ErasureRequester,
): Promise<CustomerErasure> {
  if (!(await isThere(client, id, merchantId))) return { kind: 'missing' }
  if ((await lockCustomers(client, [id])).length === 0) return { kind: 'busy' }
  const [facts] = await readCustomerFacts(client, [id], now)
  if (facts === undefined) return { kind: 'missing' }
  if (facts.isErased) return { kind: 'erased_before' }
  const sentences = obstacles(facts)
  if (sentences.length > 0) return { kind: 'refused', obstacles: sentences }
  const cards = await countCards(client, id)
  await eraseCustomers(client, [id], author.actor)
  await appendAudit(client, [
    {
      ...author,
      operation: 'customer.erased',
      object: `customer ${id}`,
      merchantId: BigInt(facts.merchantId),
      result: 'done',
      details: { orders: facts.orders, cards },
    },
  ])
  return { kind: 'done', cards }
}

/** @param merchantId null: of any merchant */
async function isThere(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  id: string,
  merchantId: bigint | null,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from customers where id = $1 and merchant_id = coalesce($2, merchant_id)',
    [id, merchantId],
  )
  return rowCount === 1
}

async function countCards(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  id: string,
): Promise<number> {
  const { rows } = await client.query<{ cards: number }>(
    `select count(*)::int as cards from payment_methods
      where customer_id = $1 and removed_at is null`,
    [id],
  )
  return rows[0]?.cards ?? 0
}

/** Captures on cards whose numbers are there: a refund needs the number. */
async function readRefundable(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  id: string,
): Promise<ErasurePreview['refundable']> {
  const { rows } = await client.query<{ currency: string; minor: string; orders: number }>(
    `select o.currency, sum(o.captured_minor - o.refunded_minor) as minor, count(*)::int as orders
       from orders o join payment_methods p on p.id = o.payment_method_id
      where o.customer_id = $1 and o.kind = 'payment' and o.captured_minor > o.refunded_minor
        and p.removed_at is null
      group by o.currency order by o.currency`,
    [id],
  )
  return rows.map(({ currency, minor, orders }) => ({ currency, minor: BigInt(minor), orders }))
}
