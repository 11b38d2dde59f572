import { invariant } from '../base/invariant.ts'
import type { CardTestingDefence, Screening } from './card-testing-defence.ts'
import { CommitUnknownError, untilKnown, type Patience } from './learn-truth.ts'
import type { PaymentResult, TakePayment } from './payment-command.ts'
import {
  decideEnding,
  describeConclusion,
  NO_BANK_FACTS,
  type ConclusionDeps,
} from './payment-ending.ts'
import { authorizationRequest, describeIntent, type IntentDeps } from './payment-intent.ts'
import type { PaymentIntent } from './payment-store.ts'
import { paymentView } from './payment-view.ts'
import type { Processor } from './processor.ts'
import {
  declineBeforeBank,
  resolvePayment,
  uncover,
  type Found,
  type Resolved,
  type ResolvePaymentDeps,
} from './resolve-payment.ts'
import type { TransactionView } from './transaction-view.ts'

export interface TakePaymentDeps extends IntentDeps, ConclusionDeps, Patience, ResolvePaymentDeps {
  readonly processor: Processor
  /** Asked for sites that have it switched on. */
  readonly cardTesting: CardTestingDefence
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
      uncovered: null,
      content: command.orderReference === '' ? '' : contentOf(deps, payment),
    }
    if (command.duplicates !== 'allow') return payOnce(deps, attempt)
    const paid = await pay(deps, attempt, false)
    invariant(paid.kind !== 'claimed_meanwhile', 'a payment without a claim lost it')
    return paid
  }
}

/** Nobody was asked yet, and the bank shall have its time. */
const INTENT_PATIENCE_MS = 4_000
/** A merchant is answered within 30 s; the last try may take some of them. */
const PATIENCE_MS = 24_000
/** What there is at least, when the bank took all the time there was. */
const LAST_PATIENCE_MS = 4_000

interface Attempt {
  readonly payment: Found
  /** Once the number is at hand; a token gives it only once, and a second try needs it again. */
  uncovered: Resolved | null
  /** Digest of what makes two requests the same; empty where no reference can make them meet. */
  readonly content: string
  /** What the rules against card testing said: a payment is counted once, however often tried. */
  screening?: Screening | null
}

/** Between the use of a token and the claim of its order lie two writes. */
const TOKEN_CLAIM_PATIENCE_MS = 2_000

const TOKEN_GONE: PaymentResult = { kind: 'refused', refusal: 'token_invalid', field: 'TOKEN_GUID' }

const DUPLICATE: PaymentResult = {
  kind: 'refused',
  refusal: 'duplicate_order',
  field: 'XTL_ORDER_ID',
}

/** Refuses a reference that an approved order has, or repeats that order's answer. */
async function payOnce(deps: TakePaymentDeps, attempt: Attempt): Promise<PaymentResult> {
  const { command } = attempt.payment
  const startedAt = deps.clock.now().getTime()
  const waited = (): number => deps.clock.now().getTime() - startedAt
  for (;;) {
    const claim = await deps.store.findClaim(command.site, command.orderReference)
    if (claim === null) {
      const paid = await pay(deps, attempt, true)
      if (paid.kind === 'claimed_meanwhile') continue
      if (paid === TOKEN_GONE && (await awaitTokensClaim(deps, attempt, waited()))) continue
      return paid
    }
    if (command.duplicates === 'refuse' && claim.state === 'approved') return DUPLICATE
    if (command.duplicates === 'replay' && claim.content !== attempt.content) return DUPLICATE
    if (claim.state === 'running' && (await deps.awaitClaim(waited()))) continue
    if (command.duplicates === 'refuse') return DUPLICATE
    return { kind: 'done', transaction: await existing(deps, claim.transactionId) }
  }
}

/**
 * Whether the token may have been used a moment ago for the very order that this request repeats,
 * whose claim is then about to be seen; waits a little for it.
 */
async function awaitTokensClaim(
  deps: TakePaymentDeps,
  { payment: { command } }: Attempt,
  waitedMs: number,
): Promise<boolean> {
  if (waitedMs > TOKEN_CLAIM_PATIENCE_MS || command.card.kind !== 'token') return false
  const token = await deps.tokens.find(command.card.token, command.site)
  if (token === null || token.usedAt === null || token.usedFor !== command.orderReference) return false
  const age = deps.clock.now().getTime() - token.usedAt.getTime()
  return age < 2 * TOKEN_CLAIM_PATIENCE_MS && deps.awaitClaim(waitedMs)
}

async function pay(
  deps: TakePaymentDeps,
  attempt: Attempt,
  mayClaim: boolean,
): Promise<PaymentResult | { readonly kind: 'claimed_meanwhile' }> {
  const { content } = attempt
  const { command, customer } = attempt.payment
  const newCustomerId = customer === null ? await deps.nextId('customer') : null
  const login = newCustomerId === null ? '' : command.customer.login
  if (newCustomerId !== null && login !== '') {
    const now = deps.clock.now()
    const granted = await deps.store.claimLogin(command.site, login, newCustomerId, now)
    if (!granted) return { kind: 'refused', refusal: 'login_taken', field: '' }
  }
  const freeLogin = async (): Promise<void> => {
    if (newCustomerId === null || login === '') return
    await deps.store.releaseLogin(command.site, login, newCustomerId)
  }
  // The last thing that can be refused: what comes after it costs the token.
  const payment = (attempt.uncovered ??= await uncover(deps, attempt.payment))
  if (payment === null) {
    await freeLogin()
    return TOKEN_GONE
  }
  const declinedServiceCode = await declineWithoutBank(deps, attempt, payment)
  // A decline blocks nobody, so what is declined here claims nothing.
  const claims = mayClaim && declinedServiceCode === null
  const claimed = claims ? content : null
  const intent = await describeIntent(deps, payment, newCustomerId, declinedServiceCode, claimed)
  const retrievalReference = deps.processor.retrievalReference(intent.message)

  // 1. The intent, durable before anybody is asked.
  const startedMs = deps.monotonicMs()
  if (!(await intend(deps, intent, startedMs + INTENT_PATIENCE_MS))) {
    await freeLogin()
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
    attempt.screening?.ended(transaction)
    return { kind: 'done', transaction }
  }

  // 2. The one network call. Nothing is locked and no transaction is open.
  const outcome = await deps.processor.authorize(
    authorizationRequest(payment, intent.message),
    Math.min(deps.bankTimeoutMs, (command.maxWaitS ?? Infinity) * 1_000),
  )

  // 3. The outcome and what follows from it, durable before the merchant is told. A crash before
  //    this line leaves the transaction running, and the resolver finds it by its age.
  const untilMs = Math.max(startedMs + PATIENCE_MS, deps.monotonicMs() + LAST_PATIENCE_MS)
  const ending = decideEnding(payment, outcome)
  const conclusion = await untilKnown(deps, untilMs, () =>
    describeConclusion(deps, payment, intent, ending, { content, held: claims }),
  )
  // Repeating it is harmless: only a running transaction is concluded.
  const concluded = await untilKnown(deps, untilMs, () => deps.store.conclude(conclusion))
  if (concluded === null) {
    // An earlier try was written and its answer lost, or this process stalled and the resolver was
    // first. What is written is what the merchant is told.
    const read = (): Promise<TransactionView> => existing(deps, intent.transactionId)
    const transaction = await untilKnown(deps, untilMs, read)
    attempt.screening?.ended(transaction)
    return { kind: 'done', transaction }
  }
  if (conclusion.advice !== null) deps.adviceQueued()
  const transaction = paymentView(payment, intent, {
    ...ending,
    batchId: concluded.batchId,
    lineAmounts: conclusion.lineAmounts,
    retrievalReference,
  })
  attempt.screening?.ended(transaction)
  return { kind: 'done', transaction }
}

/** The SERVICE code of what the gateway declines by itself; null where the bank is to decide. */
async function declineWithoutBank(
  deps: TakePaymentDeps,
  attempt: Attempt,
  payment: Resolved,
): Promise<number | null> {
  const declined = declineBeforeBank(payment, deps.clock.now())
  const { cardTesting } = payment.command.site
  if (declined !== null || cardTesting === null) return declined
  attempt.screening ??= await deps.cardTesting.screen(payment, cardTesting)
  return attempt.screening?.refusedWith ?? null
}

/** Whether the intent is written; after a lost answer it is submitted again, under the same ids. */
async function intend(
  deps: TakePaymentDeps,
  intent: PaymentIntent,
  untilMs: number,
): Promise<boolean> {
  try {
    return await deps.store.intend(intent)
  } catch (error) {
    if (!(error instanceof CommitUnknownError)) throw error
    return untilKnown(deps, untilMs, () => deps.store.intend(intent))
  }
}

function contentOf({ digest }: TakePaymentDeps, { command, currency, totalMinor, fingerprint }: Found): string {
  return digest([command.kind, currency.code, totalMinor, fingerprint].join('|'))
}

async function existing(deps: TakePaymentDeps, transactionId: bigint): Promise<TransactionView> {
  const transaction = await deps.findTransaction(transactionId)
  invariant(transaction !== null, 'a claimed or concluded transaction is gone')
  return transaction
}
