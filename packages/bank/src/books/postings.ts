import type { LedgerAccount, Posting } from './journal-record.ts'

/** Each function returns the postings of one movement, in minor units above zero; none for zero. */

/** Available money of the cardholder becomes held money for a merchant. */
export function postHold(amount: bigint): readonly Posting[] {
  return pair('cardholder', 'hold', amount)
}

/** A hold ends without a payment. */
export function postRelease(amount: bigint): readonly Posting[] {
  return pair('hold', 'cardholder', amount)
}

/** Held money is paid: the issuer owes it to the acquirer, and the acquirer to the merchant. */
export function postCapture(amount: bigint): readonly Posting[] {
  return [...pair('hold', 'issuer_clearing', amount), ...acquirerOwes(amount)]
}

/** A capture is voided. The money is held again, or free where the hold is gone already. */
export function postCaptureVoid(amount: bigint, to: 'hold' | 'cardholder'): readonly Posting[] {
  return [...pair('issuer_clearing', to, amount), ...acquirerRecovers(amount)]
}

/** A merchant pays a cardholder: a refund, or an unreferenced credit. */
export function postCredit(amount: bigint): readonly Posting[] {
  return [...pair('issuer_clearing', 'cardholder', amount), ...acquirerRecovers(amount)]
}

/** A refund or an unreferenced credit is reversed. */
export function postRefundReversal(amount: bigint): readonly Posting[] {
  return [...pair('cardholder', 'issuer_clearing', amount), ...acquirerOwes(amount)]
}

/** Funds that are added to a test card, or removed from it when the amount is below zero. */
export function postSeed(amount: bigint): readonly Posting[] {
  return amount < 0n
    ? pair('cardholder', 'suspense', -amount)
    : pair('suspense', 'cardholder', amount)
}

function acquirerOwes(amount: bigint): readonly Posting[] {
  return pair('acquirer_clearing', 'payable', amount)
}

function acquirerRecovers(amount: bigint): readonly Posting[] {
  return pair('payable', 'acquirer_clearing', amount)
}

function pair(debit: LedgerAccount, credit: LedgerAccount, amount: bigint): readonly Posting[] {
  if (amount === 0n) return []
  const text = amount.toString()
  return [
    ['D', debit, text],
    ['C', credit, text],
  ]
}
