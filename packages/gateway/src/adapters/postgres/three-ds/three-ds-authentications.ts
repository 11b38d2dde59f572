import pg from 'pg'
import type { CardBrand } from '../../../domain/payments/card.ts'
import { CommitUnknownError, NothingWrittenError } from '../../../usecases/payments/learn-truth.ts'
import type { PaymentIntent } from '../../../usecases/payments/payment-store.ts'
import type {
  AuthenticationEnd,
  AuthenticationStore,
  NewAuthentication,
  StoredAuthentication,
} from '../../../usecases/three-ds/authentication-store.ts'
import { CLOCKED_SITES } from '../clocks/site-clock-rows.ts'
import { isDatabaseAway, isRolledBack, type Database } from '../connection/database.ts'
import { inTransaction } from '../connection/transaction.ts'
import { isIntended, UNIQUE_VIOLATION } from '../payments/intend-once.ts'
import { intendQuery } from '../payments/payment-store.ts'
import { claimReference } from '../payments/reference-claims.ts'
import { findCollection, takeCollection } from './three-ds-collections.ts'

/**
 * Authentications, and the pending payments that hang on them: each of both changes with the other.
 */
export function createAuthenticationStore({ pool }: Pick<Database, 'pool'>): AuthenticationStore {
  return {
    findCollection: (reference) => findCollection(pool, reference),
    takeCollection: (reference) => takeCollection(pool, reference),
    begin: (intent, authentication) => begin(pool, intent, authentication),

    async challenge(serverTransId, { answer, acsUrl, stepUpTokenId, expiresAt }) {
      const { rowCount } = await pool.query(
        `update three_ds_authentications
            set state = 'challenge', trans_status = $3, trans_status_reason = $4, ds_trans_id = $5::text::uuid,
                acs_trans_id = $6::text::uuid, cardholder_info = $7, acs_url = $8, step_up_token_id = $2, expires_at = $9
          where server_trans_id = $1 and (state = 'asking' or state = 'challenge' and step_up_token_id = $2)`,
        [
          serverTransId,
          stepUpTokenId,
          answer.status,
          answer.reason,
          answer.dsTransId,
          answer.acsTransId,
          answer.cardholderInfo,
          acsUrl,
          expiresAt,
        ],
      )
      return rowCount === 1
    },

    consume: (end, payment) => consume(pool, end, payment),

    async decline(end, { state, serviceCode }) {
      const { rowCount } = await pool.query(
        `with ended as (${endStatement(`'${state}'`)}),
         declined as (
           update transactions t
              set state = 'declined', service_code = $13, concluded_at = $12
             from ended where t.id = ended.transaction_id and t.state = 'pending'
           returning t.order_id)
         update orders o set state = 'declined' from declined where o.id = declined.order_id`,
        [...endValues(end), serviceCode],
      )
      return rowCount === 1
    },

    findByProcTransId: (id) => find(pool, 'a.proc_trans_id = $1', id),
    findByServerTransId: (id) => find(pool, 'a.server_trans_id = $1::text::uuid', id),

    async keepResult(result) {
      const { rowCount } = await pool.query(
        `update three_ds_authentications
            set state = 'result', result_status = $2, result_reason = $3, eci = $4, cavv_ciphertext = $5,
                cavv_data_key_id = $6, challenge_cancel = $7, result_digest = decode($8, 'hex'),
                cause = $9, result_at = $10, expires_at = $11
          where server_trans_id = $1 and state = 'challenge' and result_at is null`,
        [
          result.serverTransId,
          result.status,
          result.reason,
          result.eci,
          result.cavv === null ? null : Buffer.from(result.cavv.ciphertext),
          result.cavv?.dataKeyId ?? null,
          result.challengeCancel,
          result.digest,
          result.cause,
          result.at,
          result.expiresAt,
        ],
      )
      return rowCount === 1
    },

    async countMismatch(serverTransId) {
      const { rows } = await pool.query<{ mismatches: number }>(
        `update three_ds_authentications set mismatches = mismatches + 1
          where server_trans_id = $1 and state in ('challenge', 'result') returning mismatches`,
        [serverTransId],
      )
      return rows[0]?.mismatches ?? null
    },

    async findExpired(now, limit) {
      const { rows } = await pool.query<AuthenticationRow>(
        `${FIND} where a.state in ('asking', 'challenge', 'result') and a.expires_at <= $1
            and a.site_id <> all (${CLOCKED_SITES})
          order by a.expires_at limit $2`,
        [now, limit],
      )
      return rows.map(stored)
    },
    async findExpiredAt(siteId, now, limit) {
      const { rows } = await pool.query<AuthenticationRow>(
        `${FIND} where a.state in ('asking', 'challenge', 'result') and a.expires_at <= $1
            and a.site_id = $3 and a.mode = 'test'
          order by a.expires_at limit $2`,
        [now, limit, siteId],
      )
      return rows.map(stored)
    },
  }
}

async function begin(
  pool: pg.Pool,
  intent: PaymentIntent,
  authentication: NewAuthentication,
): Promise<void> {
  try {
    await inTransaction(pool, null, async (client) => {
      await client.query(intendQuery([intent]))
      await client.query(
        `insert into three_ds_authentications
           (server_trans_id, proc_trans_id, transaction_id, order_id, merchant_id, site_id, mode,
            merchant_account_id, api_user_id, reference, state, fingerprint, expiry_month, expiry_year,
            amount_minor, currency, kind, order_reference, lines_digest, return_url, challenge_window,
            message_version, comp_ind, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'asking', decode($11, 'hex'), $12, $13, $14,
                 $15, $16, $17, decode($18, 'hex'), $19, $20, $21, $22, $23, $24)`,
        [
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
        ],
      )
    })
  } catch (error) {
    const isThere = error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION
    if (isThere && (await isIntended(pool, intent))) return
    const isCertain = error instanceof NothingWrittenError || isRolledBack(error)
    throw isCertain || !isDatabaseAway(error) ? error : new CommitUnknownError(error)
  }
}

/**
 * From pending to running, with the authentication's end, in one statement; the claim in the next.
 */
async function consume(
  pool: pg.Pool,
  end: AuthenticationEnd,
  { message, claim }: Parameters<AuthenticationStore['consume']>[1],
): Promise<'running' | 'claimed' | 'not_open'> {
  const { outcome } = await inTransaction(pool, null, async (client) => {
    const { rows } = await client.query<{ order_id: string; transaction_id: string }>(
      `with ended as (${endStatement(`'consumed'`)}),
       running as (
         update transactions t set state = 'running', to_processor = true
           from ended where t.id = ended.transaction_id and t.state = 'pending'
         returning t.id, t.order_id)
       update orders o set state = 'running', message_number = $13, message_at = $14
         from running where o.id = running.order_id
       returning o.id as order_id, running.id as transaction_id`,
      [...endValues(end), message.number, message.at],
    )
    const [taken] = rows
    if (taken === undefined) {
      // An earlier try of the same, whose answer was lost?
      const { rowCount } = await client.query(
        `select from three_ds_authentications a join orders o on o.id = a.order_id
          where a.server_trans_id = $1 and a.state = 'consumed' and o.message_number = $2`,
        [end.serverTransId, message.number],
      )
      return { ok: false, outcome: rowCount === 1 ? 'running' : 'not_open' } as const
    }
    if (claim !== null && !(await claimReference(client, taken, claim, end.at)))
      return { ok: false, outcome: 'claimed' } as const
    return { ok: true, outcome: 'running' } as const
  })
  return outcome
}

/** Ends an open authentication; parameters 1 to 12 are those of `endValues`. */
function endStatement(state: string): string {
  return `
    update three_ds_authentications
       set state = ${state}, response = $3, eci = $4, final_digest = decode($5, 'hex'),
           trans_status = coalesce($6, trans_status), trans_status_reason = coalesce($7, trans_status_reason),
           cause = coalesce($8, cause), ds_trans_id = coalesce($9::text::uuid, ds_trans_id),
           acs_trans_id = coalesce($10::text::uuid, acs_trans_id),
           cardholder_info = coalesce($11, cardholder_info),
           cavv_ciphertext = null, cavv_data_key_id = null, decided_at = $12
     where server_trans_id = $1 and state = any($2::text[])
    returning transaction_id`
}

function endValues({
  serverTransId,
  from,
  response,
  eci,
  finalDigest,
  answer,
  at,
}: AuthenticationEnd): unknown[] {
  return [
    serverTransId,
    from,
    response,
    eci,
    finalDigest,
    answer?.status ?? null,
    answer?.reason ?? null,
    answer?.cause ?? null,
    answer?.dsTransId || null,
    answer?.acsTransId || null,
    answer?.cardholderInfo ?? null,
    at,
  ]
}

interface AuthenticationRow {
  readonly server_trans_id: string
  readonly proc_trans_id: string
  readonly transaction_id: string
  readonly order_id: string
  readonly merchant_id: string
  readonly site_id: string
  readonly mode: StoredAuthentication['mode']
  readonly merchant_account_id: string
  readonly api_user_id: string
  readonly state: StoredAuthentication['state']
  readonly fingerprint: string
  readonly brand: string
  readonly expiry_month: number | null
  readonly expiry_year: number | null
  readonly amount_minor: string
  readonly currency: string
  readonly kind: 'authorization' | 'sale'
  readonly order_reference: string
  readonly lines_digest: string
  readonly message_version: string | null
  readonly trans_status: StoredAuthentication['transStatus']
  readonly ds_trans_id: string | null
  readonly acs_trans_id: string | null
  readonly step_up_token_id: string | null
  readonly cres_status: StoredAuthentication['cresStatus']
  readonly result_status: StoredAuthentication['resultStatus']
  readonly result_digest: string | null
  readonly eci: string
  readonly cavv_ciphertext: Buffer | null
  readonly final_digest: string | null
  readonly expires_at: Date
  readonly line_ids: string[]
}

const FIND = `
select a.server_trans_id, a.proc_trans_id, a.transaction_id, a.order_id, a.merchant_id, a.site_id, a.mode,
       a.merchant_account_id, a.api_user_id, a.state, encode(a.fingerprint, 'hex') as fingerprint,
       p.brand, a.expiry_month, a.expiry_year, a.amount_minor, a.currency, a.kind, a.order_reference,
       encode(a.lines_digest, 'hex') as lines_digest, a.message_version, a.trans_status, a.ds_trans_id,
       a.acs_trans_id, a.step_up_token_id, a.cres_status, a.result_status,
       encode(a.result_digest, 'hex') as result_digest, a.eci, a.cavv_ciphertext,
       encode(a.final_digest, 'hex') as final_digest, a.expires_at,
       array(select l.id from order_lines l where l.order_id = a.order_id order by l.number) as line_ids
  from three_ds_authentications a
  join orders o on o.id = a.order_id
  join payment_methods p on p.id = o.payment_method_id`

async function find(
  pool: pg.Pool,
  where: string,
  id: string,
): Promise<StoredAuthentication | null> {
  const { rows } = await pool.query<AuthenticationRow>(`${FIND} where ${where}`, [id])
  return rows[0] === undefined ? null : stored(rows[0])
}

function stored(row: AuthenticationRow): StoredAuthentication {
  const { expiry_month: month, expiry_year: year } = row
  return {
    serverTransId: row.server_trans_id,
    procTransId: row.proc_trans_id,
    transactionId: BigInt(row.transaction_id),
    orderId: BigInt(row.order_id),
    merchantId: BigInt(row.merchant_id),
    siteId: BigInt(row.site_id),
    mode: row.mode,
    merchantAccountId: BigInt(row.merchant_account_id),
    userId: BigInt(row.api_user_id),
    state: row.state,
    fingerprint: row.fingerprint,
    brand: row.brand === '' ? null : (row.brand as CardBrand),
    expiry: month === null || year === null ? null : { month, year },
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    kind: row.kind,
    orderReference: row.order_reference,
    linesDigest: row.lines_digest,
    version: row.message_version ?? '',
    transStatus: row.trans_status,
    dsTransId: row.ds_trans_id ?? '',
    acsTransId: row.acs_trans_id ?? '',
    challenged: row.step_up_token_id !== null,
    cresStatus: row.cres_status,
    resultStatus: row.result_status,
    resultDigest: row.result_digest,
    eci: row.eci,
    cavv: row.cavv_ciphertext,
    finalDigest: row.final_digest,
    expiresAt: row.expires_at,
    lineIds: row.line_ids.map(BigInt),
  }
}
