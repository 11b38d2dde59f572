import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { createIds } from '../../packages/gateway/src/adapters/postgres/connection/id-blocks.ts'
import { readIdMarks } from '../../packages/gateway/src/adapters/postgres/connection/id-marks.ts'
import { readIdentity } from '../../packages/gateway/src/adapters/postgres/connection/id-sequences.ts'
import { loadConfig } from '../../packages/gateway/src/config/config.ts'
import { verifyBooks } from '../../packages/gateway/src/wiring/books.ts'
import { startGateway } from '../../packages/gateway/src/wiring/gateway.ts'
import { guardIds } from '../../packages/gateway/src/wiring/guard-ids.ts'
import { outcome, payment } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { tollgate } from '../support/several-servers.ts'

/** Ids by what they are of. */
type Taken = Readonly<Record<string, ReadonlySet<string>>>

let gateway: RunningGateway
let folder: string
/** The ids that were assigned after the backup, and are lost with it. */
let lost: Taken
/** A database of each restore, made of the backup. */
const RESTORES = ['with_marks', 'with_bank', 'by_command', 'unprotected', 'replaced'] as const

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-restored-'))
  gateway = await startRunningGateway()
  await pay(gateway.baseUrl)
  await gateway.stopGateway()
  for (const name of RESTORES) await copyDatabase('tollgate', name)
  // The life after the backup: a node that starts again takes new blocks, and closes a batch.
  const node = await startNode('tollgate', dataDir())
  try {
    await pay(node.baseUrl)
    await closeBatch('tollgate')
    await pay(node.baseUrl)
  } finally {
    await node.stop()
  }
  lost = await idsOf('tollgate')
})
after(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const dataDir = (): string => gateway.nodeSettings['DATA_DIR'] ?? ''

function urlOf(database: string): string {
  const url = new URL(gateway.databaseUrl)
  url.pathname = `/${database}`
  return url.href
}

async function onDatabase<T>(
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: urlOf(database) })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The same as a dump and its restore: the rows, and the places of the sequences. */
async function copyDatabase(from: string, to: string): Promise<void> {
  await onDatabase('postgres', async (client) => {
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [from],
    )
    await client.query(`create database ${to} template ${from}`)
  })
}

async function closeBatch(database: string): Promise<void> {
  await onDatabase(database, async (client) => {
    await client.query(
      'update batches set closed_at = now() where merchant_account_id = 2001 and closed_at is null',
    )
    await client.query(
      `insert into batches (merchant_id, merchant_account_id)
         select merchant_id, id from merchant_accounts where id = 2001`,
    )
  })
}

function configOf(ofDataDir: string) {
  const loaded = loadConfig({
    PORT: '0',
    TLS_PORT: '0',
    ...gateway.nodeSettings,
    DATA_DIR: ofDataDir,
    VAULT_KEY: gateway.vaultKey.reveal(),
    TLS_CERT: join(dataDir(), 'keys', 'tls-cert.pem'),
    TLS_KEY: join(dataDir(), 'keys', 'tls-key.pem'),
  })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  return loaded.config
}

/** A gateway on one of the databases or at an address, with a DATA_DIR for its marks and its bank's address. */
async function startNode(database: string, ofDataDir: string, log: string[] = []) {
  const started = await startGateway({
    config: configOf(ofDataDir),
    databaseUrl: database.includes(':') ? database : urlOf(database),
    runJobs: true,
    logger: pino({ base: null }, { write: (line: string) => void log.push(line) }),
  })
  const [baseUrl = ''] = started.addresses
  return {
    baseUrl,
    stop: started.stop,
    moved: () => log.filter((line) => line.includes('the database is older than ids')),
  }
}

/** An authorization with its capture, and a sale. */
async function pay(baseUrl: string): Promise<void> {
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  const client = createSingleRequestClient({ baseUrl, username, password, siteId: 1001 })
  const order = await client.authorize(payment('20.00'))
  assert.equal(outcome(order), 'APPROVED 0/100')
  assert.equal(
    outcome(await client.capture({ orderId: order.orderId, amount: '20.00' })),
    'APPROVED 0/100',
  )
  assert.equal(outcome(await client.sale(payment('30.00'))), 'APPROVED 0/100')
}

async function idsOf(database: string): Promise<Taken> {
  return onDatabase(database, async (client) => {
    const { rows } = await client.query<{ kind: string; id: string }>(`
      select 'PO_ID' as kind, id::text from orders
      union all select 'TRANS_ID', id::text from transactions
      union all select 'REQ_ID', id::text from requests
      union all select 'message', message_number::text from orders
      union all select 'message', message_number::text from advices
      union all select 'customer', id::text from customers
      union all select 'batch', id::text from batches`)
    return Object.fromEntries(
      [...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, found]) => [
        kind,
        new Set(found.map(({ id }) => id)),
      ]),
    )
  })
}

/** The kinds of which the restored database has assigned an id that was lost with the backup. */
async function repeatedKinds(database: string, backup: Taken): Promise<string[]> {
  const now = await idsOf(database)
  return Object.keys(now).filter((kind) => {
    const known = backup[kind] ?? new Set()
    const gone = lost[kind] ?? new Set()
    return [...(now[kind] ?? [])].some((id) => !known.has(id) && gone.has(id))
  })
}

/** Starts a node on the restored database, pays, closes a batch, and gives what was repeated. */
async function liveAgain(database: string, ofDataDir: string) {
  const backup = await idsOf(database)
  const node = await startNode(database, ofDataDir)
  try {
    await pay(node.baseUrl)
    await closeBatch(database)
    await pay(node.baseUrl)
  } finally {
    await node.stop()
  }
  return { repeated: await repeatedKinds(database, backup), moved: node.moved() }
}

test('a restored database that nothing protects assigns ids of every kind a second time', async () => {
  const { repeated, moved } = await liveAgain('unprotected', join(folder, 'empty'))
  assert.deepEqual(repeated.toSorted(), [
    'PO_ID',
    'REQ_ID',
    'TRANS_ID',
    'batch',
    'customer',
    'message',
  ])
  assert.deepEqual(moved, [])
})

test("verify finds the restored database by the node's marks, and a start advances its ids", async () => {
  const check = () =>
    verifyBooks(urlOf('with_marks'), { bankTimeoutMs: 25_000, dataDir: dataDir() })
  const before = (await check()).find(({ name }) => name === 'id_marks_are_assigned')
  assert.ok(
    before?.examples.some(({ sequence }) => sequence === 'order_ids'),
    JSON.stringify(before),
  )

  const { repeated, moved } = await liveAgain('with_marks', dataDir())
  assert.deepEqual(repeated, [])
  assert.equal(moved.length, 1)
  assert.match(moved[0] ?? '', /"level":40,.*"reason":"id marks"/)

  const broken = (await check()).filter(({ count }) => count > 0)
  assert.deepEqual(broken, [])
})

test('a node without marks advances the ids beyond the message numbers that its bank has seen', async () => {
  const withBank = join(folder, 'with-bank')
  mkdirSync(withBank)
  cpSync(join(dataDir(), 'bank', 'control-address'), join(withBank, 'bank', 'control-address'))
  const { repeated, moved } = await liveAgain('with_bank', withBank)
  assert.deepEqual(repeated, [])
  assert.equal(moved.length, 1)
  assert.match(moved[0] ?? '', /"reason":"bundled bank"/)
})

test('an operator advances the ids of a restored database before its first start', async () => {
  const run = { url: urlOf('by_command'), dataDir: join(folder, 'by-command') }
  const shown = await tollgate(['ids', 'show'], run)
  assert.equal(shown.code, 0, shown.output)
  assert.match(shown.output, /^order_ids +assigned up to \d+, no mark$/m)
  const refused = await tollgate(['ids', 'advance', '--by', '0'], run)
  assert.equal(refused.code, 1)
  assert.match(refused.output, /it must be a whole number from 1 to 900000000/)

  const advanced = await tollgate(['ids', 'advance', '--by', '5000'], run)
  assert.equal(advanced.code, 0, advanced.output)
  assert.match(advanced.output, /^message_numbers +moved from \d+ to \d+$/m)
  const { repeated } = await liveAgain('by_command', run.dataDir)
  assert.deepEqual(repeated, [])
  const { rows } = await onDatabase('by_command', (client) =>
    client.query<{ actor: string; details: string }>(
      `select actor, details from audit_entries where operation = 'ids.advanced'`,
    ),
  )
  assert.equal(rows.length, 1)
  assert.match(rows[0]?.actor ?? '', /^operator:/)
  assert.match(String(rows[0]?.details), /order_ids: \d+ to \d+/)
})

test('a process whose database is replaced by an older copy takes no block a second time', async () => {
  const pool = new pg.Pool({ connectionString: urlOf('replaced') })
  try {
    const logger = pino({ level: 'silent' })
    const config = configOf(join(folder, 'replaced'))
    const guard = await guardIds({ config, logger, pool, actor: 'gateway:test' })
    const ids = createIds(pool, guard, () => performance.now())
    const first = await ids.next('order')
    const marks = readIdMarks(config.dataDir, await readIdentity(pool))
    assert.ok((marks.get('order_ids') ?? 0n) >= first, 'a block is noted before it is used')
    const taken = new Set<bigint>()
    const take = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) taken.add(await ids.next('order'))
    }
    const { rows } = await pool.query<{ last_value: string }>('select last_value from order_ids')
    await take(2_500)
    await pool.query(`select setval('order_ids', $1)`, [rows[0]?.last_value])
    await take(2_500)
    assert.equal(taken.size, 5_000)
  } finally {
    await pool.end()
  }
})

test('a start with a role that lacks the rights on the notes reports the missing grants', async () => {
  await onDatabase('replaced', (client) =>
    client.query(
      `create role without_notes login;
       grant usage on schema public to without_notes;
       grant select on schema_migrations to without_notes`,
    ),
  )
  const url = new URL(urlOf('replaced'))
  url.username = 'without_notes'
  await assert.rejects(
    startNode(url.href, join(folder, 'roles')),
    /may not read database_identity or use id_notes\. Grant it SELECT/,
  )
})

test('a mark that cannot be written is reported, and stops no payment', async () => {
  const blocked = join(folder, 'blocked')
  mkdirSync(blocked)
  writeFileSync(join(blocked, 'id-marks'), 'a file where the folder belongs')
  const log: string[] = []
  const node = await startNode('tollgate', blocked, log)
  try {
    await pay(node.baseUrl)
  } finally {
    await node.stop()
  }
  assert.ok(log.some((line) => line.includes('the id marks cannot be written')))
})
