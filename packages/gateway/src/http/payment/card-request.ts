import { invariant } from '../../base/invariant.ts'
import { Secret } from '../../base/secret.ts'
import { normalizePan, readExpiry } from '../../domain/payments/card.ts'
import type { CardSelection, SavedCardSelector } from '../../usecases/payments/payment-command.ts'
import type { Operation } from './parameters.ts'
import type { RefusedReading } from './reading.ts'
import { missing, readId, refused } from './reading.ts'

type Params = ReadonlyMap<string, string>

const SELECTORS = ['PMT_ID', 'PMT_ID_XTL', 'PMT_L4'] as const

/** What is missing of a card: its number, the customer it belongs to, or the expiry. */
export function missingCardPart(params: Params, operation: Operation): RefusedReading | null {
  const isNew = params.has('PMT_NUMB') || params.has('TOKEN_GUID')
  if (isNew) return params.has('PMT_EXPIRY') ? null : missing('PMT_EXPIRY')
  // Money that goes out without an order behind it goes to a card that is named in full.
  if (operation === 'forced_credit') return missing('PMT_NUMB')
  if (params.has('CUST_ID')) return null
  return missing(SELECTORS.some((name) => params.has(name)) ? 'CUST_ID' : 'PMT_NUMB')
}

/** Whether a security code has to come with the number, or with the token in its place. */
export function needsSecurityCode(params: Params, operation: Operation, byRule: boolean): boolean {
  const isNew = params.has('PMT_NUMB') || params.has('TOKEN_GUID')
  if (!isNew || operation === 'forced_credit') return false
  const rebillType = (params.get('TRANS_REBILL_TYPE') ?? '').toUpperCase()
  if (rebillType === 'TRIAL' || rebillType === 'INITIAL') return true
  const byMerchant = (params.get('REQUEST_INITATOR') ?? '').toUpperCase().startsWith('M')
  const renewal = params.get('REQUEST_REBILL') === '1' || rebillType === 'REBILL'
  return byRule && !byMerchant && !renewal
}

/** A number and the name of another card in one request: nobody can tell which one to charge. */
export function contradictorySelector(params: Params): RefusedReading | null {
  const pan = params.get('PMT_NUMB')
  const hasToken = params.has('TOKEN_GUID')
  if (pan === undefined && !hasToken) return null
  if (pan !== undefined && hasToken) return refused('value_invalid', 'TOKEN_GUID')
  if (params.has('PMT_ID')) return refused('value_invalid', 'PMT_ID')
  const last4 = params.get('PMT_L4')
  if (last4 === undefined) return null
  // What a token stands for is not known before it is used up.
  if (pan === undefined) return refused('value_invalid', 'PMT_L4')
  if (normalizePan(pan).endsWith(last4)) return null
  return refused('value_invalid', 'PMT_L4')
}

/** The card to use, its parts being checked already. `cvvRequired`: of a token only. */
export function readCard(params: Params, cvvRequired: boolean): CardSelection {
  const code = params.get('PMT_KEY')
  const cvv = code === undefined ? null : new Secret(code)
  const expiry = readExpiry(params.get('PMT_EXPIRY') ?? '')
  const customerId = readId(params, 'CUST_ID')
  const pan = params.get('PMT_NUMB')
  if (pan !== undefined) {
    invariant(expiry !== null, 'A new card came past the checks without an expiry.')
    return {
      kind: 'new',
      pan: new Secret(normalizePan(pan)),
      expiry,
      cvv,
      customerId,
      reference: params.get('PMT_ID_XTL') ?? '',
      onFileElsewhere: params.get('PMT_NUMB_COF') === '1',
    }
  }
  const token = params.get('TOKEN_GUID')
  if (token !== undefined) {
    invariant(expiry !== null, 'A token came past the checks without an expiry.')
    return {
      kind: 'token',
      token: new Secret(token.toUpperCase()),
      expiry,
      cvv,
      cvvRequired,
      customerId,
      reference: params.get('PMT_ID_XTL') ?? '',
      onFileElsewhere: params.get('PMT_NUMB_COF') === '1',
    }
  }
  invariant(customerId !== null, 'A saved card came past the checks without a customer.')
  return { kind: 'saved', customerId, selector: readSelector(params), expiry, cvv }
}

/** The most exact of the selectors that were sent decides. */
export function readSelector(params: Params): SavedCardSelector {
  const id = readId(params, 'PMT_ID')
  if (id !== null) return { by: 'id', id }
  const reference = params.get('PMT_ID_XTL')
  if (reference !== undefined) return { by: 'reference', reference }
  const last4 = params.get('PMT_L4')
  return last4 === undefined ? { by: 'latest' } : { by: 'last4', last4 }
}
