import pg from 'pg'
import { CommitUnknownError, NothingWrittenError } from '../../../usecases/payments/learn-truth.ts'
import type { PaymentIntent } from '../../../usecases/payments/payment-store.ts'
import type { NewAuthentication } from '../../../usecases/three-ds/authentication-store.ts'
import { defineColumns } from '../connection/columns.ts'
import { isDatabaseAway, isRolledBack, onConnection } from '../connection/database.ts'
import type { GroupLane } from '../connection/group-lane.ts'
import { inTransaction } from '../connection/transaction.ts'
import { KEYED, keyOfIntent, takeKeys } from '../payments/idempotency-keys.ts'
import { isIntended, UNIQUE_VIOLATION } from '../payments/intend-once.ts'
import { AFTER_INTENDS, intendQuery, intendWith } from '../payments/intend-query.ts'

/** A pending intent, and the authentication that is written with it. */
export interface BegunAuthentication {
  readonly intent: PaymentIntent
  readonly authentication: NewAuthentication
}

const columns = defineColumns({
  server_trans_id: 'uuid',
  proc_trans_id: 'text',
  transaction_id: 'bigint',
  order_id: 'bigint',
  merchant_id: 'bigint',
  site_id: 'bigint',
  mode: 'text',
  merchant_account_id: 'bigint',
  api_user_id: 'bigint',
  reference: 'text',
  state: 'text',
  fingerprint: 'text',
  expiry_month: 'int',
  expiry_year: 'int',
  amount_minor: 'bigint',
  currency: 'text',
  kind: 'text',
  order_reference: 'text',
  lines_digest: 'text',
  return_url: 'text',
  challenge_window: 'text',
  message_version: 'text',
  comp_ind: 'text',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
  card_token_id: 'bigint',
})

const c = columns.cells(AFTER_INTENDS)

/** Writes a group of pending intents with their authentications. */
const BEGIN = intendWith(`new_authentications as (
  insert into three_ds_authentications (${columns.names})
  select ${Object.entries(c)
    .map(([name, cell]) => (/digest|fingerprint/.test(name) ? `decode(${cell}, 'hex')` : cell))
    .join(', ')}
    from accepted
)`)

/**
 * Writes a pending intent, its authentication and its idempotency key together. False: the key is
 * another's. Throws as `intend` does.
 */
export async function beginAuthentication(
  pool: pg.Pool,
  lane: Pick<GroupLane<BegunAuthentication, null>, 'submit'>,
  begun: BegunAuthentication,
): Promise<boolean> {
  const { intent } = begun
  try {
    if (intent.key === null) {
      await lane.submit(begun)
      return true
    }
    // The key may be its own, of an earlier try whose answer was lost.
    return (await beginUnderKey(pool, begun)) || (await isIntended(pool, intent))
  } catch (error) {
    const isThere = error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION
    if (isThere && (await isIntended(pool, intent))) return true
    const isCertain = error instanceof NothingWrittenError || isRolledBack(error)
    throw isCertain || !isDatabaseAway(error) ? error : new CommitUnknownError(error)
  }
}

/** Writes a group in one statement. */
export async function writeBegun(
  pool: pg.Pool,
  group: readonly BegunAuthentication[],
): Promise<null[]> {
  await onConnection(pool, (client) => client.query(beginQuery(group)))
  return group.map(() => null)
}

async function beginUnderKey(pool: pg.Pool, begun: BegunAuthentication): Promise<boolean> {
  const { ok } = await inTransaction(pool, KEYED, async (client) => {
    const keyed = keyOfIntent(begun.intent)
    const taken = await takeKeys(client, keyed)
    if (taken.size < keyed.length) return { ok: false }
    await client.query(beginQuery([begun]))
    return { ok: true }
  })
  return ok
}

function beginQuery(group: readonly BegunAuthentication[]): pg.QueryConfig {
  const { values } = intendQuery(group.map(({ intent }) => intent))
  return {
    name: 'begin authentications',
    text: BEGIN,
    values: [...values, ...columns.values(group.map(authenticationRow))],
  }
}

function authenticationRow({
  intent,
  authentication,
}: BegunAuthentication): Parameters<typeof columns.values>[0][number] {
  return {
    server_trans_id: authentication.serverTransId,
    proc_trans_id: authentication.procTransId,
    transaction_id: intent.transactionId,
    order_id: intent.orderId,
    merchant_id: intent.merchantId,
    site_id: intent.siteId,
    mode: intent.mode,
    merchant_account_id: intent.merchantAccountId,
    api_user_id: authentication.userId,
    reference: authentication.reference,
    state: 'asking',
    fingerprint: authentication.fingerprint,
    expiry_month: authentication.expiry?.month ?? null,
    expiry_year: authentication.expiry?.year ?? null,
    amount_minor: intent.amountMinor,
    currency: intent.currency,
    kind: intent.kind,
    order_reference: intent.reference,
    lines_digest: authentication.linesDigest,
    return_url: authentication.returnUrl,
    challenge_window: authentication.window,
    message_version: authentication.version,
    comp_ind: authentication.methodCompletion,
    created_at: intent.at,
    expires_at: authentication.expiresAt,
    card_token_id: authentication.cardTokenId,
  }
}
