import pg from 'pg'
import { MembershipTakenError } from '../../../usecases/memberships/membership-claim.ts'
import { CommitUnknownError, NothingWrittenError } from '../../../usecases/payments/learn-truth.ts'
import { GivenUpError, type PaymentIntent } from '../../../usecases/payments/payment-store.ts'
import { isDatabaseAway, isRolledBack } from '../connection/database.ts'
import type { GroupLane } from '../connection/group-lane.ts'

export const UNIQUE_VIOLATION = '23505'

/**
 * Submits an intent that may already be written: one whose first answer was lost with the
 * connection. The server makes a second of the same identity wait for the end of the first, and
 * refuses it if that was written. A read after that returns the final state.
 */
export async function intendOnce(
  pool: pg.Pool,
  lane: Pick<GroupLane<PaymentIntent, boolean>, 'submit'>,
  intent: PaymentIntent,
): Promise<boolean> {
  try {
    if (await lane.submit(intent)) return true
    // Refused for its reference or its key, which it may hold itself.
    if (intent.claim === null && intent.key === null) return false
  } catch (error) {
    const isThere = error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION
    if (isThere && (await isIntended(pool, intent))) return true
    if (isThere && intent.idsGiven) return false
    // An earlier try may have been written before it was given up.
    const isRefused = error instanceof GivenUpError || error instanceof MembershipTakenError
    if (isRefused && (await isIntended(pool, intent))) return true
    const isCertain = error instanceof NothingWrittenError || isRolledBack(error)
    throw isCertain || !isDatabaseAway(error) ? error : new CommitUnknownError(error)
  }
  return isIntended(pool, intent)
}

/**
 * Whether this very intent is written: two processes may try to begin one charge of a membership.
 */
export async function isIntended(
  pool: pg.Pool,
  { orderId, message }: PaymentIntent,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'is intended',
    text: 'select from orders where id = $1 and message_number = $2',
    values: [orderId, message.number],
  })
  return rowCount === 1
}
