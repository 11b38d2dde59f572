import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { InvariantError } from '../../../src/base/invariant.ts'
import { planCaptureVoids } from '../../../src/domain/payments/capture-voids.ts'
import { spreadOverLines, uncapturedOf } from '../../../src/domain/payments/line-shares.ts'
import type { OrderSnapshot } from '../../../src/domain/payments/order-snapshot.ts'
import { decideCapture, decideRefund } from '../../../src/domain/payments/order.ts'
import { mostVoidable } from './most-voidable.ts'
import { anOrder, bookCapture, bookRefund, closeBatch } from './order-ledger.ts'
import { ask, captured, refunded } from './order-steps.ts'

const LINE_1 = 10n
const LINE_2 = 20n

test('a capture of the whole order leaves a line’s room to the line’s own capture', () => {
  // Line 1 has 500 to void, and only its own capture or the newest one has them. The newest one can
  // use line 2 instead; the line's own cannot.
  let order = closeBatch(captured(anOrder(1000n, 500n), 500n))
  order = captured(captured(order, 500n, LINE_1), 500n)
  order = refunded(order, 500n, LINE_1)

  assert.deepEqual(planCaptureVoids(order, null, null), {
    totalMinor: 1000n,
    captureVoids: [
      { captureId: 3n, minor: 500n },
      { captureId: 2n, minor: 500n },
    ],
    lines: [
      { lineId: LINE_1, minor: 500n },
      { lineId: LINE_2, minor: 500n },
    ],
  })
})

test('a line’s own capture claims no room once its batch is closed', () => {
  let order = closeBatch(captured(captured(anOrder(1000n, 1000n), 500n), 500n, LINE_2))
  order = captured(captured(order, 500n, LINE_1), 500n)
  order = refunded(refunded(order, 500n, LINE_1), 500n, LINE_2)

  assert.equal(planCaptureVoids(order, null, null).totalMinor, 1000n)
})

test('a line’s own capture claims no room once it is voided itself', () => {
  let order = closeBatch(captured(anOrder(1000n, 1000n), 500n))
  order = captured(captured(captured(order, 500n, LINE_1), 500n), 500n, LINE_2)
  order = refunded(order, 500n, LINE_1)

  assert.equal(planCaptureVoids(order, null, null).totalMinor, 1500n)
})

test('the newest capture is used up before a line’s own with as much to void', () => {
  const order = refunded(captured(captured(anOrder(1000n), 500n, LINE_1), 500n), 500n)

  assert.deepEqual(planCaptureVoids(order, 500n, null).captureVoids, [
    { captureId: 2n, minor: 500n },
  ])
})

interface Booking {
  readonly does: 'capture' | 'refund' | 'close'
  readonly amount: bigint
  readonly line: number | null
}

const aBooking: fc.Arbitrary<Booking> = fc.record({
  does: fc.constantFrom<Booking['does']>('capture', 'capture', 'capture', 'refund', 'close'),
  amount: fc.bigInt({ min: 1n, max: 3n }),
  line: fc.option(fc.nat(2), { freq: 2 }),
})

test('any amount up to the voidable sum is voided exactly', () => {
  fc.assert(
    fc.property(fc.array(aBooking, { minLength: 4, maxLength: 14 }), (bookings) => {
      const order = bookings.reduce(book, anOrder(4n, 4n, 4n))
      for (const line of [null, 0, 1, 2]) {
        const lineId = line === null ? null : BigInt(line + 1) * 10n
        const most = mostVoidable(order, line)

        assert.equal(planCaptureVoids(order, null, lineId).totalMinor, BigInt(most))
        for (let wanted = 1; wanted <= most; wanted += 1) {
          const plan = planCaptureVoids(order, BigInt(wanted), lineId)
          assert.equal(plan.totalMinor, BigInt(wanted))
        }
      }
    }),
    { numRuns: 3000 },
  )
})

test('an amount that its lines have no room for is a broken assumption', () => {
  assert.throws(() => spreadOverLines(anOrder(2n, 3n).lines, 6n, uncapturedOf), InvariantError)
})

/** Books the allowed ones and leaves out the others. */
function book(order: OrderSnapshot, { does, amount, line }: Booking): OrderSnapshot {
  const lineId = line === null ? null : BigInt(line + 1) * 10n
  if (does === 'close') return closeBatch(order)
  const request = ask(amount, lineId)
  const decision = does === 'capture' ? decideCapture(order, request) : decideRefund(order, request)
  if (decision.kind === 'refused') return order
  return does === 'capture' ? bookCapture(order, decision, lineId) : bookRefund(order, decision)
}
