import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { LONGEST_CELL, patternFault } from '../../../src/domain/settlement/bounded-pattern.ts'

const TAKEN = [
  String.raw`^[A-Z0-9]{16}$`,
  String.raw`(TX\d+)`,
  String.raw`^batch (\d+) .* (TX\d{1,9})`,
  String.raw`(?:PO|TX)-?(\d+)`,
  String.raw`\w+\.\w{2,4}$`,
]

const REFUSED: readonly (readonly [pattern: string, why: RegExp])[] = [
  ['(a+)+$', /repeats a group/],
  ['(a|a)*$', /repeats a group/],
  [String.raw`(\d)\1`, /not allow/],
  ['(?=a)b', /repeats a group|not allow/],
  ['(?<n>a)', /repeats a group|not allow/],
  ['(?<!a)b', /repeats a group|not allow/],
  ['a*a*a*b', /1,000,000 ways/],
  ['a?'.repeat(40), /1,000,000 ways/],
  ['(a|a)'.repeat(30), /1,000,000 ways/],
  ['[a-', /not allow/],
  ['', /not allow/],
  ['x'.repeat(201), /201 characters/],
  [String.raw`\p{L}`, /not allow/],
  ['a{3,2}', /no regular expression/],
]

test('a mapping may use patterns whose number of ways is small', () => {
  for (const pattern of TAKEN) assert.equal(patternFault(pattern), null, pattern)
})

test('a mapping may not use look-arounds, back references, repeated groups or many repetitions', () => {
  for (const [pattern, why] of REFUSED) {
    assert.match(patternFault(pattern) ?? 'taken', why, pattern)
  }
})

test('every pattern that is taken is a regular expression and ends on the longest cell', () => {
  const pieces = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    String.raw`\d`,
    '(a|b)',
    '(',
    ')',
    '|',
    '*',
    '+',
    '?',
    '{2,9}',
    '^',
  )
  const patterns = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
  let taken = 0
  fc.assert(
    fc.property(patterns, (pattern) => {
      if (patternFault(pattern) !== null) return
      taken += 1
      const text = 'a'.repeat(LONGEST_CELL)
      assert.doesNotThrow(() => new RegExp(pattern, 'u').exec(`${text}!`))
    }),
    { numRuns: 500 },
  )
  assert.ok(taken > 20, `only ${taken} patterns were taken`)
})
