import type pg from 'pg'
import type { ReferencedOrder } from '../../../domain/payments/idempotency-key.ts'
import type {
  DeclinedClaim,
  NewClaim,
  ReferenceClaim,
} from '../../../domain/payments/reference-claim.ts'
import type { SiteInMode } from '../../../usecases/merchants/merchant-directory.ts'

/** The columns of a new claim, in the sequence in which `REPLACE` writes them. */
export const CLAIM_COLUMNS = `site_id, reference, mode, merchant_id, order_id, transaction_id,
     state, content, details, earlier, claimed_at, ended_at`

const REPLACE = `on conflict (site_id, reference, mode) do update
     set (order_id, transaction_id, state, content, details, earlier, claimed_at, ended_at) =
         (excluded.order_id, excluded.transaction_id, excluded.state, excluded.content,
          excluded.details, excluded.earlier, excluded.claimed_at, excluded.ended_at)
   where c.state = 'declined'`

/**
 * Ends an insert into `order_claims as c`. A declined payment gives the reference to the payment
 * that names it as its predecessor, and to no other.
 */
export const TAKE_OVER = `${REPLACE}
     and c.transaction_id = (excluded.earlier->0->>'transaction')::bigint`

type ClaimCell =
  | 'site_id'
  | 'reference'
  | 'mode'
  | 'merchant_id'
  | 'order_id'
  | 'transaction_id'
  | 'state'
  | 'claim_after'
  | 'claim_content'
  | 'at'

/** The references of the group `concluded`: kept, freed, or taken by an approval without claim. */
export function concludeClaims(o: Readonly<Record<ClaimCell, string>>): string {
  const held = `c.site_id = ${o.site_id} and c.reference = ${o.reference}
     and c.transaction_id = ${o.transaction_id}`
  return `freed_claims as (
  delete from order_claims c
   using concluded
   where ${o.claim_after} = 'free' and ${held}
), kept_claims as (
  update order_claims c set state = ${o.claim_after}, ended_at = ${o.at}
    from concluded
   where ${o.claim_after} in ('approved', 'declined') and ${held}
), late_claims as (
  insert into order_claims as c (${CLAIM_COLUMNS})
  select distinct on (${o.site_id}, ${o.reference}, ${o.mode})
         ${o.site_id}, ${o.reference}, ${o.mode}, ${o.merchant_id}, ${o.order_id},
         ${o.transaction_id}, 'approved', decode(${o.claim_content}, 'hex'), null, '[]',
         ${o.at}, ${o.at}
    from concluded
   where ${o.claim_content} is not null and ${o.claim_after} is null and ${o.state} = 'approved'
  ${REPLACE}
)`
}

/** Takes the reference of a written order for its transaction; false: another payment holds it. */
export async function claimReference(
  client: pg.ClientBase,
  of: { readonly order_id: string; readonly transaction_id: string },
  claim: NewClaim,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'claim reference',
    text: `insert into order_claims as c (${CLAIM_COLUMNS})
     select site_id, reference, mode, merchant_id, id, $2, 'running', decode($3, 'hex'),
            decode($4, 'hex'), $5, $6, null
       from orders where id = $1
     ${TAKE_OVER}`,
    values: [
      of.order_id,
      of.transaction_id,
      claim.content,
      claim.details,
      earlierText(claim.after),
      at,
    ],
  })
  return rowCount === 1
}

interface EarlierDecline {
  readonly transaction: string
  readonly details: string
  readonly at: string
}

/** The predecessors of a claim as JSON; the first is the one that it replaces. */
export function earlierText(declines: readonly DeclinedClaim[]): string {
  const earlier: readonly EarlierDecline[] = declines.map(
    ({ transactionId, details, endedAt }) => ({
      transaction: transactionId.toString(),
      details,
      at: endedAt.toISOString(),
    }),
  )
  return JSON.stringify(earlier)
}

/** The holder of a site's order reference; null: it is free. */
export async function findClaim(
  pool: pg.Pool,
  site: SiteInMode,
  reference: string,
): Promise<ReferenceClaim | null> {
  const { rows } = await pool.query<{
    state: ReferenceClaim['state']
    transaction_id: string
    content: Buffer
    details: Buffer | null
    ended_at: Date | null
    earlier: readonly EarlierDecline[]
  }>({
    name: 'find claim',
    text: `select state, transaction_id, content, details, ended_at, earlier from order_claims
            where site_id = $1 and reference = $2 and mode = $3`,
    values: [site.id, reference, site.mode],
  })
  const row = rows[0]
  if (row === undefined) return null
  const transactionId = BigInt(row.transaction_id)
  const details = row.details?.toString('hex') ?? ''
  const own =
    row.state === 'declined' && row.ended_at !== null
      ? [{ transactionId, details, endedAt: row.ended_at }]
      : []
  const before = row.earlier.map(({ transaction, details: theirs, at }) => ({
    transactionId: BigInt(transaction),
    details: theirs,
    endedAt: new Date(at),
  }))
  return {
    state: row.state,
    transactionId,
    content: row.content.toString('hex'),
    declines: [...own, ...before],
  }
}

/** The orders of a site's reference, the authorized ones first; two at most. */
export async function findReferenced(
  pool: pg.Pool,
  site: SiteInMode,
  reference: string,
): Promise<readonly ReferencedOrder[]> {
  const { rows } = await pool.query<{ id: string; authorized: boolean }>({
    name: 'orders of reference',
    text: `select id, state = 'authorized' as authorized from orders
            where site_id = $1 and reference = $2 and mode = $3
            order by authorized desc, id desc limit 2`,
    values: [site.id, reference, site.mode],
  })
  return rows.map(({ id, authorized }) => ({ orderId: BigInt(id), isAuthorized: authorized }))
}
