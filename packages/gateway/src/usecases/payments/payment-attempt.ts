import type { Clock } from '../../base/clock.ts'
import type { DeclinedClaim } from '../../domain/payments/reference-claim.ts'
import { isOnScale } from '../../domain/three-ds/eci.ts'
import type { Processor } from '../banks/processor.ts'
import type { VelocityRules, Screening } from '../card-testing/velocity-rules.ts'
import { MembershipTakenError } from '../memberships/membership-claim.ts'
import {
  namesRebillType,
  refuseByHistory,
  type RebillHistories,
} from '../memberships/rebill-history.ts'
import { hasMembership, MEMBERSHIP_EXISTS } from '../memberships/sold-memberships.ts'
import { findEnrolment, type Enrolment } from '../three-ds/find-enrolment.ts'
import { settleVolume, type AccountVolumeDeps, type VolumePart } from './account-volume.ts'
import {
  concludeBegun,
  type BegunPayment,
  type BegunPaymentDeps,
  type ClaimedMeanwhile,
} from './begun-payment.ts'
import { declineWithoutBank } from './decline-without-bank.ts'
import type { KeyTakenMeanwhile, KeyUse } from './idempotency-key.ts'
import { CommitUnknownError, untilKnown } from './learn-truth.ts'
import { refusePayment, type PaymentResult, type RefusedPayment } from './payment-command.ts'
import { describeIntent, type IntentDeps } from './payment-intent.ts'
import type { PaymentIntent, PaymentStore } from './payment-store.ts'
import {
  revealCard,
  type Found,
  type Resolved,
  type ResolvePaymentDeps,
} from './resolve-payment.ts'

export interface PaymentAttemptDeps
  extends IntentDeps, BegunPaymentDeps, ResolvePaymentDeps, AccountVolumeDeps {
  readonly processor: Processor
  readonly store: PaymentStore
  /** The machine's; what happens of a site is dated by the site's own. */
  readonly clock: Clock
  /** Asked for sites that have it switched on. */
  readonly cardTesting: VelocityRules
  /** Asked only for payments that say what they are of a subscription. */
  readonly rebills: RebillHistories
}

/** A payment that is tried until it ends, and what its tries have learned so far. */
export interface PaymentAttempt {
  readonly found: Found
  /** Digest of what makes two requests the same; '' where no reference can make them meet. */
  readonly content: string
  /** Digest of what else may make their ends differ; '' where the reference may be repeated. */
  readonly details: string
  /** With its number; null until then. A token gives it once, and a second try needs it again. */
  resolved: Resolved | null
  /** By the rules against card testing: a payment is counted once, however often it is tried. */
  screening: Screening | null
  /** The part of the account's day that this try has reserved; null for none. */
  volume: VolumePart | null
  /** How long it has waited for other payments of its reference: the bank has so much less time. */
  waitedMs: number
  /** The declined payments that its reference was held by, the latest first. */
  after: readonly DeclinedClaim[]
  /**
   * Transactions whose intent was submitted without an answer. The database may still write one
   * after a second submission found the reference claimed by another payment.
   */
  readonly unanswered: Set<bigint>
  /** Null without an idempotency key. */
  readonly use: KeyUse | null
}

/** Tries a payment once. The checks run in this order, and a refusal leaves no trace. */
export async function tryPayment(
  deps: PaymentAttemptDeps,
  attempt: PaymentAttempt,
): Promise<PaymentResult | ClaimedMeanwhile | KeyTakenMeanwhile> {
  const refusal = await refuseByPast(deps, attempt.found)
  if (refusal !== null) return refusal
  const enrolment = await enrolmentOf(deps, attempt.found)
  if (enrolment === 'reference_unknown') return REFERENCE_UNKNOWN
  const newCustomer = await claimCustomer(deps, attempt.found)
  if (newCustomer === 'login_taken') return LOGIN_TAKEN

  const begun = await begin(deps, attempt, enrolment, newCustomer)
  if (begun.kind !== 'begun') {
    await settleVolume(deps, attempt, begun)
    await releaseLogin(deps, attempt.found, newCustomer)
    return begun
  }
  const paid = await concludeBegun(deps, begun)
  await settleVolume(deps, attempt, paid)
  if (paid.kind === 'key_taken') await releaseLogin(deps, attempt.found, newCustomer)
  else if (attempt.use !== null) attempt.use.transactionId = begun.intent.transactionId
  if (paid.kind === 'done') attempt.screening?.ended(paid.transaction)
  return paid
}

const REFERENCE_UNKNOWN = refusePayment('ddc_reference_unknown', 'browser_collection')
const LOGIN_TAKEN = refusePayment('login_taken', null)
const OTHER_BRANDS_ECI = refusePayment('authentication_mismatch', 'authentication_indicator')
/** The token was used, or has expired, since it was found. */
export const TOKEN_GONE = refusePayment('token_invalid', 'card_token')

/** Why the customer's memberships, or the subscription's payments, forbid the payment. */
async function refuseByPast(deps: PaymentAttemptDeps, found: Found): Promise<PaymentResult | null> {
  if (found.sells.length > 0 && (await hasMembership(deps, found))) return MEMBERSHIP_EXISTS
  return namesRebillType(found) ? refuseByHistory(deps, found) : null
}

/** Null: the payment does not ask the issuer. */
async function enrolmentOf(
  { threeDs }: PaymentAttemptDeps,
  found: Found,
): Promise<Enrolment | 'reference_unknown' | null> {
  const { command } = found
  if (command.threeDs?.kind !== 'enrol') return null
  return findEnrolment(threeDs, command.site.clock, found)
}

/** A customer that the payment makes, with the login name that it holds; '' for none. */
interface NewCustomer {
  readonly id: bigint
  readonly login: string
}

/** Null: the payment is an existing customer's. */
async function claimCustomer(
  { nextId, store }: PaymentAttemptDeps,
  { command, customer }: Found,
): Promise<NewCustomer | 'login_taken' | null> {
  if (customer !== null) return null
  const id = await nextId('customer')
  const { site } = command
  const { login } = command.customer
  if (login === '') return { id, login }
  const granted = await store.claimLogin(site, login, id, site.clock.now())
  return granted ? { id, login } : 'login_taken'
}

/** Of a payment of which nothing is written: its login name is free for another. */
async function releaseLogin(
  { store }: PaymentAttemptDeps,
  { command }: Found,
  newCustomer: NewCustomer | null,
): Promise<void> {
  if (newCustomer === null || newCustomer.login === '') return
  await store.releaseLogin(command.site, newCustomer.login, newCustomer.id)
}

/**
 * Takes the number from its token, decides what can be decided here, and makes the intent durable.
 */
async function begin(
  deps: PaymentAttemptDeps,
  attempt: PaymentAttempt,
  enrolment: Enrolment | null,
  newCustomer: NewCustomer | null,
): Promise<BegunPayment | RefusedPayment | ClaimedMeanwhile> {
  // The last thing that can be refused: what comes after it costs the token.
  const payment = (attempt.resolved ??= await revealCard(deps, attempt.found, attempt.use))
  if (payment === null) return TOKEN_GONE
  if (isOfOtherBrand(payment)) return OTHER_BRANDS_ECI
  const declinedServiceCode = await declineWithoutBank(deps, attempt, payment)
  const asked = declinedServiceCode === null ? enrolment : null
  const { content, details, after, waitedMs } = attempt
  const claim = { content, details, after, held: payment.command.duplicates !== 'allow' }
  const intent = await describeIntent(deps, payment, {
    newCustomerId: newCustomer?.id ?? null,
    declinedServiceCode,
    // After an authentication the reference is claimed when the bank's turn comes.
    claim: claim.held && asked === null ? claim : null,
    key: attempt.use?.key ?? null,
    pending: asked !== null,
  })
  const startedMs = deps.monotonicMs() - waitedMs
  const begun = {
    kind: 'begun',
    payment,
    intent,
    claim,
    enrolment: asked,
    startedMs,
    waitedMs,
  } as const
  // The pending intent is written with its authentication.
  if (asked !== null) return begun
  try {
    const untilMs = deps.monotonicMs() + INTENT_PATIENCE_MS
    return (await intend(deps, attempt, intent, untilMs)) ? begun : CLAIMED_MEANWHILE
  } catch (error) {
    if (!(error instanceof MembershipTakenError)) throw error
    return MEMBERSHIP_EXISTS
  }
}

const CLAIMED_MEANWHILE: ClaimedMeanwhile = { kind: 'claimed_meanwhile' }

/** The bank was not asked yet, and gets its full timeout. */
const INTENT_PATIENCE_MS = 4_000

/** The brand of a saved card, or of one under a token, is known only now. */
function isOfOtherBrand({ command: { threeDs }, pan }: Resolved): boolean {
  return threeDs?.kind === 'outside' && !isOnScale(threeDs.values.eci, pan.brand)
}

/** Whether the intent is written; after a lost answer it is submitted again, under the same ids. */
async function intend(
  deps: PaymentAttemptDeps,
  { unanswered }: PaymentAttempt,
  intent: PaymentIntent,
  untilMs: number,
): Promise<boolean> {
  try {
    return await deps.store.intend(intent)
  } catch (error) {
    if (!(error instanceof CommitUnknownError)) throw error
    unanswered.add(intent.transactionId)
    return untilKnown(deps, untilMs, () => deps.store.intend(intent))
  }
}
