import type pg from 'pg'
import type { PaymentStore, SavedCard } from '../../usecases/payment-store.ts'

interface SavedCardRow {
  readonly customer_id: string
  readonly customer_reference: string
  readonly billing: Readonly<Record<string, string>>
  readonly id: string | null
  readonly brand: string
  readonly last4: string
  readonly expiry_month: number | null
  readonly expiry_year: number | null
  readonly reference: string
  readonly fingerprint: Buffer
  readonly pan_ciphertext: Buffer
}

/** Customers and their cards belong to a merchant and to a mode, which they never leave. */
const FIND = `
select c.id as customer_id, c.reference as customer_reference, c.billing,
       p.id, p.brand, p.last4, p.expiry_month, p.expiry_year, p.reference, p.fingerprint,
       p.pan_ciphertext
  from customers c
  left join lateral (
    select * from payment_methods p
     where p.customer_id = c.id and p.mode = c.mode
       and ($4::bigint is null or p.id = $4)
       and ($5::text is null or p.reference = $5)
       and ($6::text is null or p.last4 = $6)
       and ($7::text is null or p.fingerprint = decode($7, 'hex'))
     order by p.last_used_at desc, p.id desc
     limit 1) p on true
 where c.id = $1 and c.merchant_id = $2 and c.mode = $3`

/** Reads of customers and their cards, and the uniqueness of their login names. */
export function createSavedCards(
  pool: pg.Pool,
): Pick<PaymentStore, 'findSavedCard' | 'claimLogin' | 'releaseLogin'> {
  return {
    async findSavedCard(merchantId, mode, customerId, selector) {
      const { rows } = await pool.query<SavedCardRow>({
        name: 'find saved card',
        text: FIND,
        values: [
          customerId,
          merchantId,
          mode,
          selector.by === 'id' ? selector.id : null,
          selector.by === 'reference' ? selector.reference : null,
          selector.by === 'last4' ? selector.last4 : null,
          selector.by === 'fingerprint' ? selector.fingerprint : null,
        ],
      })
      const row = rows[0]
      if (row === undefined) return null
      const customer = {
        customerId: BigInt(row.customer_id),
        customerReference: row.customer_reference,
        billing: row.billing,
      }
      if (row.id === null) return { ...customer, paymentMethodId: null }
      return { ...customer, ...savedCard(row, BigInt(row.id)) }
    },

    async claimLogin(site, login, customerId, at) {
      // A claim whose customer was never written belonged to a request that died; it lapses.
      const { rowCount } = await pool.query(
        `insert into customer_logins as l (site_id, login, mode, customer_id, claimed_at)
         values ($1, $2, $3, $4, $5)
         on conflict (site_id, login, mode) do update
           set customer_id = excluded.customer_id, claimed_at = excluded.claimed_at
           where l.claimed_at < excluded.claimed_at - interval '2 minutes'
             and not exists (select from customers c where c.id = l.customer_id)`,
        [site.id, login, site.mode, customerId, at],
      )
      return rowCount === 1
    },

    async releaseLogin(site, login, customerId) {
      await pool.query(
        `delete from customer_logins
          where site_id = $1 and login = $2 and mode = $3 and customer_id = $4`,
        [site.id, login, site.mode, customerId],
      )
    },
  }
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
  }
}
