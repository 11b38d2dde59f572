import type pg from 'pg'
import type { MembershipClaim } from '../../../usecases/memberships/membership-claim.ts'

/**
 * Takes the products for the customer, in the sequence of their names, so that two sales cannot
 * wait for each other. A sale that no longer runs gives its products up. One that this statement
 * does not see yet holds them.
 */
const CLAIM = `
insert into membership_claims as c
       (site_id, mode, customer_id, product, merchant_id, transaction_id, claimed_at)
select $1, $2, $3, p.product, $5, $6, $7
  from (select product from unnest($4::text[]) as p (product) order by product) p
on conflict (site_id, mode, customer_id, product) do update
   set transaction_id = excluded.transaction_id, claimed_at = excluded.claimed_at
 where c.transaction_id = excluded.transaction_id
    or exists (select from transactions t
                where t.id = c.transaction_id and t.state not in ('running', 'pending'))`

/** Memberships that block a sale of their product, or of the product that they change to. */
const HAS_ONE = `
select exists (
  select from memberships
   where customer_id = $1 and site_id = $2 and mode = $3
     and state in ('active', 'past_due')
     and (product = any($4::text[]) or next_product = any($4::text[]))) as has`

/** Whether the customer has a membership of one of the products that goes on. */
export async function hasMembershipOf(
  on: pg.Pool | pg.ClientBase,
  of: Pick<MembershipClaim, 'customerId' | 'siteId' | 'mode' | 'products'>,
): Promise<boolean> {
  const { rows } = await on.query<{ has: boolean }>({
    name: 'has membership',
    text: HAS_ONE,
    values: [of.customerId, of.siteId, of.mode, of.products],
  })
  return rows[0]?.has === true
}

/**
 * Takes the products of the memberships that a payment sells, in the transaction that takes the
 * payment to running. Memberships are read after the claims are taken: the sale that held one
 * before may have started a membership meanwhile. Call it before the order's reference is claimed,
 * so that every payment takes its locks in one sequence.
 * @returns false if another sale holds one of them, or the customer has a membership of one
 */
export async function takeMemberships(
  client: pg.ClientBase,
  transactionId: bigint,
  { at, customerId, merchantId, mode, products, siteId }: MembershipClaim,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'claim memberships',
    text: CLAIM,
    values: [siteId, mode, customerId, products, merchantId, transactionId, at],
  })
  if (rowCount !== products.length) return false
  return !(await hasMembershipOf(client, { customerId, siteId, mode, products }))
}
