import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { folderStore } from '../../src/backup/folder-store.ts'
import { keptBackups } from '../../src/backup/prune.ts'

const NOW = new Date('2026-11-27T12:00:00Z')
const IDS = ['25', '26', '27'].map((day) => `202611${day}T060000Z-abcd`)
const [oldest = '', middle = '', latest = ''] = IDS

suite('pruning', () => {
  test('keeps what either rule keeps, and always the latest backup', () => {
    assert.deepEqual(keptBackups(IDS, { count: 2, days: null }, NOW), [middle, latest])
    assert.deepEqual(keptBackups(IDS, { count: null, days: 2 }, NOW), [middle, latest])
    assert.deepEqual(keptBackups(IDS, { count: 1, days: 3 }, NOW), [oldest, middle, latest])
    const later = new Date('2027-11-27T12:00:00Z')
    assert.deepEqual(keptBackups(IDS, { count: null, days: 1 }, later), [latest])
  })
})

suite('a folder of backups', () => {
  test('never shows an object that is half written, and replaces one as a whole', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-store-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const store = folderStore(folder)
    assert.deepEqual(await store.list(''), [])
    await store.put('base/a/manifest', Buffer.from('one'))
    await store.put('base/a/manifest', Buffer.from('three'))
    writeFileSync(join(folder, 'base', 'a', 'data-000001.draft-1a2b'), 'half')
    assert.deepEqual(await store.list('base/'), [{ name: 'base/a/manifest', bytes: 5 }])
    assert.equal(String(await store.get('base/a/manifest')), 'three')
    assert.equal(await store.get('base/b/manifest'), null)
    await store.remove('base/a/manifest')
    assert.deepEqual(readdirSync(join(folder, 'base', 'a')), ['data-000001.draft-1a2b'])
  })

  test('that cannot be written is reported with its name and the setting', async (t) => {
    const file = join(mkdtempSync(join(tmpdir(), 'tollgate-store-')), 'file')
    t.after(() => rmSync(join(file, '..'), { recursive: true, force: true }))
    writeFileSync(file, 'a file where the folder belongs')
    await assert.rejects(
      folderStore(file).put('cluster', Buffer.from('x')),
      /file cannot be used \(\w+\)\. .*BACKUP_TO/,
    )
  })
})
