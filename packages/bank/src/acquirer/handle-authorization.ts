import type { Books } from '../books/books.ts'
import type { RecordDraft } from '../books/journal-record.ts'
import { postHold, postSeed } from '../books/postings.ts'
import { applied, refusal } from '../books/record-drafts.ts'
import type { Incoming } from '../books/record-drafts.ts'
import type { UpdaterResult } from '../issuer/account-updater.ts'
import { balanceOf } from '../issuer/bank-test.ts'
import type { CardRecord } from '../issuer/card-file.ts'
import { majorToMinor } from '../issuer/currencies.ts'
import { decideByTest } from '../issuer/decide-by-test.ts'
import { decideAuthorization, decideByStandIn } from '../issuer/decision.ts'
import type { AccountFunds, Decision } from '../issuer/decision.ts'
import { NO_RESULT } from '../issuer/verification.ts'
import { findPublishedCavv } from '../test-data/published-cavvs.ts'
import type { CavvCheck, CavvResult } from '../three-ds/cavv-check.ts'
import { authorizationAnswer, isApproval, networkReference } from './authorization-answer.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { readAuthorization, readBooking, requireField } from './read-request.ts'
import { findObjections } from './stored-credential.ts'
import type { Objection } from './stored-credential.ts'

export interface AuthorizationParts {
  readonly books: Books
  readonly findCard: (pan: string, merchant: string) => CardRecord
  readonly triggers: boolean
  /** Null for a bank without a key for CAVVs: it accepts none. */
  readonly cavvCheck: CavvCheck | null
  /** The number of the journal's last record. */
  readonly lastSeq: () => number
  /** Books a record that comes before the one that is returned. */
  readonly book: (draft: RecordDraft) => void
}

/**
 * Decides a 0100 and returns its record. A test card is reset to its opening funds first, if
 * due.
 */
export function authorize(
  parts: AuthorizationParts,
  incoming: Incoming,
  isCardCheck: boolean,
): RecordDraft {
  const { at, fault, message } = incoming
  const booking = readBooking(message)
  const request = readAuthorization(message, booking, isCardCheck)
  // A bank that plays a live acquirer knows no tests, and must not take one for a payment.
  if (request.test !== undefined && !parts.triggers) return refusal(incoming, '30', booking)
  // A card check with an amount contradicts itself.
  if (isCardCheck && request.amount !== 0n) return refusal(incoming, '30', booking)
  const card = parts.findCard(request.pan, booking.merchant)
  if (!isCardCheck) restoreFunds(parts, request, card, at)
  const funds = fundsOf(parts.books, request, card, at)
  // Sites with their own clock are for tests; a live acquirer knows one time only.
  const businessTime = parts.triggers ? request.businessTime : undefined
  const day = businessTime?.slice(0, 8) ?? at.slice(0, 10).replaceAll('-', '')
  const objections = findObjections(request, (reference) => isFirst(parts.books, reference, card))
  const decision = decide(parts, request, { card, funds, fault, day, objections })
  const { approved, responseCode } = decision
  const facts = {
    seq: parts.lastSeq() + 1,
    at,
    day,
    transmissionTime: requireField(message, 7),
    product: card.product,
    isTokenized: request.test?.['network-token'] !== undefined,
    balanceLeft: testBalance(request, approved) ?? balanceLeft(card, funds, decision),
  }
  const answer = authorizationAnswer(request, decision, facts)
  const record =
    approved === 0n
      ? refusal(incoming, responseCode, booking)
      : applied(incoming, 'auth', { ...booking, amount: approved }, postHold(approved))
  const { account, last4 } = card
  const ofTest = request.test?.updater === undefined ? undefined : decision.update?.result
  const updated = ofTest === undefined ? {} : { updater: ofTest }
  if (request.initiation === undefined) {
    const time = businessTime === undefined ? {} : { businessTime }
    return { ...record, account, last4, responseCode, ...time, ...updated, answer }
  }
  const isGood = isApproval(request, decision)
  const isFirstPayment = isGood && !request.isMerchantInitiated && objections.length === 0
  return {
    ...record,
    account,
    last4,
    responseCode,
    ...storedCredential(request, objections, decision.update?.result ?? null),
    ...updated,
    ...(isFirstPayment ? { reference: networkReference(facts) } : {}),
    answer,
  }
}

interface Facts {
  readonly card: CardRecord
  readonly funds: AccountFunds
  readonly fault: Incoming['fault'] | undefined
  /** YYYYMMDD. */
  readonly day: string
  readonly objections: readonly Objection[]
}

/** The decision of a fault, of the request's own test, or of the account. */
function decide(
  parts: AuthorizationParts,
  request: AuthorizationRequest,
  { card, day, fault, funds, objections }: Facts,
): Decision {
  if (fault?.kind === 'stand_in' && !request.isCardCheck) {
    return decideByStandIn(request, fault.approves)
  }
  const thisMonth = day.slice(2, 6)
  const { triggers } = parts
  const context = { thisMonth, triggers, cavv: cavvResult(parts, request), objections }
  const decideByAccount = (asked: AuthorizationRequest) =>
    decideAuthorization(asked, card.testCard, funds, context)
  const { test } = request
  if (test === undefined) return decideByAccount(request)
  return decideByTest(request, test, thisMonth, decideByAccount)
}

/** The claims of a payment with a card on file, for the record. */
function storedCredential(
  { requestsAccountUpdate, businessTime, firstReference, initiation }: AuthorizationRequest,
  objections: readonly Objection[],
  update: UpdaterResult | null,
): Partial<RecordDraft> {
  return {
    ...(initiation === undefined ? {} : { initiation }),
    ...(firstReference === undefined ? {} : { firstReference }),
    ...(businessTime === undefined ? {} : { businessTime }),
    ...(requestsAccountUpdate ? { updater: update ?? 'not_done' } : {}),
    ...(objections.length === 0 ? {} : { objections }),
  }
}

/**
 * Whether the payment with a network id was customer-initiated with this card or its old number.
 */
function isFirst(books: Books, reference: string, { account, replaced }: CardRecord): boolean {
  const owner = books.firstPayments.accountOf(reference)
  return owner !== undefined && (owner === account || owner === replaced)
}

function cavvResult(
  { cavvCheck, triggers }: AuthorizationParts,
  { amount, authentication, currency, pan }: AuthorizationRequest,
): CavvResult {
  if (authentication === undefined) return NO_RESULT
  const published = triggers ? findPublishedCavv(authentication) : null
  if (published !== null) return published
  return cavvCheck === null ? '6' : cavvCheck({ pan, amount, currency, ...authentication })
}

/** Resets a test card to its opening funds when that is due. */
function restoreFunds(
  { book, books }: AuthorizationParts,
  { currency }: AuthorizationRequest,
  { account, testCard, last4 }: CardRecord,
  at: string,
): void {
  if (testCard?.funds === undefined) return
  const { opening, restored } = testCard.funds
  const balance = books.findBalance(account, currency)
  if (restored === 'daily' && balance?.restoredOn === at.slice(0, 10)) return
  const missing = majorToMinor(opening, currency) - (balance?.available ?? 0n)
  if (missing === 0n && restored === 'each_authorization') return
  const postings = postSeed(missing)
  book({ kind: 'seed', at, account, last4, currency, amount: missing.toString(), postings })
}

function fundsOf(
  books: Books,
  { currency }: AuthorizationRequest,
  { account }: CardRecord,
  at: string,
): AccountFunds {
  const balance = books.findBalance(account, currency)
  const isToday = balance?.day === at.slice(0, 10)
  return {
    available: balance?.available ?? 0n,
    approvedToday: isToday ? balance.approvedToday : 0n,
    approvalsToday: isToday ? balance.approvalsToday : 0,
  }
}

/** The balance that a test leaves on the card, whether the payment is approved or not. */
function testBalance({ currency, test }: AuthorizationRequest, approved: bigint): bigint | null {
  const balance = test === undefined ? null : balanceOf(test, currency)
  return balance === null ? null : balance - approved
}

/** DE 39 of a payment that is above the funds. */
const INSUFFICIENT_FUNDS = '51'

/**
 * The balance left on a prepaid card after this, also where it was too low; null where the answer
 * does not return it.
 */
function balanceLeft(
  { testCard, product }: CardRecord,
  funds: AccountFunds,
  { approved, responseCode }: Decision,
): bigint | null {
  if (testCard?.funds === undefined || product?.prepaid !== true) return null
  if (approved === 0n && responseCode !== INSUFFICIENT_FUNDS) return null
  return funds.available - approved
}
