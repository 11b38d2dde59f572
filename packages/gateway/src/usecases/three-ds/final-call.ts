import type { ChallengeDecision } from '../../domain/three-ds/challenge-decision.ts'
import type { VelocityRules } from '../card-testing/velocity-rules.ts'
import type { ChargeDeps } from '../payments/charge.ts'
import { readBack, type ClaimedReferenceDeps } from '../payments/claimed-reference.ts'
import type { KeyUse } from '../payments/idempotency-key.ts'
import { untilKnown } from '../payments/learn-truth.ts'
import type { PaymentResult } from '../payments/payment-command.ts'
import type { Found, Resolved, ResolvePaymentDeps } from '../payments/resolve-payment.ts'
import {
  isOpen,
  type AuthenticationEnd,
  type StoredAuthentication,
} from './authentication-store.ts'
import { answerOfReference, gaveWay } from './reference-of-challenge.ts'
import { repeatFinalCall } from './repeat-final-call.ts'
import type { ThreeDsDeps } from './three-ds-deps.ts'

export interface FinalCallDeps extends ChargeDeps, ClaimedReferenceDeps, ResolvePaymentDeps {
  readonly threeDs: ThreeDsDeps
  /** Asked for sites that have it switched on. */
  readonly cardTesting: Pick<VelocityRules, 'endedLater'>
}

type Done = Extract<PaymentResult, { kind: 'done' }>
/** How long an RReq may come after the customer, and a decision by another hand. */
export const RESULT_PATIENCE_MS = 3_000
export const LOOK_EVERY_MS = 100
export const WRITE_PATIENCE_MS = 10_000

/** A final call that names the right payment, resolved. */
export interface FinalCall {
  readonly found: Found
  readonly digest: string
  readonly mismatch: string | null
  readonly paRes: string
  readonly startedMs: number
  /** Null without an idempotency key. */
  readonly use: KeyUse | null
}

/**
 * Repeats what was decided: the same call gets the same answer, though that was another order's
 * answer.
 */
export async function repeat(
  deps: FinalCallDeps,
  call: FinalCall,
  seen: StoredAuthentication,
): Promise<PaymentResult> {
  const { command } = call.found
  const isSame = seen.finalDigest === call.digest && command.duplicates !== 'allow'
  return isSame && gaveWay(seen)
    ? answerOfOther(deps, call, seen)
    : repeatFinalCall(deps, call, seen)
}

/** The token is gone: a call that is just like this one may have used it a moment ago. */
export async function awaitTokensUse(
  deps: FinalCallDeps,
  call: FinalCall,
  seen: StoredAuthentication,
): Promise<PaymentResult> {
  const untilMs = deps.monotonicMs() + RESULT_PATIENCE_MS
  while (deps.monotonicMs() < untilMs) {
    const now = await deps.threeDs.store.findByProcTransId(seen.procTransId)
    if (now !== null && !isOpen(now)) return repeat(deps, call, now)
    await deps.pause(LOOK_EVERY_MS)
  }
  return { kind: 'refused', refusal: 'token_invalid', field: 'card_token' }
}

/** The end that a final call decides on. */
export function endOf(
  { digest, found }: FinalCall,
  { serverTransId, state }: StoredAuthentication,
  { response, eci }: ChallengeDecision,
): AuthenticationEnd {
  return {
    serverTransId,
    // Judged by what was read: if an RReq came since, it is to be looked at again.
    from: [state === 'result' ? 'result' : 'challenge'],
    response,
    eci,
    answer: null,
    finalDigest: digest,
    at: found.command.site.clock.now(),
  }
}

/** By this call, so that it is counted once. */
export async function concluded(
  deps: FinalCallDeps,
  payment: Found | Resolved,
  seen: StoredAuthentication,
): Promise<PaymentResult> {
  const result = await ended(deps, seen)
  const { cardTesting } = payment.command.site
  if (cardTesting !== null) deps.cardTesting.endedLater(payment, cardTesting, result.transaction)
  return result
}

/** The answer of the order that has the reference, if it was approved after all. */
export async function answerOfOther(
  deps: FinalCallDeps,
  { found, startedMs }: FinalCall,
  seen: StoredAuthentication,
): Promise<PaymentResult> {
  return (await answerOfReference(deps, found, seen.orderReference, startedMs)) ?? ended(deps, seen)
}

async function ended(deps: FinalCallDeps, { transactionId }: StoredAuthentication): Promise<Done> {
  const untilMs = deps.monotonicMs() + WRITE_PATIENCE_MS
  const transaction = await untilKnown(deps, untilMs, () => readBack(deps, transactionId))
  return { kind: 'done', transaction }
}
