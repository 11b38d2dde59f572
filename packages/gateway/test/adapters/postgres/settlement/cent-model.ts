import { fc } from '../../../../../../test/support/properties.ts'
import { contentHash, fileText, type FileRecord } from '../../../domain/settlement/file-text.ts'
import type { SettlementBooks } from './settlement-books.ts'

/** An order with its captures, and the files that have its lines. */
interface OrderFact {
  readonly parts: readonly number[]
  /** Of the first part, in percent. */
  readonly voided: number
  /** Of the rest of the first part, in percent; 0 for no refund. */
  readonly refunded: number
  readonly isRejected: boolean
  readonly fee: number
}

/** A file: orders that it settles, other lines, and what the acquirer pays out of the balance. */
interface FileFact {
  readonly orders: readonly OrderFact[]
  readonly monthlyFee: number
  /** In percent of the file's sales. */
  readonly held: number
  readonly isReleasing: boolean
  readonly adjustment: number
  readonly payout: 'all' | 'half' | 'none'
}

const minor = fc.integer({ min: 1, max: 99_999 })

export const FILES: fc.Arbitrary<readonly FileFact[]> = fc.array(
  fc.record({
    orders: fc.array(
      fc.record({
        parts: fc.array(minor, { minLength: 1, maxLength: 3 }),
        voided: fc.constantFrom(0, 0, 30),
        refunded: fc.constantFrom(0, 0, 50, 100),
        isRejected: fc.constantFrom(false, false, false, true),
        fee: fc.integer({ min: 0, max: 60 }),
      }),
      { maxLength: 4 },
    ),
    monthlyFee: fc.constantFrom(0, 0, 1_000),
    held: fc.constantFrom(0, 5, 10),
    isReleasing: fc.boolean(),
    adjustment: fc.constantFrom(0, 0, 50, -75),
    payout: fc.constantFrom('all', 'all', 'half', 'none'),
  }),
  { minLength: 1, maxLength: 4 },
)

/** Moves cents between accounts as bookkeeping does, apart from the gateway's rules. */
export class Cents {
  readonly #accounts = new Map<string, number>()

  /** `debit` grows, `credit` falls; the other way for an amount below zero. */
  move(amount: number, debit: string, credit: string): void {
    this.#accounts.set(debit, this.of(debit) + amount)
    this.#accounts.set(credit, this.of(credit) - amount)
  }

  of(account: string): number {
    return this.#accounts.get(account) ?? 0
  }

  /** Every account with money. */
  all(): Record<string, number> {
    const entries = [...this.#accounts].filter(([, cents]) => cents !== 0)
    return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }
}

export interface MadeFile {
  readonly text: string
  /** The balance at the acquirer after each line. */
  readonly balances: readonly number[]
  /** The trace ids and amounts of its payouts. */
  readonly payouts: readonly { readonly trace: string; readonly cents: number }[]
  readonly at: Date
}

/** The files of one source, one after the other. `cents` has all that they move. */
export class SourceModel {
  readonly cents = new Cents()
  readonly currency: string
  #last: { readonly text: string; readonly closing: number } | null = null
  #seq = 0
  #held = 0

  constructor(currency: string) {
    this.currency = currency
  }

  /** Makes the orders in the books, and the text of the file that settles them. */
  async make(books: SettlementBooks, fact: FileFact, day: string): Promise<MadeFile> {
    const { cents, currency } = this
    const lines: FileRecord[] = []
    const balances: number[] = []
    const add = (line: FileRecord): void => {
      // An id is once in all files of a sender.
      lines.push({ id: `${currency}-${this.#seq + 1}-${lines.length + 1}`, ...line })
      balances.push(cents.of('acquirer_balance'))
    }
    let sales = 0
    for (const order of fact.orders) sales += await this.#settle(books, order, day, add)
    if (fact.monthlyFee > 0) {
      cents.move(fact.monthlyFee, 'fee_scheme', 'acquirer_balance')
      const period = day.slice(0, 7)
      const fees = { scheme: decimal(-fact.monthlyFee) }
      add({ kind: 'fee', fee_code: `monthly-${this.#seq}`, period, gross: '0.00', fees })
    }
    if (fact.adjustment !== 0) {
      cents.move(fact.adjustment, 'acquirer_balance', 'adjustments')
      add({ kind: 'adjustment', reason: 'ADJ', gross: decimal(fact.adjustment) })
    }
    if (fact.isReleasing && this.#held > 0) {
      cents.move(this.#held, 'acquirer_balance', 'reserve_held')
      add({ kind: 'reserve_release', ref: `RSV-${this.#seq}`, gross: decimal(this.#held) })
      this.#held = 0
    }
    const held = Math.floor((sales * fact.held) / 100)
    if (held > 0) {
      this.#held += held
      cents.move(held, 'reserve_held', 'acquirer_balance')
      add({ kind: 'reserve_hold', ref: `RSV-${this.#seq + 1}`, gross: decimal(-held) })
    }
    const payouts = this.#payOut(fact, add)
    this.#seq += 1
    const text = fileText(lines, {
      currency,
      seq: this.#seq,
      file_id: `0192f0c4-7b1e-7c55-9a10-${currency === 'EUR' ? 'e' : 'd'}${String(this.#seq).padStart(11, '0')}`,
      business_date: day,
      value_date: nextDay(day),
      opening: decimal(this.#last?.closing ?? 0),
      ...(this.#last === null ? {} : { prev_sha256: contentHash(this.#last.text) }),
    })
    this.#last = { text, closing: cents.of('acquirer_balance') }
    return { text, balances, payouts, at: new Date(`${nextDay(day)}T03:00:00Z`) }
  }

  /** The lines of an order. @returns its sales in cents */
  async #settle(
    books: SettlementBooks,
    { fee, isRejected, parts, refunded, voided }: OrderFact,
    day: string,
    add: (line: FileRecord) => void,
  ): Promise<number> {
    const { cents, currency } = this
    const [first = 0, ...others] = parts
    const gone = Math.floor((first * voided) / 100)
    const back = isRejected ? 0 : Math.floor(((first - gone) * refunded) / 100)
    const captured = [first - gone, ...others]
    const { rrn } = await books.order(
      [
        ...parts.map((each, at) => ({
          kind: 'capture' as const,
          minor: each,
          voided: at === 0 ? gone : 0,
        })),
        ...(back > 0 ? [{ kind: 'refund' as const, minor: back }] : []),
      ],
      { currency, at: new Date(`${day}T10:00:00Z`) },
    )
    const charge = (amount: number): FileRecord => {
      if (amount === 0) return {}
      cents.move(amount, 'fee_acquirer', 'acquirer_balance')
      return { fees: { acquirer: decimal(-amount) } }
    }
    for (const each of captured) {
      cents.move(each, 'acquirer_receivable', 'merchant_payable')
      if (isRejected) {
        cents.move(each, 'merchant_payable', 'acquirer_receivable')
        const orig = { amount: decimal(each), currency }
        add({ kind: 'reject', rrn, orig, reason: 'R07', gross: '0.00' })
      } else {
        cents.move(each, 'acquirer_balance', 'acquirer_receivable')
        add({ kind: 'sale', rrn, gross: decimal(each), ...charge(fee) })
      }
    }
    if (back > 0) {
      cents.move(back, 'merchant_refunds', 'acquirer_receivable')
      cents.move(back, 'acquirer_receivable', 'acquirer_balance')
      add({ kind: 'refund', rrn, gross: decimal(-back), ...charge(10) })
    }
    return isRejected ? 0 : captured.reduce((sum, each) => sum + each, 0)
  }

  #payOut({ payout }: FileFact, add: (line: FileRecord) => void): MadeFile['payouts'] {
    const balance = this.cents.of('acquirer_balance')
    const paid = payout === 'all' ? balance : payout === 'half' ? Math.floor(balance / 2) : 0
    if (paid <= 0) return []
    const trace = `TRACE${this.currency}${this.#seq + 1}X`
    this.cents.move(paid, 'payout_in_transit', 'acquirer_balance')
    add({ kind: 'payout', gross: decimal(-paid), payout: `PO-${trace}`, trace })
    return [{ trace, cents: paid }]
  }
}

/** Cents as a decimal text. */
export function decimal(cents: number): string {
  return (cents / 100).toFixed(2)
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}
