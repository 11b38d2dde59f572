import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const UNTRACKED = new URL('../../tools/test-run/untracked-promises.ts', import.meta.url).href

/** The second test goes on to the end, so the error alone can fail the file. */
const CONTENT = `
  import assert from 'node:assert/strict'
  import hooks from 'node:async_hooks'
  import { test } from 'node:test'

  test('the work after three promises has one id', async () => {
    const ids = new Set()
    for (let at = 0; at < 3; at += 1) {
      await null
      ids.add(hooks.executionAsyncId())
    }
    assert.equal(ids.size, 1)
  })
  test('other hooks still follow promises', () => {
    const seen = []
    const hook = hooks.createHook({ init: (id, type) => seen.push(type) }).enable()
    Promise.resolve().then(() => undefined)
    hook.disable()
    assert.ok(seen.includes('PROMISE'))
  })
  const later = () => new Promise((resolve) => setTimeout(resolve, 20))
  test('nothing catches an error', async () => {
    await later()
    void later().then(() => { throw new Error('thrown after two promises') })
    await later()
    await later()
  })`

test('no promises are followed, and an error that nothing catches still fails its file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-untracked-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'errors.test.mjs')
  writeFileSync(file, CONTENT)
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const args = [`--import=${UNTRACKED}`, '--test-reporter=tap', file]
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })

  assert.equal(status, 1, stdout)
  assert.match(stdout, /^ok 1 - the work after three promises has one id$/m)
  assert.match(stdout, /^ok 2 - other hooks still follow promises$/m)
  assert.match(stdout, /thrown after two promises/)
})
