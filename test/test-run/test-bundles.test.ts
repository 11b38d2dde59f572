import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

const RUNNING = new URL('../../tools/test-run/', import.meta.url).href

const FILE = `
import { test } from 'node:test'
import { refuse } from './rule.ts'
test('a test that is wrong at ' + import.meta.url, () => refuse())`
const RULE = `
// A bundle has neither these comments nor this type.
interface Refusal {
  readonly program: string
}
export function refuse(): never {
  const refusal: Refusal = { program: process.argv[1] ?? '' }
  throw new Error('refused in ' + refusal.program)
}`

/** Bundles two files that fail, one before it has a test, and runs them by the program that runs the sets. */
function runBundled(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-bundles-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'wrong.test.ts'), FILE)
  writeFileSync(join(folder, 'silent.test.ts'), 'process.exit(5)')
  writeFileSync(join(folder, 'rule.ts'), RULE)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  const program = join(folder, 'program.mjs')
  writeFileSync(
    program,
    `
    import { bundle } from '${RUNNING}bundling.ts'
    import { runFiles } from '${RUNNING}run-files.ts'
    import { createSchedule } from '${RUNNING}schedule.ts'
    const [wrong, silent] = ['${folder}/wrong.test.ts', '${folder}/silent.test.ts']
    await bundle({ sources: { wrong, silent }, folder: '${folder}/bundles', mapsSources: true })
    const schedule = createSchedule([wrong, silent], new Map(), 1)
    const signal = new AbortController().signal
    const bundles = new Map([
      [wrong, '${folder}/bundles/wrong.js'],
      [silent, '${folder}/bundles/silent.js'],
    ])
    await runFiles(schedule, signal, () => [], 30_000, undefined, bundles)`,
  )
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  return spawnSync(process.execPath, [program], { env, encoding: 'utf8', timeout: 60_000 })
}

test('a bundled file fails with the name, lines and address of its source, which runs next', (t) => {
  const { stdout, stderr } = runBundled(t)
  const names = [...stdout.matchAll(/^✖ (.+) \(.*ms\)$/gm)].map(([, name]) => name ?? '')

  for (const name of names) assert.match(name, /\/(?:silent|wrong)\.test\.ts$/, stderr)
  for (const file of ['silent', 'wrong']) {
    assert.equal(names.filter((name) => name.endsWith(`/${file}.test.ts`)).length > 2, true, stdout)
  }
  assert.match(
    stdout,
    /refused in \S+\/wrong\.js\n\s+at refuse \(\S+\/rule\.ts:8:9\)\n.+wrong\.test\.ts:4:/,
  )
  assert.match(stdout, /refused in \S+\/wrong\.test\.ts/)
})
