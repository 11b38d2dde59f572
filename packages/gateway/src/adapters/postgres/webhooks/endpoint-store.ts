import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { EndpointStore, EndpointTx } from '../../../usecases/webhooks/endpoint-store.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { recordFacts } from '../events/outbox.ts'
import { lockSite } from '../merchants/locked-site.ts'
import { endpointFact } from './endpoint-fact.ts'
import { listEndpoints, readDeliveryLog } from './endpoint-reader.ts'
import { readSiteMode } from './site-mode.ts'
import { BRING_FORWARD, siteNow } from './site-now.ts'

const ADD = `
insert into webhook_endpoints (id, merchant_id, site_id, url, types, position)
overriding system value
select $1, s.merchant_id, s.id, $3, $4, h.position from sites s, event_head h where s.id = $2`

const ADD_SECRET = `
insert into webhook_secrets (endpoint_id, generation, secret_ciphertext, data_key_id)
values ($1, 'current', $2, $3)`

const FIND_SAME = `
select id from webhook_endpoints
 where site_id = $1 and url = $2 and types @> $3::text[] and types <@ $3::text[]
   and id is distinct from $4
 order by id limit 1`

const SEND_AGAIN = `
update webhook_deliveries d
   set state = 'pending', attempts = 0, ended_at = null, due_at = t.now
  from (select ${siteNow('clock_timestamp()')} as now
          from webhook_endpoints e left join site_clocks c on c.site_id = e.site_id
         where e.id = $1) t
 where d.endpoint_id = $1
   and (d.state = 'failed' or d.state = 'delivered' and not $3::boolean
        or d.state = 'pending' and d.event_id = $2 and d.leased_until < now())
   and ($2::text is null or d.event_id = $2)
   and ($4::timestamptz is null or d.created_at >= $4)`

/** Endpoints in the database. */
export function createEndpointStore(pool: pg.Pool): EndpointStore {
  return {
    transact: createTransact(pool, txOf),
    async siteOf(id) {
      const { rows } = await pool.query<{ site_id: string }>(
        'select site_id from webhook_endpoints where id = $1',
        [id],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].site_id)
    },
    list: (siteId) => listEndpoints(pool, siteId),
    readLog: (siteId, id, filter) => readDeliveryLog(pool, siteId, id, filter),
  }
}

function txOf(client: pg.ClientBase): Omit<EndpointTx, 'audit'> {
  const addSecret: EndpointTx['addSecret'] = async (id, { ciphertext, dataKeyId }) => {
    await client.query(
      `update webhook_secrets set generation = 'previous' where endpoint_id = $1`,
      [id],
    )
    await client.query(ADD_SECRET, [id, ciphertext, dataKeyId])
  }
  return {
    lockSite: (siteId) => lockSite(client, siteId),
    readMode: (siteId) => readSiteMode(client, siteId),
    async count(siteId) {
      const { rows } = await client.query<{ count: number }>(
        'select count(*)::int as count from webhook_endpoints where site_id = $1',
        [siteId],
      )
      return rows[0]?.count ?? 0
    },
    async findSame(siteId, { types, url }, except) {
      const { rows } = await client.query<{ id: string }>(FIND_SAME, [siteId, url, types, except])
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },
    async nextId() {
      const { rows } = await client.query<{ id: string }>(
        `select nextval(pg_get_serial_sequence('webhook_endpoints', 'id')) as id`,
      )
      return BigInt(rows[0]?.id ?? 0)
    },
    async add({ id, siteId }, { types, url }, secret) {
      await client.query(ADD, [id, siteId, url, types])
      await addSecret(id, secret)
    },
    async addReceiver(siteId, id, receiverId) {
      await client.query(
        'insert into webhook_receivers (id, site_id, endpoint_id) values ($1, $2, $3)',
        [receiverId, siteId, id],
      )
    },
    async lock(siteId, id) {
      const { rows } = await client.query<{
        url: string
        types: string[]
        state: 'enabled' | 'paused' | 'disabled'
      }>(
        'select url, types, state from webhook_endpoints where id = $1 and site_id = $2 for update',
        [id, siteId],
      )
      const { rows: counts } = await client.query<{ secrets: number }>(
        'select count(*)::int as secrets from webhook_secrets where endpoint_id = $1',
        [id],
      )
      const [row] = rows
      return row === undefined ? null : { ...row, secrets: counts[0]?.secrets ?? 0 }
    },
    async change(id, { types, url }) {
      await client.query('update webhook_endpoints set url = $2, types = $3 where id = $1', [
        id,
        url,
        types,
      ])
    },
    async remove(id) {
      await client.query('delete from webhook_endpoints where id = $1', [id])
    },
    async setState(id, state, reason) {
      await client.query(
        `update webhook_endpoints
            set state = $2, reason = $3, failures = 0, failing_since = null, wait_until = null
          where id = $1`,
        [id, state, reason],
      )
      if (state === 'enabled') await client.query(BRING_FORWARD, [id])
    },
    addSecret,
    async removePreviousSecret(id) {
      await client.query(
        `delete from webhook_secrets where endpoint_id = $1 and generation = 'previous'`,
        [id],
      )
    },
    async sendAgain(id, { eventId, isFailedOnly, since }) {
      const values = [id, eventId, isFailedOnly, since]
      return (await client.query(SEND_AGAIN, values)).rowCount ?? 0
    },
    recordEvent: (id, type, origin) => recordEvent(client, id, type, origin),
  }
}

async function recordEvent(
  client: pg.ClientBase,
  id: bigint,
  type: Parameters<EndpointTx['recordEvent']>[1],
  origin: Parameters<EndpointTx['recordEvent']>[2],
): Promise<void> {
  const { rows } = await client.query<{
    merchant_id: string
    site_id: string
    mode: 'test' | 'live'
    state: 'enabled' | 'paused' | 'disabled'
    reason: '' | 'requested' | 'failing' | 'gone'
  }>(
    `select e.merchant_id, e.site_id, e.state, e.reason, s.mode
       from webhook_endpoints e join sites s on s.id = e.site_id where e.id = $1`,
    [id],
  )
  const [row] = rows
  invariant(row !== undefined, 'a locked endpoint is gone')
  const { merchant_id: merchantId, mode, reason, site_id: siteId, state } = row
  const endpoint = { id, mode, merchantId: BigInt(merchantId), siteId: BigInt(siteId) }
  const health = { state, reason, failures: 0, failingSince: null, waitUntil: null }
  const isTest = type === 'endpoint.tested'
  await recordFacts(client, [endpointFact(type, endpoint, isTest ? null : health, origin)])
}
