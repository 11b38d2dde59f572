import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { filesToRepeat } from '../../tools/test-run/second-runs.ts'

const RUNNER = new URL('../../tools/test-run/run-files.ts', import.meta.url).href
const SCHEDULE = new URL('../../tools/test-run/schedule.ts', import.meta.url).href

/** Runs files of this content by the program that runs the sets; `together`: in one process. */
function runOf(
  t: TestContext,
  contents: Readonly<Record<string, string>>,
  fileTimeoutMs: number,
  together = false,
) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-run-files-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const files = Object.entries(contents).map(([name, content]) => {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return file
  })
  const program = join(folder, 'program.mjs')
  writeFileSync(
    program,
    `
    import { runFiles } from '${RUNNER}'
    import { createSchedule } from '${SCHEDULE}'
    const files = ${JSON.stringify(files)}
    const together = ${together}
    const schedule = createSchedule(together ? files.slice(0, 1) : files, new Map(), 1)
    const filesOf = (entry) => together ? files : [entry]
    const signal = new AbortController().signal
    const report = await runFiles(schedule, signal, () => [], ${fileTimeoutMs}, filesOf)
    process.exitCode = report.hasFailed ? 3 : 0`,
  )
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  return spawnSync(process.execPath, [program], { env, encoding: 'utf8', timeout: 60_000 })
}

/** Fails in its first run and passes in its second. */
const FAILS_ONCE = `
  import { test } from 'node:test'
  import { existsSync, writeFileSync } from 'node:fs'
  const mark = new URL(import.meta.url + '.ran')
  test('a test of chance', () => {
    if (existsSync(mark)) return
    writeFileSync(mark, '')
    throw new Error('the first time')
  })`
const FAILS = `
  import { test } from 'node:test'
  test('a test that is wrong', () => { throw new Error('each time') })`

test('a file whose process lives on after its tests is ended, and has failed', (t) => {
  const content = "import 'node:test'\nsetInterval(() => undefined, 1_000)\n"
  const ended = runOf(t, { 'lives-on.test.mjs': content }, 1_000)

  assert.equal(ended.status, 3, ended.stderr)
  assert.match(ended.stdout, /lives-on\.test\.mjs/)
})

const PASSES = `
  import { test } from 'node:test'
  test('a test in process ' + process.pid, () => undefined)`

suite('files that run together', () => {
  test('files that run together have one process, and each its own failure', (t) => {
    const files = { 'a.test.mjs': PASSES, 'chance.test.mjs': FAILS_ONCE, 'c.test.mjs': PASSES }
    const { status, stdout } = runOf(t, files, 30_000, true)

    assert.equal(status, 0, stdout)
    assert.match(stdout, /UNSTABLE: \S+chance\.test\.mjs failed beside others/)
    assert.doesNotMatch(stdout, /UNSTABLE: \S+[ac]\.test\.mjs/)
    const processes = [...stdout.matchAll(/✔ a test in process (\d+)/g)].map(([, pid]) => pid)
    assert.deepEqual([processes.length, new Set(processes).size], [2, 1])
    assert.match(stdout, /^ℹ tests 3$/m)
    assert.match(stdout, /^ℹ pass 3$/m)
  })

  test('a file that throws while it loads fails, and the others of its process do not', (t) => {
    const wrong = { 'throws.test.mjs': 'throw new Error("while it loads")' }
    const { status, stdout } = runOf(t, { ...wrong, 'z.test.mjs': PASSES }, 30_000, true)

    assert.equal(status, 3, stdout)
    assert.match(stdout, /while it loads/)
    assert.match(stdout, /throws\.test\.mjs has failed/)
    assert.doesNotMatch(stdout, /z\.test\.mjs has failed/)
  })

  test('the hooks of a file run before and after its own tests only', (t) => {
    const hooked = `
      import { after, before, test } from 'node:test'
      before(() => { globalThis.open = (globalThis.open ?? 0) + 1 })
      after(() => { globalThis.open -= 1 })
      test('a test of a file that has the process', () => {
        if (globalThis.open !== 1) throw new Error('open: ' + globalThis.open)
      })`
    const files = { 'a.test.mjs': hooked, 'b.test.mjs': hooked }
    const { status, stdout } = runOf(t, files, 30_000, true)

    assert.equal(status, 0, stdout)
    assert.match(stdout, /^ℹ pass 2$/m)
  })

  test('a file whose hook fails has failed alone', (t) => {
    const hooked = `
      import { before, test } from 'node:test'
      before(() => { throw new Error('in the hook') })
      test('a test', () => undefined)`
    const files = { 'hook.test.mjs': hooked, 'z.test.mjs': PASSES }
    const { status, stdout } = runOf(t, files, 30_000, true)

    assert.equal(status, 3, stdout)
    assert.match(stdout, /hook\.test\.mjs has failed/)
    assert.doesNotMatch(stdout, /z\.test\.mjs has failed/)
  })

  test('files that run together have all failed when one of them ends their process', (t) => {
    const ending = `
      import { test } from 'node:test'
      test('a test that ends everything', () => process.exit(5))`
    const passing = Array.from({ length: 6 }, (_, at) => [`z${at}.test.mjs`, PASSES])
    const files = { 'ends.test.mjs': ending, ...Object.fromEntries(passing) }
    const { status, stdout } = runOf(t, files, 30_000, true)

    assert.equal(status, 3, stdout)
    assert.match(stdout, /z5\.test\.mjs has failed/)
  })
})

suite('a second run', () => {
  test('a second run that passes lets the whole run pass, which names the file and its failure', (t) => {
    const { status, stdout } = runOf(t, { 'chance.test.mjs': FAILS_ONCE }, 30_000)

    assert.equal(status, 0, stdout)
    assert.match(stdout, /the first time/)
    assert.match(stdout, /UNSTABLE: \S+chance\.test\.mjs failed beside others/)
    assert.match(stdout, /^ℹ tests 1$/m)
    assert.match(stdout, /^ℹ pass 1$/m)
    assert.match(stdout, /^ℹ fail 0$/m)
  })

  test('a second run that fails too leaves the file failed, beside one that was unstable', (t) => {
    const files = { 'chance.test.mjs': FAILS_ONCE, 'wrong.test.mjs': FAILS }
    const { status, stdout } = runOf(t, files, 30_000)

    assert.equal(status, 3, stdout)
    assert.match(stdout, /^ℹ fail 1$/m)
    const summary = stdout.slice(stdout.indexOf('UNSTABLE: '))
    assert.match(summary, /✖ failing tests:[^]*a test that is wrong/)
    assert.doesNotMatch(summary, /a test of chance/)
  })

  test('a second run is not given to a file that draws its own schedules, kills and inputs', (t) => {
    const files = { 'test/torture/chance.test.mjs': FAILS_ONCE }
    assert.equal(runOf(t, files, 30_000).status, 3)
  })

  test('a second run is given to six files, and to none of seven', () => {
    const failed = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(
      (name) => `/x/test/scenarios/${name}.test.ts`,
    )
    assert.deepEqual(filesToRepeat(failed.slice(1)), failed.slice(1))
    assert.deepEqual(filesToRepeat(failed), [])
  })
})
