import type { Clock } from '../../base/clock.ts'
import { invariant } from '../../base/invariant.ts'
import { eciScale, isOnScale } from '../../domain/three-ds/eci.ts'
import { THREE_DS_SERVICE } from '../../domain/three-ds/enrolment-decision.ts'
import type { Processor } from '../banks/processor.ts'
import type { CardTestingDefence, Screening } from '../card-testing/card-testing-defence.ts'
import {
  namesRebillType,
  refuseByHistory,
  type RebillHistories,
} from '../memberships/rebill-history.ts'
import { hasMembership, MEMBERSHIP_EXISTS } from '../memberships/sold-memberships.ts'
import { findEnrolment } from '../three-ds/find-enrolment.ts'
import { finishChallenge } from '../three-ds/finish-challenge.ts'
import { payAuthenticated } from '../three-ds/pay-authenticated.ts'
import type { ThreeDsDeps } from '../three-ds/three-ds-deps.ts'
import type { AuthenticationValues } from '../three-ds/three-ds-request.ts'
import { charge, type ChargeDeps } from './charge.ts'
import {
  answerForClaim,
  contentOf,
  readBack,
  type ClaimedReferenceDeps,
} from './claimed-reference.ts'
import { CommitUnknownError, untilKnown } from './learn-truth.ts'
import type { PaymentCommand, PaymentResult, TakePayment } from './payment-command.ts'
import { NO_BANK_FACTS } from './payment-ending.ts'
import { describeIntent, type IntentDeps } from './payment-intent.ts'
import type { PaymentIntent, PaymentStore } from './payment-store.ts'
import { paymentView } from './payment-view.ts'
import {
  declineBeforeBank,
  resolvePayment,
  uncover,
  type Found,
  type Resolved,
  type ResolvePaymentDeps,
} from './resolve-payment.ts'
import type { TransactionView } from './transaction-view.ts'

export interface TakePaymentDeps
  extends IntentDeps, ChargeDeps, ResolvePaymentDeps, ClaimedReferenceDeps {
  readonly processor: Processor
  readonly store: PaymentStore
  /** The machine's; what happens of a site is dated by the site's own. */
  readonly clock: Clock
  /** Asked for sites that have it switched on. */
  readonly cardTesting: CardTestingDefence
  /** Asked only for payments that say what they are of a subscription. */
  readonly rebills: RebillHistories
  /** Asked only for payments that say something of 3-D Secure. */
  readonly threeDs: ThreeDsDeps
  /**
   * Told of a saved card that was given another expiry, as of when: renewals may wait for it. Never
   * fails.
   */
  readonly cardRenewed: (cardId: bigint, at: Date) => Promise<void>
}

/**
 * Authorizes a card, sells, or credits a card without an order. The intent is durable before a byte
 * leaves for the bank, and the outcome with all that follows from it before the merchant is told.
 */
export function createTakePayment(deps: TakePaymentDeps): TakePayment {
  return async (command) => {
    if (command.threeDs?.kind === 'final') return finishChallenge(deps, command, command.threeDs)
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
    if (paid.kind !== 'claimed_meanwhile') return paid
    const given = command.renewal ?? command.ids
    invariant(given !== undefined, 'a payment without a claim lost it')
    // Another process has begun the same charge.
    const transaction = await readBack(deps, given.transactionId)
    return { kind: 'done', transaction }
  }
}

/** Nobody was asked yet, and the bank shall have its time. */
const INTENT_PATIENCE_MS = 4_000

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

const REFERENCE_UNKNOWN: PaymentResult = {
  kind: 'refused',
  refusal: 'ddc_reference_unknown',
  field: 'browser_collection',
}

const OTHER_BRANDS_ECI: PaymentResult = {
  kind: 'refused',
  refusal: 'authentication_mismatch',
  field: 'authentication_indicator',
}

const TOKEN_GONE: PaymentResult = { kind: 'refused', refusal: 'token_invalid', field: 'card_token' }

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
      if (paid.kind === 'refused' && (await isClaimedNow(deps, command))) continue
      if (paid === TOKEN_GONE && (await awaitTokensClaim(deps, attempt, waited()))) continue
      return paid
    }
    const answer = await answerForClaim(deps, command, attempt.content, claim, waited())
    if (answer !== null) return answer
  }
}

/** Whether what refused a payment may be what the same request has done a moment ago. */
async function isClaimedNow(
  deps: TakePaymentDeps,
  { site, orderReference }: PaymentCommand,
): Promise<boolean> {
  return (await deps.store.findClaim(site, orderReference)) !== null
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
  if (token === null || token.usedAt === null || token.usedFor !== command.orderReference)
    return false
  const age = command.site.clock.now().getTime() - token.usedAt.getTime()
  return age < 2 * TOKEN_CLAIM_PATIENCE_MS && deps.awaitClaim(waitedMs)
}

async function pay(
  deps: TakePaymentDeps,
  attempt: Attempt,
  mayClaim: boolean,
): Promise<PaymentResult | { readonly kind: 'claimed_meanwhile' }> {
  const { content } = attempt
  const { command, customer, sells } = attempt.payment
  if (sells.length > 0 && (await hasMembership(deps, attempt.payment))) return MEMBERSHIP_EXISTS
  if (namesRebillType(attempt.payment)) {
    const refusal = await refuseByHistory(deps, attempt.payment)
    if (refusal !== null) return refusal
  }
  const asksIssuer = command.threeDs?.kind === 'enrol'
  const enrolment = asksIssuer
    ? await findEnrolment(deps.threeDs, command.site.clock, attempt.payment)
    : null
  if (enrolment === 'reference_unknown') return REFERENCE_UNKNOWN
  const newCustomerId = customer === null ? await deps.nextId('customer') : null
  const login = newCustomerId === null ? '' : command.customer.login
  if (newCustomerId !== null && login !== '') {
    const now = command.site.clock.now()
    const granted = await deps.store.claimLogin(command.site, login, newCustomerId, now)
    if (!granted) return { kind: 'refused', refusal: 'login_taken', field: null }
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
  if (isOfOtherBrand(payment)) {
    await freeLogin()
    return OTHER_BRANDS_ECI
  }
  const declinedServiceCode = await declineWithoutBank(deps, attempt, payment)
  // A decline blocks nobody, so what is declined here claims nothing.
  const claims = mayClaim && declinedServiceCode === null
  if (enrolment !== null && declinedServiceCode === null) {
    const intent = await describeIntent(deps, payment, {
      newCustomerId,
      declinedServiceCode: null,
      // The reference is claimed when the bank's turn comes.
      claimedContent: null,
      pending: true,
    })
    const claim = claims ? content : null
    const result = await payAuthenticated(deps, payment, intent, enrolment, { content, claim })
    if (result.kind === 'done') attempt.screening?.ended(result.transaction)
    if (givesNewExpiry(payment)) await tellRenewals(deps, payment)
    return result
  }
  const claimed = claims ? content : null
  const intent = await describeIntent(deps, payment, {
    newCustomerId,
    declinedServiceCode,
    claimedContent: claimed,
    pending: false,
  })
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
      valueMinor: payment.command.totalMinor,
      serviceCode: declinedServiceCode,
      bank: NO_BANK_FACTS,
      batchId: null,
      lineAmounts: null,
      memberships: [],
      retrievalReference: '',
    })
    attempt.screening?.ended(transaction)
    return { kind: 'done', transaction }
  }

  // 2. The bank is asked, and 3. what it said is durable before the merchant is told.
  const { ending, conclusion, concluded, untilMs } = await charge(deps, {
    payment,
    intended: intent,
    authentication: broughtAlong(payment),
    claim: { content, held: claims },
    startedMs,
    usedMs: 0,
  })
  if (givesNewExpiry(payment)) await tellRenewals(deps, payment)
  if (concluded === null) {
    // An earlier try was written and its answer lost, or this process stalled and the resolver was
    // first. What is written is what the merchant is told.
    const read = (): Promise<TransactionView> => readBack(deps, intent.transactionId)
    const transaction = await untilKnown(deps, untilMs, read)
    attempt.screening?.ended(transaction)
    return { kind: 'done', transaction }
  }
  const transaction = paymentView(payment, intent, {
    ...ending,
    batchId: concluded.batchId,
    lineAmounts: conclusion.lineAmounts,
    memberships: conclusion.memberships,
    retrievalReference,
  })
  attempt.screening?.ended(transaction)
  return { kind: 'done', transaction }
}

/** Whether the saved card is kept with another expiry from now on. */
function givesNewExpiry({ saved, command: { card } }: Resolved): boolean {
  if (saved === null || card.expiry === null) return false
  return card.expiry.month !== saved.expiryMonth || card.expiry.year !== saved.expiryYear
}

async function tellRenewals(
  { cardRenewed }: TakePaymentDeps,
  { saved, command }: Resolved,
): Promise<void> {
  if (saved !== null) await cardRenewed(saved.paymentMethodId, command.site.clock.now())
}

/** The SERVICE code of what the gateway declines by itself; null where the bank is to decide. */
async function declineWithoutBank(
  deps: TakePaymentDeps,
  attempt: Attempt,
  payment: Resolved,
): Promise<number | null> {
  const declined =
    declineBeforeBank(payment, payment.command.site.clock.now()) ?? declineSkipped(deps, payment)
  const { cardTesting } = payment.command.site
  if (declined !== null || cardTesting === null) return declined
  attempt.screening ??= await deps.cardTesting.screen(payment, cardTesting)
  return attempt.screening?.refusedWith ?? null
}

/** Without the browser's data there is no authentication, by contract; a site may insist on one. */
function declineSkipped({ threeDs }: TakePaymentDeps, { command }: Resolved): number | null {
  if (command.threeDs?.kind !== 'skipped') return null
  threeDs.notice({ kind: 'skipped', siteId: command.site.id, missing: command.threeDs.missing })
  return command.site.threeDs.required ? THREE_DS_SERVICE.authenticationNeeded : null
}

/** The brand of a saved card, or of one under a token, is known only now. */
function isOfOtherBrand({ command: { threeDs }, pan }: Resolved): boolean {
  return threeDs?.kind === 'outside' && !isOnScale(threeDs.values.eci, pan.brand)
}

/** What the request itself says of an authentication. */
function broughtAlong({ command, pan }: Resolved): AuthenticationValues | null {
  const { threeDs } = command
  if (threeDs?.kind === 'outside') return threeDs.values
  if (threeDs?.kind !== 'exempt') return null
  return { eci: eciScale(pan.brand).exempt, cavv: null, dsTransId: '', version: '' }
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
