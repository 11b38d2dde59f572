import { encodePrivateData } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import { batchNumber } from '../acquirer/authorization-answer.ts'
import type { Fault } from '../acquirer/fault.ts'
import { requireField } from '../acquirer/read-request.ts'
import type { Booking } from '../acquirer/read-request.ts'
import type { Posting, RecordDraft } from './journal-record.ts'
import type { Order } from './order.ts'

/** A message that is being processed, and the time of its record. */
export interface Incoming {
  readonly message: IsoMessage
  /** DE 32, DE 41, DE 11 and DE 7 with slashes between. */
  readonly key: string
  /** UTC, ISO 8601. */
  readonly at: string
  /** The fault to inject into it. */
  readonly fault?: Fault
}

/**
 * A record of a message that moves nothing. `original` is the key of the message that it refers to.
 */
export function refusal(
  { at, key, message }: Incoming,
  responseCode: string,
  booking?: Booking,
  original?: string,
): RecordDraft {
  const amount = message.fields[4]
  return {
    kind: 'refusal',
    at,
    mti: message.mti,
    key,
    ...(original === undefined ? {} : { original }),
    ...(booking === undefined ? {} : textsOf(booking)),
    responseCode,
    answer: { ...(amount === undefined ? {} : { 4: amount }), 39: responseCode },
    postings: [],
  }
}

/** A record that moves money, without its account, answered with `00`. */
export function applied(
  { at, key, message }: Incoming,
  kind: RecordDraft['kind'],
  booking: Booking,
  postings: readonly Posting[],
): RecordDraft {
  const answer: Record<number, string> = { 4: requireField(message, 4), 39: '00' }
  if (kind === 'capture' || kind === 'refund') {
    answer[48] = encodePrivateData({ BN: batchNumber(at) })
  }
  const rrn = kind === 'auth' || kind === 'reversal' ? undefined : message.fields[37]
  return {
    kind,
    at,
    mti: message.mti,
    key,
    ...textsOf(booking),
    ...(rrn === undefined ? {} : { rrn }),
    responseCode: '00',
    answer,
    postings,
  }
}

/** The parts of a record that name an order and the account that the money moves on. */
export function ofOrder(
  original: string,
  { merchant }: Order,
  { account, last4 }: { readonly account: string; readonly last4: string },
): Pick<RecordDraft, 'original' | 'merchant' | 'account' | 'last4'> {
  return { original, merchant, account, last4 }
}

function textsOf({ amount, currency, merchant }: Booking) {
  return { amount: amount.toString(), currency, merchant }
}
