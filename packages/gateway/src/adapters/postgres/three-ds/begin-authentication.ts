import pg from 'pg'
import { CommitUnknownError, NothingWrittenError } from '../../../usecases/payments/learn-truth.ts'
import type { PaymentIntent } from '../../../usecases/payments/payment-store.ts'
import type { NewAuthentication } from '../../../usecases/three-ds/authentication-store.ts'
import { isDatabaseAway, isRolledBack } from '../connection/database.ts'
import { inTransaction } from '../connection/transaction.ts'
import { KEYED, keyOfIntent, takeKeys } from '../payments/idempotency-keys.ts'
import { isIntended, UNIQUE_VIOLATION } from '../payments/intend-once.ts'
import { intendQuery } from '../payments/intend-query.ts'

/**
 * Writes a pending intent, its authentication and its idempotency key together. False: the key is
 * another's. Throws as `intend` does.
 */
export async function beginAuthentication(
  pool: pg.Pool,
  intent: PaymentIntent,
  authentication: NewAuthentication,
): Promise<boolean> {
  try {
    const { ok } = await inTransaction(pool, intent.key === null ? null : KEYED, async (client) => {
      const keyed = keyOfIntent(intent)
      const taken = await takeKeys(client, keyed)
      if (taken.size < keyed.length) return { ok: false }
      await client.query({ name: 'intend', ...intendQuery([intent]) })
      await client.query({
        name: 'begin authentication',
        text: `insert into three_ds_authentications
           (server_trans_id, proc_trans_id, transaction_id, order_id, merchant_id, site_id, mode,
            merchant_account_id, api_user_id, reference, state, fingerprint, expiry_month,
            expiry_year, amount_minor, currency, kind, order_reference, lines_digest, return_url,
            challenge_window, message_version, comp_ind, created_at, expires_at, card_token_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'asking', decode($11, 'hex'), $12, $13,
                 $14, $15, $16, $17, decode($18, 'hex'), $19, $20, $21, $22, $23, $24, $25)`,
        values: [
          authentication.serverTransId,
          authentication.procTransId,
          intent.transactionId,
          intent.orderId,
          intent.merchantId,
          intent.siteId,
          intent.mode,
          intent.merchantAccountId,
          authentication.userId,
          authentication.reference,
          authentication.fingerprint,
          authentication.expiry?.month ?? null,
          authentication.expiry?.year ?? null,
          intent.amountMinor,
          intent.currency,
          intent.kind,
          intent.reference,
          authentication.linesDigest,
          authentication.returnUrl,
          authentication.window,
          authentication.version,
          authentication.methodCompletion,
          intent.at,
          authentication.expiresAt,
          authentication.cardTokenId,
        ],
      })
      return { ok: true }
    })
    // The key may be its own, of an earlier try whose answer was lost.
    return ok || (await isIntended(pool, intent))
  } catch (error) {
    const isThere = error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION
    if (isThere && (await isIntended(pool, intent))) return true
    const isCertain = error instanceof NothingWrittenError || isRolledBack(error)
    throw isCertain || !isDatabaseAway(error) ? error : new CommitUnknownError(error)
  }
}
