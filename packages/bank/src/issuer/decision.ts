import type { AuthorizationRequest } from '../acquirer/authorization-request.ts'
import { strictAnswer } from '../acquirer/stored-credential.ts'
import type { Objection } from '../acquirer/stored-credential.ts'
import { findForcedAnswer } from '../test-data/code-amounts.ts'
import { ACCOUNT_STATES } from '../test-data/deck-account.ts'
import type { DeckAccount } from '../test-data/deck-account.ts'
import { DECK_ADDRESS, deckSecurityCode } from '../test-data/deck.ts'
import { findTrigger } from '../test-data/trigger-amounts.ts'
import type { ReportedCode, TriggerAmount } from '../test-data/trigger-amounts.ts'
import { isForgery, isProof } from '../three-ds/cavv-check.ts'
import type { CavvLetter } from '../three-ds/cavv-check.ts'
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
  /** DE 44 letters; `0` for none. */
  readonly avs: string
  readonly cvv: string
  readonly cavv: CavvLetter
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
  readonly cavv: CavvLetter
  /** The payment's faults that a strict issuer refuses. */
  readonly objections: readonly Objection[]
}

/** The funds and the spending of a deck account, in the currency of the request. */
export interface Purse {
  readonly available: bigint
  readonly approvedToday: bigint
  readonly approvalsToday: number
}

/**
 * Decides a 0100 in the published order: the card's brand, a CAVV if there is one, trigger amounts,
 * the account. Without `triggers` no amount has a special meaning. For the account, the expiry is
 * the account updater's, if it has one. `deck` is null for any other card, which has unlimited
 * funds.
 */
export function decideAuthorization(
  request: AuthorizationRequest,
  deck: DeckAccount | null,
  purse: Purse,
  context: DecisionContext,
): Decision {
  const { cavv } = context
  if (!hasValidCheckDigit(request.pan) || findBrand(request.pan) === null) return noCard('14')
  const checks = { ...verify(request, deck), cavv }
  if (isForgery(cavv)) return refused(WRONG_CAVV, checks, null)
  const update = lookUpAccount(request, deck, context.thisMonth)
  if (update === null) return decideCard(request, deck, purse, checks, context)
  const { expiry } = update
  const updated = expiry === undefined ? request : { ...request, expiry }
  return { ...decideCard(updated, deck, purse, checks, context), update }
}

function decideCard(
  request: AuthorizationRequest,
  deck: DeckAccount | null,
  purse: Purse,
  checks: Checks,
  context: DecisionContext,
): Decision {
  if (request.isCardCheck) {
    const refusal = deck === null ? null : refuseByAccount(request, deck, checks, context)
    if (refusal !== null) return refused(refusal, checks, deck)
    return { responseCode: '85', approved: 0n, ...checks }
  }
  if (request.amount === 0n) return refused('13', checks, null)
  const trigger = context.triggers ? findTrigger(request.amount, request.currency) : null
  if (trigger !== null) return decideByTrigger(request, trigger, checks)
  const forced = context.triggers ? findForcedAnswer(request.amount, request.currency) : null
  if (forced !== null) return { ...forced, ...checks }
  if (deck === null) return { responseCode: '00', approved: request.amount, ...checks }
  const refusal =
    refuseByAccount(request, deck, checks, context) ?? refuseByLimits(request, deck, purse)
  if (refusal !== null) return refused(refusal, checks, deck)
  return decideByFunds(request, deck, purse, checks)
}

/** Decides a 0100 as the network does when the issuer is down: without reading the account. */
export function decideByStandIn(request: AuthorizationRequest, approves: boolean): Decision {
  const isCard = hasValidCheckDigit(request.pan) && findBrand(request.pan) !== null
  if (!isCard) return noCard('14')
  if (!approves) return noCard('91')
  const wanted = verify(request, null)
  const unchecked = (letter: string) => (letter === NO_RESULT ? NO_RESULT : NOT_CHECKED)
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
  readonly cavv: CavvLetter
}

function noCard(responseCode: string): Decision {
  return { responseCode, approved: 0n, avs: NO_RESULT, cvv: NO_RESULT, cavv: NO_RESULT }
}

function verify(request: AuthorizationRequest, deck: DeckAccount | null): Omit<Checks, 'cavv'> {
  const { address, codePresence, pan, securityCode } = request
  const expected = deck === null ? null : deckSecurityCode(pan)
  const cvv = compareSecurityCode(codePresence, securityCode, expected)
  if (address === undefined) return { avs: NO_RESULT, cvv }
  if (deck === null) return { avs: 'M', cvv }
  return { avs: deck.avs ?? compareAddress(address, deck.address ?? DECK_ADDRESS), cvv }
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
    request.partialWelcome &&
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
  deck: DeckAccount,
  checks: Checks,
  { objections, thisMonth }: DecisionContext,
): string | null {
  const { expiry, isMerchantInitiated } = request
  const isMastercard = deck.pan.startsWith('5')
  if (deck.answers !== undefined) return deck.answers
  if (deck.state !== undefined) return ACCOUNT_STATES[deck.state]
  if (deck.merchantInitiated !== undefined && isMerchantInitiated) return deck.merchantInitiated
  if (deck.isStrict === true) {
    const refusal = strictAnswer(objections, isMastercard)
    if (refusal !== null) return refusal
  }
  if (isMerchantInitiated && hasChanged(deck, expiry)) return '54'
  if (expiry !== undefined) {
    if (deck.expiry === undefined ? expiry < thisMonth : expiry !== deck.expiry) return '54'
  }
  switch (deck.insistsOn) {
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
function hasChanged({ updater }: DeckAccount, expiry: string | undefined): boolean {
  return (updater?.result === 'A' || updater?.result === 'E') && updater.expiry !== expiry
}

function refuseByLimits(
  { amount, currency }: AuthorizationRequest,
  { limits = {} }: DeckAccount,
  purse: Purse,
): string | null {
  const { approvalsPerDay, perDay, perTransaction } = limits
  if (perTransaction !== undefined && amount > majorToMinor(perTransaction, currency)) return '61'
  if (approvalsPerDay !== undefined && purse.approvalsToday >= approvalsPerDay) return '65'
  if (perDay !== undefined && purse.approvedToday + amount > majorToMinor(perDay, currency)) {
    return '61'
  }
  return null
}

function decideByFunds(
  { amount, partialWelcome }: AuthorizationRequest,
  deck: DeckAccount,
  { available }: Purse,
  checks: Checks,
): Decision {
  if (deck.funds === undefined || amount <= available) {
    return { responseCode: '00', approved: amount, ...checks }
  }
  // The smallest welcome amount is the merchant's rule, and the merchant's gateway applies it.
  if (partialWelcome && available > 0n) {
    return { responseCode: '10', approved: available, ...checks }
  }
  return refused('51', checks, deck)
}

function refused(responseCode: string, checks: Checks, deck: DeckAccount | null): Decision {
  const merchantAdvice = deck?.merchantAdvice
  return {
    responseCode,
    approved: 0n,
    ...checks,
    ...(merchantAdvice === undefined ? {} : { merchantAdvice }),
  }
}
