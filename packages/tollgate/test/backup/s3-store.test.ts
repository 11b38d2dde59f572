import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { Registry } from 'prom-client'
import { untilSeen } from '../../../../test/support/eventually.ts'
import { auditMigrations } from '../../../gateway/src/adapters/postgres/audit/audit-log.ts'
import {
  readMigrations,
  migrate,
} from '../../../gateway/src/adapters/postgres/connection/migrate.ts'
import { loadConfig } from '../../../gateway/src/config/config.ts'
import { MIGRATIONS_FOLDER } from '../../../gateway/src/wiring/migrations-folder.ts'
import { createBackupMetrics } from '../../src/backup/backup-metrics.ts'
import type { StoreError } from '../../src/backup/backup-store.ts'
import { makeBaseBackup } from '../../src/backup/base-backup.ts'
import { checkBackup } from '../../src/backup/check-backup.ts'
import { archiveSettings, startLogArchive } from '../../src/backup/log-archive.ts'
import { openStore, readCluster, type OpenedStore } from '../../src/backup/open-store.ts'
import { pruneBackups } from '../../src/backup/prune.ts'
import { restoreCluster } from '../../src/backup/restore.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded-postgres.ts'
import { layCluster, UNSYNCED } from '../cluster-template.ts'
import { lacksSwift, S3_LOGIN, startS3Server, type S3Server } from './s3-server.ts'

const skip = lacksSwift()
const folder = mkdtempSync(join(tmpdir(), 'tollgate-s3-'))
let server: S3Server
let postgres: EmbeddedPostgres
let opened: OpenedStore
let env: Record<string, string>

before(async () => {
  if (skip !== false) return
  server = await startS3Server(join(folder, 'swift'))
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: S3_LOGIN,
  })
  await client.send(new CreateBucketCommand({ Bucket: 'backups' }))
  env = {
    BACKUP_TO: 's3://backups/node-1',
    BACKUP_KEY: Buffer.alloc(32, 'key').toString('base64'),
    BACKUP_S3_ENDPOINT: server.endpoint,
    BACKUP_S3_ACCESS_KEY: S3_LOGIN.accessKeyId,
    BACKUP_S3_SECRET_KEY: S3_LOGIN.secretAccessKey,
    DATA_DIR: join(folder, 'restored'),
  }
  opened = await open(env)
})
after(async () => {
  await postgres?.stop()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

async function open(settings: Readonly<Record<string, string>>): Promise<OpenedStore> {
  const loaded = loadConfig(settings)
  assert.ok(loaded.ok, JSON.stringify(loaded))
  return openStore(loaded.config.backup)
}

async function rowsOf<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row> {
  return (await rowsOf<Row>(url, sql))[0] ?? assert.fail(`no row: ${sql}`)
}

/** A server with the schema, which archives to the bucket. */
async function startArchivingServer() {
  const postgresDir = join(folder, 'node', 'postgres')
  layCluster(postgresDir)
  const settings = { ...UNSYNCED, ...archiveSettings(postgresDir, 3_600) }
  postgres = await startEmbeddedPostgres({ dataDir: postgresDir, settings })
  const { url } = postgres
  await migrate(url, await readMigrations(MIGRATIONS_FOLDER), {
    onApplied: auditMigrations('operator:test'),
  })
  const owner = await readCluster(url)
  const archive = startLogArchive({
    postgresDir,
    opened: await open(env),
    owner,
    log: { info: () => undefined, warn: () => undefined, error: assert.fail },
    metrics: createBackupMetrics(new Registry(), Date.now),
  })
  return { archive, clusterDir: join(postgresDir, 'cluster'), url }
}

async function archiveNow(url: string): Promise<void> {
  const { name } = await ask<{ name: string }>(
    url,
    'select pg_walfile_name(pg_switch_wal()) as name',
  )
  await untilSeen(
    'the segment is in the bucket',
    () => opened.store.list('log/'),
    (found) => found.some((object) => object.name === `log/${name}`),
    { everyMs: 200 },
  )
}

suite('a bucket of a real S3 server', { skip }, () => {
  test('a cluster is copied to it, checked, and restored to a moment', async () => {
    const { archive, clusterDir, url } = await startArchivingServer()
    await rowsOf(url, 'create table paid as select 1 as amount')
    const backup = await makeBaseBackup({ url, clusterDir, opened, onProgress: () => undefined })
    await rowsOf(url, 'insert into paid values (2)')
    const { at } = await ask<{ at: Date }>(url, 'select clock_timestamp() as at')
    await untilSeen(
      'the clock passes the moment',
      () => ask<{ at: Date }>(url, 'select clock_timestamp() as at'),
      (now) => now.at > at,
    )
    await rowsOf(url, 'insert into paid values (4)')
    await archiveNow(url)
    const checked = await checkBackup(opened, backup, () => undefined)
    assert.deepEqual(checked.faults, [])
    await postgres.stop()
    await archive.stop(60_000)

    await restoreCluster({ env, opened, to: at, onProgress: () => undefined })
    postgres = await startEmbeddedPostgres({
      dataDir: join(folder, 'restored', 'postgres'),
      settings: UNSYNCED,
    })
    const sum = await ask(postgres.url, 'select sum(amount)::int as sum from paid')
    assert.deepEqual(sum, { sum: 3 })
  })

  test('pruning removes the log that no backup needs', async () => {
    const before = await opened.store.list('log/')
    const pruned = await pruneBackups(opened, { count: 1, days: null }, new Date(), () => undefined)
    const left = await opened.store.list('log/')
    assert.ok(pruned.segments > 0)
    assert.equal(left.length, before.length - pruned.segments)
  })

  test('a wrong secret and a missing bucket are reported with the settings to check', async () => {
    for (const change of [
      { BACKUP_S3_SECRET_KEY: 'wrong' },
      { BACKUP_TO: 's3://elsewhere/node-1' },
    ]) {
      const { store } = await open({ ...env, ...change })
      await assert.rejects(store.list(''), (error: StoreError) => {
        assert.match(error.message, /^The bucket s3:\/\/\w+\/node-1 refused to list objects \(/)
        assert.match(error.message, /Check BACKUP_TO, BACKUP_S3_ENDPOINT, the access key/)
        assert.ok(!error.message.includes('wrong'))
        return true
      })
      store.close()
    }
  })
})
