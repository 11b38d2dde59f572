import type { AuthorizationRequest } from '../acquirer/authorization-request.ts'
import { strictAnswer } from '../acquirer/stored-credential.ts'
import type { Objection } from '../acquirer/stored-credential.ts'
import { findForcedAnswer } from '../test-data/code-amounts.ts'
import { ACCOUNT_STATES } from '../test-data/test-card.ts'
import type { TestCard } from '../test-data/test-card.ts'
import { TEST_CARD_ADDRESS, testCardSecurityCode } from '../test-data/test-cards.ts'
import { findTrigger } from '../test-data/trigger-amounts.ts'
import type { ReportedCode, TriggerAmount } from '../test-data/trigger-amounts.ts'
import { isForgery, isProof } from '../three-ds/cavv-check.ts'
import type { CavvResult } from '../three-ds/cavv-check.ts'
import { lookUpAccount } from './account-updater.ts'
import type { AccountUpdate } from './account-updater.ts'
import { findBrand, hasValidCheckDigit } from './card-brands.ts'
import { majorToMinor } from './currencies.ts'
import { NO_RESULT, compareAddress, compareSecurityCode } from './verification.ts'

/** DE 39 for a CAVV that is not that of this payment: card authentication failed. */
const WRONG_CAVV = 'Q1'

/** AVS and CVV result of a check that only the absent issuer could have made. */
const NOT_CHECKED = 'U'

/** The bank's answer to a 0100, and what it commits the bank to. */
export interface Decision {
  /** DE 39: `00`, `10` and `85` are good, anything else is a refusal. */
  readonly responseCode: string
  /** Minor units that are held; zero for a refusal and a card check. */
  readonly approved: bigint
  /** DE 44 characters; `0` for none. */
  readonly avs: string
  readonly cvv: string
  readonly cavv: CavvResult
  /** The network has decided, since the issuer could not be reached. */
  readonly byStandIn?: true
  readonly processor?: ReportedCode
  readonly issuer?: ReportedCode
  readonly merchantAdvice?: string
  readonly conversion?: NonNullable<TriggerAmount['conversion']>
  /** The account updater's result, where it was requested. */
  readonly update?: AccountUpdate
}

/** The inputs of a decision, besides the authorization itself and its account. */
export interface DecisionContext {
  /** YYMM, for expiries. */
  readonly thisMonth: string
  /** Whether trigger amounts mean anything. */
  readonly triggers: boolean
  /** The result of checking its CAVV. */
  readonly cavv: CavvResult
  /** The payment's faults that a strict issuer refuses. */
  readonly objections: readonly Objection[]
}

/** The funds and the spending of a test card, in the currency of the request. */
export interface AccountFunds {
  readonly available: bigint
  readonly approvedToday: bigint
  readonly approvalsToday: number
}

/**
 * Decides a 0100 in the published order: the card's brand, a CAVV if there is one, trigger amounts,
 * the account. Without `triggers` no amount has a special meaning. For the account, the expiry is
 * the account updater's, if it has one. `card` is null for any other card, which has unlimited
 * funds.
 */
export function decideAuthorization(
  request: AuthorizationRequest,
  card: TestCard | null,
  funds: AccountFunds,
  context: DecisionContext,
): Decision {
  const { cavv } = context
  if (!hasValidCheckDigit(request.pan) || findBrand(request.pan) === null) return noCard('14')
  const checks = { ...verify(request, card), cavv }
  if (isForgery(cavv)) return refused(WRONG_CAVV, checks, null)
  const update = lookUpAccount(request, card, context.thisMonth)
  if (update === null) return decideCard(request, card, funds, checks, context)
  const { expiry } = update
  const updated = expiry === undefined ? request : { ...request, expiry }
  return { ...decideCard(updated, card, funds, checks, context), update }
}

function decideCard(
  request: AuthorizationRequest,
  card: TestCard | null,
  funds: AccountFunds,
  checks: Checks,
  context: DecisionContext,
): Decision {
  if (request.isCardCheck) {
    const refusal = card === null ? null : refuseByAccount(request, card, checks, context)
    if (refusal !== null) return refused(refusal, checks, card)
    return { responseCode: '85', approved: 0n, ...checks }
  }
  if (request.amount === 0n) return refused('13', checks, null)
  const trigger = context.triggers ? findTrigger(request.amount, request.currency) : null
  if (trigger !== null) return decideByTrigger(request, trigger, checks)
  const forced = context.triggers ? findForcedAnswer(request.amount, request.currency) : null
  if (forced !== null) return { ...forced, ...checks }
  if (card === null) return { responseCode: '00', approved: request.amount, ...checks }
  const refusal =
    refuseByAccount(request, card, checks, context) ?? refuseByLimits(request, card, funds)
  if (refusal !== null) return refused(refusal, checks, card)
  return decideByFunds(request, card, funds, checks)
}

/** Decides a 0100 as the network does when the issuer is down: without reading the account. */
export function decideByStandIn(request: AuthorizationRequest, approves: boolean): Decision {
  const isCard = hasValidCheckDigit(request.pan) && findBrand(request.pan) !== null
  if (!isCard) return noCard('14')
  if (!approves) return noCard('91')
  const wanted = verify(request, null)
  const unchecked = (result: string) => (result === NO_RESULT ? NO_RESULT : NOT_CHECKED)
  return {
    responseCode: '00',
    approved: request.amount,
    avs: unchecked(wanted.avs),
    cvv: unchecked(wanted.cvv),
    // Only the issuer has the key.
    cavv: request.authentication === undefined ? NO_RESULT : '6',
    byStandIn: true,
  }
}

interface Checks {
  readonly avs: string
  readonly cvv: string
  readonly cavv: CavvResult
}

function noCard(responseCode: string): Decision {
  return { responseCode, approved: 0n, avs: NO_RESULT, cvv: NO_RESULT, cavv: NO_RESULT }
}

function verify(request: AuthorizationRequest, card: TestCard | null): Omit<Checks, 'cavv'> {
  const { address, codePresence, pan, securityCode } = request
  const expected = card === null ? null : testCardSecurityCode(pan)
  const cvv = compareSecurityCode(codePresence, securityCode, expected)
  if (address === undefined) return { avs: NO_RESULT, cvv }
  if (card === null) return { avs: 'M', cvv }
  return { avs: card.avs ?? compareAddress(address, card.address ?? TEST_CARD_ADDRESS), cvv }
}

function decideByTrigger(
  request: AuthorizationRequest,
  trigger: TriggerAmount,
  checks: Checks,
): Decision {
  const { conversion, issuer, partialMinor, processor } = trigger
  // A row sets a result only if the merchant requested the check.
  const avs = checks.avs === NO_RESULT ? NO_RESULT : (trigger.avs ?? checks.avs)
  const cvv = checks.cvv === NO_RESULT ? NO_RESULT : (trigger.cvv ?? checks.cvv)
  const approvesPart =
    partialMinor !== undefined &&
    request.acceptsPartial &&
    (request.partialMinimum ?? 0n) <= partialMinor
  const { cavv } = checks
  if (approvesPart) return { responseCode: '10', approved: partialMinor, avs, cvv, cavv }
  const isApproved = trigger.responseCode === '00'
  return {
    responseCode: trigger.responseCode,
    approved: isApproved ? request.amount : 0n,
    avs,
    cvv,
    cavv,
    ...(conversion === undefined ? {} : { conversion }),
    ...(processor === undefined ? {} : { processor }),
    ...(issuer === undefined ? {} : { issuer }),
  }
}

/** DE 39 when the account refuses a payment like this one, for any amount. */
function refuseByAccount(
  request: AuthorizationRequest,
  card: TestCard,
  checks: Checks,
  { objections, thisMonth }: DecisionContext,
): string | null {
  const { expiry, isMerchantInitiated } = request
  const isMastercard = card.pan.startsWith('5')
  if (card.answers !== undefined) return card.answers
  if (card.state !== undefined) return ACCOUNT_STATES[card.state]
  if (card.merchantInitiated !== undefined && isMerchantInitiated) return card.merchantInitiated
  if (card.isStrict === true) {
    const refusal = strictAnswer(objections, isMastercard)
    if (refusal !== null) return refusal
  }
  if (isMerchantInitiated && hasChanged(card, expiry)) return '54'
  if (expiry !== undefined) {
    if (card.expiry === undefined ? expiry < thisMonth : expiry !== card.expiry) return '54'
  }
  switch (card.insistsOn) {
    case 'security_code':
      return checks.cvv === 'N' ? 'N7' : null
    case 'address':
      return checks.avs === 'N' || checks.avs === 'C' ? '05' : null
    case 'authentication':
      if (isProof(checks.cavv) || isMerchantInitiated) return null
      return isMastercard ? '65' : '1A'
    default:
      return null
  }
}

/** Whether the account has had another expiry since, which this payment does not know of. */
function hasChanged({ updater }: TestCard, expiry: string | undefined): boolean {
  return (updater?.result === 'A' || updater?.result === 'E') && updater.expiry !== expiry
}

function refuseByLimits(
  { amount, currency }: AuthorizationRequest,
  { limits = {} }: TestCard,
  funds: AccountFunds,
): string | null {
  const { approvalsPerDay, perDay, perTransaction } = limits
  if (perTransaction !== undefined && amount > majorToMinor(perTransaction, currency)) return '61'
  if (approvalsPerDay !== undefined && funds.approvalsToday >= approvalsPerDay) return '65'
  if (perDay !== undefined && funds.approvedToday + amount > majorToMinor(perDay, currency)) {
    return '61'
  }
  return null
}

function decideByFunds(
  { amount, acceptsPartial }: AuthorizationRequest,
  card: TestCard,
  { available }: AccountFunds,
  checks: Checks,
): Decision {
  if (card.funds === undefined || amount <= available) {
    return { responseCode: '00', approved: amount, ...checks }
  }
  // The smallest accepted amount is the merchant's rule, and the merchant's gateway applies it.
  if (acceptsPartial && available > 0n) {
    return { responseCode: '10', approved: available, ...checks }
  }
  return refused('51', checks, card)
}

function refused(responseCode: string, checks: Checks, card: TestCard | null): Decision {
  const merchantAdvice = card?.merchantAdvice
  return {
    responseCode,
    approved: 0n,
    ...checks,
    ...(merchantAdvice === undefined ? {} : { merchantAdvice }),
  }
}
