import { findMismatch } from '../../domain/three-ds/binding.ts'
import { decideChallenge } from '../../domain/three-ds/challenge-decision.ts'
import { THREE_DS_SERVICE } from '../../domain/three-ds/enrolment-decision.ts'
import { claimsAfterAuthentication } from '../memberships/membership-claim.ts'
import { hasMembership, MEMBERSHIP_EXISTS } from '../memberships/sold-memberships.ts'
import { charge } from '../payments/charge.ts'
import {
  KEY_TAKEN,
  type KeyTakenMeanwhile,
  type KeyUse,
  type NewKeyHolder,
} from '../payments/idempotency-key.ts'
import { untilKnown } from '../payments/learn-truth.ts'
import type { PaymentCommand, PaymentResult } from '../payments/payment-command.ts'
import { expiryIfApproved, wholeSecond } from '../payments/payment-intent.ts'
import { resolvePayment, type Found, type Resolved } from '../payments/resolve-payment.ts'
import {
  isOpen,
  type AuthenticationEnd,
  type StoredAuthentication,
} from './authentication-store.ts'
import { expireAuthentication } from './expire-authentications.ts'
import {
  answerOfOther,
  awaitTokensUse,
  concluded,
  endOf,
  LOOK_EVERY_MS,
  repeat,
  RESULT_PATIENCE_MS,
  WRITE_PATIENCE_MS,
  type FinalCall,
  type FinalCallDeps,
} from './final-call.ts'
import {
  differentPlace,
  finalDigest,
  belongsTo,
  paymentOf,
  wrongResponse,
} from './final-request.ts'
import { describeClaim } from './reference-of-challenge.ts'
import { refuseMismatch } from './refuse-final-call.ts'
import type { AuthenticationValues, ThreeDsRequest } from './three-ds-request.ts'
import { cardOfFinalCall } from './token-again.ts'

type FinalRequest = Extract<ThreeDsRequest, { kind: 'final' }>

const UNKNOWN: PaymentResult = {
  kind: 'refused',
  refusal: 'authentication_unknown',
  field: 'challenge',
}

/**
 * The customer is back from the challenge: the payment that waits is authorized or declined, once.
 * Values from the browser and the shop decide nothing. The issuer's result does, and only for the
 * payment that the issuer was asked about.
 */
export async function finishChallenge(
  deps: FinalCallDeps,
  command: PaymentCommand,
  request: FinalRequest,
  use: KeyUse | null,
): Promise<PaymentResult | KeyTakenMeanwhile> {
  const { threeDs, digest } = deps
  const authentication = await threeDs.store.findByProcTransId(request.procTransId)
  if (authentication === null || !belongsTo(command, authentication)) return UNKNOWN
  const misplaced = differentPlace(command, authentication)
  if (misplaced !== null) {
    return { kind: 'refused', refusal: 'authentication_mismatch', field: misplaced }
  }
  if (request.paRes === null) {
    if (command.site.threeDs.paResRequired) {
      return { kind: 'refused', refusal: 'parameter_missing', field: 'challenge_response' }
    }
    threeDs.notice({ kind: 'response_absent', serverTransId: authentication.serverTransId })
  }
  // Answered before the rest is resolved: another currency may have no account, another amount no
  // answer.
  const { amountMinor, currency } = authentication
  if (command.currency?.code !== currency)
    return refuseMismatch(deps, command.site, authentication, 'currency')
  if (command.totalMinor !== amountMinor)
    return refuseMismatch(deps, command.site, authentication, 'amount')

  const resolution = await resolvePayment(deps, {
    ...command,
    merchantAccountId: authentication.merchantAccountId,
    // A token that was used may belong to the very call that this one repeats.
    duplicates: 'replay',
  })
  if (resolution.kind === 'refused') return resolution
  const { bankTest, duplicates, merchantAccountId } = command
  const found: Found = {
    ...resolution.payment,
    command: {
      ...resolution.payment.command,
      duplicates,
      merchantAccountId,
      // A shop names its test once, and does not know beforehand whether a challenge follows.
      bankTest: bankTest ?? authentication.bankTest,
    },
  }
  const about = paymentOf(digest, found)
  const paRes = request.paRes ?? ''
  const call: FinalCall = {
    found,
    digest: finalDigest(digest, authentication, about, paRes),
    mismatch: findMismatch(authentication, about),
    paRes,
    startedMs: deps.monotonicMs(),
    use,
  }
  return decide(deps, call, authentication)
}

/** Looks until it is known what becomes of the payment, and by whose hand. */
async function decide(
  deps: FinalCallDeps,
  call: FinalCall,
  first: StoredAuthentication,
): Promise<PaymentResult | KeyTakenMeanwhile> {
  const { threeDs } = deps
  let seen = first
  for (;;) {
    if (!isOpen(seen)) return repeat(deps, call, seen)
    const { clock } = call.found.command.site
    if (seen.expiresAt <= clock.now()) {
      await expireAuthentication({ store: threeDs.store, clock }, seen)
    } else {
      const mismatch = call.mismatch ?? (await wrongResponse(threeDs.tokens, call.paRes, seen))
      if (mismatch !== null) return refuseMismatch(deps, call.found.command.site, seen, mismatch)
      const waitedMs = deps.monotonicMs() - call.startedMs
      if (seen.state === 'challenge' && waitedMs < RESULT_PATIENCE_MS)
        await deps.pause(LOOK_EVERY_MS)
      else {
        const decided = await concludeChallenge(deps, call, seen)
        if (decided !== null) return decided
      }
    }
    seen = (await threeDs.store.findByProcTransId(seen.procTransId)) ?? seen
  }
}

/** Declines or charges; null when another caller was first. */
async function concludeChallenge(
  deps: FinalCallDeps,
  call: FinalCall,
  seen: StoredAuthentication,
): Promise<PaymentResult | KeyTakenMeanwhile | null> {
  const { store, notice } = deps.threeDs
  const { serverTransId, resultStatus, eci, cresStatus, brand } = seen
  const decision = decideChallenge({ status: resultStatus, eci }, cresStatus, brand)
  const untilMs = deps.monotonicMs() + WRITE_PATIENCE_MS
  if (decision.kind === 'decline') {
    const end = endOf(call, seen, decision)
    const serviceCode = THREE_DS_SERVICE.notAuthenticated
    const ended = await untilKnown(deps, untilMs, () =>
      store.decline(end, { state: 'failed', serviceCode }),
    )
    if (!ended) return null
    if (decision.contradicted)
      notice({ kind: 'contradicted', serverTransId, what: 'CRes N, RReq Y' })
    return concluded(deps, call.found, seen)
  }
  if (call.found.sells.length > 0 && (await hasMembership(deps, call.found))) {
    const now = await store.findByProcTransId(seen.procTransId)
    // It may be this very payment's, by the hand of a call that is just like this one.
    return now !== null && isOpen(now) ? MEMBERSHIP_EXISTS : null
  }
  // Read before it is erased; from then on it is in memory only.
  const cavv = seen.cavv === null ? null : await deps.threeDs.cavvs.open(seen.cavv, serverTransId)
  const payment = await cardOfFinalCall(deps, call.found, seen, call.use)
  if (payment === null) return awaitTokensUse(deps, call, seen)
  if ('refusal' in payment) return payment
  const values = { eci: decision.eci, cavv, dsTransId: seen.dsTransId, version: seen.version }
  return authorize(deps, call, seen, payment, endOf(call, seen, decision), values)
}

/** Takes the payment to running, once and for all, and asks the bank; null: another was first. */
async function authorize(
  deps: FinalCallDeps,
  call: FinalCall,
  seen: StoredAuthentication,
  payment: Resolved,
  end: AuthenticationEnd,
  values: AuthenticationValues,
): Promise<PaymentResult | KeyTakenMeanwhile | null> {
  const { store } = deps.threeDs
  const claim = await describeClaim(deps, seen, payment)
  const claims = claimsAfterAuthentication(claim, payment, seen.customerId, end.at)
  const message = { number: await deps.nextId('message'), at: wholeSecond(deps.clock.now()) }
  const untilMs = deps.monotonicMs() + WRITE_PATIENCE_MS
  const key = keyHolder(call, seen, end.at)
  const taken = await untilKnown(deps, untilMs, () =>
    store.consume(end, { message, ...claims, key }),
  )
  if (taken === 'membership_taken') return MEMBERSHIP_EXISTS
  if (taken === 'not_open') return null
  if (taken === 'key_taken') return KEY_TAKEN
  if (taken === 'claimed') {
    const serviceCode = THREE_DS_SERVICE.notAuthenticated
    await untilKnown(deps, untilMs, () => store.decline(end, { state: 'failed', serviceCode }))
    return answerOfOther(deps, call, seen)
  }
  if (call.use !== null) call.use.transactionId = seen.transactionId
  await charge(deps, {
    // The order keeps the reference that it began with.
    payment: { ...payment, command: { ...payment.command, orderReference: seen.orderReference } },
    intended: {
      transactionId: seen.transactionId,
      orderId: seen.orderId,
      merchantId: seen.merchantId,
      merchantAccountId: seen.merchantAccountId,
      siteId: seen.siteId,
      mode: seen.mode,
      kind: seen.kind,
      message,
      expiresAt: expiryIfApproved(payment, end.at),
      lines: seen.lineIds.map((id) => ({ id })),
    },
    authentication: values,
    claim,
    startedMs: call.startedMs,
    usedMs: deps.monotonicMs() - call.startedMs,
  })
  return concluded(deps, payment, seen)
}

/** The key of the call, as it is written with its decision. */
function keyHolder(
  { use }: FinalCall,
  { merchantId, mode, siteId: id, transactionId }: StoredAuthentication,
  at: Date,
): NewKeyHolder | null {
  return use === null ? null : { site: { id, mode }, merchantId, transactionId, key: use.key, at }
}
