import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  OrderLine,
  OrderMoney,
  OrderSnapshot,
} from '../../../src/domain/payments/order-snapshot.ts'
import { checkMoneyInvariants } from './invariants.ts'
import { anOrder, closeBatch } from './order-ledger.ts'
import { captured, refunded } from './order-steps.ts'

const sound = refunded(closeBatch(captured(captured(anOrder(1000n, 500n), 200n, 20n), 900n)), 100n)

test('an order after captures and refunds breaks no invariant', () => {
  assert.deepEqual(checkMoneyInvariants(sound), [])
})

const BREAKS: readonly (readonly [what: string, order: OrderSnapshot, sentence: RegExp])[] = [
  [
    'captured past the authorization',
    withMoney({ authorizedMinor: 1000n }),
    /only 1000 authorized/,
  ],
  ['voided past the authorization', withMoney({ voidedMinor: 401n }), /401 voided/],
  ['refunded past what is captured', withMoney({ refundedMinor: 1101n }), /1101 refunded/],
  [
    'settled past what is captured',
    withMoney({ closedBatchCapturedMinor: 1101n }),
    /1101 captured in closed/,
  ],
  ['an amount below zero', withMoney({ refundedMinor: -1n }), /refundedMinor is -1/],
  ['a line captured past its amount', withLine({ amountMinor: 800n }), /Line 1 has 900 captured/],
  [
    'a line refunded past what it captured',
    withLine({ refundedMinor: 901n }),
    /Line 1 has 901 refunded/,
  ],
  ['a line below zero', withLine({ voidedMinor: -1n }), /Line 1 has an amount below zero/],
  [
    'lines that add up to another amount',
    withLine({ amountMinor: 1001n }),
    /1501 authorized together/,
  ],
  [
    'lines that captured another amount',
    withMoney({ capturedMinor: 1099n }),
    /1100 captured together/,
  ],
  ['lines that voided another amount', withMoney({ voidedMinor: 1n }), /0 voided together/],
  [
    'lines that refunded another amount',
    withMoney({ refundedMinor: 99n }),
    /100 refunded together/,
  ],
  [
    'captures that keep another amount',
    { ...sound, captures: sound.captures.slice(1) },
    /captures keep 900/,
  ],
  ['a capture voided past its amount', withCapture({ voidedMinor: 201n }), /of 200 has 201 voided/],
  ['closed batches of another amount', withCapture({ batchClosed: false }), /keep 900 in closed/],
  ['a line’s captures past the line', withCapture({ amountMinor: 201n }), /line 2 keep 201/],
  ['a reversed order that kept something', { ...sound, reversedWhole: true }, /counts as reversed/],
]

for (const [what, order, sentence] of BREAKS) {
  test(`the invariants see ${what}`, () => {
    const broken = checkMoneyInvariants(order)
    assert.ok(
      broken.some((each) => sentence.test(each)),
      broken.join('\n'),
    )
  })
}

function withMoney(change: Partial<OrderMoney>): OrderSnapshot {
  return { ...sound, money: { ...sound.money, ...change } }
}

function withLine(change: Partial<OrderLine>): OrderSnapshot {
  const [first, ...others] = sound.lines
  assert.ok(first)
  return { ...sound, lines: [{ ...first, ...change }, ...others] }
}

function withCapture(change: Partial<OrderSnapshot['captures'][number]>): OrderSnapshot {
  const [first, ...others] = sound.captures
  assert.ok(first)
  return { ...sound, captures: [{ ...first, ...change }, ...others] }
}
