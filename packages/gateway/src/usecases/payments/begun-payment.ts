import { eciScale } from '../../domain/three-ds/eci.ts'
import type { Processor } from '../banks/processor.ts'
import type { Enrolment } from '../three-ds/find-enrolment.ts'
import { payAuthenticated } from '../three-ds/pay-authenticated.ts'
import type { ThreeDsDeps } from '../three-ds/three-ds-deps.ts'
import type { AuthenticationValues } from '../three-ds/three-ds-request.ts'
import { charge, type ChargeDeps } from './charge.ts'
import { readBack, type ClaimedReferenceDeps, type OrderClaim } from './claimed-reference.ts'
import type { KeyTakenMeanwhile } from './idempotency-key.ts'
import { untilKnown } from './learn-truth.ts'
import type { PaymentResult } from './payment-command.ts'
import { NO_BANK_FACTS } from './payment-ending.ts'
import type { PaymentIntent } from './payment-store.ts'
import { paymentView } from './payment-view.ts'
import type { Resolved } from './resolve-payment.ts'
import type { TransactionView } from './transaction-view.ts'

export interface BegunPaymentDeps extends ChargeDeps, ClaimedReferenceDeps {
  readonly processor: Processor
  /** Asked only for payments that say something of 3-D Secure. */
  readonly threeDs: ThreeDsDeps
  /**
   * Called when a saved card gets another expiry, as of when: renewals may wait for it. Never
   * fails.
   */
  readonly cardRenewed: (cardId: bigint, at: Date) => Promise<void>
}

/** A payment that nothing refuses any more. */
export interface BegunPayment {
  readonly kind: 'begun'
  readonly payment: Resolved
  /** Durable; one that is pending is written with its authentication. */
  readonly intent: PaymentIntent
  readonly claim: OrderClaim
  /** The request to the issuer, before the bank is asked; null: no such request. */
  readonly enrolment: Enrolment | null
  /** When it began to wait, or to write its intent, by the patience's clock. */
  readonly startedMs: number
  /** How much of the time of its answer it has waited for other payments of its reference. */
  readonly waitedMs: number
}

/**
 * Another payment has claimed the order's reference or the key, or has started the same charge.
 */
export interface ClaimedMeanwhile {
  readonly kind: 'claimed_meanwhile'
}

/** Declines it, or asks the issuer and the bank; the outcome is durable before it is returned. */
export async function concludeBegun(
  deps: BegunPaymentDeps,
  begun: BegunPayment,
): Promise<PaymentResult | ClaimedMeanwhile | KeyTakenMeanwhile> {
  const { payment, intent, claim, enrolment, startedMs } = begun
  if (intent.declinedServiceCode !== null) {
    return { kind: 'done', transaction: declinedView(payment, intent, intent.declinedServiceCode) }
  }
  if (enrolment === null) return { kind: 'done', transaction: await askBank(deps, begun) }
  const paid = await payAuthenticated(deps, { payment, intent, enrolment, claim, startedMs })
  await informRenewals(deps, payment)
  return paid
}

/** A decline of the gateway itself: the bank was not asked. */
function declinedView(
  payment: Resolved,
  intent: PaymentIntent,
  serviceCode: number,
): TransactionView {
  return paymentView(payment, intent, {
    state: 'declined',
    valueMinor: intent.amountMinor,
    serviceCode,
    bank: NO_BANK_FACTS,
    batchId: null,
    lineAmounts: null,
    memberships: [],
    retrievalReference: '',
  })
}

async function askBank(
  deps: BegunPaymentDeps,
  { payment, intent, claim, startedMs, waitedMs }: BegunPayment,
): Promise<TransactionView> {
  const { ending, conclusion, concluded, untilMs } = await charge(deps, {
    payment,
    intended: intent,
    authentication: broughtAlong(payment),
    claim,
    startedMs,
    usedMs: waitedMs,
  })
  await informRenewals(deps, payment)
  if (concluded === null) {
    // An earlier try was written and its answer lost, or this process stalled and the resolver was
    // first. The merchant gets the written outcome.
    return untilKnown(deps, untilMs, () => readBack(deps, intent.transactionId))
  }
  return paymentView(payment, intent, {
    ...ending,
    batchId: concluded.batchId,
    lineAmounts: conclusion.lineAmounts,
    memberships: conclusion.memberships,
    retrievalReference: deps.processor.retrievalReference(intent.message),
  })
}

/** The request's own values of an authentication. */
function broughtAlong({ command, pan }: Resolved): AuthenticationValues | null {
  const { threeDs } = command
  if (threeDs?.kind === 'outside') return threeDs.values
  if (threeDs?.kind !== 'exempt') return null
  return { eci: eciScale(pan.brand).exempt, cavv: null, dsTransId: '', version: '' }
}

/** The saved card that has another expiry from now on. */
async function informRenewals(
  { cardRenewed }: BegunPaymentDeps,
  { saved, command: { card, site } }: Resolved,
): Promise<void> {
  if (saved === null || card.expiry === null) return
  const { month, year } = card.expiry
  if (month === saved.expiryMonth && year === saved.expiryYear) return
  await cardRenewed(saved.paymentMethodId, site.clock.now())
}
