import {
  THREE_DS_SERVICE,
  type EnrolmentDecision,
} from '../../domain/three-ds/enrolment-decision.ts'
import type { SealedCode } from '../card-tokens/card-token-store.ts'
import {
  claimsAfterAuthentication,
  MEMBERSHIP_TAKEN_SERVICE,
} from '../memberships/membership-claim.ts'
import { charge, type Charged } from '../payments/charge.ts'
import { readBack } from '../payments/claimed-reference.ts'
import { KEY_TAKEN, type KeyTakenMeanwhile } from '../payments/idempotency-key.ts'
import { untilKnown } from '../payments/learn-truth.ts'
import type { PaymentResult } from '../payments/payment-command.ts'
import { wholeSecond } from '../payments/payment-intent.ts'
import type { PaymentIntent } from '../payments/payment-store.ts'
import { paymentView } from '../payments/payment-view.ts'
import type { Resolved } from '../payments/resolve-payment.ts'
import type { ThreeDsView, TransactionView } from '../payments/transaction-view.ts'
import {
  ANSWER_PATIENCE_MS,
  authenticateCardholder,
  type Answered,
  type AuthenticationOutcome,
  type AuthenticateDeps,
  type Authenticated,
} from './authenticate-cardholder.ts'
import type { AuthenticationEnd } from './authentication-store.ts'
import { withChallenge } from './challenge-in-answer.ts'
import type { Question } from './find-enrolment.ts'
import { PENDING_MS, type ThreeDsDeps } from './three-ds-deps.ts'
import type { AuthenticationValues } from './three-ds-request.ts'

export type PayAuthenticatedDeps = AuthenticateDeps

type Paid = PaymentResult | { readonly kind: 'claimed_meanwhile' } | KeyTakenMeanwhile
type Authorized = Extract<EnrolmentDecision, { kind: 'authorize' }>

/**
 * Asks the issuer. Then the bank is asked as for any payment, or the payment is declined, or it
 * waits for the customer. The pending intent is durable before the AReq leaves, and what the answer
 * leads to before the merchant's answer.
 */
export async function payAuthenticated(
  deps: PayAuthenticatedDeps,
  authenticated: Authenticated,
): Promise<Paid> {
  const outcome = await authenticateCardholder(deps, authenticated)
  if (outcome === null) return KEY_TAKEN
  const { decision, question, answer } = outcome
  if (decision.kind === 'challenge' && answer !== null && question !== null) {
    return returnChallenge(deps, outcome, question, answer)
  }
  if (decision.kind === 'authorize') return authorize(deps, outcome, decision)
  return decline(deps, outcome, decision.kind === 'decline' ? decision : UNUSABLE)
}

/** The customer has to go to the issuer: the payment waits, and the merchant gets the way there. */
async function returnChallenge(
  { threeDs, ...deps }: PayAuthenticatedDeps,
  outcome: AuthenticationOutcome,
  question: Question,
  answer: Answered,
): Promise<PaymentResult> {
  const { payment, enrolment, authentication, facts, untilMs } = outcome
  const { request } = enrolment
  const { serverTransId, procTransId } = authentication
  const tokenId = threeDs.newTokenId()
  const at = payment.command.site.clock.now()
  const code = await waitingCodeOf(threeDs, payment)
  const stands = await untilKnown(deps, untilMs, () =>
    threeDs.store.challenge(serverTransId, {
      answer: facts,
      acsUrl: answer.acsUrl,
      stepUpTokenId: tokenId,
      expiresAt: new Date(at.getTime() + PENDING_MS),
      code,
      bankTest: payment.command.bankTest,
    }),
  )
  const transaction = await readBack(deps, outcome.intent.transactionId)
  if (!stands) return { kind: 'done', transaction }
  return {
    kind: 'done',
    transaction: await withChallenge(threeDs, transaction, {
      merchantAccountId: payment.account.id,
      reference: request.reference,
      returnUrl: request.returnUrl,
      tokenId,
      acsUrl: answer.acsUrl,
      serverTransId,
      acsTransId: answer.acsTransId,
      version: question.version,
      window: request.window,
      procTransId,
    }),
  }
}

/** The token's own code, sealed again. A code that the shop sent is in the final call again. */
async function waitingCodeOf(
  { waitingCodes }: ThreeDsDeps,
  { cvv, usedToken }: Resolved,
): Promise<SealedCode | null> {
  if (usedToken === null || usedToken.cvvUntil === null || cvv === null) return null
  const { cvvUntil: expiresAt, id, token } = usedToken
  return { ciphertext: await waitingCodes.seal(cvv, token, id), expiresAt }
}

/** A challenge without a usable address: the adapter lets none of these through. */
const UNUSABLE = { response: 'U', eci: '', serviceCode: THREE_DS_SERVICE.notAuthenticated } as const

/** Ends the payment without the bank. */
async function decline(
  deps: PayAuthenticatedDeps,
  outcome: AuthenticationOutcome,
  declined: { readonly response: string; readonly eci: string; readonly serviceCode: number },
): Promise<PaymentResult> {
  await untilKnown(deps, outcome.untilMs, () =>
    deps.threeDs.store.decline(endOf(outcome, declined), {
      state: 'failed',
      serviceCode: declined.serviceCode,
    }),
  )
  return readEnd(deps, outcome)
}

/** Claims the order's reference, and asks the bank. */
async function authorize(
  deps: PayAuthenticatedDeps,
  outcome: AuthenticationOutcome,
  decision: Authorized,
): Promise<Paid> {
  const { store } = deps.threeDs
  const { payment, intent, claim, question, answer, startedMs, untilMs } = outcome
  const message = { number: await deps.nextId('message'), at: wholeSecond(deps.clock.now()) }
  const end = endOf(outcome, decision)
  const taken = await untilKnown(deps, untilMs, () =>
    store.consume(end, {
      message,
      ...claimsAfterAuthentication(claim, payment, intent.customer.id, end.at),
      key: null,
    }),
  )
  if (taken === 'membership_taken')
    return decline(deps, outcome, { ...decision, serviceCode: MEMBERSHIP_TAKEN_SERVICE })
  if (taken === 'claimed') {
    await untilKnown(deps, untilMs, () =>
      store.decline(end, { state: 'failed', serviceCode: UNUSABLE.serviceCode }),
    )
    return { kind: 'claimed_meanwhile' }
  }
  // Another process gave it up meanwhile: it took longer than anything here may take.
  if (taken === 'not_open') return readEnd(deps, outcome)
  const intended = { ...intent, message }
  const charged = await charge(deps, {
    payment,
    intended,
    authentication: valuesFor(decision, answer, question),
    claim,
    startedMs,
    usedMs: deps.monotonicMs() - startedMs,
  })
  const transaction = chargedView(deps, payment, intended, charged)
  // Null: the resolver was first, or the answer to an earlier try was lost.
  if (transaction === null) return readEnd(deps, outcome)
  return { kind: 'done', transaction: { ...transaction, threeDs: viewOf(outcome, end) } }
}

/** An authentication without a challenge, from what was written of it. */
function viewOf(
  { authentication, facts }: AuthenticationOutcome,
  { response, eci }: AuthenticationEnd,
): ThreeDsView {
  return {
    response,
    eci,
    procTransId: '',
    version: authentication.version ?? '',
    dsTransId: facts.dsTransId,
    cardholderInfo: facts.cardholderInfo,
    challenge: null,
  }
}

/** The payment with the end that was written; null if another writer concluded it. */
function chargedView(
  { processor }: PayAuthenticatedDeps,
  payment: Resolved,
  intended: PaymentIntent,
  { concluded, conclusion, ending }: Charged,
): TransactionView | null {
  if (concluded === null) return null
  return paymentView(payment, intended, {
    ...ending,
    batchId: concluded.batchId,
    lineAmounts: conclusion.lineAmounts,
    memberships: conclusion.memberships,
    retrievalReference: processor.retrievalReference(intended.message),
  })
}

function endOf(
  { authentication, facts, payment }: AuthenticationOutcome,
  { response, eci }: { readonly response: string; readonly eci: string },
): AuthenticationEnd {
  return {
    serverTransId: authentication.serverTransId,
    from: ['asking'],
    response,
    eci,
    answer: facts,
    finalDigest: null,
    at: payment.command.site.clock.now(),
  }
}

/** The payment as it was written, whichever process wrote its end. */
async function readEnd(
  deps: PayAuthenticatedDeps,
  { intent }: AuthenticationOutcome,
): Promise<PaymentResult> {
  const transaction = await untilKnown<TransactionView>(
    deps,
    deps.monotonicMs() + ANSWER_PATIENCE_MS,
    () => readBack(deps, intent.transactionId),
  )
  return { kind: 'done', transaction }
}

/** The values for the bank: without an authentication only the ECI. */
function valuesFor(
  { eci, authenticated }: Authorized,
  answer: Answered | null,
  question: Question | null,
): AuthenticationValues {
  if (!authenticated || answer === null) return { eci, cavv: null, dsTransId: '', version: '' }
  return { eci, cavv: answer.cavv, dsTransId: answer.dsTransId, version: question?.version ?? '' }
}
