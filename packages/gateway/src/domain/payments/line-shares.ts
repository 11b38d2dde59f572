import { invariant } from '../../base/invariant.ts'
import type { OrderCapture, OrderLine, OrderSnapshot } from './order-snapshot.ts'

/** The part of an amount that falls on one line. */
export interface LineShare {
  readonly lineId: bigint
  /** Above zero, in minor units. */
  readonly minor: bigint
}

/** The lines that an adjustment is about: the one it names, or all of the order. */
export function chooseLines(order: OrderSnapshot, lineId: bigint | null): readonly OrderLine[] {
  if (lineId === null) return order.lines
  const chosen = order.lines.filter((line) => line.id === lineId)
  invariant(chosen.length === 1, 'An adjustment names a line that its order does not have.')
  return chosen
}

/** The captured and not voided amount of a line. */
export function capturedOf(line: OrderLine): bigint {
  return line.capturedMinor
}

/** The amount of a line that can still be refunded. */
export function refundableOf(line: OrderLine): bigint {
  return line.capturedMinor - line.refundedMinor
}

/** The amount of a line that can still be refunded, without the captures that the bank rejected. */
export function refundableRoomOf({ captures }: OrderSnapshot): (line: OrderLine) => bigint {
  return (line) => {
    const ofLine = captures.filter(({ lineId }) => lineId === line.id)
    return atLeastZero(refundableOf(line) - sumOf(ofLine, rejectedOf))
  }
}

/**
 * The amount of these lines that can still be refunded; never more than of the whole order. A
 * capture that was rejected brought no money to return, and disputed money returns by the issuer.
 */
export function leftToRefund(order: OrderSnapshot, lines: readonly OrderLine[]): bigint {
  const ofOrder = atLeastZero(
    order.money.capturedMinor -
      order.money.refundedMinor -
      order.disputedMinor -
      sumOf(order.captures, rejectedOf),
  )
  const ofLines = sumOf(lines, refundableRoomOf(order))
  return ofLines < ofOrder ? ofLines : ofOrder
}

function rejectedOf({ amountMinor, rejected, voidedMinor }: OrderCapture): bigint {
  return rejected ? amountMinor - voidedMinor : 0n
}

function atLeastZero(minor: bigint): bigint {
  return minor > 0n ? minor : 0n
}

/** The amount of a line that can still be captured or voided. */
export function uncapturedOf(line: OrderLine): bigint {
  return line.amountMinor - line.capturedMinor - line.voidedMinor
}

/**
 * Spreads an amount over lines: the first one with room takes what it can, then the next. The lines
 * together must have room enough.
 */
export function spreadOverLines(
  lines: readonly OrderLine[],
  amountMinor: bigint,
  roomOf: (line: OrderLine) => bigint,
): LineShare[] {
  const shares: LineShare[] = []
  let left = amountMinor
  for (const line of lines) {
    if (left === 0n) break
    const room = roomOf(line)
    if (room <= 0n) continue
    const minor = room < left ? room : left
    shares.push({ lineId: line.id, minor })
    left -= minor
  }
  invariant(left === 0n, 'An amount is larger than what its lines have room for.')
  return shares
}

/** The sum of one amount over lines, or over other rows with amounts. */
export function sumOf<Entry>(
  entries: readonly Entry[],
  amountOf: (entry: Entry) => bigint,
): bigint {
  let sum = 0n
  for (const entry of entries) sum += amountOf(entry)
  return sum
}
