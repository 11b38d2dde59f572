import type {
  BrandFigures,
  OwnEntry,
} from '../../packages/gateway/src/domain/books/batch-agreement.ts'
import { findCurrency } from '../../packages/gateway/src/domain/currency.ts'
import type {
  BatchContent,
  BatchToCompare,
  CurrencyDifference,
  DueTotals,
} from '../../packages/gateway/src/usecases/books/batch-agreement.ts'
import type { MerchantAccount } from '../../packages/gateway/src/usecases/merchants/merchant-directory.ts'
import type { MessageIdentity } from '../../packages/gateway/src/usecases/payments/payment-store.ts'
import { keyOf } from './bank.ts'
import type { AdviceRow, TransactionRow } from './durable-rows.ts'

/** The one brand of the simulation, as a message names it. */
export const BRAND = 'VISA'
const CURRENCY = 'USD'

/** The rows of a batch. All of the simulation is one account and one currency. */
interface BatchRow {
  readonly id: bigint
  state: 'open' | 'closing' | 'agreeing' | 'comparing' | 'agreed' | 'differing' | 'none'
  closedAt: Date
  /** Its 0500. */
  totals: {
    readonly message: MessageIdentity
    readonly brands: readonly BrandFigures[]
    tries: number
    nextTryAt: Date
  } | null
  comparedUntil: Date
  differences: readonly CurrencyDifference[]
}

interface OtherRows {
  readonly advices: ReadonlyMap<bigint, AdviceRow>
  readonly queued: ReadonlySet<AdviceRow>
  readonly transactions: ReadonlyMap<bigint, TransactionRow>
}

const NEVER = new Date(0)

/** The batches of the account: each method is one step, with the meaning of the SQL of its name. */
export class DurableBatches {
  readonly rows = new Map<bigint, BatchRow>()
  readonly #store: OtherRows
  readonly #account: MerchantAccount
  #open = 501n

  constructor(store: OtherRows, account: MerchantAccount) {
    this.#store = store
    this.#account = account
    this.#add(this.#open)
  }

  get openId(): bigint {
    return this.#open
  }

  isClosed(id: bigint | null): boolean {
    return id !== null && id !== this.#open
  }

  /** Whether any batch has a next step. `isDue`: at once. */
  hasWork(now: Date): { readonly isOpen: boolean; readonly isDue: boolean } {
    const open = [...this.rows.values()].filter(({ state }) =>
      ['closing', 'agreeing', 'comparing'].includes(state),
    )
    const isDue = open.some(
      ({ comparedUntil, state, totals }) =>
        state === 'closing' ||
        (state === 'agreeing' && totals !== null && totals.nextTryAt <= now) ||
        (state === 'comparing' && comparedUntil <= now),
    )
    return { isOpen: open.length > 0, isDue }
  }

  /** Closes the open batch if it holds anything that the bank has answered; null if not. */
  cutOff(now: Date): bigint | null {
    const id = this.#open
    const answered = this.#movements(id).some(
      (row) => ![...this.#store.queued].some((advice) => advice.transactionId === row.id),
    )
    if (!answered) return null
    const row = this.#row(id)
    row.state = 'closing'
    row.closedAt = now
    this.#open += 1n
    this.#add(this.#open)
    return id
  }

  findClosing(): bigint[] {
    return [...this.rows.values()].filter(({ state }) => state === 'closing').map(({ id }) => id)
  }

  moveUnanswered(id: bigint): void {
    for (const advice of this.#store.queued) {
      if (advice.batchId !== id) continue
      const row = this.#store.transactions.get(advice.transactionId)
      if (row !== undefined) row.batchId = this.#open
      if (advice.tries > 0) advice.leftBatchId ??= id
      advice.batchId = this.#open
    }
  }

  /** `waitsForMoved`: a broken rule leaves it out. */
  count(id: bigint, waitsForMoved = true): BatchContent | null {
    const queued = [...this.#store.queued]
    const isWaiting = queued.some(
      ({ batchId, kind, leftBatchId, original }) =>
        batchId === id ||
        (waitsForMoved && leftBatchId !== null && leftBatchId <= id && (batchId ?? 0n) > id) ||
        (kind === 'reversal' && this.#captureBatches(original).includes(id)),
    )
    if (isWaiting) return null
    const entries = this.readOwnDetail(id)
    const brands = entries.length === 0 ? [] : [[CURRENCY, [figuresOf(entries)]] as const]
    return { sums: [], totals: new Map(brands) }
  }

  fix(id: bigint, { totals }: BatchContent, messages: readonly MessageIdentity[]): void {
    const row = this.#row(id)
    if (row.state !== 'closing') return
    const [message] = messages
    const brands = totals.get(CURRENCY)
    if (message === undefined || brands === undefined) {
      row.state = 'none'
      return
    }
    row.state = 'agreeing'
    row.totals = { message, brands, tries: 0, nextTryAt: message.at }
  }

  takeTotals(now: Date, until: Date): DueTotals[] {
    return [...this.rows.values()].flatMap(({ closedAt, id, state, totals }) => {
      if (state !== 'agreeing' || totals === null || totals.nextTryAt > now) return []
      totals.tries += 1
      totals.nextTryAt = until
      const currency = findCurrency(CURRENCY)
      if (currency === null) return []
      const { brands, message, tries } = totals
      const request = { message, repeat: tries > 1, batchId: id, currency, closedAt, brands }
      return [{ tries, request: { ...request, account: this.#account } }]
    })
  }

  postponeTotals(id: bigint, nextTryAt: Date): void {
    const { state, totals } = this.#row(id)
    if (state === 'agreeing' && totals !== null) totals.nextTryAt = nextTryAt
  }

  answerTotals(id: bigint, inBalance: boolean): void {
    const row = this.#row(id)
    if (row.state === 'agreeing') row.state = inBalance ? 'agreed' : 'comparing'
  }

  takeComparison(now: Date, until: Date): BatchToCompare | null {
    const row = [...this.rows.values()].find(
      ({ comparedUntil, state }) => state === 'comparing' && comparedUntil <= now,
    )
    const currency = findCurrency(CURRENCY)
    if (row === undefined || currency === null) return null
    row.comparedUntil = until
    return { batchId: row.id, account: this.#account, currencies: [currency] }
  }

  readOwnDetail(id: bigint): OwnEntry[] {
    return this.#movements(id).flatMap((row) => {
      const advice = this.#adviceOf(row)
      if (advice === undefined) return []
      return [
        {
          messageNumber: advice.message.number,
          kind: row.kind === 'refund' ? 'refund' : 'capture',
          amountMinor: row.valueMinor,
          voidedMinor: row.voidedMinor,
          transactionId: row.id,
          orderId: row.order.id,
        },
      ]
    })
  }

  finishComparison(id: bigint, differences: readonly CurrencyDifference[]): void {
    const row = this.#row(id)
    if (row.state !== 'comparing') return
    row.state = 'differing'
    row.differences = differences
  }

  /** Captures and refunds of orders in a batch. Unreferenced credits are in no agreement. */
  #movements(id: bigint): TransactionRow[] {
    return [...this.#store.transactions.values()].filter(
      ({ batchId, kind, order, state }) =>
        batchId === id &&
        state === 'approved' &&
        order.kind === 'payment' &&
        (kind === 'sale' || kind === 'capture' || kind === 'refund'),
    )
  }

  #adviceOf({ id, order }: TransactionRow): AdviceRow | undefined {
    return order.advices.find(
      ({ kind, transactionId }) => kind !== 'reversal' && transactionId === id,
    )
  }

  /** The batches of the capture that a reversal is about. */
  #captureBatches(original: MessageIdentity): (bigint | null)[] {
    return [...this.#store.advices.values()]
      .filter(({ kind, message }) => kind !== 'reversal' && keyOf(message) === keyOf(original))
      .map(({ batchId }) => batchId)
  }

  #row(id: bigint): BatchRow {
    const row = this.rows.get(id)
    if (row === undefined) throw new Error(`There is no batch ${id}.`)
    return row
  }

  #add(id: bigint): void {
    const row = { id, state: 'open', closedAt: NEVER, totals: null, comparedUntil: NEVER } as const
    this.rows.set(id, { ...row, differences: [] })
  }
}

/** The totals of entries of the one brand. */
function figuresOf(
  entries: readonly Pick<OwnEntry, 'kind' | 'amountMinor' | 'voidedMinor'>[],
): BrandFigures {
  const sum = (of: typeof entries, minorOf: (entry: (typeof entries)[number]) => bigint) => ({
    count: of.length,
    minor: of.reduce((all, entry) => all + minorOf(entry), 0n),
  })
  const sales = entries.filter(({ kind }) => kind === 'capture')
  const refunds = entries.filter(({ kind }) => kind === 'refund')
  return {
    brand: BRAND,
    sales: sum(sales, ({ amountMinor }) => amountMinor),
    refunds: sum(refunds, ({ amountMinor }) => amountMinor),
    voidedSales: sum(
      sales.filter(({ voidedMinor }) => voidedMinor > 0n),
      ({ voidedMinor }) => voidedMinor,
    ),
    voidedRefunds: { count: 0, minor: 0n },
  }
}
