import type pg from 'pg'
import type { AnswerPlan } from '../../../domain/webhooks/receiver-answer.ts'
import type { SealedSecret } from '../../../usecases/webhooks/delivery-ports.ts'
import type {
  CaughtView,
  ReceiverStore,
  ReceiverTx,
  ReceiverView,
} from '../../../usecases/webhooks/receiver-store.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { inTransaction } from '../connection/transaction.ts'
import { lockSite } from '../merchants/locked-site.ts'
import { readSiteMode } from './site-mode.ts'

const PLAN = `r.manner, r.status, r.retry_after_s as "retryAfterS", r.delay_ms as "delayMs",
       r.answers_left as left`

const FIND = `
select r.site_id, r.endpoint_id,
       coalesce((select json_agg(json_build_object('ciphertext', encode(k.secret_ciphertext, 'hex'),
                                                   'dataKeyId', k.data_key_id)
                                 order by k.generation)
                   from webhook_secrets k where k.endpoint_id = r.endpoint_id), '[]') as secrets
  from webhook_receivers r where r.id = $1`

const LIST = `
select r.id, r.endpoint_id as "endpointId", e.url, r.created_at as "createdAt", ${PLAN}
  from webhook_receivers r join webhook_endpoints e on e.id = r.endpoint_id
 where r.site_id = $1 order by r.created_at, r.id`

const CAUGHT = `
select id, receiver_id as "receiverId", at, site_at as "siteAt", event_id as "eventId",
       event_type as "eventType", verdict, headers, body, body_bytes as "bodyBytes", manner, status
  from caught_webhooks
 where site_id = $1 and ($2::text is null or receiver_id = $2) and ($3::bigint is null or id < $3)
 order by id desc limit $4`

const SET_PLAN = `
update webhook_receivers
   set manner = $2, status = $3, retry_after_s = $4, delay_ms = $5, answers_left = $6 where id = $1`

const INSERT = `
insert into caught_webhooks (receiver_id, site_id, at, site_at, event_id, event_type, verdict,
                             headers, body, body_bytes, manner, status)
select r.id, r.site_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
  from webhook_receivers r where r.id = $1`

/** The oldest of the site beyond those that are kept. */
const TRIM = `
delete from caught_webhooks
 where site_id = $1
   and id <= (select id from caught_webhooks where site_id = $1 order by id desc offset $2 limit 1)`

/** Receivers in the database. */
export function createReceiverStore(pool: pg.Pool): ReceiverStore {
  return {
    transact: createTransact(pool, txOf),
    async find(id) {
      const { rows } = await pool.query<{
        site_id: string
        endpoint_id: string
        secrets: readonly { ciphertext: string; dataKeyId: number }[]
      }>(FIND, [id])
      const [row] = rows
      if (row === undefined) return null
      const secrets = row.secrets.map(({ ciphertext, dataKeyId }): SealedSecret => ({
        ciphertext: Buffer.from(ciphertext, 'hex'),
        dataKeyId,
      }))
      return { siteId: BigInt(row.site_id), endpointId: BigInt(row.endpoint_id), secrets }
    },
    async list(siteId) {
      type Row = Omit<ReceiverView, 'endpointId' | 'plan'> & AnswerPlan & { endpointId: string }
      const { rows } = await pool.query<Row>(LIST, [siteId])
      return rows.map(({ createdAt, endpointId, id, url, ...plan }) => {
        return { id, url, createdAt, endpointId: BigInt(endpointId), plan }
      })
    },
    async readCaught(siteId, { before, limit, receiverId }) {
      const values = [siteId, receiverId, before, limit]
      const { rows } = await pool.query<Omit<CaughtView, 'id'> & { id: string }>(CAUGHT, values)
      return rows.map((row) => ({ ...row, id: BigInt(row.id) }))
    },
    store: (caught, keep, answer) =>
      inTransaction(pool, null, (client) => store(client, caught, keep, answer)),
  }
}

function txOf(client: pg.ClientBase): Omit<ReceiverTx, 'audit'> {
  return {
    lockSite: (siteId) => lockSite(client, siteId),
    readMode: (siteId) => readSiteMode(client, siteId),
    async setPlan(siteId, id, plan) {
      const { rowCount } = await client.query(`${SET_PLAN} and site_id = $7`, [
        ...planValues(id, plan),
        siteId,
      ])
      return rowCount === 1
    },
  }
}

function planValues(id: string, plan: AnswerPlan): unknown[] {
  return [id, plan.manner, plan.status, plan.retryAfterS, plan.delayMs, plan.left]
}

async function store(
  client: pg.ClientBase,
  caught: Parameters<ReceiverStore['store']>[0],
  keep: number,
  answer: (plan: AnswerPlan) => AnswerPlan,
): Promise<AnswerPlan | null> {
  const { receiverId } = caught
  const { rows } = await client.query<AnswerPlan & { siteId: string }>(
    `select r.site_id as "siteId", ${PLAN} from webhook_receivers r where id = $1 for update`,
    [receiverId],
  )
  const [row] = rows
  if (row === undefined) return null
  const { siteId, ...plan } = row
  const next = answer(plan)
  if (next !== plan) await client.query(SET_PLAN, planValues(receiverId, next))
  const { at, body, bodyBytes, eventId, eventType, headers, siteAt, verdict } = caught
  const written = [receiverId, at, siteAt, eventId, eventType, verdict, JSON.stringify(headers)]
  await client.query(INSERT, [...written, body, bodyBytes, plan.manner, plan.status])
  await client.query(TRIM, [siteId, keep])
  return plan
}
