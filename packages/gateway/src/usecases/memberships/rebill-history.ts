import type { SiteInMode } from '../merchants/merchant-directory.ts'
import type { PaymentRefusal, PaymentResult } from '../payments/payment-command.ts'
import type { PaymentField } from '../payments/payment-field.ts'
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

/** Why the subscription's earlier payments forbid this one; null: they do not. */
export async function refuseByHistory(
  { rebills }: { readonly rebills: RebillHistories },
  {
    command,
    account,
    pan,
    saved,
  }: Pick<Resolved, 'command' | 'account' | 'saved'> & { readonly pan: Resolved['pan'] | null },
): Promise<PaymentResult | null> {
  const { initiation, site, card } = command
  const history = await rebills.find(site, initiation.membershipReference)
  if (initiation.rebillType !== 'REBILL') {
    return history.payments > 0
      ? refused('membership_reference_used', 'membership_reference')
      : null
  }
  // A subscription that began at another gateway is known by its card or by its first payment.
  const beganElsewhere =
    initiation.originalNetworkTransactionId !== '' ||
    (card.kind !== 'saved' && card.onFileElsewhere)
  if (history.payments === 0) {
    return beganElsewhere ? null : refused('membership_reference_unknown', 'membership_reference')
  }
  const brand = pan === null ? (saved?.brand ?? null) : pan.brand
  if (
    account.categoryCode !== SUBSCRIPTION_MERCHANTS ||
    brand !== 'Mastercard' ||
    !history.hasTrial
  ) {
    return null
  }
  if (history.rebills === 0 && !initiation.trialConsent)
    return refused('parameter_missing', 'trial_consent')
  return history.unreceipted > 0 ? refused('renewal_without_receipt', 'membership_reference') : null
}

function refused(refusal: PaymentRefusal, field: PaymentField): PaymentResult {
  return { kind: 'refused', refusal, field }
}
