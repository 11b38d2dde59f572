import type { LineShare } from './line-shares.ts'
import type { OrderCapture, OrderSnapshot } from './order-snapshot.ts'

/** The voided part of one capture. */
export interface CaptureVoid {
  /** The capture's transaction id. */
  readonly captureId: bigint
  /** Above zero, in minor units. */
  readonly minor: bigint
}

export interface CaptureVoidPlan {
  readonly totalMinor: bigint
  /** Newest capture first. */
  readonly captureVoids: readonly CaptureVoid[]
  /** The lines whose captured amount shrinks; adds up to the same total. */
  readonly lines: readonly LineShare[]
}

/** The amount that voids can still take from one line while a plan is made. */
interface LineRoom {
  readonly lineId: bigint
  /** Captured and not refunded: the line must keep captured what it refunded. */
  room: bigint
  /** In captures of open batches made for this very line: they can take from no other line. */
  ownOpen: bigint
  /** Captured on this line by captures of the whole order. */
  spread: bigint
  taken: bigint
}

/**
 * Chooses the captures to void: the newest first, only of open batches. Returns less than requested
 * only if no choice could give more; `wantedMinor` null requests everything. With a line, only
 * amounts captured on that line. Disputed money stays captured: the issuer returns it.
 */
export function planCaptureVoids(
  order: OrderSnapshot,
  wantedMinor: bigint | null,
  lineId: bigint | null,
): CaptureVoidPlan {
  const most = order.money.capturedMinor - order.disputedMinor
  const wanted = wantedMinor === null || wantedMinor > most ? most : wantedMinor
  if (wanted <= 0n) return { totalMinor: 0n, captureVoids: [], lines: [] }

  const rooms = measureRooms(order, lineId)
  const captureVoids: CaptureVoid[] = []
  let missing = wanted
  for (const capture of order.captures.toReversed()) {
    const minor = takeFromCapture(rooms, capture, missing)
    if (minor === 0n) continue
    captureVoids.push({ captureId: capture.transactionId, minor })
    missing -= minor
  }
  const lines = rooms
    .filter((line) => line.taken > 0n)
    .map((line) => ({ lineId: line.lineId, minor: line.taken }))
  return { totalMinor: wanted - missing, captureVoids, lines }
}

function measureRooms(order: OrderSnapshot, lineId: bigint | null): LineRoom[] {
  const rooms: LineRoom[] = []
  for (const line of order.lines) {
    if (lineId !== null && line.id !== lineId) continue
    let own = 0n
    let ownOpen = 0n
    for (const capture of order.captures) {
      if (capture.lineId !== line.id) continue
      const minor = capture.amountMinor - capture.voidedMinor
      own += minor
      if (!capture.batchClosed) ownOpen += minor
    }
    rooms.push({
      lineId: line.id,
      room: line.capturedMinor - line.refundedMinor,
      ownOpen,
      spread: line.capturedMinor - own,
      taken: 0n,
    })
  }
  return rooms
}

function takeFromCapture(rooms: LineRoom[], capture: OrderCapture, wanted: bigint): bigint {
  if (capture.batchClosed) return 0n
  const limit = least(wanted, capture.amountMinor - capture.voidedMinor)
  let left = limit
  if (capture.lineId !== null) {
    for (const line of rooms) {
      if (line.lineId !== capture.lineId) continue
      const minor = take(line, least(left, line.room))
      line.ownOpen -= minor
      left -= minor
    }
    return limit - left
  }

  // Room that the line's own captures cannot use comes first. Otherwise a capture that can take
  // from nowhere else may find it gone, and the plan ends up smaller than possible.
  for (const line of rooms) {
    const unclaimed = line.room - least(line.room, line.ownOpen)
    left -= takeSpread(line, least(left, unclaimed))
  }
  for (const line of rooms) left -= takeSpread(line, least(left, line.room))
  return limit - left
}

function takeSpread(line: LineRoom, wanted: bigint): bigint {
  const minor = take(line, least(wanted, line.spread))
  line.spread -= minor
  return minor
}

function take(line: LineRoom, minor: bigint): bigint {
  line.room -= minor
  line.taken += minor
  return minor
}

function least(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
