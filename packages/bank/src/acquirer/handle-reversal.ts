import { decodeReplacementAmount } from '@tollgate/iso8583'
import type { Books } from '../books/books.ts'
import type { RecordDraft } from '../books/journal-record.ts'
import { heldOf } from '../books/order.ts'
import type { Movement, Order } from '../books/order.ts'
import { postCaptureVoid, postRefundReversal, postRelease } from '../books/postings.ts'
import { applied, ofOrder, refusal } from '../books/record-drafts.ts'
import type { Incoming } from '../books/record-drafts.ts'
import { readBooking, readOriginalKey } from './read-request.ts'

/** A 0420: reverses the rest of its original, or with DE 95 lowers it to what remains. */
export function reverse(books: Books, incoming: Incoming): RecordDraft {
  const { message } = incoming
  const original = readOriginalKey(message)
  const booking = readBooking(message)
  const replacement = message.fields[95]
  const left = replacement === undefined ? null : decodeReplacementAmount(replacement)
  const known = books.find(original)
  if (known === undefined) {
    const unknown = refusal(incoming, '25', booking, original)
    // A partial reversal of an unknown message does not state the whole, so none is recorded.
    return left === null ? { ...unknown, kind: 'tombstone' } : unknown
  }
  if (known.kind === 'tombstone' || known.kind === 'closed') {
    return refusal(incoming, '21', booking, original)
  }
  return known.kind === 'auth'
    ? reverseOrder(incoming, original, known, left)
    : reverseMovement(incoming, original, known, left ?? 0n)
}

/** `left` null reverses the whole hold; captures and their approved amount stay. */
function reverseOrder(
  incoming: Incoming,
  original: string,
  order: Order,
  left: bigint | null,
): RecordDraft {
  const { approved, balance, captured, merchant, reversed } = order
  const { currency } = balance
  const asSent = { amount: approved, currency, merchant }
  if (reversed) return refusal(incoming, '21', asSent, original)
  if (left !== null && left < captured) return refusal(incoming, '76', asSent, original)
  // The order is already in the state that the reversal requests.
  if (left !== null && left >= approved) return refusal(incoming, '21', asSent, original)
  const amount = left === null ? heldOf(order) : approved - left
  return {
    ...applied(incoming, 'reversal', { ...asSent, amount }, postRelease(amount)),
    ...ofOrder(original, order, balance),
    ...(left === null ? { whole: true } : {}),
  }
}

function reverseMovement(
  incoming: Incoming,
  original: string,
  movement: Movement,
  left: bigint,
): RecordDraft {
  const { balance, kind, merchant, order } = movement
  const { account, currency, last4 } = balance
  const asSent = { amount: movement.amount, currency, merchant }
  if (left >= movement.amount) return refusal(incoming, '21', asSent, original)
  const amount = movement.amount - left
  const to = order?.reversed === true ? 'cardholder' : 'hold'
  const postings = kind === 'capture' ? postCaptureVoid(amount, to) : postRefundReversal(amount)
  return {
    ...applied(incoming, 'reversal', { ...asSent, amount }, postings),
    original,
    account,
    last4,
    ...(left === 0n ? { whole: true } : {}),
  }
}
