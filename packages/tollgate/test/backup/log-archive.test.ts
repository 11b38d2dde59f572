import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { Registry } from 'prom-client'
import { eventually } from '../../../../test/support/eventually.ts'
import { createBackupMetrics } from '../../src/backup/backup-metrics.ts'
import { folderStore } from '../../src/backup/folder-store.ts'
import { spoolOf, startLogArchive } from '../../src/backup/log-archive.ts'
import { backupKey, openObject } from '../../src/backup/sealed-object.ts'

const KEY = backupKey(Buffer.alloc(32, 3).toString('base64'))
const OWNER = { systemIdentifier: '7000', segmentBytes: 16 * 2 ** 20 }
const FIRST = '000000010000000000000001'
const SECOND = '000000010000000000000002'

function archiveOf(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-archive-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const postgresDir = join(folder, 'postgres')
  const spool = spoolOf(postgresDir)
  mkdirSync(join(postgresDir, 'cluster', 'pg_wal'), { recursive: true })
  mkdirSync(spool)
  const place = join(folder, 'store')
  const lines: string[] = []
  const note = (line: string): void => void lines.push(line)
  const registry = new Registry()
  const store = folderStore(place)
  const metrics = createBackupMetrics(registry, Date.now)
  const start = () => {
    const archive = startLogArchive({
      postgresDir,
      opened: { store, key: KEY },
      owner: OWNER,
      log: { info: note, warn: note, error: note },
      metrics,
    })
    // A test that fails would be kept alive by it.
    t.after(() => archive.stop(1_000))
    return archive
  }
  return { lines, place, registry, spool, start, store }
}

suite('the archive of the log', () => {
  test('keeps segments while the store is away, reports that once, and stores them when it returns', async (t) => {
    const { lines, place, registry, spool, start, store } = archiveOf(t)
    writeFileSync(place, 'a file where the folder belongs')
    writeFileSync(join(spool, FIRST), 'first')
    writeFileSync(join(spool, SECOND), 'second')
    writeFileSync(join(spool, 'archtemp.000000010000000000000003.1'), 'half')
    const archive = start()
    await eventually('two attempts failed', async () =>
      /^tollgate_backup_failures_total [2-9]/m.test(await registry.metrics()),
    )
    assert.match(await registry.metrics(), /^tollgate_backup_log_waiting 2$/m)
    assert.equal(lines.length, 1, lines.join('\n'))
    assert.match(
      lines[0] ?? '',
      /the log of the database is not archived, and waits in .*cannot be used/,
    )

    rmSync(place)
    await eventually('the spool is empty', () => readdirSync(spool).length === 1)
    await archive.stop(60_000)
    assert.deepEqual(
      (await store.list('')).map(({ name }) => name),
      ['cluster', `log/${FIRST}`, `log/${SECOND}`],
    )
    const sealed = (await store.get(`log/${SECOND}`)) ?? assert.fail()
    assert.equal(String((await openObject(KEY, `log/${SECOND}`, sealed)).content), 'second')
    assert.equal(lines.at(-1), 'the log of the database is archived again')
    assert.match(await registry.metrics(), /^tollgate_backup_log_waiting 0$/m)
  })

  test('drops a segment that comes a second time, and never replaces one by another', async (t) => {
    const { lines, spool, start, store } = archiveOf(t)
    writeFileSync(join(spool, FIRST), 'first')
    await start().stop(60_000)
    const known = await store.get(`log/${FIRST}`)
    writeFileSync(join(spool, FIRST), 'first')
    const again = start()
    await eventually('the spool is empty', () => readdirSync(spool).length === 0)
    await again.stop(60_000)
    assert.deepEqual(lines, [])

    writeFileSync(join(spool, FIRST), 'of another server')
    await start().stop(60_000)
    assert.match(lines.join(), /has another 000000010000000000000001: two servers archive to it/)
    assert.deepEqual(readdirSync(spool), [FIRST])
    assert.deepEqual(await store.get(`log/${FIRST}`), known)
  })
})
