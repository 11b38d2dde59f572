import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { root } from '../house/source-text.ts'

interface RunFolder {
  readonly makeRunFolder: (memory?: string) => string
}
const { makeRunFolder } = (await import(join(root, 'scripts', 'run-folder.mjs'))) as RunFolder

test('a run that is offered no file system in memory has its folder on the disk, and leaves nothing in the offer', (t) => {
  const offered = mkdtempSync(join(import.meta.dirname, 'no-memory-'))
  t.after(() => rmSync(offered, { recursive: true }))
  for (const memory of [offered, join(offered, 'missing')]) {
    const folder = makeRunFolder(memory)
    t.after(() => rmSync(folder, { recursive: true }))
    assert.equal(dirname(folder), tmpdir())
  }
  assert.deepEqual(readdirSync(offered), [])
})

test('the folder of a run is empty, and other users pass through it without a look inside', (t) => {
  const folder = makeRunFolder()
  t.after(() => rmSync(folder, { recursive: true }))
  assert.deepEqual(readdirSync(folder), [])
  assert.equal(statSync(folder).mode & 0o777, 0o711)
})
