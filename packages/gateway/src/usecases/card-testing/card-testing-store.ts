import type { CardTestingRule } from '../../domain/card-testing/card-testing.ts'
import type { Site } from '../merchants/merchant-directory.ts'

/** One rule asked about one payment. */
export interface CounterQuestion {
  readonly rule: CardTestingRule
  /** Keyed digest of site, rule and subject: 32 hexadecimal digits. */
  readonly subject: string
  /** Keyed digest of the card, another one for each subject; null where cards aren't counted. */
  readonly card: string | null
}

/** A payment that was refused, or would have been. */
export interface CardTestingHit {
  readonly site: Pick<Site, 'id' | 'merchantId'>
  readonly rules: readonly string[]
  readonly refused: boolean
  readonly orderId: bigint
  readonly transactionId: bigint
}

/** Counters that every node shares. */
export interface CardTestingStore {
  /**
   * Returns the rules that have no room for the payment. If there are none, counts the payment for
   * all rules. In one window no more than a rule's limit pass, however many ask at once. Rules that
   * count declines are the exception, because a payment is declined only later.
   */
  judge(questions: readonly CounterQuestion[]): Promise<readonly CardTestingRule[]>
  /** Counts one decline for each; behind the answers, and lost when the database is away. */
  countDeclines(questions: readonly CounterQuestion[]): void
  /** Keeps it for the operator; behind the answers as well. */
  keepHit(hit: CardTestingHit): void
}
