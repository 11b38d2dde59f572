import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import type { OrderSnapshot } from '../../../src/domain/payments/order-snapshot.ts'
import {
  decideCapture,
  decideRefund,
  decideVoid,
  decideCaptureVoid,
  decideVoidOrRefund,
} from '../../../src/domain/payments/order.ts'
import type { VoidAllowed } from '../../../src/domain/payments/order.ts'
import { checkMoneyInvariants } from './invariants.ts'
import { mostVoidable } from './most-voidable.ts'
import { anOrder, bookCapture, bookRefund, bookVoid, closeBatch } from './order-ledger.ts'

/**
 * The model knows single cents and no sums: every cent of every line is in one place. A rule asks
 * how many cents can be found. It does not know which cents a capture of the whole order took, only
 * how many. The voidable sum is therefore found by trying (see `mostVoidable`).
 */
interface Cent {
  readonly line: number
  place: 'open' | 'captured' | 'voided'
  isRefunded: boolean
}

type Action = 'capture' | 'refund' | 'void' | 'captureVoid' | 'voidOrRefund' | 'close'

interface Step {
  readonly action: Action
  readonly amount: number | null
  readonly line: number | null
}

const aStep: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom<Action>(
    'capture',
    'capture',
    'capture',
    'refund',
    'void',
    'captureVoid',
    'captureVoid',
    'voidOrRefund',
    'close',
  ),
  amount: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 5 }),
  line: fc.option(fc.nat(2), { freq: 2 }),
})

const someLines = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 3 })
const someSteps = fc.array(aStep, { minLength: 1, maxLength: 14 })

test('model and decisions agree and the invariants hold after any operations in any order', () => {
  fc.assert(
    fc.property(someLines, someSteps, (amounts, steps) => {
      let order = anOrder(...amounts.map(BigInt))
      const cents = centsOf(amounts)
      for (const step of steps) {
        const line = step.line === null ? null : step.line % amounts.length
        const before = order
        order = takeStep(order, cents, { ...step, line })
        assert.deepEqual(checkMoneyInvariants(order), [], `after ${step.action}`)
        assert.equal(order.money.authorizedMinor, before.money.authorizedMinor)
        follow(cents, order)
      }
    }),
    { numRuns: 2500 },
  )
})

function takeStep(order: OrderSnapshot, cents: readonly Cent[], step: Step): OrderSnapshot {
  const lineId = step.line === null ? null : BigInt(step.line + 1) * 10n
  const request = { amountMinor: step.amount === null ? null : BigInt(step.amount), lineId }
  const asked = cents.filter((cent) => step.line === null || cent.line === step.line)
  const open = asked.filter((cent) => cent.place === 'open').length
  const refundable = asked.filter((cent) => cent.place === 'captured' && !cent.isRefunded).length
  const fits = (room: number) => room > 0 && (step.amount ?? 1) > 0 && (step.amount ?? 0) <= room
  const isBlocked = order.reversedWhole

  switch (step.action) {
    case 'capture': {
      const decision = decideCapture(order, request)
      assert.equal(decision.kind === 'allowed', !isBlocked && fits(open))
      if (decision.kind === 'refused') return order
      assert.equal(decision.amountMinor, BigInt(step.amount ?? open))
      return bookCapture(order, decision, lineId)
    }
    case 'refund': {
      const decision = decideRefund(order, request)
      assert.equal(decision.kind === 'allowed', !isBlocked && fits(refundable))
      if (decision.kind === 'refused') return order
      assert.equal(decision.amountMinor, BigInt(step.amount ?? refundable))
      return bookRefund(order, decision)
    }
    case 'void': {
      const decision = decideVoid(order, request)
      const hasRefunds = cents.some((cent) => cent.isRefunded)
      const takesCaptures = step.amount === null && !hasRefunds
      const room = open + (takesCaptures ? mostVoidable(order, step.line) : 0)
      assert.equal(decision.kind === 'allowed', !isBlocked && fits(room))
      if (decision.kind === 'refused') return order
      assert.equal(decision.totalMinor, BigInt(step.amount ?? room))
      return bookVoid(order, soundVoid(order, decision))
    }
    case 'captureVoid': {
      const decision = decideCaptureVoid(order, request)
      const room = mostVoidable(order, step.line)
      assert.equal(decision.kind === 'allowed', !isBlocked && fits(room))
      if (decision.kind === 'refused') return order
      assert.equal(decision.totalMinor, BigInt(step.amount ?? room))
      assert.equal(decision.voidUncapturedMinor, 0n)
      return bookVoid(order, soundVoid(order, decision))
    }
    case 'voidOrRefund': {
      const outcome = decideVoidOrRefund(order, 'void', request)
      const isVoidable = decideVoid(order, request).kind === 'allowed'
      assert.equal(outcome.kind === 'void', isVoidable)
      assert.equal(outcome.kind === 'refund', !isVoidable && !isBlocked && fits(refundable))
      if (outcome.kind === 'void') return bookVoid(order, soundVoid(order, outcome.decision))
      return outcome.kind === 'refund' ? bookRefund(order, outcome.decision) : order
    }
    case 'close':
      return closeBatch(order)
  }
}

/** A void touches no closed batch, takes newer captures before older ones, and adds up. */
function soundVoid(order: OrderSnapshot, decision: VoidAllowed): VoidAllowed {
  const ids = decision.captureVoids.map((taken) => taken.captureId)
  assert.deepEqual(
    ids,
    ids.toSorted((left, right) => Number(right - left)),
  )
  for (const capture of order.captures) {
    if (capture.batchClosed) assert.ok(!ids.includes(capture.transactionId))
  }
  let parts = decision.voidUncapturedMinor
  for (const taken of decision.captureVoids) parts += taken.minor
  assert.equal(decision.totalMinor, parts)
  return decision
}

function centsOf(amounts: readonly number[]): Cent[] {
  return amounts.flatMap((amount, line) =>
    Array.from({ length: amount }, (): Cent => ({ line, place: 'open', isRefunded: false })),
  )
}

/**
 * Moves cents to where the order now says they are. A cent may only go from open to captured or
 * voided and from captured to voided, and a refunded cent stays where it is.
 */
function follow(cents: readonly Cent[], order: OrderSnapshot): void {
  for (const [index, line] of order.lines.entries()) {
    const own = cents.filter((cent) => cent.line === index)
    const captured = Number(line.capturedMinor)
    const voided = Number(line.voidedMinor)
    const count = (place: Cent['place']) => own.filter((cent) => cent.place === place).length

    const move = (from: Cent['place'], to: Cent['place']) => {
      const cent = own.find((each) => each.place === from && !each.isRefunded)
      assert.ok(cent, `no ${from} cent of line ${index + 1} can become ${to}`)
      cent.place = to
    }
    while (count('captured') > captured) move('captured', 'voided')
    while (count('captured') < captured) move('open', 'captured')
    while (count('voided') < voided) move('open', 'voided')
    assert.equal(count('voided'), voided)
    while (own.filter((cent) => cent.isRefunded).length < Number(line.refundedMinor)) {
      const cent = own.find((each) => each.place === 'captured' && !each.isRefunded)
      assert.ok(cent, `no captured cent of line ${index + 1} is left to refund`)
      cent.isRefunded = true
    }
  }
}
