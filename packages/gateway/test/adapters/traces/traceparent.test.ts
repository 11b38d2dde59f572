import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKept } from '../../../src/adapters/traces/trace-ids.ts'
import { readTraceParent } from '../../../src/adapters/traces/traceparent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('a traceparent gives the ids of its sender, whether the sender records or not', () => {
  for (const flags of ['00', '01']) {
    const parent = readTraceParent(`00-${TRACE}-${SPAN}-${flags}`)
    assert.deepEqual(parent, { traceId: TRACE, spanId: SPAN })
  }
  assert.equal(readTraceParent(`cc-${TRACE}-${SPAN}-01-of-a-later-version`)?.spanId, SPAN)
})

for (const [what, header] of [
  ['no header', undefined],
  ['two headers', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
  ['the invalid version', `ff-${TRACE}-${SPAN}-01`],
  ['more than version 00 has', `00-${TRACE}-${SPAN}-01-more`],
  ['capital digits', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['no flags', `00-${TRACE}-${SPAN}`],
  ['a blank', ` 00-${TRACE}-${SPAN}-01`],
  ['a card number as trace id', `00-abcdabcdabcdabcd4111111111111111-${SPAN}-01`],
  ['a card number as span id', `00-${TRACE}-4111111111111111-01`],
] as const) {
  test(`a traceparent with ${what} does not count`, () => {
    assert.equal(readTraceParent(header), null)
  })
}

test('the ratio keeps the same traces on every node, all at 1 and none at 0', () => {
  const low = `${'a'.repeat(18)}${'1'.padStart(14, '0')}`
  const half = `${'a'.repeat(18)}80000000000000`
  assert.deepEqual([isKept(low, 0), isKept(low, 0.01), isKept(low, 1)], [false, true, true])
  assert.deepEqual([isKept(half, 0.5), isKept(half, 0.51), isKept(half, 1)], [false, true, true])
})
