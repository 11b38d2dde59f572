import type { SiteInMode } from '../merchants/merchant-directory.ts'
import type { PaymentRefusal, PaymentResult } from '../payments/payment-command.ts'
import type { Resolved } from '../payments/resolve-payment.ts'

/** The approved payments of a subscription that the merchant manages, by its MBSHP_ID_XTL. */
export interface RebillHistory {
  readonly payments: number
  readonly hasTrial: boolean
  readonly rebills: number
  /** Renewals without a receipt. */
  readonly unreceipted: number
}

export interface RebillHistories {
  find(site: SiteInMode, membershipReference: string): Promise<RebillHistory>
}

/**
 * The category of direct marketing by subscription, for which Mastercard has rules about trials.
 */
const SUBSCRIPTION_MERCHANTS = '5968'

/**
 * Whether the payment says what it is of a subscription, so that its history has to be looked at.
 */
export function namesRebillType({ command }: Pick<Resolved, 'command'>): boolean {
  const { rebillType } = command.initiation
  return rebillType !== null && rebillType !== 'NONE'
}

/** What the subscription's earlier payments have against this one; null: nothing. */
export async function refuseByHistory(
  { rebills }: { readonly rebills: RebillHistories },
  {
    command,
    account,
    pan,
    saved,
  }: Pick<Resolved, 'command' | 'account' | 'saved'> & { readonly pan: Resolved['pan'] | null },
): Promise<PaymentResult | null> {
  const { initiation, site, card, extras } = command
  const history = await rebills.find(site, initiation.membershipReference)
  if (initiation.rebillType !== 'REBILL') {
    return history.payments > 0 ? refused('membership_reference_used', 'MBSHP_ID_XTL') : null
  }
  // A subscription that began at another gateway is known by its card or by its first payment.
  const beganElsewhere =
    initiation.originalNetworkTransactionId !== '' ||
    (card.kind !== 'saved' && card.onFileElsewhere)
  if (history.payments === 0) {
    return beganElsewhere ? null : refused('membership_reference_unknown', 'MBSHP_ID_XTL')
  }
  const brand = pan === null ? (saved?.brand ?? null) : pan.brand
  if (
    account.categoryCode !== SUBSCRIPTION_MERCHANTS ||
    brand !== 'Mastercard' ||
    !history.hasTrial
  ) {
    return null
  }
  const consent = 'TRANS_TRIAL_REBILL_CUSTOMER_CONSENT'
  if (history.rebills === 0 && extras[consent] === undefined)
    return refused('parameter_missing', consent)
  return history.unreceipted > 0 ? refused('renewal_without_receipt', 'MBSHP_ID_XTL') : null
}

function refused(refusal: PaymentRefusal, field: string): PaymentResult {
  return { kind: 'refused', refusal, field }
}
