import type pg from 'pg'
import type { PaymentStore, SavedCard } from '../../../usecases/payments/payment-store.ts'
import { defineColumns } from '../connection/columns.ts'
import { createGroupLane } from '../connection/group-lane.ts'

interface SavedCardRow {
  readonly customer_id: string
  readonly customer_reference: string
  readonly billing: Readonly<Record<string, string>>
  readonly is_erased: true | null
  readonly id: string | null
  readonly brand: string
  readonly last4: string
  readonly expiry_month: number | null
  readonly expiry_year: number | null
  readonly reference: string
  readonly fingerprint: Buffer
  readonly pan_ciphertext: Buffer
  readonly update_description: string
  readonly updated_on: string | null
}

/**
 * Customers and their cards belong to a merchant and to a mode, which they never leave. An erasure
 * is a column and no condition, and a value and no `exists`: the planner can only look up a key.
 */
const COLUMNS = `
       c.id as customer_id, c.reference as customer_reference, c.billing,
       (select true from customer_erasures e where e.customer_id = c.id) as is_erased,
       p.id, p.brand, p.last4, p.expiry_month, p.expiry_year, p.reference, p.fingerprint,
       p.pan_ciphertext, p.update_description, p.updated_on::text as updated_on`

const FIND = `
select ${COLUMNS}
  from customers c
  left join lateral (
    select * from payment_methods p
     where p.customer_id = c.id and p.mode = c.mode and p.removed_at is null
       and ($4::text is null or p.reference = $4)
       and ($5::text is null or p.last4 = $5)
       and ($6::text is null or p.fingerprint = decode($6, 'hex'))
     order by p.last_used_at desc, p.id desc
     limit 1) p on true
 where c.id = $1 and c.merchant_id = $2 and c.mode = $3`

/** Reads of customers and their cards, and the uniqueness of their login names. */
export function createSavedCards(
  pool: pg.Pool,
): Pick<PaymentStore, 'findSavedCard' | 'findCustomerOfLogin' | 'claimLogin' | 'releaseLogin'> {
  const readings = createGroupLane<NamedCard, SavedCardRow | undefined>({
    groupSize: READ_AT_ONCE,
    limit: Infinity,
    write: (cards) => readNamed(pool, cards),
  })
  return {
    async findSavedCard(merchantId, mode, customerId, selector) {
      if (selector.by === 'id') {
        return found(await readings.submit({ merchantId, mode, customerId, cardId: selector.id }))
      }
      const { rows } = await pool.query<SavedCardRow>({
        name: 'find saved card',
        text: FIND,
        values: [
          customerId,
          merchantId,
          mode,
          selector.by === 'reference' ? selector.reference : null,
          selector.by === 'last4' ? selector.last4 : null,
          selector.by === 'fingerprint' ? selector.fingerprint : null,
        ],
      })
      return found(rows[0])
    },

    async findCustomerOfLogin(site, login, reference) {
      const { rows } = await pool.query<{ id: string }>({
        name: 'find customer of login',
        text: `select c.id from customer_logins l join customers c on c.id = l.customer_id
                where l.site_id = $1 and l.mode = $2 and l.login = $3 and c.reference = $4`,
        values: [site.id, site.mode, login, reference],
      })
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },

    async claimLogin(site, login, customerId, at) {
      // A claim whose customer was never written belonged to a request that died; it lapses.
      const { rowCount } = await pool.query({
        name: 'claim login',
        text: `insert into customer_logins as l (site_id, login, mode, customer_id, claimed_at)
         values ($1, $2, $3, $4, $5)
         on conflict (site_id, login, mode) do update
           set customer_id = excluded.customer_id, claimed_at = excluded.claimed_at
           where l.claimed_at < excluded.claimed_at - interval '2 minutes'
             and not exists (select from customers c where c.id = l.customer_id)`,
        values: [site.id, login, site.mode, customerId, at],
      })
      return rowCount === 1
    },

    async releaseLogin(site, login, customerId) {
      await pool.query({
        name: 'release login',
        text: `delete from customer_logins
          where site_id = $1 and login = $2 and mode = $3 and customer_id = $4`,
        values: [site.id, login, site.mode, customerId],
      })
    },
  }
}

/** Cards that are named by their ids and asked for together are read together. */
const READ_AT_ONCE = 64

interface NamedCard {
  readonly merchantId: bigint
  readonly mode: string
  readonly customerId: bigint
  readonly cardId: bigint
}

const namedColumns = defineColumns({
  customer_id: 'bigint',
  merchant_id: 'bigint',
  mode: 'text',
  card_id: 'bigint',
})
const named = namedColumns.cells(1)

async function readNamed(
  pool: pg.Pool,
  cards: readonly NamedCard[],
): Promise<(SavedCardRow | undefined)[]> {
  const { rows } = await pool.query<SavedCardRow & { readonly n: number }>({
    name: 'find named cards',
    text: `select n, ${COLUMNS}
             from ${namedColumns.rowNumbers(1)} n
             join customers c on c.id = ${named.customer_id} and c.merchant_id = ${named.merchant_id}
                             and c.mode = ${named.mode}
             left join payment_methods p on p.id = ${named.card_id} and p.customer_id = c.id
                                        and p.mode = c.mode and p.removed_at is null`,
    values: namedColumns.values(
      cards.map(({ merchantId, mode, customerId, cardId }) => ({
        customer_id: customerId,
        merchant_id: merchantId,
        mode,
        card_id: cardId,
      })),
    ),
  })
  const byNumber = new Map(rows.map((row) => [row.n, row]))
  return cards.map((_, at) => byNumber.get(at + 1))
}

function found(row: SavedCardRow | undefined): Awaited<ReturnType<PaymentStore['findSavedCard']>> {
  if (row === undefined || row.is_erased === true) return null
  const customer = {
    customerId: BigInt(row.customer_id),
    customerReference: row.customer_reference,
    billing: row.billing,
  }
  if (row.id === null) return { ...customer, paymentMethodId: null }
  return { ...customer, ...savedCard(row, BigInt(row.id)) }
}

function savedCard(
  row: SavedCardRow,
  paymentMethodId: bigint,
): Omit<SavedCard, 'customerId' | 'customerReference' | 'billing'> {
  return {
    paymentMethodId,
    brand: row.brand,
    last4: row.last4,
    expiryMonth: row.expiry_month,
    expiryYear: row.expiry_year,
    reference: row.reference,
    fingerprint: row.fingerprint.toString('hex'),
    ciphertext: row.pan_ciphertext,
    update:
      row.update_description === ''
        ? null
        : { on: row.updated_on ?? '', description: row.update_description },
  }
}
