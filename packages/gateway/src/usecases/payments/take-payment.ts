import { invariant } from '../../base/invariant.ts'
import { decideReference, type ReferenceClaim } from '../../domain/payments/reference-claim.ts'
import { finishChallenge } from '../three-ds/finish-challenge.ts'
import {
  answerOfHolder,
  contentOf,
  detailsOf,
  LAST_BEGIN_MS,
  readBack,
  stored,
} from './claimed-reference.ts'
import { KEY_TAKEN, type KeyTakenMeanwhile, type KeyUse } from './idempotency-key.ts'
import { isTaken, payUnderKey, type PayUnderKeyDeps } from './pay-under-key.ts'
import {
  TOKEN_GONE,
  tryPayment,
  type PaymentAttempt,
  type PaymentAttemptDeps,
} from './payment-attempt.ts'
import type { PaymentCommand, PaymentResult, TakePayment } from './payment-command.ts'
import { resolvePayment } from './resolve-payment.ts'

export type TakePaymentDeps = PaymentAttemptDeps & PayUnderKeyDeps

/**
 * Authorizes a card, sells, or sends an unreferenced credit. The intent is durable before a byte
 * leaves for the bank, and the outcome with all that follows from it before the merchant's answer.
 */
export function createTakePayment(deps: TakePaymentDeps): TakePayment {
  return async (command) => {
    const { repeatable } = command
    if (repeatable !== null) {
      return payUnderKey(deps, command, repeatable, (use) => pay(deps, command, use))
    }
    const paid = await pay(deps, command, null)
    invariant(paid.kind !== 'key_taken', 'a payment without a key lost it')
    return paid
  }
}

async function pay(
  deps: TakePaymentDeps,
  command: PaymentCommand,
  use: KeyUse | null,
): Promise<PaymentResult | KeyTakenMeanwhile> {
  if (command.threeDs?.kind === 'final') return finishChallenge(deps, command, command.threeDs, use)
  const resolution = await resolvePayment(deps, command)
  if (resolution.kind === 'refused') return resolution
  const { payment: found } = resolution
  const attempt: PaymentAttempt = {
    found,
    content: command.orderReference === '' ? '' : contentOf(deps, found),
    details: command.duplicates === 'allow' ? '' : detailsOf(deps, found),
    resolved: null,
    screening: null,
    volume: null,
    waitedMs: 0,
    after: [],
    unanswered: new Set(),
    use,
  }
  if (command.duplicates !== 'allow') return payOnce(deps, attempt)
  const paid = await tryPayment(deps, attempt)
  if (paid.kind !== 'claimed_meanwhile') return paid
  return use === null ? answerOfOther(deps, command) : KEY_TAKEN
}

/** Refuses a reference that an approved order has, or repeats the answer of its holder. */
async function payOnce(
  deps: TakePaymentDeps,
  attempt: PaymentAttempt,
): Promise<PaymentResult | KeyTakenMeanwhile> {
  const { command } = attempt.found
  const { site, orderReference } = command
  const startedMs = deps.monotonicMs()
  let repeated: bigint | null = null
  for (;;) {
    const waitedMs = deps.monotonicMs() - startedMs
    const claim = await deps.store.findClaim(site, orderReference)
    // The payment that it repeats has failed meanwhile: a failure is an answer, too.
    if (repeated !== null && claim?.transactionId !== repeated) return stored(deps, repeated)
    // An own intent that was written late is no duplicate: its client gets what became of it.
    const isOwn = claim !== null && attempt.unanswered.has(claim.transactionId)
    const duplicates = isOwn ? 'replay' : command.duplicates
    const { content, details } = attempt
    const use = { duplicates, content, details, at: site.clock.now() }
    const decision = decideReference(claim, use)
    if (claim !== null && decision.kind !== 'begin') {
      const answer = await answerOfHolder(deps, duplicates, claim, decision, waitedMs)
      if (answer !== null) return answer
      if (duplicates === 'replay') repeated = claim.transactionId
      continue
    }
    // The payment that it waited for was declined, with other details, and left it no time.
    if (repeated !== null && waitedMs > LAST_BEGIN_MS) return stored(deps, repeated)
    repeated = null
    attempt.waitedMs = waitedMs
    attempt.after = decision.kind === 'begin' ? decision.after : []
    const paid = await tryPayment(deps, attempt)
    if (paid.kind === 'claimed_meanwhile') {
      if (attempt.use !== null && (await isTaken(deps, site, attempt.use))) return KEY_TAKEN
      continue
    }
    if (paid.kind === 'refused' && (await isHeldByOther(deps, command, claim))) continue
    if (paid === TOKEN_GONE && (await awaitTokensClaim(deps, command, waitedMs))) continue
    return paid
  }
}

/** Whether what refused a payment may be what the same request has done a moment ago. */
async function isHeldByOther(
  deps: TakePaymentDeps,
  { site, orderReference }: PaymentCommand,
  before: ReferenceClaim | null,
): Promise<boolean> {
  const claim = await deps.store.findClaim(site, orderReference)
  return claim !== null && claim.transactionId !== before?.transactionId
}

/** Between the use of a token and the claim of its order lie two writes. */
const TOKEN_CLAIM_PATIENCE_MS = 2_000

/**
 * Whether the token may have been used a moment ago for the very order that this request repeats.
 * The claim of that order is then about to be seen; waits a little for it.
 */
async function awaitTokensClaim(
  deps: TakePaymentDeps,
  { site, card, orderReference }: PaymentCommand,
  waitedMs: number,
): Promise<boolean> {
  if (waitedMs > TOKEN_CLAIM_PATIENCE_MS || card.kind !== 'token') return false
  const token = await deps.tokens.find(card.token, site)
  if (token === null || token.usedAt === null || token.usedFor !== orderReference) return false
  const age = site.clock.now().getTime() - token.usedAt.getTime()
  return age < 2 * TOKEN_CLAIM_PATIENCE_MS && deps.awaitClaim(waitedMs)
}

/** Another process has started the same charge, under the ids that both were given. */
async function answerOfOther(
  deps: TakePaymentDeps,
  { renewal, ids }: PaymentCommand,
): Promise<PaymentResult> {
  const given = renewal ?? ids
  invariant(given !== undefined, 'a payment without a claim lost it')
  return { kind: 'done', transaction: await readBack(deps, given.transactionId) }
}
