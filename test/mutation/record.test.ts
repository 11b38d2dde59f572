import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { EQUIVALENTS } from '../../tools/mutation/equivalents.ts'
import { KNOWN_MUTANTS } from '../../tools/mutation/known-mutants.ts'
import { withMistake } from '../../tools/mutation/known-run.ts'
import { mutantsOf } from '../../tools/mutation/mutants.ts'
import {
  hashOf,
  newSurvivors,
  outdated,
  percent,
  readRecord,
  scoreOf,
} from '../../tools/mutation/record.ts'
import { readSource, ROOT, sourceFiles } from '../../tools/mutation/scope.ts'

const sources = new Map(sourceFiles().map((path) => [path, readSource(path)]))

suite('the record of the mutation run', () => {
  test('knows the code of every mutated file as it is now', () => {
    assert.ok(sources.size > 50, 'the walk found no sources')
    assert.deepEqual(outdated(readRecord(), sources), [])
  })

  test('has the score that the document states', () => {
    const document = readFileSync(join(ROOT, 'docs/internals/tests.md'), 'utf8')
    const score = scoreOf(readRecord())
    const sentence = `notice ${score.noticed} of ${score.mutants} mutants (${percent(score)} %)`
    assert.ok(document.includes(sentence), `docs/internals/tests.md should say: ${sentence}`)
  })

  test('is outdated after a change of the code, and not after a change of a comment', () => {
    const path = 'packages/kernel/src/plain-digits.ts'
    const record = new Map([
      [path, { hash: hashOf(path, 'a < b'), mutants: 2, noticed: 2, survivors: [] }],
    ])
    assert.deepEqual(outdated(record, new Map([[path, '// A reason.\na <\n  b']])), [])
    assert.deepEqual(outdated(record, new Map([[path, 'a <= b']])), [
      `${path} has changed: npm run mutation -- --only ${path} --write`,
    ])
    assert.deepEqual(outdated(record, new Map()), [`${path} is gone: npm run mutation -- --write`])
    assert.equal(outdated(new Map(), new Map([[path, 'a < b']])).length, 1)
  })

  test('knows a survivor again after its line has moved', () => {
    const file = (survivor: string) =>
      new Map([['a.ts', { hash: '', mutants: 3, noticed: 2, survivors: [survivor] }]])
    const record = file('7 | < → <= | if (a < b)')
    assert.deepEqual(newSurvivors(record, file('9 | < → <= | if (a < b)')), [])
    assert.deepEqual(newSurvivors(record, file('7 | < → >= | if (a < b)')), [
      'a.ts:7 | < → >= | if (a < b)',
    ])
  })

  test('rounds the score down', () => {
    assert.equal(percent({ mutants: 10_000, noticed: 9_999 }), '99.9')
  })
})

test('each mutant that is said to change nothing is one of its file', () => {
  const gone = EQUIVALENTS.filter(
    ([path, line, change]) =>
      !mutantsOf(path, readSource(path)).some(
        (mutant) => mutant.lineText === line && mutant.change === change,
      ),
  )
  assert.deepEqual(gone, [])
})

test('the code that each known mutant changes is in its file exactly once', () => {
  assert.ok(KNOWN_MUTANTS.length > 30)
  const names = new Set(KNOWN_MUTANTS.map(({ name }) => name))
  assert.equal(names.size, KNOWN_MUTANTS.length, 'two known mutants have one name')
  for (const mutant of KNOWN_MUTANTS) {
    const text = readFileSync(join(ROOT, mutant.file), 'utf8')
    assert.notEqual(withMistake(mutant, text), text)
    assert.ok(
      readFileSync(join(ROOT, mutant.test), 'utf8').includes(mutant.testName ?? ''),
      mutant.name,
    )
  }
})

test('a known mutant whose code is gone is an error, and not an unnoticed one', () => {
  const where = { name: 'sample', file: 'a.ts', test: 'a.test.ts', testName: undefined }
  const mutant = { ...where, search: '<', replace: '>' }
  assert.equal(withMistake(mutant, 'a < b'), 'a > b')
  assert.throws(() => withMistake(mutant, 'a = b'), /0 times/)
  assert.throws(() => withMistake(mutant, 'a < b < c'), /2 times/)
})
