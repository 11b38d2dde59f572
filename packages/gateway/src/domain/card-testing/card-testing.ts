import type { CardTestingRule } from '@tollgate/kernel/card-testing-rules'

export * from '@tollgate/kernel/card-testing-rules'

/** Rules with the same one would count on one counter. */
export function counterName({ subject, counts, windowSeconds }: CardTestingRule): string {
  return `${subject} ${counts} ${windowSeconds}`
}

/** The known facts about where a payment comes from. */
export interface PaymentOrigin {
  readonly kind: 'authorization' | 'sale' | 'refund'
  /** A saved card was named instead of a number. */
  readonly savedCard: boolean
  /** The number comes out of the merchant's own card store. */
  readonly onFileElsewhere: boolean
  /** The number is one that the customer named has already. */
  readonly knownCard: boolean
  readonly securityCode: boolean
  readonly initiator: 'customer' | 'merchant' | null
  readonly recurring: 'none' | 'first' | 'rebill'
  readonly rebillType: 'NONE' | 'TRIAL' | 'INITIAL' | 'REBILL' | null
}

/**
 * The rules that apply to a payment. An attacker types numbers into a shop's page, so
 * merchant-initiated charges are exempt. A known customer's known number without a code may be an
 * unmarked renewal. A run of those is many cards of one amount, but never one card many times.
 */
export function rulesFor(origin: PaymentOrigin): 'all' | 'card' | 'none' {
  if (origin.kind === 'refund' || origin.savedCard || origin.onFileElsewhere) return 'none'
  if (origin.initiator === 'merchant') return 'none'
  if (origin.recurring === 'rebill' || origin.rebillType === 'REBILL') return 'none'
  return origin.knownCard && !origin.securityCode ? 'card' : 'all'
}

/** The value that a payment has for each subject. */
export interface SubjectFacts {
  readonly fingerprint: string
  /** Null where it is not known. */
  readonly bin: string | null
  /** Normalized; null if no address was sent that a customer can have. */
  readonly address: string | null
  readonly currency: string
  readonly amountMinor: bigint
}

/** The value that a rule counts by; null where the rule does not apply to the payment. */
export function subjectValue(
  { subject }: CardTestingRule,
  facts: SubjectFacts,
  exceptAddresses: readonly string[],
): string | null {
  switch (subject) {
    case 'card':
      return facts.fingerprint
    case 'bin':
      return facts.bin
    case 'address':
      return facts.address !== null && exceptAddresses.includes(facts.address)
        ? null
        : facts.address
    case 'amount':
      return `${facts.currency} ${facts.amountMinor}`
    case 'site':
      return ''
  }
}

/** The counters of one subject of one rule. */
export interface Counter {
  readonly endsAtMs: number
  readonly count: number
  /** Those counted in this window; empty where a rule does not count cards. */
  readonly cards: ReadonlySet<string>
}

/**
 * Whether one more payment would exceed the limit; `card` is the key by which cards are
 * distinguished.
 */
export function isFull(
  { counts, limit }: CardTestingRule,
  counter: Counter | undefined,
  card: string,
  nowMs: number,
): boolean {
  if (counter === undefined || counter.endsAtMs <= nowMs || counter.count < limit) return false
  return counts !== 'cards' || !counter.cards.has(card)
}

/** The counter once a payment is counted. */
export function count(
  { counts, windowSeconds }: CardTestingRule,
  counter: Counter | undefined,
  card: string,
  nowMs: number,
): Counter {
  const lasts = counter !== undefined && counter.endsAtMs > nowMs
  const begun = { endsAtMs: nowMs + windowSeconds * 1_000, count: 0, cards: new Set<string>() }
  const before = lasts ? counter : begun
  if (counts !== 'cards') return { ...before, count: before.count + 1 }
  if (before.cards.has(card)) return before
  return { ...before, count: before.count + 1, cards: new Set([...before.cards, card]) }
}

/**
 * Declines that do not concern the card. The bank or the issuer has an outage, or the merchant's
 * account or request is wrong, or an authentication is missing. Counting them would lock out a
 * shop's customers after an outage.
 */
const NOT_ABOUT_THE_CARD = new Set([
  // The account's demands: the bank was not asked.
  200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213,
  // The rules' own answers: the bank was not asked.
  215, 601, 216, 221, 500, 502, 503, 518, 519, 520, 522, 530, 560, 564, 565, 580, 640, 670, 680,
])

/** Whether a payment ended the way a tester's dead number does. */
export function isCardDecline(state: string, serviceCode: number): boolean {
  return state === 'declined' && !NOT_ABOUT_THE_CARD.has(serviceCode)
}
