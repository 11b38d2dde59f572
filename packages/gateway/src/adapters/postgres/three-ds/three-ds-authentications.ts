import type {
  AuthenticationEnd,
  AuthenticationStore,
} from '../../../usecases/three-ds/authentication-store.ts'
import { CLOCKED_SITES } from '../clocks/site-clock-rows.ts'
import type { Database } from '../connection/database.ts'
import { createGroupLane } from '../connection/group-lane.ts'
import { declinedEvent } from '../events/outbox.ts'
import {
  beginAuthentication,
  writeBegun,
  type BegunAuthentication,
} from './begin-authentication.ts'
import { consumeAuthentication, writeConsumed, type Consumption } from './consume-authentication.ts'
import {
  FIND_AUTHENTICATION,
  findAuthentication,
  findOpenChallenge,
  storedAuthentication,
  type AuthenticationRow,
} from './three-ds-authentication-rows.ts'
import { collectionLane, takeCollection } from './three-ds-collections.ts'

/** As of payments without 3-D Secure. */
const GROUP_SIZE = 64
const LANE_LIMIT = 4_096

/**
 * Authentications, and the pending payments that hang on them: each of both changes with the other.
 * Their begin and their end before the bank are each written in groups.
 */
export function createAuthenticationStore(
  database: Pick<Database, 'byKey' | 'lane'>,
): AuthenticationStore & { idle(): Promise<void> } {
  const { byKey: pool } = database
  const beginPool = database.lane('new authentications')
  const consumePool = database.lane('consumed authentications')
  const beginnings = createGroupLane<BegunAuthentication, null>({
    groupSize: GROUP_SIZE,
    limit: LANE_LIMIT,
    write: (group) => writeBegun(beginPool, group),
  })
  const consumed = createGroupLane<Consumption, boolean>({
    groupSize: GROUP_SIZE,
    // Never refused: the issuer was asked already, and no more can come than its lane let in.
    limit: Infinity,
    keyOf: ({ end }) => end.serverTransId,
    write: (group) => writeConsumed(consumePool, group),
  })
  const collections = collectionLane(pool)
  return {
    findCollection: (reference) => collections.submit(reference),
    takeCollection: (reference) => takeCollection(pool, reference),
    begin: (intent, authentication) =>
      beginAuthentication(pool, beginnings, { intent, authentication }),

    async challenge(serverTransId, { answer, acsUrl, bankTest, code, stepUpTokenId, expiresAt }) {
      const { rowCount } = await pool.query({
        name: 'await challenge',
        text: `with challenged as (
           update three_ds_authentications
              set state = 'challenge', trans_status = $3, trans_status_reason = $4, ds_trans_id = $5::text::uuid,
                  acs_trans_id = $6::text::uuid, cardholder_info = $7, acs_url = $8, step_up_token_id = $2, expires_at = $9,
                  bank_test = $12
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
          bankTest,
        ],
      })
      return rowCount === 1
    },

    consume: (end, payment) => consumeAuthentication(pool, consumed, { end, ...payment }),

    async decline(end, { state, serviceCode }) {
      const { rowCount } = await pool.query({
        name: `end authentication as ${state}`,
        text: `with ended as (${endStatement(`'${state}'`)}), ${FORGET_CODE},
         declined as (
           update transactions t
              set state = 'declined', service_code = $13, concluded_at = $12
             from ended where t.id = ended.transaction_id and t.state = 'pending'
           returning t.order_id, t.merchant_id, t.id, t.kind),
         new_facts as (
           insert into event_outbox (type, merchant_id, site_id, object_id, transaction_id)
           select f.type, d.merchant_id, o.site_id, d.order_id, d.id
             from declined d
             join orders o on o.id = d.order_id,
                  -- The outcome is the first event of every order.
                  lateral (values (${declinedEvent('d.kind')}),
                                  (case when $14 then 'three_ds.abandoned' end)) as f (type)
            where f.type is not null)
         update orders o set state = 'declined' from declined where o.id = declined.order_id`,
        values: [...endValues(end), serviceCode, state === 'expired'],
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
    async idle() {
      await Promise.all([beginnings.idle(), consumed.idle()])
    },
  }
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
