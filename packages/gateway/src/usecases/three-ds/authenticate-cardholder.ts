import {
  decideEnrolment,
  type EnrolmentDecision,
} from '../../domain/three-ds/enrolment-decision.ts'
import { valueByteCount, type AnswerFault } from '../../domain/three-ds/issuer-answer.ts'
import type { ChargeDeps } from '../payments/charge.ts'
import type { ClaimedReferenceDeps, OrderClaim } from '../payments/claimed-reference.ts'
import { CommitUnknownError, untilKnown } from '../payments/learn-truth.ts'
import type { PaymentIntent } from '../payments/payment-store.ts'
import type { Resolved } from '../payments/resolve-payment.ts'
import type { AnswerFacts, NewAuthentication } from './authentication-store.ts'
import { linesDigest } from './final-request.ts'
import { prepareQuestion, type Enrolment, type Question } from './find-enrolment.ts'
import { recurringOf } from './recurring-sale.ts'
import { ASKING_MS, type ThreeDsDeps } from './three-ds-deps.ts'
import type { AuthenticationReply } from './three-ds-server.ts'

export interface AuthenticateDeps extends ChargeDeps, ClaimedReferenceDeps {
  readonly threeDs: ThreeDsDeps
}

/** The issuer was not asked yet. */
const BEGIN_PATIENCE_MS = 4_000
/** The issuer was asked: what it said is worth some tries. */
export const ANSWER_PATIENCE_MS = 10_000

export type Answered = Extract<AuthenticationReply, { kind: 'answered' }>

/** A payment that its issuer is asked about. */
export interface Authenticated {
  readonly payment: Resolved
  /** Pending, and not written yet. */
  readonly intent: PaymentIntent
  readonly enrolment: Enrolment
  /** Taken when the bank's turn comes. */
  readonly claim: OrderClaim
  /** When the time of its answer began, by the patience's clock. */
  readonly startedMs: number
}

/** A payment whose issuer was asked, and what follows from the answer. */
export interface AuthenticationOutcome extends Authenticated {
  readonly authentication: NewAuthentication
  /** Null: no card range of an issuer that takes part. */
  readonly question: Question | null
  /** Null: no answer came. */
  readonly answer: Answered | null
  readonly decision: EnrolmentDecision
  readonly facts: AnswerFacts
  /** Until when the consequence is retried, by the same clock. */
  readonly untilMs: number
}

/**
 * Asks the issuer and decides what follows. The pending intent is durable before the AReq leaves;
 * the consequence is not written yet. Null: another request has its idempotency key, and the issuer
 * was not asked.
 */
export async function authenticateCardholder(
  deps: AuthenticateDeps,
  authenticated: Authenticated,
): Promise<AuthenticationOutcome | null> {
  const { payment, intent, enrolment } = authenticated
  const question = await prepareQuestion(deps.threeDs, deps, payment, enrolment)
  const authentication = describe(deps, payment, enrolment, question)
  if (!(await begin(deps, intent, authentication))) return null

  const reply =
    question === null ? NO_RANGE : await sendQuestion(deps, payment, enrolment, question)
  const answer = reply.kind === 'answered' ? reply : null
  const { decision, fault } = decide(payment, answer)
  if (fault !== null && question !== null) refuseAnswer(deps, payment, question, fault)
  const facts = factsOf(reply, fault?.errorCode ?? '', decision)
  const untilMs = deps.monotonicMs() + ANSWER_PATIENCE_MS
  return {
    ...authenticated,
    authentication,
    question,
    answer,
    decision,
    facts,
    untilMs,
  }
}

const NO_RANGE: AuthenticationReply = { kind: 'unavailable', cause: 'no range', detail: '' }

function describe(
  { threeDs, digest }: AuthenticateDeps,
  { command, expiry, fingerprint, usedToken }: Resolved,
  { request }: Enrolment,
  question: Question | null,
): NewAuthentication {
  return {
    serverTransId: question?.serverTransId ?? threeDs.newServerTransId(),
    procTransId: threeDs.newProcTransId(),
    userId: command.userId,
    reference: request.reference,
    fingerprint,
    expiry,
    linesDigest: linesDigest(digest, command.lines),
    cardTokenId: usedToken?.id ?? null,
    returnUrl: request.returnUrl,
    window: request.window,
    version: question?.version ?? null,
    methodCompletion: question?.methodCompletion ?? null,
    expiresAt: new Date(command.site.clock.now().getTime() + ASKING_MS),
  }
}

async function begin(
  deps: AuthenticateDeps,
  intent: PaymentIntent,
  authentication: NewAuthentication,
): Promise<boolean> {
  const { store } = deps.threeDs
  try {
    return await store.begin(intent, authentication)
  } catch (error) {
    if (!(error instanceof CommitUnknownError)) throw error
    const untilMs = deps.monotonicMs() + BEGIN_PATIENCE_MS
    return untilKnown(deps, untilMs, () => store.begin(intent, authentication))
  }
}

async function sendQuestion(
  deps: AuthenticateDeps,
  payment: Resolved,
  { request }: Enrolment,
  question: Question,
): Promise<AuthenticationReply> {
  const { command, account, pan, expiry, currency } = payment
  const reply = await deps.threeDs.server.authenticate({
    ...question,
    account,
    pan,
    expiry,
    amountMinor: command.totalMinor,
    currency,
    at: deps.clock.now(),
    challengePreference: command.site.threeDs.challengePreference,
    recurring: request.recurring ?? recurringOf(payment.sells),
    customer: command.customer,
    billing: command.billing,
    shipping: command.shipping,
  })
  if (reply.kind === 'unavailable') {
    const { cause, detail } = reply
    deps.threeDs.notice({
      kind: 'unavailable',
      serverTransId: question.serverTransId,
      cause,
      detail,
    })
  }
  return reply
}

function decide({ command, pan }: Resolved, answer: Answered | null) {
  return decideEnrolment(
    answer && {
      ...answer,
      valueBytes: answer.cavv === null ? null : valueByteCount(answer.cavv.reveal()),
    },
    { brand: pan.brand, isPayment: command.totalMinor > 0n },
    command.site.threeDs,
  )
}

/** Reports an answer that breaks the protocol, here and to the Directory Server. */
function refuseAnswer(
  { threeDs }: AuthenticateDeps,
  { account, pan }: Resolved,
  { serverTransId, version }: Question,
  { errorCode, element }: AnswerFault,
): void {
  threeDs.notice({ kind: 'answer_refused', serverTransId, element })
  void threeDs.server.refuse({ serverTransId, account, pan, version }, errorCode, element)
}

function factsOf(
  reply: AuthenticationReply,
  faultCode: string,
  decision: EnrolmentDecision,
): AnswerFacts {
  if (reply.kind === 'unavailable') {
    return {
      status: 'U',
      reason: '',
      cause: reply.cause,
      dsTransId: '',
      acsTransId: '',
      cardholderInfo: '',
    }
  }
  const { status, reason, dsTransId, acsTransId, cardholderInfo } = reply
  const used = faultCode === '' || decision.kind === 'challenge'
  return {
    status: used ? status : 'U',
    reason,
    cause: faultCode,
    dsTransId,
    acsTransId,
    cardholderInfo,
  }
}
