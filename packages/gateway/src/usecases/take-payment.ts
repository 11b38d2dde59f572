import { invariant } from '../base/invariant.ts'
import { untilKnown, type Patience } from './learn-truth.ts'
import type { PaymentResult, TakePayment } from './payment-command.ts'
import {
  decideEnding,
  describeConclusion,
  NO_BANK_FACTS,
  type ConclusionDeps,
} from './payment-ending.ts'
import { authorizationRequest, describeIntent, type IntentDeps } from './payment-intent.ts'
import type { PaymentStore } from './payment-store.ts'
import { paymentView } from './payment-view.ts'
import type { Processor } from './processor.ts'
import { declineBeforeBank, resolvePayment, type Resolved } from './resolve-payment.ts'
import type { TransactionView } from './transaction-view.ts'

export interface TakePaymentDeps extends IntentDeps, ConclusionDeps, Patience {
  readonly store: PaymentStore
  readonly processor: Processor
  /** SHA-256 as hexadecimal text. */
  readonly digest: (text: string) => string
  readonly findTransaction: (transactionId: bigint) => Promise<TransactionView | null>
  /** Waits a little for another request of the same reference; false when it waited long enough. */
  readonly awaitClaim: (waitedMs: number) => Promise<boolean>
  /** An advice was queued, so that it need not wait for the next look. */
  readonly adviceQueued: () => void
  /** How long the bank may take to answer. */
  readonly bankTimeoutMs: number
}

/**
 * Authorizes a card, sells, or credits a card without an order. The intent is durable before a byte
 * leaves for the bank, and the outcome with all that follows from it before the merchant is told.
 */
export function createTakePayment(deps: TakePaymentDeps): TakePayment {
  return async (command) => {
    const resolution = await resolvePayment(deps, command)
    if (resolution.kind === 'refused') return resolution
    const { payment } = resolution
    const attempt: Attempt = {
      payment,
      declinedServiceCode: declineBeforeBank(payment, deps.clock.now()),
      content: command.orderReference === '' ? '' : contentOf(deps, payment),
    }
    if (command.duplicates !== 'allow') return payOnce(deps, attempt)
    const paid = await pay(deps, attempt, false)
    invariant(paid.kind !== 'claimed_meanwhile', 'a payment without a claim lost it')
    return paid
  }
}

interface Attempt {
  readonly payment: Resolved
  /** Set when the gateway declines by itself. */
  readonly declinedServiceCode: number | null
  /** Digest of what makes two requests the same; empty where no reference can make them meet. */
  readonly content: string
}

const DUPLICATE: PaymentResult = {
  kind: 'refused',
  refusal: 'duplicate_order',
  field: 'XTL_ORDER_ID',
}

/** Refuses a reference that an approved order has, or repeats that order's answer. */
async function payOnce(deps: TakePaymentDeps, attempt: Attempt): Promise<PaymentResult> {
  const { command } = attempt.payment
  const startedAt = deps.clock.now().getTime()
  for (;;) {
    const claim = await deps.store.findClaim(command.site.id, command.orderReference)
    if (claim === null) {
      // A decline blocks nobody, so what is declined here claims nothing.
      const paid = await pay(deps, attempt, attempt.declinedServiceCode === null)
      if (paid.kind !== 'claimed_meanwhile') return paid
      continue
    }
    if (command.duplicates === 'refuse' && claim.state === 'approved') return DUPLICATE
    if (command.duplicates === 'replay' && claim.content !== attempt.content) return DUPLICATE
    const waited = deps.clock.now().getTime() - startedAt
    if (claim.state === 'running' && (await deps.awaitClaim(waited))) continue
    if (command.duplicates === 'refuse') return DUPLICATE
    return { kind: 'done', transaction: await existing(deps, claim.transactionId) }
  }
}

async function pay(
  deps: TakePaymentDeps,
  { payment, declinedServiceCode, content }: Attempt,
  claims: boolean,
): Promise<PaymentResult | { readonly kind: 'claimed_meanwhile' }> {
  const { command } = payment
  const intent = await describeIntent(deps, payment, declinedServiceCode, claims ? content : null)
  const retrievalReference = deps.processor.retrievalReference(intent.message)
  const login = intent.customer.known ? '' : intent.customer.login
  if (login !== '') {
    const granted = await deps.store.claimLogin(command.site.id, login, intent.customer.id, intent.at)
    if (!granted) return { kind: 'refused', refusal: 'login_taken', field: '' }
  }

  // 1. The intent, durable before anybody is asked.
  if (!(await deps.store.intend(intent))) {
    if (login !== '') await deps.store.releaseLogin(command.site.id, login, intent.customer.id)
    return { kind: 'claimed_meanwhile' }
  }
  if (declinedServiceCode !== null) {
    const transaction = paymentView(payment, intent, {
      state: 'declined',
      valueMinor: payment.totalMinor,
      serviceCode: declinedServiceCode,
      bank: NO_BANK_FACTS,
      batchId: null,
      lineAmounts: null,
      retrievalReference: '',
    })
    return { kind: 'done', transaction }
  }

  // 2. The one network call. Nothing is locked and no transaction is open.
  const outcome = await deps.processor.authorize(
    authorizationRequest(payment, intent.message),
    Math.min(deps.bankTimeoutMs, (command.maxWaitS ?? Infinity) * 1_000),
  )

  // 3. The outcome and what follows from it, durable before the merchant is told. A crash before
  //    this line leaves the transaction running, and the resolver finds it by its age.
  const ending = decideEnding(payment, outcome)
  const conclusion = await describeConclusion(deps, payment, intent, ending, { content, held: claims })
  // Repeating it is harmless: only a running transaction is concluded.
  const concluded = await untilKnown(deps, () => deps.store.conclude(conclusion))
  if (concluded === null) {
    // The resolver was first: this process stalled. Or an earlier try of ours was, whose answer was
    // lost. What is written is what the merchant is told, so it is looked for until it is known.
    const written = await untilKnown(deps, () => existing(deps, intent.transactionId))
    return { kind: 'done', transaction: written }
  }
  if (conclusion.advice !== null) deps.adviceQueued()
  const transaction = paymentView(payment, intent, {
    ...ending,
    batchId: concluded.batchId,
    lineAmounts: conclusion.lineAmounts,
    retrievalReference,
  })
  return { kind: 'done', transaction }
}

function contentOf({ digest }: TakePaymentDeps, { command, currency, totalMinor, fingerprint }: Resolved): string {
  return digest([command.kind, currency.code, totalMinor, fingerprint].join('|'))
}

async function existing(deps: TakePaymentDeps, transactionId: bigint): Promise<TransactionView> {
  const transaction = await deps.findTransaction(transactionId)
  invariant(transaction !== null, 'a claimed or concluded transaction is gone')
  return transaction
}
