import { invariant } from '../../base/invariant.ts'
import type { Initiation } from '../../usecases/payments/payment-command.ts'
import type { RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'

type Params = ReadonlyMap<string, string>

/** What TRANS_REBILL_TYPE and REQUEST_INSTALLMENT need beside them. */
export function missingRebillPart(params: Params): RefusedReading | null {
  const type = rebillTypeText(params)
  if (type !== undefined && type !== 'NONE' && !params.has('MBSHP_ID_XTL'))
    return missing('MBSHP_ID_XTL')
  const rebill = params.get('REQUEST_REBILL') ?? '0'
  const isPart = rebill !== '0' || (type !== undefined && type !== 'NONE')
  return params.get('REQUEST_INSTALLMENT') === '1' && !isPart ? missing('REQUEST_REBILL') : null
}

/**
 * The parameter that says something else of who begins the payment, and why, than the ones before
 * it: REQUEST_REBILL, then TRANS_REBILL_TYPE, then REQUEST_INITATOR; then a product that is defined
 * by a renewal. The bank can be told one thing only.
 */
export function contradictoryInitiation(params: Params): RefusedReading | null {
  const rebill = params.get('REQUEST_REBILL') ?? '0'
  const type = rebillTypeText(params)
  const ofType = type === undefined ? null : isFirstType(type) ? '2' : type === 'REBILL' ? '1' : '0'
  if (ofType !== null && rebill !== '0' && rebill !== ofType) {
    return refused('value_invalid', 'TRANS_REBILL_TYPE')
  }
  const { recurring } = readInitiation(params)
  const initiator = initiatorOf(params)
  const isOdd =
    (recurring === 'first' && initiator === 'merchant') ||
    (recurring === 'rebill' && initiator === 'customer')
  if (isOdd) return refused('value_invalid', 'REQUEST_INITATOR')
  if (recurring !== 'rebill' || !params.has('PROD_NAME')) return null
  return refused('value_invalid', rebill === '1' ? 'REQUEST_REBILL' : 'TRANS_REBILL_TYPE')
}

/** A renewal is the merchant's, and the first payment of a subscription its customer's. */
export function readInitiation(params: Params): Initiation {
  const rebill = params.get('REQUEST_REBILL')
  const rebillType = readRebillType(rebillTypeText(params))
  const isRebill = rebill === '1' || rebillType === 'REBILL'
  const isFirst = rebill === '2' || isFirstType(rebillType)
  return {
    initiator: initiatorOf(params) ?? (isRebill ? 'merchant' : isFirst ? 'customer' : null),
    recurring: isRebill ? 'rebill' : isFirst ? 'first' : 'none',
    instalment: params.get('REQUEST_INSTALLMENT') === '1',
    rebillType,
    membershipReference: params.get('MBSHP_ID_XTL') ?? '',
    originalNetworkTransactionId: params.get('ORIG_CARD_BRAND_TRANSID') ?? '',
  }
}

function initiatorOf(params: Params): Initiation['initiator'] {
  const text = params.get('REQUEST_INITATOR')?.toUpperCase()
  return text === undefined ? null : text.startsWith('M') ? 'merchant' : 'customer'
}

function rebillTypeText(params: Params): string | undefined {
  return params.get('TRANS_REBILL_TYPE')?.toUpperCase()
}

function isFirstType(type: string | null | undefined): boolean {
  return type === 'TRIAL' || type === 'INITIAL'
}

function readRebillType(type: string | undefined): Initiation['rebillType'] {
  switch (type) {
    case undefined:
      return null
    case 'NONE':
    case 'TRIAL':
    case 'INITIAL':
    case 'REBILL':
      return type
    default:
      invariant(false, 'A rebill type came past the checks that is none.')
  }
}
