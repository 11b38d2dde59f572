import type pg from 'pg'
import type { MessageIdentity } from '../../../usecases/payments/payment-store.ts'
import type {
  AuthenticationEnd,
  AuthenticationStore,
} from '../../../usecases/three-ds/authentication-store.ts'
import { CLOCKED_SITES } from '../clocks/site-clock-rows.ts'
import type { Database } from '../connection/database.ts'
import { inTransaction } from '../connection/transaction.ts'
import { takeMemberships } from '../memberships/membership-claims.ts'
import { takeKeys } from '../payments/idempotency-keys.ts'
import { claimReference } from '../payments/reference-claims.ts'
import { beginAuthentication } from './begin-authentication.ts'
import {
  FIND_AUTHENTICATION,
  findAuthentication,
  findOpenChallenge,
  storedAuthentication,
  type AuthenticationRow,
} from './three-ds-authentication-rows.ts'
import { findCollection, takeCollection } from './three-ds-collections.ts'

/**
 * Authentications, and the pending payments that hang on them: each of both changes with the other.
 */
export function createAuthenticationStore({
  byKey: pool,
}: Pick<Database, 'byKey'>): AuthenticationStore {
  return {
    findCollection: (reference) => findCollection(pool, reference),
    takeCollection: (reference) => takeCollection(pool, reference),
    begin: (intent, authentication) => beginAuthentication(pool, intent, authentication),

    async challenge(serverTransId, { answer, acsUrl, code, stepUpTokenId, expiresAt }) {
      const { rowCount } = await pool.query({
        name: 'await challenge',
        text: `with challenged as (
           update three_ds_authentications
              set state = 'challenge', trans_status = $3, trans_status_reason = $4, ds_trans_id = $5::text::uuid,
                  acs_trans_id = $6::text::uuid, cardholder_info = $7, acs_url = $8, step_up_token_id = $2, expires_at = $9
            where server_trans_id = $1 and (state = 'asking' or state = 'challenge' and step_up_token_id = $2)
           returning card_token_id),
         coded as (
           insert into card_token_codes (token_id, code_ciphertext, expires_at)
           select card_token_id, $10, $11 from challenged where $10::bytea is not null
           on conflict do nothing)
         select from challenged`,
        values: [
          serverTransId,
          stepUpTokenId,
          answer.status,
          answer.reason,
          answer.dsTransId,
          answer.acsTransId,
          answer.cardholderInfo,
          acsUrl,
          expiresAt,
          code?.ciphertext ?? null,
          code?.expiresAt ?? null,
        ],
      })
      return rowCount === 1
    },

    consume: (end, payment) => consume(pool, end, payment),

    async decline(end, { state, serviceCode }) {
      const { rowCount } = await pool.query({
        name: `end authentication as ${state}`,
        text: `with ended as (${endStatement(`'${state}'`)}), ${FORGET_CODE},
         declined as (
           update transactions t
              set state = 'declined', service_code = $13, concluded_at = $12
             from ended where t.id = ended.transaction_id and t.state = 'pending'
           returning t.order_id)
         update orders o set state = 'declined' from declined where o.id = declined.order_id`,
        values: [...endValues(end), serviceCode],
      })
      return rowCount === 1
    },

    findByProcTransId: (id) => findAuthentication(pool, 'a.proc_trans_id = $1', id),
    findByServerTransId: (id) => findAuthentication(pool, 'a.server_trans_id = $1::text::uuid', id),
    findChallenge: (transactionId) => findOpenChallenge(pool, transactionId),

    async keepResult(result) {
      const { rowCount } = await pool.query({
        name: 'keep challenge result',
        text: `with ended as (
           update three_ds_authentications
              set state = 'result', result_status = $2, result_reason = $3, eci = $4, cavv_ciphertext = $5,
                  cavv_data_key_id = $6, challenge_cancel = $7, result_digest = decode($8, 'hex'),
                  cause = $9, result_at = $10, expires_at = $11
            where server_trans_id = $1 and state = 'challenge' and result_at is null
           returning case when result_status not in ('Y', 'A') then card_token_id end as card_token_id),
         ${FORGET_CODE}
         select from ended`,
        values: [
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
      })
      return rowCount === 1
    },

    async countMismatch(serverTransId) {
      const { rows } = await pool.query<{ mismatches: number }>({
        name: 'count mismatch',
        text: `update three_ds_authentications set mismatches = mismatches + 1
          where server_trans_id = $1 and state in ('challenge', 'result') returning mismatches`,
        values: [serverTransId],
      })
      return rows[0]?.mismatches ?? null
    },

    async findExpired(now, limit) {
      const { rows } = await pool.query<AuthenticationRow>(
        `${FIND_AUTHENTICATION} where a.state in ('asking', 'challenge', 'result') and a.expires_at <= $1
            and a.site_id <> all (${CLOCKED_SITES})
          order by a.expires_at limit $2`,
        [now, limit],
      )
      return rows.map(storedAuthentication)
    },
    async findExpiredAt(siteId, now, limit) {
      const { rows } = await pool.query<AuthenticationRow>(
        `${FIND_AUTHENTICATION} where a.state in ('asking', 'challenge', 'result') and a.expires_at <= $1
            and a.site_id = $3 and a.mode = 'test'
          order by a.expires_at limit $2`,
        [now, limit, siteId],
      )
      return rows.map(storedAuthentication)
    },
  }
}

/**
 * From pending to running, with the authentication's end, in one statement; the claims in the next.
 */
async function consume(
  pool: pg.Pool,
  end: AuthenticationEnd,
  { message, claim, key, membershipClaim }: Parameters<AuthenticationStore['consume']>[1],
): ReturnType<AuthenticationStore['consume']> {
  const { outcome } = await inTransaction(pool, null, async (client) => {
    const granted = await takeKeys(client, key === null ? [] : [key])
    if (key !== null && granted.size === 0) {
      const isOwn = await isConsumedBy(client, end, message)
      return { ok: false, outcome: isOwn ? 'running' : 'key_taken' } as const
    }
    const { rows } = await client.query<{ order_id: string; transaction_id: string }>({
      name: 'consume authentication',
      text: `with ended as (${endStatement(`'consumed'`)}), ${FORGET_CODE},
       running as (
         update transactions t set state = 'running', to_processor = true
           from ended where t.id = ended.transaction_id and t.state = 'pending'
         returning t.id, t.order_id)
       update orders o set state = 'running', message_number = $13, message_at = $14
         from running where o.id = running.order_id
       returning o.id as order_id, running.id as transaction_id`,
      values: [...endValues(end), message.number, message.at],
    })
    const [taken] = rows
    if (taken === undefined) {
      const isOwn = await isConsumedBy(client, end, message)
      return { ok: false, outcome: isOwn ? 'running' : 'not_open' } as const
    }
    const transactionId = BigInt(taken.transaction_id)
    if (
      membershipClaim !== null &&
      !(await takeMemberships(client, transactionId, membershipClaim))
    )
      return { ok: false, outcome: 'membership_taken' } as const
    if (claim !== null && !(await claimReference(client, taken, claim, end.at)))
      return { ok: false, outcome: 'claimed' } as const
    return { ok: true, outcome: 'running' } as const
  })
  return outcome
}

/** Whether an earlier try of the same, whose answer was lost, was written. */
async function isConsumedBy(
  client: pg.ClientBase,
  { serverTransId }: AuthenticationEnd,
  { number }: MessageIdentity,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'find consumed authentication',
    text: `select from three_ds_authentications a join orders o on o.id = a.order_id
      where a.server_trans_id = $1 and a.state = 'consumed' and o.message_number = $2`,
    values: [serverTransId, number],
  })
  return rowCount === 1
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
    returning transaction_id, card_token_id`
}

/** The security code that waited for the final call: nothing may use it after the end. */
const FORGET_CODE = `
  forgotten as (
    delete from card_token_codes c using ended where c.token_id = ended.card_token_id)`

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
