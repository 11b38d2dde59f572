import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type pg from 'pg'
import {
  openDatabase,
  type Database,
} from '../../../../src/adapters/postgres/connection/database.ts'
import { createEventNumbering } from '../../../../src/adapters/postgres/events/event-numbering.ts'
import { recordFacts, wholeFact } from '../../../../src/adapters/postgres/events/outbox.ts'
import { createDeliveryQueue } from '../../../../src/adapters/postgres/webhooks/delivery-queue.ts'
import type { ReadyEndpoint } from '../../../../src/usecases/webhooks/delivery-ports.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

const PENDING = 5_000
const NOW = new Date()

let server: TestServer
let database: Database
let pool: pg.Pool
before(async () => {
  server = await startTestServer()
  database = openDatabase(await server.createDatabase(), () => undefined)
  pool = database.pool
  await pool.query(`insert into merchants (id, name) values (1, 'Merchant')`)
  await pool.query(`insert into sites (id, merchant_id, name) values (1, 1, 'Site')`)
  // As on a new installation: the statistics are those of an empty table.
  await pool.query('alter table webhook_deliveries set (autovacuum_enabled = off)')
})
beforeEach(() => pool.query('delete from webhook_endpoints'))
after(async () => {
  await database?.close()
  await server.stop()
})

async function plantEndpoint(): Promise<ReadyEndpoint> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into webhook_endpoints (merchant_id, site_id, url, types, position)
     select 1, 1, 'https://shop.example/', '{}', position from event_head returning id`,
  )
  const health = { failures: 0, failingSince: null, waitUntil: null, hasFaults: false } as const
  const of = { merchantId: 1n, siteId: 1n, mode: 'test', url: 'https://shop.example/' } as const
  return { id: BigInt(rows[0]?.id ?? 0), ...of, state: 'enabled', reason: '', ...health }
}

/** Deliveries of objects of their own, all due at one moment. */
async function plantDue(endpointId: bigint, count: number): Promise<void> {
  await pool.query(
    `insert into webhook_deliveries (merchant_id, endpoint_id, day, position, event_id, type,
       object, object_id, due_at)
     select 1, $1, current_date, -n, 'evt_' || n, 'site.changed', 'site', n, $3
       from generate_series(1, $2::int) n`,
    [endpointId, count, NOW],
  )
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** The rows that the scans of a plan read. */
function rowsRead(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0)
  if (!node['Node Type'].includes('Index')) return below
  const { 'Actual Loops': loops, 'Actual Rows': rows, 'Rows Removed by Filter': removed = 0 } = node
  return below + loops * (rows + removed)
}

test('a claim of a resumed endpoint reads little more than it takes, also without statistics', async () => {
  const endpoint = await plantEndpoint()
  await plantDue(endpoint.id, PENDING)
  let claim: pg.QueryConfig = { text: '' }
  const noted = {
    query: (config: pg.QueryConfig) => {
      claim = config
      return Promise.resolve({ rows: [] })
    },
  }
  await createDeliveryQueue(noted as unknown as pg.Pool).claim(endpoint, NOW, 10)

  const { rows } = await database
    .lane('webhooks')
    .query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${claim.text}`,
      claim.values,
    )
  const [plan] = rows[0]?.['QUERY PLAN'] ?? []
  assert.ok(plan !== undefined)
  const read = rowsRead(plan.Plan)
  assert.ok(read >= 10 && read < 100, `${read} rows were read`)
})

test('beside payments an endpoint with a backlog gets no further deliveries, and another one does', async () => {
  const [busy, free] = [await plantEndpoint(), await plantEndpoint()]
  await plantDue(busy.id, 101)
  const data = { operation: 'x', settings: [] }
  const fact = wholeFact('site.changed', 1n, 1n, { mode: 'test', origin: 'OPERATOR', data })
  await recordFacts(pool, [{ ...fact, siteId: 1n }])
  await createEventNumbering(pool).number(1_000)
  const queue = createDeliveryQueue(database.lane('webhooks'))
  const placed = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ id: string }>(
      'select endpoint_id as id from webhook_deliveries where position > 0 order by endpoint_id',
    )
    return rows.map(({ id }) => id)
  }

  await queue.fanOutSparingly(NOW)
  assert.deepEqual(await placed(), [String(free.id)])
  await queue.fanOut(NOW)
  assert.deepEqual(await placed(), [String(busy.id), String(free.id)])
})
