import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { leftToRefund, spreadOverLines } from '../../../src/domain/payments/line-shares.ts'
import type { OrderSnapshot } from '../../../src/domain/payments/order-snapshot.ts'
import { anOrder } from './order-ledger.ts'
import { captured, captureVoided, refunded } from './order-steps.ts'

/** The order after a settlement file rejected its nth capture. */
function rejected(order: OrderSnapshot, nth: number): OrderSnapshot {
  const captures = order.captures.map((capture, index) => ({
    ...capture,
    rejected: capture.rejected || index === nth - 1,
  }))
  return { ...order, captures }
}

const left = (order: OrderSnapshot, ...lineIds: readonly bigint[]): bigint =>
  leftToRefund(
    order,
    order.lines.filter(({ id }) => lineIds.includes(id)),
  )

suite('the amount that a rejected capture leaves to refund', () => {
  const two = captured(captured(anOrder(500n, 300n), 500n, 10n), 300n, 20n)

  test('a rejected capture of one line leaves the other lines their money', () => {
    const order = rejected(two, 1)
    assert.equal(left(order, 10n), 0n)
    assert.equal(left(order, 20n), 300n)
    assert.equal(left(order, 10n, 20n), 300n)
  })

  test('a rejected capture that was voided in part takes its rest only', () => {
    const order = rejected(captureVoided(two, 400n, 10n), 1)
    assert.equal(order.money.capturedMinor, 400n)
    assert.equal(left(order, 10n), 0n)
    assert.equal(left(order, 20n), 300n)
    assert.equal(left(order, 10n, 20n), 300n)
  })

  test('a refund before the rejection is taken from what the other captures of the line left', () => {
    const twice = captured(captured(anOrder(500n), 200n, 10n), 300n, 10n)
    assert.equal(left(rejected(refunded(twice, 100n, 10n), 1), 10n), 200n)
    assert.equal(left(rejected(refunded(twice, 400n, 10n), 1), 10n), 0n)
    assert.equal(left(rejected(rejected(twice, 1), 2), 10n), 0n)
  })

  test('a rejected capture of the whole order is taken from the order, whichever line it fell on', () => {
    const order = rejected(captured(captured(anOrder(500n, 300n), 100n, 10n), 600n), 2)
    assert.equal(left(order, 10n, 20n), 100n)
  })
})

test('lines without room get no share, and the last one takes the rest', () => {
  const { lines } = anOrder(5n, 7n, 9n)
  const room = new Map([
    [10n, 0n],
    [20n, 1n],
    [30n, 9n],
  ])
  assert.deepEqual(
    spreadOverLines(lines, 4n, ({ id }) => room.get(id) ?? 0n),
    [
      { lineId: 20n, minor: 1n },
      { lineId: 30n, minor: 3n },
    ],
  )
})
