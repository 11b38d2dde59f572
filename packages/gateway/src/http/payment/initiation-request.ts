import type { Initiation } from '../../usecases/payments/payment-command.ts'
import type { RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { isSent, type SentRequest } from './sent-request.ts'

/** Refuses TRANS_REBILL_TYPE and REQUEST_INSTALLMENT without the parameters that they need. */
export function missingRebillPart(sent: SentRequest): RefusedReading | null {
  const { REQUEST_REBILL: rebill = '0', TRANS_REBILL_TYPE: type = 'NONE' } = sent
  if (type !== 'NONE' && !isSent(sent, 'MBSHP_ID_XTL')) return missing('MBSHP_ID_XTL')
  const isPart = rebill !== '0' || type !== 'NONE'
  return sent.REQUEST_INSTALLMENT === true && !isPart ? missing('REQUEST_REBILL') : null
}

/**
 * The first parameter that contradicts an earlier one about the payment's initiator and purpose.
 * Their order: REQUEST_REBILL, TRANS_REBILL_TYPE, REQUEST_INITATOR, a product that is defined by a
 * renewal. The bank accepts one statement only. `initiation`: what the request was read as.
 */
export function contradictoryInitiation(
  sent: SentRequest,
  { rebillType, recurring }: Initiation,
): RefusedReading | null {
  const { REQUEST_REBILL: rebill = '0', REQUEST_INITATOR: initiator } = sent
  if (rebillType !== null && rebill !== '0' && rebill !== REBILL_OF[rebillType]) {
    return refused('value_invalid', 'TRANS_REBILL_TYPE')
  }
  const isOdd =
    (recurring === 'first' && initiator === 'merchant') ||
    (recurring === 'rebill' && initiator === 'customer')
  if (isOdd) return refused('value_invalid', 'REQUEST_INITATOR')
  if (recurring !== 'rebill' || sent.PROD_NAME === undefined) return null
  return refused('value_invalid', rebill === '1' ? 'REQUEST_REBILL' : 'TRANS_REBILL_TYPE')
}

/** The REQUEST_REBILL that states the same as a TRANS_REBILL_TYPE. */
const REBILL_OF: Readonly<Record<NonNullable<Initiation['rebillType']>, string>> = {
  NONE: '0',
  TRIAL: '2',
  INITIAL: '2',
  REBILL: '1',
}

/** A renewal is the merchant's, and the first payment of a subscription its customer's. */
export function readInitiation(sent: SentRequest): Initiation {
  const rebillType = sent.TRANS_REBILL_TYPE ?? null
  const rebill = rebillType === null ? '0' : REBILL_OF[rebillType]
  const isRebill = sent.REQUEST_REBILL === '1' || rebill === '1'
  const isFirst = sent.REQUEST_REBILL === '2' || rebill === '2'
  return {
    initiator: sent.REQUEST_INITATOR ?? (isRebill ? 'merchant' : isFirst ? 'customer' : null),
    recurring: isRebill ? 'rebill' : isFirst ? 'first' : 'none',
    instalment: sent.REQUEST_INSTALLMENT ?? false,
    rebillType,
    membershipReference: sent.MBSHP_ID_XTL ?? '',
    trialConsent: sent.TRANS_TRIAL_REBILL_CUSTOMER_CONSENT !== undefined,
    originalNetworkTransactionId: sent.ORIG_CARD_BRAND_TRANSID ?? '',
  }
}
