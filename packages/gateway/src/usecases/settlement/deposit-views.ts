/** A bank account for a reader. */
export interface BankAccountView {
  readonly id: bigint
  readonly merchantId: bigint
  readonly last4: string
  readonly currency: string
  readonly reversals: 'as_given' | 'inverted'
  /** ISO 8601 date. */
  readonly since: string
  /** The day of the last closing balance, and the balance in minor units; null for none. */
  readonly closedOn: string | null
  readonly closingMinor: bigint | null
}

/** How the deposits of a source look. */
export interface PayerView {
  readonly merchantAccountId: bigint
  readonly currency: string
  readonly payerName: string
  readonly referencePattern: string
}

/** An imported bank statement. Amounts are minor units of `currency`. */
export interface BankStatementView {
  readonly id: bigint
  readonly merchantId: bigint
  readonly last4: string
  readonly currency: string
  readonly statement: string
  readonly sequence: string
  readonly closedOn: string
  readonly openingMinor: bigint
  readonly closingMinor: bigint
  readonly entries: number
  readonly others: number
  readonly matched: number
  readonly unknown: number
  readonly followsGap: boolean
  readonly importedAt: Date
  readonly importedBy: string
}

/** An entry of an acquirer, with its payouts. */
export interface BankEntryView {
  readonly id: bigint
  readonly position: number
  readonly state: 'unknown' | 'matched'
  readonly amountMinor: bigint
  readonly bookedOn: string
  readonly isReversal: boolean
  readonly chargesMinor: bigint | null
  readonly texts: readonly string[]
  readonly payouts: readonly {
    readonly payoutId: bigint
    readonly kind: 'deposit' | 'supplement' | 'return'
    readonly name: string
  }[]
  /** Payouts that the entry may be, while it has none. */
  readonly proposal: readonly bigint[]
}

export interface DepositReader {
  listAccounts(): Promise<{
    readonly accounts: readonly BankAccountView[]
    readonly payers: readonly PayerView[]
  }>
  /** The newest first. */
  listStatements(limit: number): Promise<readonly BankStatementView[]>
  /** A statement with its entries of acquirers; null for none. */
  readStatement(id: bigint): Promise<{
    readonly statement: BankStatementView
    readonly entries: readonly BankEntryView[]
  } | null>
}
