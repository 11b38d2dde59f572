import { invariant } from '../../base/invariant.ts'
import type { CardSelection, SavedCardSelector } from '../../usecases/payments/payment-command.ts'
import type { Operation } from './parameters.ts'
import type { RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { isSent, type SentRequest } from './sent-request.ts'

const SELECTORS = ['PMT_ID', 'PMT_ID_XTL', 'PMT_L4'] as const

/** Refuses a card without its number, the customer it belongs to, or the expiry. */
export function missingCardPart(sent: SentRequest, operation: Operation): RefusedReading | null {
  if (isNewCard(sent)) return isSent(sent, 'PMT_EXPIRY') ? null : missing('PMT_EXPIRY')
  // An unreferenced credit goes to a card that is named in full.
  if (operation === 'unreferenced_credit') return missing('PMT_NUMB')
  if (isSent(sent, 'CUST_ID')) return null
  return missing(SELECTORS.some((name) => isSent(sent, name)) ? 'CUST_ID' : 'PMT_NUMB')
}

/** Whether a security code has to come with the number, or with the token in its place. */
export function needsSecurityCode(
  sent: SentRequest,
  operation: Operation,
  byRule: boolean,
): boolean {
  if (!isNewCard(sent) || operation === 'unreferenced_credit') return false
  const rebillType = sent.TRANS_REBILL_TYPE
  if (rebillType === 'TRIAL' || rebillType === 'INITIAL') return true
  const renewal = sent.REQUEST_REBILL === '1' || rebillType === 'REBILL'
  return byRule && sent.REQUEST_INITATOR !== 'merchant' && !renewal
}

function isNewCard(sent: SentRequest): boolean {
  return isSent(sent, 'PMT_NUMB') || isSent(sent, 'TOKEN_GUID')
}

/** Refuses a number together with the name of another card: the card to charge is ambiguous. */
export function contradictorySelector(sent: SentRequest): RefusedReading | null {
  const { PMT_NUMB: number, PMT_L4: last4, TOKEN_GUID: token } = sent
  if (number === undefined && token === undefined) return null
  if (number !== undefined && token !== undefined) return refused('value_invalid', 'TOKEN_GUID')
  if (sent.PMT_ID !== undefined) return refused('value_invalid', 'PMT_ID')
  if (last4 === undefined) return null
  // The number behind a token is unknown until the token is used up.
  return number?.last4 === last4 ? null : refused('value_invalid', 'PMT_L4')
}

/** The card to use, its parts being checked already. `cvvRequired`: of a token only. */
export function readCard(sent: SentRequest, cvvRequired: boolean): CardSelection {
  const { PMT_NUMB: number, TOKEN_GUID: token, PMT_EXPIRY: expiry } = sent
  const cvv = sent.PMT_KEY ?? null
  const customerId = sent.CUST_ID ?? null
  if (number === undefined && token === undefined) {
    invariant(customerId !== null, 'A saved card came past the checks without a customer.')
    return { kind: 'saved', customerId, selector: readSelector(sent), expiry: expiry ?? null, cvv }
  }
  invariant(expiry !== undefined, 'A new card came past the checks without an expiry.')
  const about = {
    expiry,
    cvv,
    customerId,
    reference: sent.PMT_ID_XTL ?? '',
    onFileElsewhere: sent.PMT_NUMB_COF ?? false,
  }
  if (number !== undefined) return { kind: 'new', pan: number, ...about }
  invariant(token !== undefined, 'A new card came past the checks without a number.')
  return { kind: 'token', token, cvvRequired, ...about }
}

/** The most exact of the selectors that were sent decides. */
export function readSelector(
  sent: Pick<SentRequest, (typeof SELECTORS)[number]>,
): SavedCardSelector {
  const { PMT_ID: id, PMT_ID_XTL: reference, PMT_L4: last4 } = sent
  if (id !== undefined) return { by: 'id', id }
  if (reference !== undefined) return { by: 'reference', reference }
  return last4 === undefined ? { by: 'latest' } : { by: 'last4', last4 }
}
