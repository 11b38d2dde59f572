import type { TestBankTables } from '../../domain/banks/test-bank.ts'

/**
 * Money of one account at the bundled bank in one currency (ISO 4217 numeric), minor units as text.
 */
export interface BankBalance {
  readonly currency: string
  readonly availableMinor: string
  readonly heldMinor: string
  readonly ledgerMinor: string
  /** The UTC day of the sums that follow. */
  readonly day: string
  readonly approvedMinor: string
  readonly approvals: number
}

export interface BankAccount {
  readonly id: string
  /** Null for other cards, of which the bank knows the end alone. */
  readonly first6: string | null
  readonly last4: string
  readonly meaning: string
  readonly status: string
  /** Whole major units, in each currency again. */
  readonly funds: { readonly opening: string; readonly restored: string } | null
  readonly limits: {
    readonly perTransaction: string | null
    readonly perDay: string | null
    readonly approvalsPerDay: number | null
  }
  readonly balances: readonly BankBalance[]
}

export interface BankLine {
  /** Names the message; its last part is month, day and time. */
  readonly key: string
  readonly day: string
  readonly kind: string
  readonly state: string
  readonly currency: string
  readonly amountMinor: string
  readonly heldMinor: string
  readonly capturedMinor: string
  readonly refundedMinor: string
}

/** A scripted fault: which messages, what is done, how often still. */
export interface BankRule {
  readonly id: number
  readonly match: Readonly<Record<string, string>>
  readonly action: Readonly<Record<string, string | number | boolean>> & { readonly kind: string }
  readonly count: number | null
  readonly seen: number
  readonly done: number
}

export interface NewBankRule {
  readonly match: Readonly<Record<string, string>>
  readonly action: Readonly<Record<string, string | number | boolean>>
  readonly count?: number
}

/** The bundled bank. Each rejects where it cannot be asked, or says no. `merchants`: DE 42. */
export interface TestBankPort {
  tables(): Promise<TestBankTables>
  accounts(merchants: readonly string[]): Promise<readonly BankAccount[]>
  statement(account: string, merchants: readonly string[]): Promise<readonly BankLine[]>
  rules(): Promise<readonly BankRule[]>
  addRule(rule: NewBankRule): Promise<BankRule>
  removeRule(id: number): Promise<void>
}
