import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runMutants } from '../../tools/mutation/mutation-run.ts'

const SOURCE = 'packages/kernel/src/currency.ts'

/** The record of one run over a small source, with these tests alone. */
async function recordWith(...tests: readonly string[]) {
  const result = await runMutants([SOURCE], tests, 1, () => undefined)
  const record = result.get(SOURCE)
  assert.ok(record !== undefined)
  return record
}

test('a run notices the mutants that the tests reach, and none without them', async () => {
  const unreached = await recordWith('packages/kernel/test/plain-digits.test.ts')
  assert.ok(unreached.mutants > 5)
  assert.equal(unreached.noticed, 0)
  assert.equal(unreached.survivors.length, unreached.mutants)

  const reached = await recordWith('packages/kernel/test/currency.test.ts')
  assert.equal(reached.mutants, unreached.mutants)
  assert.ok(reached.noticed > reached.mutants / 2, reached.survivors.join('\n'))
  assert.equal(reached.noticed + reached.survivors.length, reached.mutants)
})
