import type pg from 'pg'
import { isSuccess } from '../../../domain/webhooks/judge-attempt.ts'
import type {
  AttemptRecord,
  ClaimedDelivery,
  DeliveryQueue,
  ReadyEndpoint,
  SealedSecret,
} from '../../../usecases/webhooks/delivery-ports.ts'
import { inTransaction } from '../connection/transaction.ts'
import { readEvents } from '../events/feed-reader.ts'
import { recordFacts } from '../events/outbox.ts'
import { CLAIM } from './claim-statement.ts'
import { endpointFact } from './endpoint-fact.ts'
import { createFanOut } from './fan-out.ts'
import { logCopy, holdDelivery, NO_FAULTS, readFaults, takeFault } from './fault-queue.ts'
import { HEALTH, healthOf, readReady, type HealthRow } from './ready-endpoints.ts'
import { BRING_FORWARD } from './site-now.ts'

const SECRETS = `
select secret_ciphertext as ciphertext, data_key_id as "dataKeyId"
  from webhook_secrets where endpoint_id = $1 order by generation`

/** $1 to $6 are the delivery, $7 to $14 the attempt; nothing is written once the lease is lost. */
const WRITE = `
with written as (
  update webhook_deliveries
     set state = $3, attempts = $4, due_at = coalesce($5, due_at), ended_at = $6,
         leased_until = '-infinity'
   where id = $1 and claims = $2 and state = 'pending'
  returning id
), logged as (
  insert into webhook_attempts
    (delivery_id, at, duration_ms, request_bytes, status, fault, answer, signature, played)
  select id, $7, $8, $9, $10, $11, $12, $13, $14 from written
)`

const WRITE_GOOD = `${WRITE}
update webhook_endpoints e set failures = 0, failing_since = null, wait_until = null
 where id = $15 and state = 'enabled' and failures > 0`

const WRITE_JUDGED = `${WRITE}
update webhook_endpoints
   set state = $16, reason = $17, failures = $18, failing_since = $19, wait_until = $20
 where id = $15`

interface ClaimRow {
  readonly id: string
  readonly event_id: string
  readonly type: string
  readonly day: string
  readonly position: string
  readonly claims: number
  readonly attempts: number
}

export function createDeliveryQueue(pool: pg.Pool): DeliveryQueue {
  const fanOut = createFanOut(pool)
  return {
    fanOut: (now) => fanOut(now, false),
    fanOutSparingly: (now) => fanOut(now, true),
    ready: (now) => readReady(pool, now),
    async claim(endpoint, now, limit) {
      const { rows } = await pool.query<ClaimRow>({
        name: 'claim deliveries',
        text: CLAIM,
        values: [endpoint.id, now, endpoint.state === 'paused', limit],
      })
      if (rows.length === 0) return { deliveries: [], secrets: [] }
      const places = rows.map(({ day, position }) => ({ day, position: BigInt(position) }))
      const ids = rows.map(({ id }) => id)
      const [events, secrets, met] = await Promise.all([
        readEvents(pool, endpoint.merchantId, places),
        pool.query<SealedSecret>({
          name: 'secrets of an endpoint',
          text: SECRETS,
          values: [endpoint.id],
        }),
        endpoint.hasFaults ? readFaults(pool, endpoint.id, ids) : () => NO_FAULTS,
      ])
      const deliveries = rows
        .toSorted((a, b) => Number(BigInt(a.position) - BigInt(b.position)))
        .map((row) => ({
          id: BigInt(row.id),
          eventId: row.event_id,
          type: row.type,
          event: events.get(BigInt(row.position)) ?? null,
          claim: row.claims,
          attempts: row.attempts,
          ...met(row.id),
        }))
      return { deliveries, secrets: secrets.rows }
    },
    async record(endpoint, delivery, attempt, judge) {
      // Most deliveries succeed at a good endpoint: they wait for no lock of it.
      const isGood = endpoint.state === 'enabled' && endpoint.failures === 0
      if (isGood && isSuccess(attempt)) {
        const judged = judge(endpoint, delivery.attempts)
        const values = [...writtenOf(delivery, attempt, judged.delivery), endpoint.id]
        await pool.query({ name: 'write good delivery', text: WRITE_GOOD, values })
        return
      }
      await inTransaction(pool, null, (client) =>
        recordJudged(client, endpoint, delivery, attempt, judge),
      )
    },
    async giveUp(delivery, now) {
      const fault = 'The event is no longer kept.'
      const nothing = { durationMs: 0, requestBytes: 0, signature: '', status: null, answer: '' }
      await conclude(pool, delivery, { ...nothing, at: now, fault, played: '' }, 'failed')
    },
    takeFault: (id) => takeFault(pool, id),
    hold: (delivery, attempt, until, yields) =>
      holdDelivery(pool, delivery, attempt, until, yields),
    lose: (delivery, attempt) => conclude(pool, delivery, attempt, 'delivered'),
    logCopy: (delivery, attempt) => logCopy(pool, delivery, attempt),
  }
}

async function conclude(
  pool: pg.Pool,
  delivery: ClaimedDelivery,
  attempt: AttemptRecord,
  state: 'delivered' | 'failed',
): Promise<void> {
  const written = { state, attempts: delivery.attempts }
  await pool.query(`${WRITE} select`, writtenOf(delivery, attempt, written))
}

type Written = ReturnType<Parameters<DeliveryQueue['record']>[3]>['delivery']

function writtenOf(delivery: ClaimedDelivery, attempt: AttemptRecord, written: Written): unknown[] {
  const isPending = written.state === 'pending'
  return [
    delivery.id,
    delivery.claim,
    written.state,
    written.attempts,
    isPending ? written.dueAt : null,
    isPending ? null : attempt.at,
    attempt.at,
    attempt.durationMs,
    attempt.requestBytes,
    attempt.status,
    attempt.fault,
    attempt.answer,
    attempt.signature,
    attempt.played,
  ]
}

async function recordJudged(
  client: pg.ClientBase,
  endpoint: ReadyEndpoint,
  delivery: ClaimedDelivery,
  attempt: AttemptRecord,
  judge: Parameters<DeliveryQueue['record']>[3],
): Promise<void> {
  const { rows } = await client.query<HealthRow>(
    `select ${HEALTH} from webhook_endpoints e where id = $1 for update`,
    [endpoint.id],
  )
  const { rows: claimed } = await client.query<{ attempts: number }>(
    `select attempts from webhook_deliveries where id = $1 and claims = $2 and state = 'pending'`,
    [delivery.id, delivery.claim],
  )
  const [row] = rows
  const [held] = claimed
  if (row === undefined || held === undefined) return
  const before = healthOf(row)
  const judged = judge(before, held.attempts)
  const { failingSince, failures, reason, state, waitUntil } = judged.endpoint
  await client.query(WRITE_JUDGED, [
    ...writtenOf(delivery, attempt, judged.delivery),
    endpoint.id,
    state,
    reason,
    failures,
    failingSince,
    waitUntil,
  ])
  if (state === before.state) return
  if (state === 'enabled') await client.query(BRING_FORWARD, [endpoint.id])
  const type = ({ enabled: 'resumed', paused: 'paused', disabled: 'disabled' } as const)[state]
  await recordFacts(client, [
    endpointFact(`endpoint.${type}`, endpoint, judged.endpoint, 'GATEWAY'),
  ])
}
