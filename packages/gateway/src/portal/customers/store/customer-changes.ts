import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import {
  AUDITED,
  inTransaction,
  isLockTimeout,
} from '../../../adapters/postgres/connection/transaction.ts'
import { recordRemovedCards } from '../../../adapters/postgres/events/card-facts.ts'
import type {
  CardRemoval,
  ContactChange,
  CustomerAddress,
  CustomerBook,
  CustomerContact,
  RemovalResult,
} from '../usecases/customers.ts'
import { readCustomer } from './customer-reader.ts'
import { searchCustomers } from './customer-search.ts'
import { contactOf, type ContactRow } from './stored-contact.ts'

/** Customers and their cards as the portal reads and changes them. */
export function createCustomerBook(pool: pg.Pool): CustomerBook {
  return {
    list: (filter, limit) => searchCustomers(pool, filter, limit),
    read: (merchantId, customerId) => readCustomer(pool, merchantId, customerId),

    async changeContact(requester, customerId, seen, wanted) {
      const { result } = await inTransaction(
        pool,
        AUDITED,
        async (client): Promise<{ ok: boolean; result: ContactChange }> => {
          const { rows } = await client.query<ContactRow>(
            `select first_name, last_name, email, phone, billing, shipping from customers
            where id = $1 and merchant_id = $2 for update`,
            [customerId, requester.merchantId],
          )
          const [row] = rows
          if (row === undefined) return { ok: false, result: { kind: 'not_found' } }
          const { rowCount: erasures } = await client.query(
            'select from customer_erasures where customer_id = $1',
            [customerId],
          )
          if (erasures === 1) return { ok: false, result: { kind: 'erased' } }
          const before = contactOf(row)
          if (isDeepStrictEqual(before, wanted))
            return { ok: false, result: { kind: 'done', contact: wanted } }
          if (!isDeepStrictEqual(before, seen))
            return { ok: false, result: { kind: 'changed', contact: before } }
          await client.query(
            `update customers set first_name = $2, last_name = $3, email = $4, phone = $5, billing = $6, shipping = $7
            where id = $1`,
            [
              customerId,
              wanted.firstName,
              wanted.lastName,
              wanted.email,
              wanted.phone,
              JSON.stringify(wanted.billing),
              JSON.stringify(wanted.shipping),
            ],
          )
          const changes = changesOf(before, wanted)
          await appendAudit(client, [
            {
              ...requester,
              operation: 'customer.changed',
              object: `customer ${customerId}`,
              result: 'done',
              details: {
                before: changes.map(({ name, before: was }) => `${name}: ${was}`),
                after: changes.map(({ name, after: is }) => `${name}: ${is}`),
              },
            },
          ])
          return { ok: true, result: { kind: 'done', contact: wanted } }
        },
      )
      return result
    },

    async readRemoval(merchantId, customerId, cardId) {
      const { rowCount } = await pool.query(
        'select from payment_methods where id = $1 and customer_id = $2 and merchant_id = $3',
        [cardId, customerId, merchantId],
      )
      return rowCount === 0 ? null : removalOf(pool, customerId, cardId)
    },

    async removeCard(requester, customerId, cardId) {
      try {
        const { result } = await inTransaction(
          pool,
          AUDITED,
          async (client): Promise<{ ok: boolean; result: RemovalResult }> => {
            // Captures, refunds and memberships are decided under these locks, payments under the
            // card's. None is waited for: a payment must never find itself waiting for a portal
            // user in a circle.
            await client.query(
              'select from orders where customer_id = $1 and payment_method_id = $2 and merchant_id = $3 order by id for update nowait',
              [customerId, cardId, requester.merchantId],
            )
            await client.query(
              'select from memberships where customer_id = $1 and merchant_id = $2 order by id for update nowait',
              [customerId, requester.merchantId],
            )
            const { rows } = await client.query<{
              removed_at: Date | null
              brand: string
              last4: string
            }>(
              `select removed_at, brand, last4 from payment_methods
              where id = $1 and customer_id = $2 and merchant_id = $3 for update nowait`,
              [cardId, customerId, requester.merchantId],
            )
            const [card] = rows
            if (card === undefined) return { ok: false, result: { kind: 'not_found' } }
            if (card.removed_at !== null) return { ok: false, result: { kind: 'done' } }
            const { standsAgainst } = await removalOf(client, customerId, cardId)
            if (standsAgainst.length > 0)
              return { ok: false, result: { kind: 'refused', reasons: standsAgainst } }
            const removal = { reason: 'staff', by: requester.actor } as const
            await recordRemovedCards(client, { card: cardId }, removal)
            await client.query(
              'update payment_methods set pan_ciphertext = null, data_key_id = null, removed_at = now() where id = $1',
              [cardId],
            )
            await appendAudit(client, [
              {
                ...requester,
                operation: 'card.removed',
                object: `payment method ${cardId}`,
                result: 'done',
                details: { customer: customerId.toString(), brand: card.brand, last4: card.last4 },
              },
            ])
            return { ok: true, result: { kind: 'done' } }
          },
        )
        return result
      } catch (error) {
        if (!isLockTimeout(error)) throw error
        return {
          kind: 'refused',
          reasons: ['Another operation is using the card. Try again.'],
        }
      }
    },
  }
}

interface StandRow {
  readonly running: number
  readonly open: number
  readonly queued: number
}

async function removalOf(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  customerId: bigint,
  cardId: bigint,
): Promise<CardRemoval> {
  const { rows: memberships } = await client.query<{ id: string }>(
    `select id from memberships
      where customer_id = $1 and (payment_method_id = $2 and over_at is null or charge_card_id = $2) order by id`,
    [customerId, cardId],
  )
  const { rows: stands } = await client.query<StandRow>(
    `select (count(*) filter (where o.state in ('running', 'pending')
                or exists (select from transactions t where t.order_id = o.id and t.state in ('running', 'pending'))))::int as running,
            (count(*) filter (where o.state = 'authorized' and o.released_at is null and not o.reversed_whole
                and o.authorized_minor > o.captured_minor + o.voided_minor))::int as open,
            (count(*) filter (where exists (
               select from advices a where a.order_id = o.id and a.state = 'queued')))::int as queued
       from orders o where o.customer_id = $1 and o.payment_method_id = $2`,
    [customerId, cardId],
  )
  const { rows: refundable } = await client.query<{
    currency: string
    minor: string
    orders: number
  }>(
    `select currency, sum(captured_minor - refunded_minor) as minor, count(*)::int as orders
       from orders
      where customer_id = $1 and payment_method_id = $2 and kind = 'payment' and captured_minor > refunded_minor
      group by currency order by currency`,
    [customerId, cardId],
  )
  const { running = 0, open = 0, queued = 0 } = stands[0] ?? {}
  return {
    standsAgainst: [
      ...memberships.map(
        ({ id }) => `Membership ${id} charges it. Cancel the membership or change its card.`,
      ),
      ...(running > 0 ? ['A payment with it is in progress. Wait for its outcome.'] : []),
      ...(open > 0 ? ['An authorization with it is open. Capture or void the authorization.'] : []),
      ...(queued > 0
        ? [
            'A message about a payment with it is not confirmed by the bank yet. Wait for the confirmation.',
          ]
        : []),
    ],
    refundable: refundable.map(({ currency, minor, orders }) => ({
      currency,
      minor: BigInt(minor),
      orders,
    })),
  }
}

interface Change {
  readonly name: string
  readonly before: string
  readonly after: string
}

function changesOf(before: CustomerContact, after: CustomerContact): Change[] {
  const { billing: _1, shipping: _2, ...plain } = before
  const parts = (name: 'billing' | 'shipping'): Change[] =>
    (Object.keys(before[name]) as (keyof CustomerAddress)[]).map((part) => ({
      name: `${name} ${part}`,
      before: before[name][part],
      after: after[name][part],
    }))
  return [
    ...(Object.keys(plain) as (keyof typeof plain)[]).map((name) => ({
      name,
      before: before[name],
      after: after[name],
    })),
    ...parts('billing'),
    ...parts('shipping'),
  ].filter((change) => change.before !== change.after)
}
