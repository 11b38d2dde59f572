import type { EmbeddedPostgres } from '@tollgate/tollgate'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { clusterFile } from '../../packages/gateway/src/adapters/postgres/connection/cluster-memory.ts'
import { diskFolder, SYNCED } from '../../packages/tollgate/test/cluster-template.ts'
import { assertBooksAgree, assertKept } from '../support/agreeing-books.ts'
import { auditedAsDone } from '../support/audit.ts'
import { openConnectionCutter, type ConnectionCutter } from '../support/connection-cutter.ts'
import { eventually } from '../support/eventually.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { startsEverything, tollgate } from '../support/several-servers.ts'
import { openShop } from '../support/shop.ts'
import { promote, startStandby } from '../support/standby.ts'

type Undo = (() => unknown)[]

test('a primary is killed under load and its standby promoted, and no acknowledged payment is lost', async (t) => {
  const folder = mkdtempSync(join(diskFolder(), 'tollgate-standby-'))
  const undo: Undo = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    const primaryFolder = join(folder, 'primary')
    let standby: EmbeddedPostgres | null = null
    const cutters: ConnectionCutter[] = []
    // An advice that was under way when the primary died waits for this long and ten seconds more.
    const gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '2000' }, undefined, {
      folder: primaryFolder,
      // A commit is acknowledged when both servers have it on their disks.
      settings: SYNCED,
      detour: async (url) => {
        const started = await startStandby({ url, folder: primaryFolder }, join(folder, 'standby'))
        standby = started
        undo.push(() => started.stop('immediate'))
        cutters.push(await openConnectionCutter(url), await openConnectionCutter(started.url))
        undo.push(() => Promise.all(cutters.map((cutter) => cutter.close())))
        // Both servers in one address, as an operator writes it.
        return addressOf(cutters)
      },
    })
    undo.push(() => gateway.stop())
    assert.ok(standby !== null)
    const promoted: EmbeddedPostgres = standby

    const shop = openShop(gateway.client(), 8)
    await shop.untilApproved(100)
    await t.test('the metrics have the lag of the standby while the primary lives', async () => {
      const metrics = await gateway.metrics()
      assert.match(metrics, /^tollgate_database_standby_lag_bytes\{standby="standby"\} \d+$/m)
      assert.match(
        metrics,
        /^tollgate_database_standby_lag_seconds\{standby="standby"\} [\d.e-]+$/m,
      )
    })
    await gateway.stopDatabase('crash')
    await shop.untilToldOtherwise()
    await promote(promoted)
    assert.doesNotMatch(await gateway.metrics(), /standby_lag_seconds\{/)
    await shop.untilApproved(100)
    await shop.close()

    const pool = new pg.Pool({ connectionString: promoted.url })
    pool.on('error', () => undefined) // The test ends its sessions.
    undo.push(() => pool.end())
    const moved: RunningGateway = { ...gateway, pool }
    const orders = await assertBooksAgree(moved)
    assert.ok(orders >= shop.approved.size)
    await assertKept(moved, shop)
    t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(shop.answers))}`)

    await t.test('nodes and commands start while the old primary is away', () =>
      startsEverything(gateway, addressOf(cutters), join(folder, 'away')),
    )
    await t.test('nodes and commands start while the first server is a standby', async () => {
      const source = { url: promoted.url, folder: join(folder, 'standby') }
      const third = await startStandby(source, join(folder, 'third'))
      undo.push(() => third.stop('immediate'))
      const cutter = await openConnectionCutter(third.url)
      undo.push(() => cutter.close())
      await startsEverything(gateway, addressOf([cutter, ...cutters]), join(folder, 'third-node'))
    })
    await t.test('an old primary that returns gets no writes from running or starting nodes', () =>
      assertOldIsLeft(gateway, { promoted, cutters, pool, folder }),
    )
  } finally {
    for (const step of undo.toReversed()) await step()
  }
})

interface Servers {
  readonly promoted: EmbeddedPostgres
  /** The old primary's, then the promoted server's. */
  readonly cutters: readonly ConnectionCutter[]
  readonly pool: pg.Pool
  readonly folder: string
}

async function assertOldIsLeft(gateway: RunningGateway, servers: Servers): Promise<void> {
  const { promoted, cutters, pool, folder } = servers
  await gateway.startDatabase()
  // It would wait for its standby with each commit otherwise, which hides that it is written to.
  await gateway.pool.query(`alter system reset synchronous_standby_names`)
  await gateway.pool.query('select pg_reload_conf()')
  const writes = async (): Promise<unknown> => {
    const { rows } = await gateway.pool.query<{ count: string }>(
      `select (select count(*) from requests) + (select count(*) from audit_entries)
              + (select count(*) from orders) as count`,
    )
    return rows[0]?.count
  }
  const before = await writes()

  const shop = openShop(gateway.client(), 2)
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tollgate%'`,
  )
  await shop.untilApproved(10)
  const node = join(folder, 'second')
  await startsEverything(gateway, addressOf(cutters), node)
  assert.equal(clusterFile(node).read()?.timeline, 2)

  // Alone, the old primary is refused by every process that has seen the new one.
  await cutters[1]?.close()
  await promoted.stop('fast')
  await shop.untilToldOtherwise(20)
  await shop.close()
  await eventually('the running gateway reports the old primary', () =>
    /is an old primary: it is on timeline 1, and timeline 2/.test(gateway.logged()),
  )
  const only = cutters[0]?.url ?? ''
  const started = await tollgate(['start'], { url: only, dataDir: node, DATABASE_WAIT_S: '1' })
  assert.match(started.output, /cannot be used: The server at [^ ]+ is an old primary/)
  assert.notEqual(started.code, 0)
  const commands = [['queue'], ['links'], ['keys', 'list'], ['audit', 'show']].map((command) =>
    tollgate(command, { url: only, dataDir: node }),
  )
  for (const { code, output } of await Promise.all(commands)) {
    assert.match(output, /is an old primary: it is on timeline 1/)
    assert.notEqual(code, 0)
  }
  assert.deepEqual(await writes(), before)

  // An operator who means it goes back.
  const accepted = await tollgate(['database', 'accept'], { url: only, dataDir: node })
  assert.match(accepted.output, /This node uses the server at .* timeline 1\./)
  assert.equal((await tollgate(['queue'], { url: only, dataDir: node })).code, 0)
  const old = new pg.Pool({ connectionString: only, max: 1 })
  const operations = ['database.accepted'] as const
  assert.deepEqual(await auditedAsDone(old, operations), operations)
  await old.end()
}

/** An address of several servers. */
function addressOf(cutters: readonly ConnectionCutter[]): string {
  const hosts = cutters.map(({ url }) => new URL(url).host).join(',')
  return cutters[0]?.url.replace(/127\.0\.0\.1:\d+/, hosts) ?? ''
}
