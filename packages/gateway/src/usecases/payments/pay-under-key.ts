import { decideKey } from '../../domain/payments/idempotency-key.ts'
import type { CardTokens } from '../card-tokens/use-card-token.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import { withChallenge } from '../three-ds/challenge-in-answer.ts'
import type { ThreeDsDeps } from '../three-ds/three-ds-deps.ts'
import { readBack, type ClaimedReferenceDeps } from './claimed-reference.ts'
import {
  digestRequest,
  type IdempotencyKeyStore,
  type KeyTakenMeanwhile,
  type KeyUse,
  type RepeatableRequest,
} from './idempotency-key.ts'
import type { Patience } from './learn-truth.ts'
import {
  refusePayment,
  type PaymentCommand,
  type PaymentResult,
  type RefusedPayment,
} from './payment-command.ts'
import { tokenUse } from './resolve-payment.ts'
import type { TransactionView } from './transaction-view.ts'

export interface PayUnderKeyDeps extends ClaimedReferenceDeps, Pick<Patience, 'monotonicMs'> {
  readonly keys: IdempotencyKeyStore
  readonly threeDs: Pick<ThreeDsDeps, 'encodeChallenge' | 'store' | 'stepUpUrl' | 'tokens'>
  readonly tokens: Pick<CardTokens, 'find'>
}

/**
 * Pays once for all requests of a key. `pay` writes the key in the transaction of the intent, or of
 * a final call's decision. So no crash leaves a charge without its key. The first answer may be
 * about another request's transaction, by its order reference for instance. It takes the key too,
 * so that repeats get the same answer.
 */
export async function payUnderKey(
  deps: PayUnderKeyDeps,
  command: PaymentCommand,
  repeatable: RepeatableRequest,
  pay: (use: KeyUse) => Promise<PaymentResult | KeyTakenMeanwhile>,
): Promise<PaymentResult> {
  const use: KeyUse = { key: digestRequest(deps.digest, repeatable), transactionId: null }
  const { site } = command
  const startedMs = deps.monotonicMs()
  for (;;) {
    const repeated = await answerOfKey(deps, site, use, startedMs)
    if (repeated !== null) return repeated
    const paid = await pay(use)
    if (paid.kind === 'key_taken') continue
    if (paid.kind === 'refused') {
      return (await answerOfTwin(deps, command, use, paid, startedMs)) ?? paid
    }
    if (paid.passing === true || (await holdsKey(deps, site, use, paid.transaction))) return paid
  }
}

/** Whether any request has taken the key. */
export async function isTaken(
  { keys }: Pick<PayUnderKeyDeps, 'keys'>,
  site: Site,
  { key }: KeyUse,
): Promise<boolean> {
  return (await keys.findKey(site, key.key)) !== null
}

/** Null: no request has taken the key. */
async function answerOfKey(
  deps: PayUnderKeyDeps,
  site: Site,
  use: KeyUse,
  startedMs: number,
): Promise<PaymentResult | null> {
  const decision = decideKey(await deps.keys.findKey(site, use.key.key), use.key)
  if (decision.kind === 'free') return null
  if (decision.kind === 'reused') return REUSED
  const { transactionId } = decision
  const transaction = await awaitAnswer(deps, transactionId, startedMs)
  const done = { kind: 'done', transaction } as const
  return use.transactionId === transactionId ? done : { ...done, replayed: true }
}

const REUSED = refusePayment('idempotency_key_reused', 'idempotency_key')

/** Waits while the bank or the issuer is asked; what still runs then is answered as running. */
async function awaitAnswer(
  deps: PayUnderKeyDeps,
  transactionId: bigint,
  startedMs: number,
): Promise<TransactionView> {
  for (;;) {
    const transaction = await readBack(deps, transactionId)
    const { state } = transaction
    if (state !== 'running' && state !== 'pending') return transaction
    const challenge =
      state === 'pending' ? await deps.threeDs.store.findChallenge(transactionId) : null
    if (challenge !== null) {
      // The challenge may have come after the transaction was read.
      const asked = await readBack(deps, transactionId)
      if (asked.state === 'pending') return withChallenge(deps.threeDs, asked, challenge)
      continue
    }
    // Pending without a challenge: the issuer is being asked, and the merchant can do nothing yet.
    if (!(await deps.awaitClaim(deps.monotonicMs() - startedMs)))
      return { ...transaction, state: 'running' }
  }
}

/** Whether the key stands for the transaction of the answer, which may be another request's. */
async function holdsKey(
  { keys }: PayUnderKeyDeps,
  site: Site,
  use: KeyUse,
  { transactionId }: TransactionView,
): Promise<boolean> {
  if (use.transactionId === transactionId) return true
  const { merchantId } = site
  return keys.takeKey({ site, merchantId, transactionId, key: use.key, at: site.clock.now() })
}

/** The issuer's page may load after the use of a token or a login name, before the key. */
const TWIN_PATIENCE_MS = 4_000

/**
 * The answer of the same request if it came a moment before, and what it has used refused this one;
 * null: the refusal stands.
 */
async function answerOfTwin(
  deps: PayUnderKeyDeps,
  command: PaymentCommand,
  use: KeyUse,
  refused: RefusedPayment,
  startedMs: number,
): Promise<PaymentResult | null> {
  const refusedMs = deps.monotonicMs()
  for (;;) {
    const answer = await answerOfKey(deps, command.site, use, startedMs)
    if (answer !== null) return answer
    const waitedMs = deps.monotonicMs() - refusedMs
    if (waitedMs > TWIN_PATIENCE_MS || !(await mayBeTwins(deps, command, use, refused))) return null
    await deps.awaitClaim(waitedMs)
  }
}

/** Whether a request of the same key may have used, a moment ago, what the refused one lacks. */
async function mayBeTwins(
  { tokens }: PayUnderKeyDeps,
  command: PaymentCommand,
  use: KeyUse,
  { refusal }: RefusedPayment,
): Promise<boolean> {
  const { card, site } = command
  if (refusal === 'login_taken') return true
  if (refusal !== 'token_invalid' || card.kind !== 'token') return false
  const token = await tokens.find(card.token, site)
  if (token === null || token.usedAt === null || token.usedFor === '') return false
  const age = site.clock.now().getTime() - token.usedAt.getTime()
  return token.usedFor === tokenUse(command, use) && age < 2 * TWIN_PATIENCE_MS
}
