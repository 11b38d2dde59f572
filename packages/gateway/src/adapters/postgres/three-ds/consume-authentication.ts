import type pg from 'pg'
import type {
  AuthenticationEnd,
  AuthenticationStore,
} from '../../../usecases/three-ds/authentication-store.ts'
import { defineColumns } from '../connection/columns.ts'
import { onConnection } from '../connection/database.ts'
import type { GroupLane } from '../connection/group-lane.ts'
import { inTransaction } from '../connection/transaction.ts'
import { takeMemberships } from '../memberships/membership-claims.ts'
import { takeKeys } from '../payments/idempotency-keys.ts'
import { claimReference } from '../payments/reference-claims.ts'

type Payment = Parameters<AuthenticationStore['consume']>[1]

/** The end of an authentication whose payment goes to the bank. */
export type Consumption = Payment & { readonly end: AuthenticationEnd }

const columns = defineColumns({
  server_trans_id: 'uuid',
  /** The states that it may be in, with commas. */
  open_states: 'text',
  response: 'text',
  eci: 'text',
  final_digest: 'text',
  trans_status: 'text',
  trans_status_reason: 'text',
  cause: 'text',
  ds_trans_id: 'uuid',
  acs_trans_id: 'uuid',
  cardholder_info: 'text',
  at: 'timestamptz',
  message_number: 'bigint',
  message_at: 'timestamptz',
})

const c = columns.cells(1)
const PLACE = 'array_position($1::uuid[], a.server_trans_id)'

/**
 * Takes a group of payments from pending to running, each with its authentication's end. Returns
 * the row numbers, from 1, of those whose authentication was open. The authentication is locked
 * first, as by every other end of it; the orders are locked in the sequence of their ids.
 */
const CONSUME = `
with ended as materialized (
  update three_ds_authentications a
     set (state, response, eci, final_digest, trans_status, trans_status_reason, cause, ds_trans_id,
          acs_trans_id, cardholder_info, cavv_ciphertext, cavv_data_key_id, decided_at) = (
       select 'consumed', ${c.response}, ${c.eci}, decode(${c.final_digest}, 'hex'),
              coalesce(${c.trans_status}, a.trans_status),
              coalesce(${c.trans_status_reason}, a.trans_status_reason),
              coalesce(${c.cause}, a.cause), coalesce(${c.ds_trans_id}, a.ds_trans_id),
              coalesce(${c.acs_trans_id}, a.acs_trans_id),
              coalesce(${c.cardholder_info}, a.cardholder_info), null::bytea, null::int, ${c.at}
         from ${PLACE} n)
   where a.server_trans_id = any($1::uuid[])
     and (select a.state = any(string_to_array(${c.open_states}, ',')) from ${PLACE} n)
  returning ${PLACE} as n, a.transaction_id, a.order_id, a.card_token_id
), forgotten as (
  delete from card_token_codes c
   where c.token_id = any(array(
     select e.card_token_id from ended e where e.card_token_id is not null))
), running as materialized (
  update transactions t set state = 'running', to_processor = true
   where t.id = any(array(select e.transaction_id from ended e)) and t.state = 'pending'
  returning t.id, t.order_id, t.merchant_id
), opened as (
  insert into open_transactions (merchant_id, transaction_id)
  select r.merchant_id, r.id from running r
), changed_orders as (
  update orders o
     set (state, message_number, message_at) = (
       select 'running', ${c.message_number}, ${c.message_at}
         from ended e where e.order_id = o.id)
   where o.id = any(array(select r.order_id from running r))
)
select e.n, e.order_id, e.transaction_id
  from ended e where e.transaction_id = any(array(select r.id from running r))`

/** Whether the payment claims nothing, and may be written in a group with others. */
function isUnclaimed({ claim, key, membershipClaim }: Payment): boolean {
  return claim === null && key === null && membershipClaim === null
}

/** From pending to running, with the authentication's end and the payment's claims. */
export async function consumeAuthentication(
  pool: pg.Pool,
  lane: Pick<GroupLane<Consumption, boolean>, 'submit'>,
  consumption: Consumption,
): ReturnType<AuthenticationStore['consume']> {
  if (!isUnclaimed(consumption)) return consumeAlone(pool, consumption)
  if (await lane.submit(consumption)) return 'running'
  return (await isConsumedBy(pool, consumption)) ? 'running' : 'not_open'
}

/** Writes a group in one statement; false for those whose authentication was not open. */
export async function writeConsumed(
  pool: pg.Pool,
  group: readonly Consumption[],
): Promise<boolean[]> {
  const { rows } = await onConnection(pool, (client) =>
    client.query<{ n: number }>(consumeQuery(group)),
  )
  const taken = new Set(rows.map(({ n }) => n))
  return group.map((_, at) => taken.has(at + 1))
}

/** One statement as in a group; the claims in the next, in the same database transaction. */
async function consumeAlone(
  pool: pg.Pool,
  consumption: Consumption,
): ReturnType<AuthenticationStore['consume']> {
  const { claim, end, key, membershipClaim } = consumption
  const { outcome } = await inTransaction(pool, null, async (client) => {
    const granted = await takeKeys(client, key === null ? [] : [key])
    if (key !== null && granted.size === 0) {
      const isOwn = await isConsumedBy(client, consumption)
      return { ok: false, outcome: isOwn ? 'running' : 'key_taken' } as const
    }
    const { rows } = await client.query<{ order_id: string; transaction_id: string }>(
      consumeQuery([consumption]),
    )
    const [taken] = rows
    if (taken === undefined) {
      const isOwn = await isConsumedBy(client, consumption)
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
  client: Pick<pg.ClientBase, 'query'>,
  { end: { serverTransId }, message: { number } }: Consumption,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'find consumed authentication',
    text: `select from three_ds_authentications a join orders o on o.id = a.order_id
      where a.server_trans_id = $1 and a.state = 'consumed' and o.message_number = $2`,
    values: [serverTransId, number],
  })
  return rowCount === 1
}

function consumeQuery(group: readonly Consumption[]): pg.QueryConfig {
  return {
    name: 'consume authentications',
    text: CONSUME,
    values: columns.values(
      group.map(({ end, message }) => ({
        server_trans_id: end.serverTransId,
        open_states: end.from.join(','),
        response: end.response,
        eci: end.eci,
        final_digest: end.finalDigest,
        trans_status: end.answer?.status ?? null,
        trans_status_reason: end.answer?.reason ?? null,
        cause: end.answer?.cause ?? null,
        ds_trans_id: end.answer?.dsTransId || null,
        acs_trans_id: end.answer?.acsTransId || null,
        cardholder_info: end.answer?.cardholderInfo ?? null,
        at: end.at,
        message_number: message.number,
        message_at: message.at,
      })),
    ),
  }
}
