import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import {
  killAll,
  leftBehind,
  runProgram,
  type Program,
} from '../../packages/tollgate/test/program.ts'
import { assertBooksAgree, assertKept } from '../support/agreeing-books.ts'
import { eventually } from '../support/eventually.ts'
import { copyNextRelease, ownSchema } from '../support/next-release.ts'
import { payment } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { openShop } from '../support/shop.ts'

const OLD = fileURLToPath(new URL('../../packages/tollgate/src/cli.ts', import.meta.url))
/** Tables of the payments' way; a column more must not trouble any statement of the old nodes. */
const TABLES = `transactions order_lines advices requests customers payment_methods order_claims
  ledger_postings event_outbox events batches batch_sums sites merchant_accounts`.split(/\s+/)
const BESIDE = `-- Runs beside: ${ownSchema()}\n`
const EXPANDS = {
  ...Object.fromEntries(
    TABLES.map((table) => [
      `note_${table}`,
      `-- Locks: ${table}, access exclusive, milliseconds\n${BESIDE}
       alter table ${table} add column upgrade_note text`,
    ]),
  ),
  note_orders: `-- Locks: orders, access exclusive, milliseconds
${BESIDE}
alter table orders add column upgrade_note text not null default 'new';
create table upgrade_notes (order_id bigint primary key, note text);
create function note_upgrade() returns trigger language plpgsql as $$
begin
  insert into upgrade_notes values (new.id, new.upgrade_note);
  return new;
end $$;
create trigger orders_are_noted after insert on orders
  for each row execute function note_upgrade();
`,
  note_index: `-- Locks: orders, share update exclusive, reads the table
${BESIDE}-- Transaction: none
create index concurrently orders_upgrade_note on orders (upgrade_note);
`,
}
const ROLE = `serving_${process.pid}`

const folder = mkdtempSync(join(tmpdir(), 'tollgate-upgrade-'))
/** Database and bank of a gateway that has been stopped; its database has the schema of this one. */
let place: RunningGateway
let NEW: string
before(async () => {
  place = await startRunningGateway()
  await place.stopGateway()
  await place.pool.query(`create role ${ROLE} login`)
  NEW = copyNextRelease(join(folder, 'next'), EXPANDS)
})
after(async () => {
  await place?.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Node {
  readonly program: Program
  readonly baseUrl: string
  readonly client: SingleRequestClient
}

/** Settings of a production node behind a proxy, on the shared database. */
async function settings(name: string, role: string): Promise<Record<string, string>> {
  const [port, tlsPort, resultsPort] = await freePorts(3)
  const url = new URL(place.databaseUrl)
  url.username = role
  return {
    ...place.nodeSettings,
    MODE: 'production',
    DATABASE_URL: url.href,
    DATA_DIR: join(folder, name),
    VAULT_KEY: place.vaultKey.reveal(),
    TRUST_PROXY: '127.0.0.1',
    PUBLIC_URL: 'https://pay.example',
    BANK: 'shared',
    BANK_SECRET: 'x'.repeat(32),
    WORKERS: '1',
    PORT: String(port),
    TLS_PORT: String(tlsPort),
    THREE_DS_RESULTS_PORT: String(resultsPort),
  }
}

async function run(
  cli: string,
  ...args: readonly string[]
): Promise<{ code: number | string; output: string }> {
  const program = await begin(cli, args)
  return { code: await program.end(), output: program.output() }
}

/** A command of the owner of the schema. */
async function begin(cli: string, args: readonly string[]): Promise<Program> {
  const env = await settings('owner', new URL(place.databaseUrl).username)
  return runProgram(pathToFileURL(cli), { args, env })
}

async function startNode(t: TestContext, cli: string, name: string): Promise<Node> {
  const env = await settings(name, ROLE)
  const program = runProgram(pathToFileURL(cli), { args: ['start'], env })
  t.after(async () => {
    program.child.kill('SIGTERM')
    await program.end()
  })
  await program.line(/^tollgate ready/m)
  const baseUrl = `http://127.0.0.1:${env['PORT']}`
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  const client = createSingleRequestClient({ baseUrl, username, password, siteId: 1001 })
  return { program, baseUrl, client }
}

async function stopNode({ program }: Node): Promise<void> {
  program.child.kill('SIGTERM')
  assert.equal(await program.end(), 0, program.output())
}

function workersOf({ program }: Node): number[] {
  return leftBehind(program.mark, folder).filter((pid) =>
    /\/gateway\/(?:src|dist)\/main\.[jt]s/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
  )
}

async function isReady({ baseUrl }: Node): Promise<boolean> {
  const health = await fetch(new URL('/health/ready', baseUrl)).catch(() => null)
  await health?.body?.cancel()
  return health?.status === 200
}

test('nodes of two releases take payments on one database while it is migrated, and none fails', async (t) => {
  const granted = await run(OLD, 'migrate', '--serving-role', ROLE)
  assert.match(granted.output, new RegExp(`role ${ROLE} may serve`))
  assert.equal(granted.code, 0)
  const old = await startNode(t, OLD, 'old')
  const shops = [openShop(old.client, 3)]
  await shops[0]?.untilApproved(10)

  await t.test(
    'a new node refuses to start before the migration, and says what to do',
    async () => {
      const { code, output } = await run(NEW, 'start')
      assert.equal(code, 1)
      assert.match(
        output,
        /has schema \d+, and this version needs schema \d+\. Run `tollgate migrate`/,
      )
      const status = await run(NEW, 'migrate', 'status')
      assert.equal(status.code, 1)
      assert.match(status.output, /pending +\d+_note_orders\.sql\n +locks orders: access exclusive/)
      assert.ok(status.output.includes(`Pending: ${TABLES.length + 2}.`), status.output)
    },
  )

  await t.test('payments go on at the old node while an index of orders is built', async () => {
    const reader = new pg.Client({ connectionString: place.databaseUrl })
    await reader.connect()
    t.after(() => reader.end())
    // An index that is built concurrently waits for every older snapshot.
    await reader.query('begin isolation level repeatable read; select 1')
    const migration = await begin(NEW, ['migrate'])
    await migration.line(/waits for the transaction of process/)
    await shops[0]?.untilApproved(20)
    await reader.query('commit')
    assert.equal(await migration.end(), 0, migration.output())
    assert.match(
      migration.output(),
      new RegExp(`^Applied migrations: ${TABLES.length + 2}\\.$`, 'm'),
    )
  })

  const next = await startNode(t, NEW, 'new')
  shops.push(openShop(next.client, 3))
  await t.test('an order of either node is captured and refunded at the other', async () => {
    for (const [first, second] of [
      [old, next],
      [next, old],
    ] as const) {
      const { orderId } = await first.client.authorize(payment('31.00'))
      const captured = await second.client.capture({ orderId, amount: '31.00' })
      const refunded = await first.client.refund({ orderId, amount: '1.00' })
      assert.deepEqual([captured.status, refunded.status], ['APPROVED', 'APPROVED'])
    }
  })

  await t.test('an old worker that is killed after the migration comes back', async () => {
    await shops[0]?.close()
    const killed = workersOf(old)
    assert.equal(killed.length, 1)
    killAll(killed)
    await eventually('another worker of the old node is ready', async () => {
      const now = workersOf(old)
      return now.length === 1 && now[0] !== killed[0] && (await isReady(old))
    })
    shops.push(openShop(old.client, 3))
    await shops.at(-1)?.untilApproved(10)
  })

  await t.test(
    'the way back: the new node stops, and the old program starts and pays',
    async () => {
      await shops[1]?.untilApproved(10)
      await Promise.all(shops.map((shop) => shop.close()))
      await stopNode(next)
      await stopNode(old)
      const again = await startNode(t, OLD, 'old')
      shops.push(openShop(again.client, 3))
      await shops.at(-1)?.untilApproved(10)
      await shops.at(-1)?.close()

      for (const shop of shops) assert.deepEqual([...shop.answers.keys()], ['APPROVED'])
      const [first, ...others] = shops
      assert.ok(first !== undefined)
      const approved = new Map([first, ...others].flatMap((shop) => [...shop.approved]))
      await assertKept(place, { ...first, approved })
      const orders = await assertBooksAgree(place)
      const { rows } = await place.pool.query<{ noted: number }>(
        'select count(*)::int as noted from upgrade_notes',
      )
      assert.ok(
        orders > 60 && (rows[0]?.noted ?? 0) > 50,
        `${orders} orders, ${rows[0]?.noted} noted`,
      )
      const verified = await run(OLD, 'verify')
      assert.equal(verified.code, 0, verified.output)
    },
  )
})
