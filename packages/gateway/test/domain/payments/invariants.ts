import { sumOf } from '../../../src/domain/payments/line-shares.ts'
import type { OrderLine, OrderSnapshot } from '../../../src/domain/payments/order-snapshot.ts'

/**
 * The invariants that the money of a payment's order obeys at every moment. Returns one sentence
 * for each broken invariant; an empty list is a sound order. Not for unreferenced credits.
 */
export function checkMoneyInvariants(order: OrderSnapshot): string[] {
  return [...checkOrder(order), ...checkLines(order), ...checkCaptures(order)]
}

function checkOrder({ money, reversedWhole }: OrderSnapshot): string[] {
  const broken: string[] = []
  const { authorizedMinor, capturedMinor, voidedMinor, refundedMinor } = money
  for (const [name, amount] of Object.entries(money)) {
    if (amount < 0n) broken.push(`The order's ${name} is ${amount}, below zero.`)
  }
  if (capturedMinor + voidedMinor > authorizedMinor) {
    broken.push(
      `The order has ${capturedMinor} captured and ${voidedMinor} voided, but only ` +
        `${authorizedMinor} authorized.`,
    )
  }
  if (refundedMinor > capturedMinor) {
    broken.push(`The order has ${refundedMinor} refunded, but only ${capturedMinor} captured.`)
  }
  if (money.closedBatchCapturedMinor > capturedMinor) {
    broken.push(
      `The order has ${money.closedBatchCapturedMinor} captured in closed batches, but only ` +
        `${capturedMinor} captured in all.`,
    )
  }
  if (reversedWhole && voidedMinor !== authorizedMinor) {
    broken.push(
      `The order counts as reversed, but only ${voidedMinor} of ${authorizedMinor} is voided.`,
    )
  }
  return broken
}

function checkLines({ money, lines }: OrderSnapshot): string[] {
  const broken: string[] = []
  for (const line of lines) {
    const { number, amountMinor, capturedMinor, voidedMinor, refundedMinor } = line
    if ([amountMinor, capturedMinor, voidedMinor, refundedMinor].some((amount) => amount < 0n)) {
      broken.push(`Line ${number} has an amount below zero.`)
    }
    if (capturedMinor + voidedMinor > amountMinor) {
      broken.push(
        `Line ${number} has ${capturedMinor} captured and ${voidedMinor} voided, but its amount ` +
          `is ${amountMinor}.`,
      )
    }
    if (refundedMinor > capturedMinor) {
      broken.push(
        `Line ${number} has ${refundedMinor} refunded, but only ${capturedMinor} captured.`,
      )
    }
  }
  return [
    ...broken,
    ...compareSum('authorized', lines, (line) => line.amountMinor, money.authorizedMinor),
    ...compareSum('captured', lines, (line) => line.capturedMinor, money.capturedMinor),
    ...compareSum('voided', lines, (line) => line.voidedMinor, money.voidedMinor),
    ...compareSum('refunded', lines, (line) => line.refundedMinor, money.refundedMinor),
  ]
}

function compareSum(
  what: string,
  lines: readonly OrderLine[],
  amountOf: (line: OrderLine) => bigint,
  expected: bigint,
): string[] {
  const sum = sumOf(lines, amountOf)
  if (sum === expected) return []
  return [`The lines have ${sum} ${what} together, but the order has ${expected}.`]
}

function checkCaptures({ money, lines, captures }: OrderSnapshot): string[] {
  const broken: string[] = []
  const ownByLine = new Map<bigint, bigint>()
  let captured = 0n
  let closed = 0n
  for (const capture of captures) {
    const kept = capture.amountMinor - capture.voidedMinor
    if (capture.voidedMinor < 0n || kept < 0n) {
      broken.push(
        `Capture ${capture.transactionId} of ${capture.amountMinor} has ` +
          `${capture.voidedMinor} voided.`,
      )
    }
    captured += kept
    if (capture.batchClosed) closed += kept
    if (capture.lineId !== null) {
      ownByLine.set(capture.lineId, (ownByLine.get(capture.lineId) ?? 0n) + kept)
    }
  }
  if (captured !== money.capturedMinor) {
    broken.push(
      `The captures keep ${captured} together, but the order has ${money.capturedMinor} captured.`,
    )
  }
  if (closed !== money.closedBatchCapturedMinor) {
    broken.push(
      `The captures keep ${closed} in closed batches, but the order has ` +
        `${money.closedBatchCapturedMinor}.`,
    )
  }
  for (const line of lines) {
    const own = ownByLine.get(line.id) ?? 0n
    if (own > line.capturedMinor) {
      broken.push(
        `Captures of line ${line.number} keep ${own}, but the line has only ` +
          `${line.capturedMinor} captured.`,
      )
    }
  }
  return broken
}
