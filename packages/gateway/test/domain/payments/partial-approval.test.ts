import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { InvariantError } from '../../../src/base/invariant.ts'
import { decideApproval, reduceLines } from '../../../src/domain/payments/partial-approval.ts'

const APPROVALS = [
  ['all that was asked for', 5000n, 5000n, false, null, 'full'],
  ['all that was asked for, with partials allowed', 5000n, 5000n, true, 5000n, 'full'],
  ['nothing of nothing (a card check)', 0n, 0n, false, null, 'full'],
  ['less, with partials allowed and no minimum', 5000n, 1n, true, null, 'partial'],
  ['exactly the minimum', 5000n, 3000n, true, 3000n, 'partial'],
  ['more than the minimum', 5000n, 3001n, true, 3000n, 'partial'],
  ['one unit below the minimum', 5000n, 2999n, true, 3000n, 'partial_refused'],
  ['less, although nobody asked for partials', 5000n, 4999n, false, null, 'partial_refused'],
  ['less, with a minimum but partials off', 5000n, 4000n, false, 3000n, 'partial_refused'],
  ['nothing, with partials allowed', 5000n, 0n, true, null, 'partial_refused'],
  ['nothing, with a minimum of nothing', 5000n, 0n, true, 0n, 'partial_refused'],
  ['more than was asked for', 5000n, 5001n, true, null, 'partial_refused'],
] as const

for (const [what, requested, approved, partialAllowed, minimum, decision] of APPROVALS) {
  test(`an approval of ${what} is ${decision}`, () => {
    assert.equal(decideApproval({ requested, approved, partialAllowed, minimum }), decision)
  })
}

test('a shortfall is taken from the last line first', () => {
  assert.deepEqual(reduceLines([1000n, 500n, 300n], 1600n), [1000n, 500n, 100n])
  assert.deepEqual(reduceLines([1000n, 500n, 300n], 1200n), [1000n, 200n, 0n])
  assert.deepEqual(reduceLines([1000n, 500n, 300n], 400n), [400n, 0n, 0n])
  assert.deepEqual(reduceLines([1000n, 500n, 300n], 1799n), [1000n, 500n, 299n])
  assert.deepEqual(reduceLines([1000n, 500n, 300n], 1800n), [1000n, 500n, 300n])
})

test('reduced lines add up to the approved amount, and none grows or falls below zero', () => {
  const anyLines = fc.array(fc.bigInt({ min: 0n, max: 10_000n }), { minLength: 1, maxLength: 99 })
  fc.assert(
    fc.property(anyLines, fc.nat(1000), (lines, share) => {
      const total = lines.reduce((sum, amount) => sum + amount, 0n)
      const approved = (total * BigInt(share)) / 1000n

      const reduced = reduceLines(lines, approved)

      assert.equal(reduced.length, lines.length)
      assert.equal(
        reduced.reduce((sum, amount) => sum + amount, 0n),
        approved,
      )
      for (const [index, amount] of reduced.entries()) {
        assert.ok(amount >= 0n && amount <= (lines[index] ?? 0n))
      }
    }),
  )
})

test('an approval above the sum of the lines is a broken assumption', () => {
  assert.throws(() => reduceLines([100n], 101n), InvariantError)
  assert.throws(() => reduceLines([100n], -1n), InvariantError)
})
