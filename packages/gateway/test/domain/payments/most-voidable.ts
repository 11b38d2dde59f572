import type { OrderSnapshot } from '../../../src/domain/payments/order-snapshot.ts'

/**
 * The most that voids of captures can take, by trying every way in which the captures of the whole
 * order could take from the lines. Slow and blunt, as an oracle may be.
 */
export function mostVoidable(order: OrderSnapshot, line: number | null): number {
  const rooms = order.lines.map((each, index) => {
    if (line !== null && index !== line) return { free: 0, own: 0, spread: 0 }
    let own = 0n
    let kept = 0n
    for (const capture of order.captures) {
      if (capture.lineId !== each.id) continue
      kept += capture.amountMinor - capture.voidedMinor
      if (!capture.batchClosed) own += capture.amountMinor - capture.voidedMinor
    }
    return {
      free: Number(each.capturedMinor - each.refundedMinor),
      own: Number(own),
      spread: Number(each.capturedMinor - kept),
    }
  })
  let whole = 0n
  for (const capture of order.captures) {
    if (capture.lineId !== null || capture.batchClosed) continue
    whole += capture.amountMinor - capture.voidedMinor
  }
  return tryLines(rooms, Number(whole))
}

function tryLines(
  rooms: readonly { free: number; own: number; spread: number }[],
  whole: number,
): number {
  const [room, ...others] = rooms
  if (room === undefined) return 0
  let best = 0
  for (let given = 0; given <= Math.min(room.spread, whole, room.free); given += 1) {
    const here = given + Math.min(room.own, room.free - given)
    best = Math.max(best, here + tryLines(others, whole - given))
  }
  return best
}
