import { refused, type Refusal } from '../../base/refusal.ts'

/** The kinds of differences between files, deposits and this side. */
export const DIFFERENCE_CODES = {
  missing_at_bank: 'captured or refunded here, and in no file after 3 bank days',
  missing_here: 'in the file, and no order of the account fits',
  amount: 'the file has another amount',
  currency: 'the file has another currency',
  state: 'settled there, and voided, rejected or never captured here',
  duplicate: 'a second line for one capture, refund or monthly fee',
  ambiguous: 'several orders fit the line',
  fx_rate: 'the rate is outside the band around the rate of the authorization',
  fee_orphan: 'a fee for an order that was never approved here',
  dispute_unknown: 'money of a dispute without a case, or a case without its money',
  payout_missing: 'announced, and not in the bank account 2 bank days after its date',
  payout_unknown: 'in the bank account, and never announced',
  payout_short: 'the deposit is less than the payout',
  payout_over: 'the deposit is more than the payout',
} as const

export type DifferenceCode = keyof typeof DIFFERENCE_CODES

/** How a difference ends. */
export const DIFFERENCE_ENDS = {
  matched_late: 'a later file has it',
  corrected_by_acquirer: 'the acquirer corrected it by another line',
  corrected_here: 'it was corrected here, for example by a refund',
  accepted_timing: 'only the day differs',
  written_off: 'the amount is taken as a loss or a gain',
  not_ours: 'the line belongs to another system of the merchant',
} as const

export type DifferenceEnd = keyof typeof DIFFERENCE_ENDS

/** Captures and refunds are missing on the bank day after so many. */
export const MISSING_AFTER_BANK_DAYS = 3

/** Payouts are missing on the bank day after so many. */
export const PAYOUT_MISSING_AFTER_BANK_DAYS = 2

/** A line waits for its case, and a case for its line, for so many bank days. */
export const DISPUTE_UNKNOWN_AFTER_BANK_DAYS = 5

export const MOST_NOTE_CHARACTERS = 2_000

/** The facts that decide whether a difference may end. */
export interface EndingDifference {
  readonly id: bigint
  readonly code: DifferenceCode
  readonly state: 'open' | 'ended'
  /** The end of one that ended. */
  readonly endedAs: DifferenceEnd | null
}

/** Why a difference may not end like this, or null. */
export function endFault(
  { code, endedAs, id, state }: EndingDifference,
  as: DifferenceEnd,
): Refusal | null {
  if (state === 'ended') {
    return refused('conflict', `Difference ${id} ended before, as ${endedAs}.`)
  }
  if (as === 'not_ours' && code === 'missing_at_bank') {
    const fault = `Difference ${id} is about a capture or refund of this gateway: it is ours.`
    return refused('invalid', fault)
  }
  return null
}

/** The kind of the posting that writes money off, and the amount in minor units; null for none. */
export interface WriteOff {
  readonly kind:
    | 'loss_written_off'
    | 'gain_written_off'
    | 'capture_written_off'
    | 'refund_written_off'
  readonly minor: bigint
}

/**
 * The posting of a write-off.
 * @param suspended what the line of the difference has in suspense: plus is money of the acquirer's
 * balance without an explanation
 * @param missing the value of a missing capture, below zero of a missing refund; 0n for none
 */
export function writeOff(suspended: bigint, missing: bigint): WriteOff | null {
  if (missing > 0n) return { kind: 'capture_written_off', minor: missing }
  if (missing < 0n) return { kind: 'refund_written_off', minor: -missing }
  if (suspended > 0n) return { kind: 'gain_written_off', minor: suspended }
  if (suspended < 0n) return { kind: 'loss_written_off', minor: -suspended }
  return null
}
