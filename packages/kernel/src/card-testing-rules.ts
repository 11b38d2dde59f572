/**
 * Card testing: an attacker sends many stolen numbers through a shop to learn which of them still
 * work. A site's rules limit how many payments, cards or declines of one subject pass in a window
 * of time.
 */

/** The subjects that a rule can count by, in the words that an operator reads. */
export const CARD_TESTING_SUBJECTS = {
  card: 'one card number',
  bin: 'the first six digits of the card number',
  address: "the customer's XTL_IP; for IPv6 the first 64 bits",
  amount: 'one amount in one currency',
  site: 'the whole site',
} as const

/** The events of a subject that a rule can count. */
export const CARD_TESTING_COUNTS = {
  attempts: 'payments that passed the rules',
  cards: 'different cards that passed the rules; a card that was counted already passes again',
  declines: 'payments the issuer declined',
} as const

/** SERVICE codes that a rule may answer with. */
export const CARD_TESTING_CODES = [215, 601] as const

export interface CardTestingRule {
  readonly name: string
  readonly subject: keyof typeof CARD_TESTING_SUBJECTS
  readonly counts: keyof typeof CARD_TESTING_COUNTS
  /** How many pass in one window. */
  readonly limit: number
  /** A window begins with the first payment that is counted after the last one ended. */
  readonly windowSeconds: number
  readonly code: (typeof CARD_TESTING_CODES)[number]
}

/** The velocity rules in force at a site. A site without a policy counts and refuses nothing. */
export interface CardTestingPolicy {
  /** `watch` counts and records what `enforce` would refuse, and refuses nothing. */
  readonly mode: 'watch' | 'enforce'
  readonly rules: readonly CardTestingRule[]
  /** Normalized addresses that no address rule is applied to, such as the merchant's own office. */
  readonly exceptAddresses: readonly string[]
}

/**
 * The rules that an operator can start with; docs/operators/card-testing.md gives the reason for
 * each number.
 */
export const DEFAULT_CARD_TESTING_RULES: readonly CardTestingRule[] = [
  rule('card-declines', 'card', 'declines', 5, 3_600, 215),
  rule('address-cards', 'address', 'cards', 10, 600, 601),
  rule('address-declines', 'address', 'declines', 10, 3_600, 601),
  rule('bin-cards', 'bin', 'cards', 40, 600, 601),
  rule('bin-declines', 'bin', 'declines', 20, 600, 601),
  rule('amount-declines', 'amount', 'declines', 20, 600, 601),
]

function rule(
  name: string,
  subject: CardTestingRule['subject'],
  counts: CardTestingRule['counts'],
  limit: number,
  windowSeconds: number,
  code: CardTestingRule['code'],
): CardTestingRule {
  return { name, subject, counts, limit, windowSeconds, code }
}
