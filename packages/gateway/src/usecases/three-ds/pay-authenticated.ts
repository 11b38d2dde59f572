import {
  decideEnrolment,
  THREE_DS_SERVICE,
  type EnrolmentDecision,
} from '../../domain/three-ds/enrolment-decision.ts'
import { valueByteCount } from '../../domain/three-ds/issuer-answer.ts'
import { charge, type ChargeDeps } from '../payments/charge.ts'
import {
  readBack,
  type ClaimedReferenceDeps,
  type OrderClaim,
} from '../payments/claimed-reference.ts'
import { CommitUnknownError, untilKnown } from '../payments/learn-truth.ts'
import type { PaymentResult } from '../payments/payment-command.ts'
import { wholeSecond } from '../payments/payment-intent.ts'
import type { PaymentIntent } from '../payments/payment-store.ts'
import type { Resolved } from '../payments/resolve-payment.ts'
import type { TransactionView } from '../payments/transaction-view.ts'
import type { AnswerFacts, AuthenticationEnd, NewAuthentication } from './authentication-store.ts'
import { linesDigest } from './final-request.ts'
import { prepareQuestion, type Enrolment, type Question } from './find-enrolment.ts'
import { recurringOf } from './recurring-sale.ts'
import { ASKING_MS, PENDING_MS, type ThreeDsDeps } from './three-ds-deps.ts'
import type { AuthenticationValues } from './three-ds-request.ts'
import type { AuthenticationReply } from './three-ds-server.ts'

export interface PayAuthenticatedDeps extends ChargeDeps, ClaimedReferenceDeps {
  readonly threeDs: ThreeDsDeps
}

/** Nobody was asked yet. */
const BEGIN_PATIENCE_MS = 4_000
/** The issuer was asked: what it said is worth some tries. */
const ANSWER_PATIENCE_MS = 10_000

type Answered = Extract<AuthenticationReply, { kind: 'answered' }>
type Paid = PaymentResult | { readonly kind: 'claimed_meanwhile' }

/** A payment that its issuer is asked about. */
interface Authenticated {
  readonly payment: Resolved
  /** Pending, and not written yet. */
  readonly intent: PaymentIntent
  readonly enrolment: Enrolment
  /** Taken when the bank's turn comes. */
  readonly claim: OrderClaim
}

/**
 * Asks the issuer, then does what follows: the bank is asked as for any payment, or the payment is
 * declined, or it waits for the customer. The pending intent is durable before the AReq leaves, and
 * what the answer leads to before anybody is told.
 */
export async function payAuthenticated(
  deps: PayAuthenticatedDeps,
  { payment, intent, enrolment, claim }: Authenticated,
): Promise<Paid> {
  const { threeDs } = deps
  const { request } = enrolment
  const startedMs = deps.monotonicMs()
  const question = await prepareQuestion(threeDs, deps, payment, enrolment)
  const authentication = describe(deps, payment, enrolment, question)
  const { serverTransId } = authentication
  await begin(deps, intent, authentication)

  const reply = question === null ? NO_RANGE : await ask(deps, payment, enrolment, question)
  const brand = payment.pan.brand
  const answer = reply.kind === 'answered' ? reply : null
  const { decision, fault } = decideEnrolment(
    answer && {
      ...answer,
      valueBytes: answer.cavv === null ? null : valueByteCount(answer.cavv.reveal()),
    },
    { brand, isPayment: payment.command.totalMinor > 0n },
    payment.command.site.threeDs,
  )
  if (fault !== null && question !== null) {
    threeDs.notice({ kind: 'answer_refused', serverTransId, element: fault.element })
    void threeDs.server.refuse(
      { serverTransId, account: payment.account, pan: payment.pan, version: question.version },
      fault.errorCode,
      fault.element,
    )
  }
  const facts = factsOf(reply, fault?.errorCode ?? '', decision)
  const untilMs = deps.monotonicMs() + ANSWER_PATIENCE_MS

  if (decision.kind === 'challenge' && answer !== null && question !== null) {
    return tellChallenge(deps, payment, intent, {
      request,
      authentication,
      question,
      answer,
      facts,
      untilMs,
    })
  }

  const end = (response: string, eci: string): AuthenticationEnd => ({
    serverTransId,
    from: ['asking'],
    response,
    eci,
    answer: facts,
    finalDigest: null,
    at: payment.command.site.clock.now(),
  })
  const told = async (): Promise<PaymentResult> => ({
    kind: 'done',
    transaction: await untilKnown<TransactionView>(
      deps,
      deps.monotonicMs() + ANSWER_PATIENCE_MS,
      () => readBack(deps, intent.transactionId),
    ),
  })
  if (decision.kind !== 'authorize') {
    const declined = decision.kind === 'decline' ? decision : UNUSABLE
    await untilKnown(deps, untilMs, () =>
      threeDs.store.decline(end(declined.response, declined.eci), {
        state: 'failed',
        serviceCode: declined.serviceCode,
      }),
    )
    return told()
  }

  const message = { number: await deps.nextId('message'), at: wholeSecond(deps.clock.now()) }
  const ended = end(decision.response, decision.eci)
  const taken = await untilKnown(deps, untilMs, () =>
    threeDs.store.consume(ended, {
      message,
      claim: claim.held ? { content: claim.content } : null,
    }),
  )
  if (taken === 'claimed') {
    await untilKnown(deps, untilMs, () =>
      threeDs.store.decline(ended, { state: 'failed', serviceCode: UNUSABLE.serviceCode }),
    )
    return { kind: 'claimed_meanwhile' }
  }
  // Somebody gave it up meanwhile: it took longer than anything here may take.
  if (taken === 'not_open') return told()
  await charge(deps, {
    payment,
    intended: { ...intent, message },
    authentication: valuesFor(decision, answer, question),
    claim,
    startedMs,
    usedMs: deps.monotonicMs() - startedMs,
  })
  return told()
}

/**
 * The customer has to go to the issuer: the payment waits, and the merchant is told the way there.
 */
async function tellChallenge(
  { threeDs, ...deps }: PayAuthenticatedDeps,
  payment: Resolved,
  { transactionId }: PaymentIntent,
  challenged: {
    readonly request: Enrolment['request']
    readonly authentication: NewAuthentication
    readonly question: Question
    readonly answer: Answered
    readonly facts: AnswerFacts
    readonly untilMs: number
  },
): Promise<PaymentResult> {
  const { request, authentication, question, answer, facts, untilMs } = challenged
  const { serverTransId, procTransId } = authentication
  const tokenId = threeDs.newTokenId()
  const at = payment.command.site.clock.now()
  const stands = await untilKnown(deps, untilMs, () =>
    threeDs.store.challenge(serverTransId, {
      answer: facts,
      acsUrl: answer.acsUrl,
      stepUpTokenId: tokenId,
      expiresAt: new Date(at.getTime() + PENDING_MS),
    }),
  )
  const transaction = await readBack(deps, transactionId)
  if (!stands || transaction.threeDs === null) return { kind: 'done', transaction }
  const payload = await threeDs.tokens.sign('step_up', {
    tokenId,
    merchantAccountId: payment.account.id,
    reference: request.reference,
    returnUrl: request.returnUrl,
    payload: {
      ACSUrl: answer.acsUrl,
      Payload: threeDs.encodeChallenge({
        serverTransId,
        acsTransId: answer.acsTransId,
        acsUrl: answer.acsUrl,
        version: question.version,
        window: request.window,
      }),
      TransactionId: procTransId,
    },
  })
  const challenge = { url: threeDs.stepUpUrl, payload }
  return {
    kind: 'done',
    transaction: { ...transaction, threeDs: { ...transaction.threeDs, challenge } },
  }
}

/** A challenge that nobody could be sent to: the adapter lets none of these through. */
const UNUSABLE = { response: 'U', eci: '', serviceCode: THREE_DS_SERVICE.notAuthenticated } as const

const NO_RANGE: AuthenticationReply = { kind: 'unavailable', cause: 'no range', detail: '' }

function describe(
  { threeDs, digest }: PayAuthenticatedDeps,
  { command, expiry, fingerprint }: Resolved,
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
    returnUrl: request.returnUrl,
    window: request.window,
    version: question?.version ?? null,
    methodCompletion: question?.methodCompletion ?? null,
    expiresAt: new Date(command.site.clock.now().getTime() + ASKING_MS),
  }
}

async function begin(
  deps: PayAuthenticatedDeps,
  intent: PaymentIntent,
  authentication: NewAuthentication,
): Promise<void> {
  const { store } = deps.threeDs
  try {
    await store.begin(intent, authentication)
  } catch (error) {
    if (!(error instanceof CommitUnknownError)) throw error
    const untilMs = deps.monotonicMs() + BEGIN_PATIENCE_MS
    await untilKnown(deps, untilMs, () => store.begin(intent, authentication))
  }
}

async function ask(
  deps: PayAuthenticatedDeps,
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

/** What the bank is told: of no authentication only its ECI. */
function valuesFor(
  { eci, authenticated }: Extract<EnrolmentDecision, { kind: 'authorize' }>,
  answer: Answered | null,
  question: Question | null,
): AuthenticationValues {
  if (!authenticated || answer === null) return { eci, cavv: null, dsTransId: '', version: '' }
  return { eci, cavv: answer.cavv, dsTransId: answer.dsTransId, version: question?.version ?? '' }
}
