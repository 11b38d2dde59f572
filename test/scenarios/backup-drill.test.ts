import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { loadConfig } from '../../packages/gateway/src/config/config.ts'
import { reconcileBooks, verifyBooks } from '../../packages/gateway/src/wiring/books.ts'
import { startGateway } from '../../packages/gateway/src/wiring/gateway.ts'
import type { BackupMetrics } from '../../packages/tollgate/src/backup/backup-metrics.ts'
import {
  archiveSettings,
  startLogArchive,
  type LogArchive,
} from '../../packages/tollgate/src/backup/log-archive.ts'
import { readManifest } from '../../packages/tollgate/src/backup/manifest.ts'
import { claimStore, openStore, readOwner } from '../../packages/tollgate/src/backup/open-store.ts'
import { restoreCluster } from '../../packages/tollgate/src/backup/restore.ts'
import { openObject } from '../../packages/tollgate/src/backup/sealed-object.ts'
import { startEmbeddedPostgres } from '../../packages/tollgate/src/embedded-postgres.ts'
import { describeReconciliation } from '../../packages/tollgate/src/recon-report.ts'
import { eventually } from '../support/eventually.ts'
import { outcome, payment, VISA } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { tollgate } from '../support/several-servers.ts'

const KEY = Buffer.alloc(32, 'backup').toString('base64')
const OTHER_KEY = Buffer.alloc(32, 'another').toString('base64')
const APPROVED = 'APPROVED 0/100'

/** The metrics of the supervisor, which these tests do not run. */
const UNCOUNTED: BackupMetrics = {
  setWaiting: () => undefined,
  setSafe: () => undefined,
  countFailure: () => undefined,
  setLastBackup: () => undefined,
}

const folder = mkdtempSync(join(tmpdir(), 'tollgate-drill-'))
const store = join(folder, 'store')
const databaseFolder = join(folder, 'node', 'postgres')
let gateway: RunningGateway
let archive: LogArchive
/** The moment to restore: payments of before are kept, and payments of later are lost. */
let moment: string
/** The file of the table with security codes that wait for their payment. */
let codesFile = ''
/** Of the log that the backup needs. */
let firstSegment = ''

after(async () => {
  await gateway?.stop()
  await archive?.stop(5_000)
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** Runs a command with the store; `node` is the folder whose database it is about. */
function command(args: readonly string[], node = 'node', more: Record<string, string> = {}) {
  const settings = { BACKUP_TO: store, BACKUP_KEY: KEY, ...more }
  return tollgate(args, { url: '', dataDir: join(folder, node), ...settings })
}

async function sell(client: SingleRequestClient, amount: string): Promise<string> {
  const sold = await client.sale(payment(amount))
  assert.equal(outcome(sold), APPROVED)
  return sold.orderId
}

/** Closes the segment of the log, and waits until the store has it. */
async function archiveNow(): Promise<void> {
  const { rows } = await gateway.pool.query<{ name: string }>(
    'select pg_walfile_name(pg_switch_wal()) as name',
  )
  const name = rows[0]?.name ?? ''
  await eventually('the segment is in the store', () =>
    readdirSync(join(store, 'log')).includes(name),
  )
}

async function databaseTime(): Promise<string> {
  const { rows } = await gateway.pool.query<{ at: Date }>('select clock_timestamp() as at')
  return rows[0]?.at.toISOString() ?? ''
}

interface Before {
  readonly kept: string
  readonly held: string
}

/** Payments while the copy is made, and operations before and after the moment. */
async function payAroundTheBackup(): Promise<Before> {
  const client = gateway.client()
  const kept = await sell(client, '30.00')
  const { orderId: held } = await client.authorize(payment('50.00'))
  let isCopying = true
  const traffic = (async () => {
    while (isCopying) await sell(client, '1.00')
  })()
  const made = await command(['backup', 'create'])
  isCopying = false
  await traffic
  assert.equal(made.code, 0, made.output)
  assert.match(made.output, /Backup \d{8}T\d{6}Z-[0-9a-f]{4} is complete: /)
  await sell(client, '31.00')
  await archiveNow()
  moment = await databaseTime()
  await eventually('the clock passes the moment', async () => (await databaseTime()) > moment)
  return { kept, held }
}

/** Operations that the restored database will not know. */
async function payAfterTheMoment({ held, kept }: Before): Promise<void> {
  const client = gateway.client()
  await sell(client, '77.00')
  assert.equal(outcome(await client.authorize(payment('88.00'))), APPROVED)
  const { orderId: returned } = await client.sale(payment('99.00'))
  assert.equal(outcome(await client.refund({ orderId: returned, amount: '99.00' })), APPROVED)
  assert.equal(outcome(await client.capture({ orderId: held, amount: '45.00' })), APPROVED)
  assert.equal(outcome(await client.refund({ orderId: kept, amount: '3.00' })), APPROVED)
  await eventually('the bank has every advice', async () => {
    const { rows } = await gateway.pool.query<{ left: number }>(
      'select count(*)::int as left from advices where acknowledged_at is null',
    )
    return rows[0]?.left === 0
  })
  await archiveNow()
}

before(async () => {
  gateway = await startRunningGateway({}, undefined, {
    folder: databaseFolder,
    settings: archiveSettings(databaseFolder, 3_600),
  })
  const { rows } = await gateway.pool.query<{ id: string; bytes: number; codes: string }>(
    `select system_identifier::text as id,
            pg_relation_filepath('card_token_codes') as codes,
            (select setting::int from pg_settings where name = 'wal_segment_size') as bytes
       from pg_control_system()`,
  )
  const loaded = loadConfig({ BACKUP_TO: store, BACKUP_KEY: KEY, DATA_DIR: join(folder, 'none') })
  assert.ok(loaded.ok)
  codesFile = rows[0]?.codes ?? ''
  const problems: string[] = []
  archive = startLogArchive({
    postgresDir: databaseFolder,
    opened: await openStore(loaded.config.backup),
    owner: { systemIdentifier: rows[0]?.id ?? '', segmentBytes: rows[0]?.bytes ?? 0 },
    log: { info: () => undefined, warn: () => undefined, error: (line) => problems.push(line) },
    metrics: UNCOUNTED,
  })
  await payAfterTheMoment(await payAroundTheBackup())
  assert.deepEqual(problems, [])
  const opened = await openStore(loaded.config.backup)
  ;({ firstSegment } = await readManifest(opened, backupId()))
})

const backupId = (): string => readdirSync(join(store, 'base')).toSorted()[0] ?? ''

suite('a restore is refused', () => {
  test('under another key, and names both keys by their ids', async () => {
    const said = await refusal(null, { BACKUP_KEY: OTHER_KEY })
    assert.match(
      said,
      /cluster was encrypted under the key [0-9a-f]{16}, and BACKUP_KEY is [0-9a-f]{16}/,
    )
  })

  test('with a damaged part, and names the object', async () => {
    const part = `base/${backupId()}/data-000001`
    const said = await whenChanged(part, flipped, () => refusal(moment))
    assert.match(said, /The object base\/.*\/data-000001 is damaged/)
  })

  test('with a gap in the log before the moment, and names the missing segment', async () => {
    const [next = ''] = readdirSync(join(store, 'log'))
      .toSorted()
      .filter((name) => name > firstSegment)
    const said = await whenChanged(
      `log/${next}`,
      () => null,
      () => refusal(moment),
    )
    assert.match(said, new RegExp(`${next} is missing`))
  })

  test('to a time before the oldest backup, and to one after the end of the log', async () => {
    assert.match(
      await refusal('2001-01-01T00:00:00Z'),
      /The oldest backup .* was complete at .*earlier/,
    )
    assert.match(
      await refusal('2101-01-01T00:00:00Z'),
      /does not reach 2101-.*: its last transaction is of 2.*Z\./,
    )
  })

  test('over a cluster that is there', async () => {
    const again = await command(['restore'], 'node')
    assert.equal(again.code, 1)
    assert.match(again.output, /is there already, and a restore overwrites nothing/)
  })
})

suite('a drill', () => {
  test('the database comes back as of a moment, and recon lists each payment that only the bank has', async () => {
    const lost = await idsOf(gateway.databaseUrl)
    await gateway.stopGateway()
    await gateway.stopDatabase('crash')

    const restored = await command(['restore', '--to', moment], 'restored')
    assert.equal(restored.code, 0, restored.output)
    assert.match(
      restored.output,
      /The database was restored to .*, from the backup \d{8}T.* timeline 2/,
    )
    assert.match(restored.output, /[1-9]\d* sequences of ids were moved/)

    const node = await startRestored('restored')
    try {
      const invariants = await verifyBooks(node.url, {
        bankTimeoutMs: 25_000,
        dataDir: node.dataDir,
      })
      assert.deepEqual(
        invariants.filter(({ count }) => count > 0),
        [],
      )
      const { controlUrl } = gateway.bank
      assert.ok(controlUrl !== null)
      const found = await reconcileBooks(node.url, {
        controlUrl,
        readSecret: () => null,
        merchantId: null,
      })
      assert.deepEqual(
        found.differences
          .map(({ order: { bank, gateway: ours }, reasons: [reason] }) =>
            [
              reason?.kind,
              ours?.capturedMinor ?? 'none',
              bank?.capturedMinor,
              bank?.refundedMinor,
            ].join(' '),
          )
          .toSorted(),
        [
          'unexplained 0 4500 0',
          'unexplained 3000 3000 300',
          'unknown_to_gateway none 0 0',
          'unknown_to_gateway none 7700 0',
          'unknown_to_gateway none 9900 9900',
        ],
      )
      const report = describeReconciliation(found)
      assert.match(report, /The cardholder paid 77\.00 USD\. Ask the merchant/)
      assert.match(report, /The bank holds 88\.00 USD, and nothing was captured\. Reverse it/)
      assert.match(report, /Nothing is held and nothing is owed/)
      assert.match(report, /The bank captured 45\.00 USD more\. Do not capture it again/)
      assert.match(report, /The bank refunded 3\.00 USD more\. Do not refund it again/)

      assert.deepEqual(await advancesOf(node.url), ['operator'], 'the restore did, before a start')
      const known = await idsOf(node.url)
      for (let count = 0; count < 3; count += 1) await sell(node.client, '5.00')
      const now = await idsOf(node.url)
      const repeated = [...now].filter((id) => !known.has(id) && lost.has(id))
      assert.deepEqual(repeated, [])
    } finally {
      await node.stop()
    }
  })

  test('a second restore of the same backup gets a timeline of its own once the first one archives', async () => {
    const history = join(folder, 'restored', 'postgres', 'cluster', 'pg_wal', '00000002.history')
    assert.match(readFileSync(history, 'utf8'), /^1\t/)
    const loaded = loadConfig({ BACKUP_TO: store, BACKUP_KEY: KEY, DATA_DIR: join(folder, 'none') })
    assert.ok(loaded.ok)
    const opened = await openStore(loaded.config.backup)
    const owner = await readOwner(opened)
    assert.ok(owner !== null)
    const postgresDir = join(folder, 'restored', 'postgres')
    archiveSettings(postgresDir, 60)
    const second = startLogArchive({
      postgresDir,
      opened,
      owner,
      log: { info: () => undefined, warn: () => undefined, error: assert.fail },
      metrics: UNCOUNTED,
    })
    await second.stop(60_000)
    const again = await command(['restore', '--to', moment], 'again')
    assert.equal(again.code, 0, again.output)
    assert.match(again.output, /timeline 3/)
  })
})

/** The reasons for which the sequences of ids were moved. */
async function advancesOf(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ details: string }>(
      `select details::text as details from audit_entries where operation = 'ids.advanced'`,
    )
    return rows.map(({ details }) => /"reason": ?"([a-z ]+)"/.exec(details)?.[1] ?? details)
  } finally {
    await client.end()
  }
}

/** Every id that a database has assigned to an order, a transaction or a message. */
async function idsOf(url: string): Promise<ReadonlySet<string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>(`
      select 'PO_ID ' || id as id from orders
      union all select 'TRANS_ID ' || id from transactions
      union all select 'REQ_ID ' || id from requests
      union all select 'message ' || message_number from orders
      union all select 'message ' || message_number from advices`)
    return new Set(rows.map(({ id }) => id))
  } finally {
    await client.end()
  }
}

/** The server and a gateway on a restored data folder, with the bank that went on. */
async function startRestored(name: string) {
  const dataDir = join(folder, name)
  const nodeDataDir = gateway.nodeSettings['DATA_DIR'] ?? ''
  cpSync(join(nodeDataDir, 'bank', 'control-address'), join(dataDir, 'bank', 'control-address'))
  const server = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') })
  const loaded = loadConfig({
    PORT: '0',
    TLS_PORT: '0',
    ...gateway.nodeSettings,
    DATABASE_URL: server.url,
    DATA_DIR: dataDir,
    VAULT_KEY: gateway.vaultKey.reveal(),
    TLS_CERT: join(nodeDataDir, 'keys', 'tls-cert.pem'),
    TLS_KEY: join(nodeDataDir, 'keys', 'tls-key.pem'),
  })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  const started = await startGateway({
    config: loaded.config,
    databaseUrl: server.url,
    runJobs: true,
    logger: pino({ level: 'silent' }),
  })
  return {
    url: server.url,
    dataDir,
    client: createSingleRequestClient({
      baseUrl: started.addresses[0] ?? '',
      username,
      password,
      siteId: 1001,
    }),
    async stop() {
      await started.stop()
      await server.stop()
    },
  }
}

/** The error of a restore of the store in this process; the data folder must stay without one. */
async function refusal(to: string | null, more: Record<string, string> = {}): Promise<string> {
  const dataDir = join(folder, 'refused')
  const env = { BACKUP_TO: store, BACKUP_KEY: KEY, DATA_DIR: dataDir, ...more }
  const loaded = loadConfig(env)
  assert.ok(loaded.ok)
  const opened = await openStore(loaded.config.backup)
  const time = to === null ? null : new Date(to)
  try {
    await restoreCluster({ env, opened, to: time, onProgress: () => undefined })
  } catch (error) {
    assert.deepEqual(readdirSync(dataDir), [], 'nothing is left of a refused restore')
    return error instanceof Error ? error.message : String(error)
  }
  return assert.fail('the restore was not refused')
}

/** Runs with an object of the store changed, or removed where `change` gives null. */
async function whenChanged<T>(
  object: string,
  change: (sealed: Buffer) => Buffer | null,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(store, object)
  const sealed = readFileSync(path)
  const changed = change(Buffer.from(sealed))
  if (changed === null) rmSync(path)
  else writeFileSync(path, changed)
  try {
    return await work()
  } finally {
    writeFileSync(path, sealed)
  }
}

function flipped(sealed: Buffer): Buffer {
  sealed.writeUInt8(sealed.readUInt8(sealed.length - 40) ^ 1, sealed.length - 40)
  return sealed
}

suite('a backup', () => {
  test('has no key and no card number in its bytes, nor after decryption with its own key', async () => {
    const loaded = loadConfig({ BACKUP_TO: store, BACKUP_KEY: KEY, DATA_DIR: join(folder, 'none') })
    assert.ok(loaded.ok)
    const { key, store: objects } = await openStore(loaded.config.backup)
    const names = (await objects.list('')).map(({ name }) => name)
    assert.ok(names.length > 8, names.join())
    const secrets = [VISA, KEY, gateway.vaultKey.reveal()].flatMap((secret) => [
      Buffer.from(secret),
      Buffer.from(secret, 'base64'),
    ])
    let orders = 0
    for (const name of names) {
      const sealed = await objects.get(name)
      assert.ok(sealed !== null)
      const { content } = await openObject(key, name, sealed)
      orders += content.indexOf('demo@tollgate.test') === -1 ? 0 : 1
      assert.equal(sealed.indexOf('demo@tollgate.test'), -1, name)
      for (const secret of secrets) {
        assert.equal(sealed.indexOf(secret), -1, name)
        assert.equal(content.indexOf(secret), -1, name)
      }
    }
    assert.ok(orders > 0, 'the contents that were searched are those of the database')
  })

  test('leaves out the content of the table in which security codes wait', async () => {
    const loaded = loadConfig({ BACKUP_TO: store, BACKUP_KEY: KEY, DATA_DIR: join(folder, 'none') })
    assert.ok(loaded.ok)
    const { files } = await readManifest(await openStore(loaded.config.backup), backupId())
    const paths = files.map(([path]) => path)
    assert.deepEqual(
      paths.filter((path) => path.startsWith(codesFile)),
      [`${codesFile}_init`],
    )
  })

  test('is listed and checked with the time that it reaches, and a check names each damaged object', async () => {
    const listed = await command(['backup', 'list'])
    assert.match(listed.output, new RegExp(`^${backupId()}  complete 2.*, log until 2.*Z, `, 'm'))
    const whole = await command(['backup', 'check'])
    assert.equal(whole.code, 0, whole.output)
    assert.match(whole.output, /is whole: \d+ objects are authentic\. A restore can reach/)
    const part = `base/${backupId()}/data-000001`
    const damaged = await whenChanged(part, flipped, () => command(['backup', 'check']))
    assert.equal(damaged.code, 1)
    assert.match(damaged.output, /data-000001 is damaged/)
  })

  test('of another cluster is not mixed into the store', async () => {
    const loaded = loadConfig({ BACKUP_TO: store, BACKUP_KEY: KEY, DATA_DIR: join(folder, 'none') })
    assert.ok(loaded.ok)
    const opened = await openStore(loaded.config.backup)
    await assert.rejects(
      claimStore(opened, { systemIdentifier: '7', segmentBytes: 1 }),
      /has the backups of the cluster \d+, and this is the cluster 7\. Set BACKUP_TO/,
    )
  })

  test('that is pruned goes with the log that only it needed, and the latest one stays restorable', async () => {
    const segments = (): string[] =>
      readdirSync(join(store, 'log')).filter((name) => /^0{7}1/.test(name))
    const before = segments()
    const pruned = await command(['backup', 'prune', '--keep', '1'])
    assert.equal(pruned.code, 0, pruned.output)
    const removed = before.filter((name) => !segments().includes(name))
    assert.deepEqual(
      removed,
      before.filter((name) => name < firstSegment),
    )
    assert.ok(removed.length > 0, 'some log was older than the backup')
    assert.match((await command(['backup', 'check'])).output, /is whole/)
  })
})
