/** The facts that decide whether the data of a customer may go, read under their orders' locks. */
export interface CustomerFacts {
  readonly isErased: boolean
  readonly hasNumber: boolean
  readonly orders: number
  /** Days since the last movement of an order, by the clock of its site; null without an order. */
  readonly quietDays: number | null
  /** A login name finds the customer again. */
  readonly hasLogin: boolean
  /** The merchant gave a card a reference of its own. */
  readonly hasNamedCard: boolean
  /** A card was there before the first order: imported. */
  readonly hadCardBefore: boolean
  /** An order verified a card without charging it, or began or continued a series. */
  readonly askedToKeep: boolean
  readonly isInMembership: boolean
  readonly hasRunningPayment: boolean
  readonly hasOpenAuthorization: boolean
  readonly hasQueuedAdvice: boolean
  readonly hasOpenDifference: boolean
  /** Its end may need another refund to the card. */
  readonly hasSettlementDifference: boolean
  readonly hasOpenDispute: boolean
}

/**
 * A guest's number: it came with the only order of a customer, without a wish to keep it. It goes
 * once the order has been quiet for so many days, and nothing can name the card to the bank.
 */
export function mayEraseGuestCard(facts: CustomerFacts, days: number): boolean {
  const isGuest =
    facts.orders === 1 &&
    !facts.hasLogin &&
    !facts.hasNamedCard &&
    !facts.hadCardBefore &&
    !facts.askedToKeep
  return isGuest && facts.hasNumber && isQuiet(facts, days) && obstacles(facts).length === 0
}

/** A customer whose orders have all been quiet for so many days. */
export function mayEraseCustomer(facts: CustomerFacts, days: number): boolean {
  return !facts.isErased && isQuiet(facts, days) && obstacles(facts).length === 0
}

function isQuiet({ quietDays }: CustomerFacts, days: number): boolean {
  return quietDays !== null && quietDays >= days
}

/** Why the data of a customer cannot go now, as sentences; none if they can. */
export function obstacles(facts: CustomerFacts): string[] {
  const sentences: readonly (readonly [boolean, string])[] = [
    [facts.isInMembership, 'A membership charges a card. Cancel the membership.'],
    [facts.hasRunningPayment, 'A payment is in progress. Wait for its outcome.'],
    [facts.hasOpenAuthorization, 'An authorization is open. Capture or void the authorization.'],
    [
      facts.hasQueuedAdvice,
      'The bank has not acknowledged an advice of an order. Wait for the acknowledgement.',
    ],
    [
      facts.hasOpenDifference,
      'The reconciliation reports a difference of an order. Resolve the difference.',
    ],
    [
      facts.hasSettlementDifference,
      'A settlement difference of an order is open. End the difference.',
    ],
    [facts.hasOpenDispute, 'An order is in dispute. Wait for the end of the dispute.'],
  ]
  return sentences.flatMap(([stands, sentence]) => (stands ? [sentence] : []))
}
