import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { holds, RULES, setOf } from '../../tools/test-run/test-sets.ts'
import { filesUnder, importsOf, read, root } from './source-text.ts'

/** Slow things that a quick run may not start, by the module that starts each. */
const SLOW: readonly (readonly [what: string, from: RegExp])[] = [
  ['a browser', /^playwright-core$/],
  ['a database', /(?:^@tollgate\/tollgate$|\/embedded-postgres\.ts$)/],
  ['a program that is killed', /test\/(?:support\/gateway-node|program)\.ts$/],
]

const testFiles = [...filesUnder('packages', '.test.ts'), ...filesUnder('test', '.test.ts')]

/** The slow things that a file and its imports start. Sources of packages are left out. */
function slowThings(file: string): string[] {
  const seen = new Set([file])
  const found = new Set<string>()
  for (const each of seen) {
    for (const target of importsOf(read(each))) {
      const path = target.startsWith('.') ? join(dirname(each), target) : target
      for (const [what, from] of SLOW) if (from.test(path)) found.add(what)
      const isOurs = target.startsWith('.') && path.endsWith('.ts') && !path.includes('/src/')
      if (isOurs && existsSync(join(root, path))) seen.add(path)
    }
  }
  return [...found]
}

test('properties take fast-check from the file that gives it its seed', () => {
  const seeded = 'test/support/properties.ts'
  const tests = [...filesUnder('packages', '.ts'), ...filesUnder('test', '.ts')]
  const direct = tests.filter((file) => importsOf(read(file)).includes('fast-check'))
  assert.deepEqual(direct, [seeded])
})

suite('the sets of test files', () => {
  test('know every test file, and name no file or folder that is not there', () => {
    assert.ok(testFiles.length > 250)
    for (const file of testFiles) setOf(file)
    const gone = RULES.flatMap(({ paths }) => paths).filter((path) => !existsSync(join(root, path)))
    assert.deepEqual(gone, [])
  })

  test('a file that a quick run holds starts no browser, no database and no program to kill', () => {
    const faults = testFiles
      .filter((file) => setOf(file) === 'quick')
      .flatMap((file) => slowThings(file).map((what) => `${file} starts ${what}`))
    assert.deepEqual(faults, [])
  })

  test('files that do start one are found out', () => {
    assert.deepEqual(slowThings('test/browser/portal-order.test.ts').includes('a browser'), true)
    assert.ok(slowThings('test/scenarios/adjustments.test.ts').includes('a database'))
    assert.ok(
      slowThings('packages/tollgate/test/start.test.ts').includes('a program that is killed'),
    )
  })

  test('a longer path decides before a shorter one, and a run holds those before it', () => {
    assert.equal(setOf('test/browser/portal-order.test.ts'), 'default')
    assert.equal(setOf('test/browser/portal-home.test.ts'), 'all')
    assert.deepEqual([holds('quick', 'default'), holds('all', 'default')], [false, true])
    assert.throws(() => setOf('elsewhere/a.test.ts'), /No rule/)
  })
})
