/** The members of operations beside the login and the site, each a text or a number in JSON. */
export type OperationMember =
  | 'account'
  | 'amount'
  | 'answer'
  | 'dispute'
  | 'event'
  | 'issuer'
  | 'membership'
  | 'order'
  | 'reason'
  | 'test'
  | 'text'
  | 'transaction'

/** One operation of a test site, as documents, addresses and the portal name it. */
export interface OperationDescription {
  /** The members that it must have. */
  readonly needs: readonly OperationMember[]
  /** The members that it may have. */
  readonly takes: readonly OperationMember[]
  /** Its effect, as a sentence. */
  readonly effect: string
}

/** Every operation that a test site can have the bank, an issuer or time do at once. */
export const SANDBOX_OPERATIONS = {
  'close-batch': {
    needs: [],
    takes: ['account'],
    effect: "Closes the account's open batch, and waits until the bank has agreed its totals.",
  },
  settle: {
    needs: [],
    takes: ['account'],
    effect:
      'Closes the open batches of the site. Then the bank writes the settlement files, and the ' +
      'gateway imports them.',
  },
  reject: {
    needs: ['transaction'],
    takes: [],
    effect: 'The next settlement file rejects the capture or the refund, which was approved.',
  },
  dispute: {
    needs: ['order'],
    takes: ['event', 'amount', 'reason'],
    effect: 'The cardholder disputes the order: a chargeback, unless the event is another one.',
  },
  'report-fraud': {
    needs: ['order'],
    takes: ['amount'],
    effect: 'The issuer reports the order as fraud. No money moves.',
  },
  'answer-dispute': {
    needs: ['dispute', 'answer'],
    takes: ['text'],
    effect: 'The merchant accepts or contests the case, and the bank takes the answer.',
  },
  'decide-dispute': {
    needs: ['dispute', 'issuer'],
    takes: [],
    effect:
      'The issuer accepts the answer, and the case is won. Or the issuer rejects it, and the ' +
      'case goes to its next stage; arbitration is lost.',
  },
  'win-dispute': {
    needs: ['dispute'],
    takes: [],
    effect: 'The merchant wins the case, and its money comes back.',
  },
  'lose-dispute': {
    needs: ['dispute'],
    takes: [],
    effect: 'The merchant loses the case.',
  },
  'expire-authorization': {
    needs: ['order'],
    takes: [],
    effect: 'The authorization expires, and the uncaptured amount is released at the bank.',
  },
  'charge-membership': {
    needs: ['membership'],
    takes: ['test'],
    effect: 'The membership is due, and its card is charged. A new period begins now.',
  },
} as const satisfies Readonly<Record<string, OperationDescription>>

export type OperationName = keyof typeof SANDBOX_OPERATIONS

/** The events with which a case can begin. */
export const DISPUTE_EVENTS = ['inquiry', 'chargeback', 'rapid_resolution'] as const

/** An operation and what it is about. Amounts are decimal text in the order's currency. */
export type SandboxOperation =
  | { readonly operation: 'close-batch' | 'settle'; readonly accountId: bigint | null }
  | { readonly operation: 'reject'; readonly transactionId: bigint }
  | {
      readonly operation: 'dispute'
      readonly orderId: bigint
      readonly event: (typeof DISPUTE_EVENTS)[number]
      readonly amount: string | null
      readonly reason: string | null
    }
  | { readonly operation: 'report-fraud'; readonly orderId: bigint; readonly amount: string | null }
  | {
      readonly operation: 'answer-dispute'
      readonly disputeId: bigint
      readonly answer: 'accept' | 'contest'
      readonly text: string
    }
  | {
      readonly operation: 'decide-dispute'
      readonly disputeId: bigint
      readonly issuer: 'accepts' | 'rejects'
    }
  | { readonly operation: 'win-dispute' | 'lose-dispute'; readonly disputeId: bigint }
  | { readonly operation: 'expire-authorization'; readonly orderId: bigint }
  | {
      readonly operation: 'charge-membership'
      readonly membershipId: bigint
      /** The words of a test for the test bank, checked; null: none. */
      readonly bankTest: string | null
    }
