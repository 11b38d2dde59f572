import { decideReference, declinesBefore } from '../../domain/payments/reference-claim.ts'
import {
  answerOfHolder,
  contentOf,
  detailsOf,
  type ClaimedReferenceDeps,
  type OrderClaim,
} from '../payments/claimed-reference.ts'
import type { Patience } from '../payments/learn-truth.ts'
import type { PaymentResult } from '../payments/payment-command.ts'
import type { PaymentStore } from '../payments/payment-store.ts'
import type { Found, Resolved } from '../payments/resolve-payment.ts'
import type { StoredAuthentication } from './authentication-store.ts'

export interface ReferenceOfChallengeDeps
  extends ClaimedReferenceDeps, Pick<Patience, 'monotonicMs'> {
  readonly store: Pick<PaymentStore, 'findClaim'>
}

/**
 * A good result was not used, by a call that had nothing against it: another order had the
 * reference.
 */
export function gaveWay({
  cresStatus,
  finalDigest: decided,
  resultStatus,
  state,
}: StoredAuthentication): boolean {
  const isGood = (resultStatus === 'Y' || resultStatus === 'A') && cresStatus !== 'N'
  return state === 'failed' && decided !== null && isGood
}

/** The claim of a final call on the order's reference; a declined payment gives it up. */
export async function describeClaim(
  deps: ReferenceOfChallengeDeps,
  { orderReference }: Pick<StoredAuthentication, 'orderReference'>,
  payment: Resolved,
): Promise<OrderClaim> {
  const { duplicates, site } = payment.command
  const content = orderReference === '' ? '' : contentOf(deps, payment)
  if (content === '' || duplicates === 'allow') {
    return { content, details: '', held: false, after: [] }
  }
  const holder = await deps.store.findClaim(site, orderReference)
  const after = holder?.state === 'declined' ? declinesBefore(holder, site.clock.now()) : []
  return { content, details: detailsOf(deps, payment), held: true, after }
}

/** The answer of the payment that holds the reference; null: none was approved after all. */
export async function answerOfReference(
  deps: ReferenceOfChallengeDeps,
  found: Found,
  orderReference: string,
  startedMs: number,
): Promise<PaymentResult | null> {
  const { duplicates, site } = found.command
  const content = contentOf(deps, found)
  for (;;) {
    const claim = await deps.store.findClaim(site, orderReference)
    const use = { duplicates, content, details: '', at: site.clock.now() }
    const decision = decideReference(claim, use)
    if (claim === null || decision.kind === 'begin') return null
    const waitedMs = deps.monotonicMs() - startedMs
    const answer = await answerOfHolder(deps, duplicates, claim, decision, waitedMs)
    if (answer !== null) return answer
  }
}
