import type pg from 'pg'
import { MembershipTakenError } from '../../../usecases/memberships/membership-claim.ts'
import { GivenUpError, type PaymentIntent } from '../../../usecases/payments/payment-store.ts'
import { inTransaction } from '../connection/transaction.ts'
import { takeMemberships } from '../memberships/membership-claims.ts'
import { KEYED, keyOfIntent, takeKeys } from './idempotency-keys.ts'
import { intendQuery } from './intend-query.ts'

const LOCK_OPERATION = `select from portal_operations where id = $1 and state = 'begun' for share`

/** Whether the intent has locks to take, and cannot be written in a group with others. */
export function isAlone({ membershipClaim, operationId }: PaymentIntent): boolean {
  return operationId !== null || membershipClaim !== null
}

/**
 * Writes the intent of a portal user's operation, or of a membership's sale. It runs under their
 * locks: a cancellation of the operation waits or comes first, and so does another sale.
 * Its idempotency key comes before them. False: the key or the reference is another's.
 * @throws GivenUpError if the operation was given up, MembershipTakenError for a second membership
 */
export async function intendAlone(pool: pg.Pool, intent: PaymentIntent): Promise<boolean> {
  const { key, membershipClaim, operationId, transactionId } = intent
  const { ok } = await inTransaction(pool, key === null ? null : KEYED, async (client) => {
    const keyed = keyOfIntent(intent)
    if ((await takeKeys(client, keyed)).size < keyed.length) return { ok: false }
    if (operationId !== null) {
      const { rowCount } = await client.query({
        name: 'lock operation',
        text: LOCK_OPERATION,
        values: [operationId],
      })
      if (rowCount === 0) throw new GivenUpError()
    }
    const isFree =
      membershipClaim === null || (await takeMemberships(client, transactionId, membershipClaim))
    if (!isFree) throw new MembershipTakenError()
    const { rows } = await client.query(intendQuery([intent]))
    // A refused payment keeps neither key nor membership.
    return { ok: rows.length === 1 }
  })
  return ok
}
