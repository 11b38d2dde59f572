import assert from 'node:assert/strict'
import type { LineShare } from '../../../src/domain/payments/line-shares.ts'
import type {
  OrderCapture,
  OrderLine,
  OrderSnapshot,
} from '../../../src/domain/payments/order-snapshot.ts'
import type { AmountAllowed, VoidAllowed } from '../../../src/domain/payments/order.ts'

/** An order as the bank authorized it: line n has the id 10 × n. */
export function anOrder(...amounts: readonly bigint[]): OrderSnapshot {
  const lines = amounts.map((amountMinor, index) => ({
    id: BigInt(index + 1) * 10n,
    number: index + 1,
    amountMinor,
    capturedMinor: 0n,
    voidedMinor: 0n,
    refundedMinor: 0n,
  }))
  return {
    state: 'authorized',
    expired: false,
    money: {
      authorizedMinor: amounts.reduce((sum, amount) => sum + amount, 0n),
      capturedMinor: 0n,
      voidedMinor: 0n,
      refundedMinor: 0n,
      closedBatchCapturedMinor: 0n,
    },
    lines,
    captures: [],
    reversedWhole: false,
    disputedMinor: 0n,
  }
}

/** Books a capture as the decision says. The nth capture of an order has the id n. */
export function bookCapture(
  order: OrderSnapshot,
  allowed: AmountAllowed,
  lineId: bigint | null,
): OrderSnapshot {
  const capture: OrderCapture = {
    transactionId: BigInt(order.captures.length + 1),
    amountMinor: allowed.amountMinor,
    voidedMinor: 0n,
    batchClosed: false,
    rejected: false,
    lineId,
  }
  return {
    ...order,
    money: { ...order.money, capturedMinor: order.money.capturedMinor + allowed.amountMinor },
    lines: addToLines(order.lines, allowed.lines, (line, minor) => ({
      ...line,
      capturedMinor: line.capturedMinor + minor,
    })),
    captures: [...order.captures, capture],
  }
}

/** Books a refund as the decision says. */
export function bookRefund(order: OrderSnapshot, allowed: AmountAllowed): OrderSnapshot {
  return {
    ...order,
    money: { ...order.money, refundedMinor: order.money.refundedMinor + allowed.amountMinor },
    lines: addToLines(order.lines, allowed.lines, (line, minor) => ({
      ...line,
      refundedMinor: line.refundedMinor + minor,
    })),
  }
}

/** Books a void as the decision says. */
export function bookVoid(order: OrderSnapshot, allowed: VoidAllowed): OrderSnapshot {
  const fromCaptures = allowed.totalMinor - allowed.voidUncapturedMinor
  const afterOpen = addToLines(order.lines, allowed.uncapturedLines, (line, minor) => ({
    ...line,
    voidedMinor: line.voidedMinor + minor,
  }))
  return {
    ...order,
    money: {
      ...order.money,
      capturedMinor: order.money.capturedMinor - fromCaptures,
      voidedMinor: order.money.voidedMinor + allowed.totalMinor,
    },
    lines: addToLines(afterOpen, allowed.capturedLines, (line, minor) => ({
      ...line,
      capturedMinor: line.capturedMinor - minor,
      voidedMinor: line.voidedMinor + minor,
    })),
    captures: order.captures.map((capture) => {
      const taken = allowed.captureVoids.filter((each) => each.captureId === capture.transactionId)
      assert.ok(taken.length <= 1, 'a capture is voided twice by one decision')
      return { ...capture, voidedMinor: capture.voidedMinor + (taken[0]?.minor ?? 0n) }
    }),
    reversedWhole: allowed.reversesWhole,
  }
}

/** Closes the batch of all captures so far. */
export function closeBatch(order: OrderSnapshot): OrderSnapshot {
  return {
    ...order,
    money: { ...order.money, closedBatchCapturedMinor: order.money.capturedMinor },
    captures: order.captures.map((capture) => ({ ...capture, batchClosed: true })),
  }
}

function addToLines(
  lines: readonly OrderLine[],
  shares: readonly LineShare[],
  add: (line: OrderLine, minor: bigint) => OrderLine,
): OrderLine[] {
  const known = new Set(lines.map((line) => line.id))
  for (const share of shares) assert.ok(known.has(share.lineId) && share.minor > 0n)
  return lines.map((line) => {
    const share = shares.find((each) => each.lineId === line.id)
    return share === undefined ? line : add(line, share.minor)
  })
}
