import { APPROVING_CODES } from '@tollgate/iso8583'
import type { Books } from '../books/books.ts'
import type { RecordDraft } from '../books/journal-record.ts'
import { heldOf } from '../books/order.ts'
import type { Order } from '../books/order.ts'
import { postCapture, postCredit } from '../books/postings.ts'
import { applied, ofOrder, refusal } from '../books/record-drafts.ts'
import type { Incoming } from '../books/record-drafts.ts'
import { readTest } from '../issuer/bank-test.ts'
import { findBrand, hasValidCheckDigit } from '../issuer/card-brands.ts'
import type { CardRecord } from '../issuer/card-file.ts'
import { readBooking, readCounting, readOriginalKey, requireField } from './read-request.ts'
import type { Booking } from './read-request.ts'

/** DE 39 of an unreferenced credit that a test has refused. */
const REFUSED_CREDIT = '05'

export interface MovementParts {
  readonly books: Books
  readonly findCard: (pan: string, merchant: string) => CardRecord
}

/** A 0220 that captures: applied in every state of the account, up to the order's held amount. */
export function capture({ books }: MovementParts, incoming: Incoming): RecordDraft {
  const booking = readBooking(incoming.message)
  const { key: original, order } = orderOf(books, incoming, booking)
  if (booking.amount === 0n) return refusal(incoming, '13', booking, original)
  const isPossible = order !== null && !order.reversed && booking.amount <= heldOf(order)
  if (!isPossible) return refusal(incoming, '76', booking, original)
  return {
    ...applied(incoming, 'capture', booking, postCapture(booking.amount)),
    ...ofOrder(original, order, order.balance),
    ...readCounting(incoming.message),
    ...(incoming.fault?.kind === 'settlement_rejection' ? { fault: incoming.fault.kind } : {}),
  }
}

/** A 0220 that refunds: to the card it names, else to the order's. */
export function refund({ books, findCard }: MovementParts, incoming: Incoming): RecordDraft {
  const { message } = incoming
  const booking = readBooking(message)
  const { key: original, order } = orderOf(books, incoming, booking)
  if (booking.amount === 0n) return refusal(incoming, '13', booking, original)
  // A reversed order without captures has never been paid.
  const isPossible = order !== null && !(order.reversed && order.captured === 0n)
  if (!isPossible) return refusal(incoming, '76', booking, original)
  const pan = message.fields[2]
  return {
    ...applied(incoming, 'refund', booking, postCredit(booking.amount)),
    ...ofOrder(
      original,
      order,
      pan === undefined ? order.balance : findCard(pan, booking.merchant),
    ),
    ...readCounting(message),
  }
}

/** A 0200: an unreferenced credit to a card. */
export function credit({ findCard }: MovementParts, incoming: Incoming): RecordDraft {
  const { message } = incoming
  const booking = readBooking(message)
  const pan = requireField(message, 2)
  const isCard = hasValidCheckDigit(pan) && findBrand(pan) !== null
  const { account, last4 } = findCard(pan, booking.merchant)
  if (!isCard) return { ...refusal(incoming, '14', booking), account, last4 }
  if (booking.amount === 0n) return { ...refusal(incoming, '13', booking), account, last4 }
  const record = applied(incoming, 'credit', booking, postCredit(booking.amount))
  return { ...record, account, last4 }
}

/** The refusal of a 0200 that a test asks for; null where it asks for none. */
export function creditByTest(
  { findCard }: MovementParts,
  incoming: Incoming,
  triggers: boolean,
): RecordDraft | null {
  const test = readTest(incoming.message)
  if (test === null) return null
  const code = triggers ? (test.refund === undefined ? test.de39 : REFUSED_CREDIT) : '30'
  if (code === undefined || APPROVING_CODES.has(code)) return null
  const { message } = incoming
  const booking = readBooking(message)
  const { account, last4 } = findCard(requireField(message, 2), booking.merchant)
  return { ...refusal(incoming, code, booking), account, last4 }
}

/** The order that DE 90 names, if there is one in the same currency. */
function orderOf(
  books: Books,
  { message }: Incoming,
  { currency }: Booking,
): { readonly key: string; readonly order: Order | null } {
  const key = readOriginalKey(message)
  const known = books.find(key)
  const isOrder = known?.kind === 'auth' && known.balance.currency === currency
  return { key, order: isOrder ? known : null }
}
