import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

const RUNNING = new URL('../../tools/test-run/', import.meta.url).href

const WRONG = `
import { test } from 'node:test'
import { refuse } from './rule.ts'
test('a test that is wrong at ' + import.meta.url, () => refuse())`
const RULE = `
// Node puts a space in the place of each letter of a type, and a bundle has neither.
interface Refusal {
  readonly by: string
}
export function refuse(): never {
  const refusal: Refusal = { by: /refusal {2}/.test(refuse.toString()) ? 'source' : 'bundle' }
  throw new Error('refused by the ' + refusal.by)
}`
const PASSES = `
import { test } from 'node:test'
test('a test that is right', () => undefined)`

/** Bundles `wrong` and `other`, and runs them by the program that runs the sets. */
function runBundled(t: TestContext, other: string, together: boolean): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-bundles-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'wrong.test.ts'), WRONG)
  writeFileSync(join(folder, 'other.test.ts'), other)
  writeFileSync(join(folder, 'rule.ts'), RULE)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  const program = join(folder, 'program.mjs')
  writeFileSync(
    program,
    `
    import { bundle } from '${RUNNING}bundling.ts'
    import { runFiles } from '${RUNNING}run-files.ts'
    import { createSchedule } from '${RUNNING}schedule.ts'
    const [wrong, other] = ['${folder}/wrong.test.ts', '${folder}/other.test.ts']
    await bundle({ sources: { wrong, other }, folder: '${folder}/bundles', mapsSources: true })
    const files = [wrong, other]
    const schedule = createSchedule(${together} ? [wrong] : files, new Map(), 1)
    const filesOf = (entry) => ${together} ? files : [entry]
    const signal = new AbortController().signal
    const bundles = new Map([
      [wrong, '${folder}/bundles/wrong.js'],
      [other, '${folder}/bundles/other.js'],
    ])
    await runFiles(schedule, signal, () => [], 30_000, filesOf, bundles)`,
  )
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const options = { env, encoding: 'utf8', timeout: 60_000 } as const
  const { stdout, stderr } = spawnSync(process.execPath, [program], options)
  return stdout + stderr
}

const REFUSED_BY_BUNDLE = /by the bundle\n\s+at refuse \(\S+\/rule\.ts:8:9\)\n.+wrong\.test\.ts:4:/

test('a bundled file fails with the name, lines and address of its source, which runs next', (t) => {
  const output = runBundled(t, 'process.exit(5)', false)
  const names = [...output.matchAll(/^✖ (.+) \(.*ms\)$/gm)].map(([, name]) => name ?? '')

  for (const name of names) assert.match(name, /\/(?:other|wrong)\.test\.ts$/, output)
  for (const file of ['other', 'wrong']) {
    assert.equal(names.filter((name) => name.endsWith(`/${file}.test.ts`)).length > 2, true, output)
  }
  assert.match(output, REFUSED_BY_BUNDLE)
  assert.match(output, /refused by the source/)
})

test('a bundled file that shares a process fails alone, with the lines of its source', (t) => {
  const output = runBundled(t, PASSES, true)

  assert.match(output, /\/wrong\.test\.ts has failed/)
  assert.doesNotMatch(output, /\/other\.test\.ts has failed/)
  assert.match(output, REFUSED_BY_BUNDLE)
  assert.match(output, /^ℹ pass 1$/m)
})
