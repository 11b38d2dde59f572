import { chargeUnderWay } from '../../domain/memberships/membership.ts'
import { stopOrderOf } from '../../domain/memberships/network-rules.ts'
import { decideAttempt, decideRetry } from '../../domain/memberships/next-attempt.ts'
import type { CardAttempt } from '../../domain/memberships/next-attempt.ts'
import { concludeCharge } from '../../domain/memberships/renewal.ts'
import type { ChargeOutcome, Conclusion } from '../../domain/memberships/renewal.ts'
import { stopMembership, withNewCardData } from '../../domain/memberships/requested-changes.ts'
import { DEFAULT_RETRY_DAYS } from '../../domain/memberships/retry-plan.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import type { AdjustOrder } from '../payments/adjustment-command.ts'
import { untilKnown, type Patience } from '../payments/learn-truth.ts'
import type { PaymentRefusal, TakePayment } from '../payments/payment-command.ts'
import { SERVICE } from '../payments/payment-ending.ts'
import type { StoredMembership } from './membership-store.ts'
import { changeMembershipsOfCard } from './memberships-of-card.ts'
import { renewalCommand } from './renewal-command.ts'
import type { ChargeAnswer, ChargeResult, OpenCharge, RenewalStore } from './renewal-store.ts'

/** The result of one charge, for the log and the metrics. */
export interface RenewalReport {
  readonly membershipId: bigint
  readonly siteId: bigint
  readonly dueAt: Date
  readonly attempt: number
  readonly outcome: ChargeResult | 'left open'
  readonly reason: string
  readonly state: StoredMembership['membership']['state']
}

export interface ChargeRenewalDeps extends Patience {
  readonly store: RenewalStore
  readonly takePayment: TakePayment
  readonly adjustOrder: AdjustOrder
  readonly nextRequestId: () => bigint | Promise<bigint>
  readonly onCharged: (report: RenewalReport) => void
}

/**
 * Charges a started renewal, and concludes it with its membership. A transaction of an earlier
 * start is searched first. A charge without a conclusion stays open until its lease expires.
 */
export async function chargeRenewal(
  deps: ChargeRenewalDeps,
  open: OpenCharge,
  site: Site,
): Promise<RenewalReport> {
  const { charge, stored } = open
  const result = await outcomeOf(deps, open, site)
  const done =
    result === null
      ? { outcome: 'left open' as const, reason: LEFT_OPEN, state: stored.membership.state }
      : await conclude(deps, open, site, result)
  const report: RenewalReport = {
    membershipId: stored.id,
    siteId: stored.siteId,
    dueAt: charge.dueAt,
    attempt: charge.attempt,
    ...done,
  }
  deps.onCharged(report)
  return report
}

/** An unknown outcome is left to the process that takes over. */
const PATIENCE_MS = 10_000

const LEFT_OPEN =
  'Its payment is under way elsewhere, or its end is not known yet; it is looked at again.'

interface Result {
  readonly outcome: ChargeResult
  readonly domain: ChargeOutcome
  readonly answer: ChargeAnswer | null
}

/** Null while it is not known. */
async function outcomeOf(
  deps: ChargeRenewalDeps,
  open: OpenCharge,
  site: Site,
): Promise<Result | null> {
  const { charge, history, identity, isStopped, isTakenOver, stored } = open
  const earlier = isTakenOver ? await deps.store.findAnswer(identity.transactionId) : null
  if (earlier !== null) return judge(open, earlier, site)
  if (isStopped || site.mode !== stored.mode) return asleep(site)

  const verdict = decideAttempt(history, charge.amount, charge.at)
  if (verdict.kind !== 'allowed' || verdict.at.getTime() > charge.at.getTime()) {
    return { outcome: 'forbidden', domain: { kind: 'failed', retry: verdict }, answer: null }
  }
  const paid = await deps.takePayment(renewalCommand(open, site, await deps.nextRequestId()))
  if (paid.kind === 'refused') return refused(open, paid.refusal)
  const { state, card } = paid.transaction
  if (state === 'approved' && card.updateDescription === '') return APPROVED
  const answer = await deps.store.findAnswer(identity.transactionId)
  return answer === null ? null : judge(open, answer, site)
}

const APPROVED: Result = { outcome: 'approved', domain: { kind: 'approved' }, answer: null }

/** The site has changed its mode, or its merchant is disabled: nothing is charged, nor failed. */
function asleep(site: Site): Result {
  return { outcome: 'forbidden', domain: notSent(site), answer: null }
}

/** A clock that is moved waits for the bank, so that no moment of its site is passed by. */
function notSent({ hasOwnClock }: Site): ChargeOutcome {
  return { kind: 'not_sent', waits: hasOwnClock }
}

function judge(open: OpenCharge, answer: ChargeAnswer, site: Site): Result | null {
  switch (answer.state) {
    case 'running':
    case 'pending':
      return null
    case 'approved':
      return { ...APPROVED, answer }
    case 'declined':
      return failed(open, 'declined', answer)
    case 'failed':
      return answer.serviceCode === SERVICE.processorUnavailable
        ? { outcome: 'not_sent', domain: notSent(site), answer }
        : failed(open, 'unknown', answer)
  }
}

function failed(
  { charge, history }: OpenCharge,
  outcome: 'declined' | 'unknown',
  answer: ChargeAnswer,
): Result {
  const { at, amount } = charge
  const { responseCode, serviceCode, merchantAdvice } = answer
  const attempt: CardAttempt = { at, amount, outcome, responseCode, serviceCode, merchantAdvice }
  // An attempt in the history of a charge that was taken over is this very attempt.
  const attempts = history.attempts.filter((each) => each.at.getTime() !== at.getTime())
  const retry = decideRetry({ ...history, attempts }, attempt, at)
  return { outcome, domain: { kind: 'failed', retry }, answer }
}

/** Refused before anything was stored: of no use with this card or this site as they are. */
function refused({ charge }: OpenCharge, refusal: PaymentRefusal): Result {
  const needsCard =
    refusal === 'card_not_found' ||
    refusal === 'card_unreadable' ||
    refusal === 'customer_not_found'
  const reason = REFUSED[refusal] ?? `The charge was refused: ${refusal.replaceAll('_', ' ')}.`
  return {
    outcome: 'forbidden',
    domain: {
      kind: 'failed',
      retry: needsCard
        ? { kind: 'after_new_data', reason }
        : { kind: 'allowed', at: charge.at, reason },
    },
    answer: null,
  }
}

const REFUSED: Partial<Record<PaymentRefusal, string>> = {
  card_not_found: 'The saved card is not there any more.',
  card_unreadable: 'The saved card cannot be read any more: its data key was destroyed.',
  customer_not_found: 'The customer is not there any more.',
  currency_not_configured: "None of the site's merchant accounts takes the currency.",
  merchant_account_not_found: "The merchant account is not the site's any more.",
}

/** Writes the end of a charge over the current state of its membership. */
async function conclude(
  deps: ChargeRenewalDeps,
  open: OpenCharge,
  site: Site,
  result: Result,
): Promise<Pick<RenewalReport, 'outcome' | 'reason' | 'state'>> {
  const { identity, retryDays } = open
  await updateOtherMemberships(deps, open, result)
  let stored: StoredMembership | null = open.stored
  while (stored !== null && isUnderWay(stored, open)) {
    const conclusion: Conclusion = concludeCharge(
      stored.membership,
      result.domain,
      retryDays ?? DEFAULT_RETRY_DAYS,
    )
    // Before the end is written: afterwards no process would know of the reversal.
    if (conclusion.reverses) await voidCharge(deps, open, site)
    const { membership, reason } = afterUpdate(open, result, conclusion)
    const { id }: StoredMembership = stored
    const { outcome } = result
    const ending = { read: stored, membership, identity, charge: open.charge, outcome, reason }
    const untilMs = deps.monotonicMs() + PATIENCE_MS
    // Repeating it is harmless: it is written over what was read, or not at all.
    const written = await untilKnown(deps, untilMs, () => deps.store.conclude(ending))
    if (written) return { outcome: result.outcome, reason, state: membership.state }
    stored = await untilKnown(deps, untilMs, () => deps.store.find(id))
  }
  const state = stored?.membership.state ?? open.stored.membership.state
  return { outcome: result.outcome, reason: 'Another process has concluded it.', state }
}

/** Whether it is this very charge that the membership waits for. */
function isUnderWay({ membership }: StoredMembership, { charge }: OpenCharge): boolean {
  const { renewal } = membership
  return (
    chargeUnderWay(membership) !== null &&
    renewal?.dueAt.getTime() === charge.dueAt.getTime() &&
    renewal.attempts === charge.attempt
  )
}

/** The account updater's report on the card of a failed charge. */
function afterUpdate(
  { charge }: OpenCharge,
  { answer }: Result,
  { membership, reason }: Conclusion,
): Pick<Conclusion, 'membership' | 'reason'> {
  if (!endsCard(answer) || membership.cardId !== charge.cardId) return { membership, reason }
  const said = answer?.update === 'C' ? 'is closed' : 'asks to be contacted'
  return {
    membership: stopMembership(membership, charge.at),
    reason: `The account updater says that the card's account ${said}. The membership is cancelled.`,
  }
}

/** If the issuer approved all the same, the period is paid, and the next renewal decides. */
function endsCard(answer: ChargeAnswer | null): boolean {
  return (
    answer !== null &&
    answer.state !== 'approved' &&
    (answer.update === 'C' || answer.update === 'Q')
  )
}

/** Other memberships of the card hear of its end, or of new data; harmless to repeat. */
async function updateOtherMemberships(
  deps: ChargeRenewalDeps,
  { stored, charge }: OpenCharge,
  { answer }: Result,
): Promise<void> {
  if (answer === null) return
  const stops =
    endsCard(answer) || (answer.state === 'declined' && stopOrderOf(answer) === 'merchant')
  const isRenewed = answer.update === 'A' || answer.update === 'E'
  if (!stops && !isRenewed) return
  const change = stops ? stopMembership : withNewCardData
  await changeMembershipsOfCard(deps.store, charge.cardId, stored.id, charge.at, (other) =>
    change(other, charge.at),
  )
}

/** A membership that was cancelled during its charge: a repeat finds nothing left to void. */
async function voidCharge(
  deps: ChargeRenewalDeps,
  { identity }: OpenCharge,
  site: Site,
): Promise<void> {
  await deps.adjustOrder({
    kind: 'void',
    requestId: await deps.nextRequestId(),
    origin: 'rebill',
    site,
    orderId: identity.orderId,
    lineId: null,
    amount: null,
    currencyCode: null,
    refundOnFail: true,
  })
}
