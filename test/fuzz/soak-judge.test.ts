import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge, median } from '../../tools/fuzz/soak-judge.ts'
import { createChance } from '../../tools/torture/chance.ts'

const COUNT = 120
const series = (valueAt: (at: number) => number) => ({
  name: 'x',
  slack: 0,
  values: Array.from({ length: COUNT }, (_, at) => valueAt(at)),
})
const chance = createChance(1)
const noise = () => chance.between(-5, 5)

test('a series that goes up and down around one level is flat', () => {
  assert.equal(judge(series(() => 100 + noise())).isFlat, true)
})

test('a series that grows during the warm-up and then stays level is flat', () => {
  assert.equal(judge(series((at) => Math.min(at * 4, 150) + noise())).isFlat, true)
})

test('a steady leak is not flat, however noisy it is', () => {
  assert.equal(judge(series((at) => 100 + at / 2 + 4 * noise())).isFlat, false)
})

test('a step up in the last third is not flat', () => {
  assert.equal(judge(series((at) => (at < 85 ? 100 : 120) + noise())).isFlat, false)
})

test('a single peak is no growth', () => {
  assert.equal(judge(series((at) => (at === 100 ? 1_000 : 100))).isFlat, true)
})

test('a series that shrinks is flat', () => {
  assert.equal(judge(series((at) => 300 - at)).isFlat, true)
})

test('a growth of a tenth is just let pass, and the slack beyond it', () => {
  const steps = (last: number) => series((at) => (at < 80 ? 100 : last))
  assert.equal(judge(steps(110)).isFlat, true)
  assert.equal(judge(steps(111)).isFlat, false)
  assert.equal(judge({ ...steps(111), slack: 1 }).isFlat, true)
})

test('the judge subtracts exactly the amount that a process has to keep', () => {
  const due = Array.from({ length: COUNT }, (_, at) => at)
  assert.equal(judge({ ...series((at) => 100 + at), due }).isFlat, true)
  assert.equal(judge({ ...series((at) => 100 + 2 * at), due }).isFlat, false)
})

test('too few samples are no proof of anything', () => {
  assert.throws(() => judge({ name: 'x', slack: 0, values: [1, 1, 1] }), /3 samples/)
})

test('a median is the middle, or half way between the two middles', () => {
  assert.deepEqual([median([3, 1, 2]), median([4, 1, 2, 3])], [2, 2.5])
})
