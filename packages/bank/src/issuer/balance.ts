import type { Posting } from '../books/journal-record.ts'
import { InvariantError } from '../invariant.ts'

/** One account's money in one currency, in minor units. */
export class Balance {
  readonly account: string
  readonly last4: string
  /** ISO 4217 numeric. */
  readonly currency: string
  /** Everything that has been paid in and not out, whether it is held or not. */
  ledger = 0n
  available = 0n
  held = 0n
  /** The day of the sums below, `YYYY-MM-DD` in UTC. */
  day = ''
  approvedToday = 0n
  approvalsToday = 0
  /** The day of the last reset to the test cards' opening funds. */
  restoredOn = ''

  constructor(account: string, last4: string, currency: string) {
    this.account = account
    this.last4 = last4
    this.currency = currency
  }

  /** Counts an approval towards the limits of its day. */
  countApproval(amount: bigint, day: string): void {
    if (this.day !== day) {
      this.day = day
      this.approvedToday = 0n
      this.approvalsToday = 0
    }
    this.approvedToday += amount
    this.approvalsToday += 1
  }

  /** Throws InvariantError when the three sums of this balance contradict each other. */
  check(): void {
    if (this.available !== this.ledger - this.held) {
      throw new InvariantError(
        `Account ${this.account} has ${this.available} available in ${this.currency}, but its ` +
          `ledger of ${this.ledger} less its holds of ${this.held} says otherwise.`,
      )
    }
    if (this.held < 0n) {
      throw new InvariantError(`Account ${this.account} holds less than nothing: ${this.held}.`)
    }
  }
}

/** The balances of the bank's own ledger accounts, in one currency. Credits count as positive. */
export class GeneralLedger {
  issuerClearing = 0n
  acquirerClearing = 0n
  suspense = 0n
  readonly payable = new Map<string, bigint>()

  /** Books the postings of one record here and in the account's balance. */
  post(postings: readonly Posting[], balance: Balance, merchant: string): void {
    let sum = 0n
    for (const [side, account, text] of postings) {
      const amount = side === 'C' ? BigInt(text) : -BigInt(text)
      sum += amount
      switch (account) {
        case 'cardholder':
          balance.available += amount
          break
        case 'hold':
          balance.held += amount
          break
        case 'issuer_clearing':
          this.issuerClearing += amount
          break
        case 'acquirer_clearing':
          this.acquirerClearing += amount
          break
        case 'payable':
          this.payable.set(merchant, (this.payable.get(merchant) ?? 0n) + amount)
          break
        case 'suspense':
          this.suspense += amount
          break
        default:
          throw new InvariantError(`A record posts to ${String(account)}, which is no account.`)
      }
    }
    if (sum !== 0n) throw new InvariantError(`The postings of a record differ by ${sum}.`)
    if (this.issuerClearing !== -this.acquirerClearing) {
      throw new InvariantError('The issuer owes another amount than the acquirer expects.')
    }
  }
}
