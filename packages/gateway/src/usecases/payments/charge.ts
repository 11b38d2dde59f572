import type { Processor } from '../banks/processor.ts'
import type { AuthenticationValues } from '../three-ds/three-ds-request.ts'
import type { OrderClaim } from './claimed-reference.ts'
import { untilKnown, type Patience } from './learn-truth.ts'
import {
  decideEnding,
  describeConclusion,
  type ConclusionDeps,
  type Ending,
  type Intended,
} from './payment-ending.ts'
import { authorizationRequest } from './payment-intent.ts'
import type { PaymentConclusion, PaymentStore } from './payment-store.ts'
import type { Resolved } from './resolve-payment.ts'

export interface ChargeDeps extends ConclusionDeps, Patience {
  readonly store: PaymentStore
  readonly processor: Processor
  /** An advice was queued, so that it need not wait for the next look. */
  readonly adviceQueued: () => void
  /** How long the bank may take to answer. */
  readonly bankTimeoutMs: number
}

export interface Charge {
  readonly payment: Resolved
  /** Written already, and running. */
  readonly intended: Intended
  readonly authentication: AuthenticationValues | null
  readonly claim: OrderClaim
  /** When the request began, by the patience's clock. */
  readonly startedMs: number
  /** How much of the bank's time went to the issuer and to other payments of the reference. */
  readonly usedMs: number
}

export interface Charged {
  readonly ending: Ending
  readonly conclusion: PaymentConclusion
  /** Null when the transaction was concluded before. */
  readonly concluded: { readonly batchId: bigint | null } | null
  /** How long what is written may be asked for. */
  readonly untilMs: number
}

/** A merchant is answered within 30 s; the last try may take some of them. */
const PATIENCE_MS = 24_000
/** The minimum that is left when the bank used all of its time. */
const LAST_PATIENCE_MS = 4_000
/** In less no bank can be expected to answer. */
const LEAST_BANK_MS = 5_000

/**
 * Asks the bank for a payment whose intent is durable, and makes the outcome durable with all that
 * follows from it. A crash in between leaves the transaction running, and the resolver finds it.
 */
export async function charge(deps: ChargeDeps, asked: Charge): Promise<Charged> {
  const { payment, intended, authentication, claim, startedMs, usedMs } = asked
  const bankMs = Math.min(deps.bankTimeoutMs, (payment.command.maxWaitS ?? Infinity) * 1_000)
  // The one network call. Nothing is locked and no transaction is open.
  const outcome = await deps.processor.authorize(
    authorizationRequest(payment, intended.message, authentication),
    Math.max(bankMs - usedMs, Math.min(bankMs, LEAST_BANK_MS)),
  )
  const untilMs = Math.max(startedMs + PATIENCE_MS, deps.monotonicMs() + LAST_PATIENCE_MS)
  const ending = decideEnding(payment, outcome)
  const conclusion = await untilKnown(deps, untilMs, () =>
    describeConclusion(deps, payment, intended, ending, claim),
  )
  // Repeating it is harmless: only a running transaction is concluded.
  const concluded = await untilKnown(deps, untilMs, () => deps.store.conclude(conclusion))
  if (concluded !== null && conclusion.advice !== null) deps.adviceQueued()
  return { ending, conclusion, concluded, untilMs }
}
