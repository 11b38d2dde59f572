import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../../test/support/properties.ts'
import type { OrderSnapshot } from '../../../../src/domain/payments/order-snapshot.ts'
import {
  decideRefund,
  decideVoid,
  decideCaptureVoid,
} from '../../../../src/domain/payments/order.ts'
import { planVoidOrRefund } from '../../../../src/portal/order/domain/void-or-refund.ts'

interface Money {
  readonly authorized: bigint
  readonly batchClosed: bigint
  readonly fresh: bigint
  readonly voided: bigint
  readonly refunded: bigint
}

/** An order with one line, one capture of a closed batch and one of an open batch. */
function order({ authorized, batchClosed, fresh, voided, refunded }: Money): OrderSnapshot {
  const captured = batchClosed + fresh
  const capture = (transactionId: bigint, amountMinor: bigint, batchClosed: boolean) => ({
    transactionId,
    amountMinor,
    voidedMinor: 0n,
    batchClosed,
    rejected: false,
    lineId: null,
  })
  return {
    state: 'authorized',
    expired: false,
    money: {
      authorizedMinor: authorized,
      capturedMinor: captured,
      voidedMinor: voided,
      refundedMinor: refunded,
      closedBatchCapturedMinor: batchClosed,
    },
    lines: [
      {
        id: 1n,
        number: 1,
        amountMinor: authorized,
        capturedMinor: captured,
        voidedMinor: voided,
        refundedMinor: refunded,
      },
    ],
    captures: [capture(10n, batchClosed, true), capture(11n, fresh, false)].filter(
      ({ amountMinor }) => amountMinor > 0n,
    ),
    reversedWhole: false,
    disputedMinor: 0n,
  }
}

const steps = (money: Partial<Money>, wanted: bigint | null): string => {
  const plan = planVoidOrRefund(
    order({ authorized: 100n, batchClosed: 0n, fresh: 0n, voided: 0n, refunded: 0n, ...money }),
    wanted,
  )
  return plan.kind === 'refused'
    ? plan.refusal
    : plan.steps
        .map(({ does, minor, whole }) => `${does} ${minor}${whole ? ' whole' : ''}`)
        .join(', ')
}

test('a void or refund voids the authorization first, then captures in an open batch, and refunds the rest', () => {
  assert.equal(steps({}, null), 'void 100 whole')
  assert.equal(steps({}, 30n), 'void 30')
  assert.equal(steps({ fresh: 100n }, null), 'void 100 whole')
  assert.equal(steps({ fresh: 100n }, 40n), 'capture_void 40')
  assert.equal(steps({ batchClosed: 100n }, null), 'refund 100')
  assert.equal(steps({ batchClosed: 50n, fresh: 20n }, null), 'void 30, capture_void 20, refund 50')
  assert.equal(steps({ batchClosed: 50n, fresh: 20n }, 40n), 'void 30, capture_void 10')
  assert.equal(steps({ fresh: 100n, refunded: 30n }, null), 'capture_void 70')
  assert.equal(steps({ voided: 100n }, null), 'adjusted_to_zero')
  assert.equal(steps({}, 101n), 'amount_invalid')
})

test('every step of a plan is allowed by the rules of the order once the ones before it are done', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 5, maxLength: 5 }),
      fc.integer({ min: 1, max: 120 }),
      fc.boolean(),
      (parts, wanted, all) => {
        const [open = 0n, batchClosed = 0n, fresh = 0n, voided = 0n, refund = 0n] =
          parts.map(BigInt)
        const refunded = refund < batchClosed + fresh ? refund : batchClosed + fresh
        const money = {
          authorized: open + batchClosed + fresh + voided,
          batchClosed,
          fresh,
          voided,
          refunded,
        }
        const plan = planVoidOrRefund(order(money), all ? null : BigInt(wanted))
        if (plan.kind === 'refused') return
        const decided = plan.steps.map(({ does, minor, whole }) => {
          const before = plan.steps.slice(
            0,
            plan.steps.findIndex((step) => step.does === does),
          )
          const gone = (kind: string): bigint =>
            before.filter((step) => step.does === kind).reduce((sum, step) => sum + step.minor, 0n)
          const now = order({
            ...money,
            fresh: money.fresh - gone('capture_void'),
            voided: money.voided + gone('void') + gone('capture_void'),
          })
          const decide = {
            void: decideVoid,
            capture_void: decideCaptureVoid,
            refund: decideRefund,
          }[does]
          const decision = decide(now, { amountMinor: whole ? null : minor, lineId: null })
          assert.equal(
            decision.kind,
            'allowed',
            `${does} ${minor} of ${JSON.stringify(parts.map(String))}`,
          )
          if (decision.kind === 'allowed' && 'totalMinor' in decision)
            assert.equal(decision.totalMinor, minor)
          return minor
        })
        const most = money.authorized - money.voided - money.refunded
        assert.equal(
          decided.reduce((sum, minor) => sum + minor, 0n),
          all ? most : BigInt(wanted),
        )
      },
    ),
  )
})

test('a void or refund of an order that holds nothing, or is closed to it, is refused with the reason', () => {
  const whole = order({ authorized: 100n, batchClosed: 40n, fresh: 0n, voided: 0n, refunded: 10n })
  const refusal = (changes: Partial<OrderSnapshot>, wanted: bigint | null) => {
    const plan = planVoidOrRefund({ ...whole, ...changes }, wanted)
    return plan.kind === 'refused' ? [plan.refusal, plan.mostMinor] : plan.kind
  }
  assert.deepEqual(refusal({ state: 'declined' }, null), ['order_not_adjustable', 0n])
  assert.deepEqual(refusal({ disputedMinor: 30n }, null), ['charged_back', 60n])
  assert.deepEqual(refusal({ reversedWhole: true }, null), ['already_reversed', 90n])
  assert.deepEqual(refusal({}, 0n), ['amount_not_positive', 90n])
  assert.deepEqual(refusal({}, -1n), ['amount_not_positive', 90n])
  assert.deepEqual(refusal({}, 91n), ['amount_invalid', 90n])
  assert.equal(refusal({}, 1n), 'planned')
  assert.equal(refusal({}, 90n), 'planned')
})

test('one void of all explains each part of it, and a part of an order only itself', () => {
  const reasons = (money: Partial<Money>, wanted: bigint | null): string[] => {
    const none = { authorized: 100n, batchClosed: 0n, fresh: 0n, voided: 0n, refunded: 0n }
    const plan = planVoidOrRefund(order({ ...none, ...money }), wanted)
    return plan.kind === 'refused' ? [] : plan.steps.map(({ why }) => why)
  }
  assert.deepEqual(reasons({ fresh: 100n }, null), reasons({ fresh: 100n }, 40n))
  assert.deepEqual(reasons({}, null), reasons({}, 30n))
  const [both] = reasons({ fresh: 20n }, null)
  assert.equal(both, `${reasons({}, null).join()} ${reasons({ fresh: 100n }, null).join()}`)
})
