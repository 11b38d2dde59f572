import {
  booksDiffer,
  explainDifference,
  type DifferenceReason,
  type OrderFacts,
  type OrderFigures,
  type OrderInBooks,
} from '../../domain/books/order-comparison.ts'

/** One order as the bank reports it; amounts in minor units. */
export interface BankOrder {
  readonly acquirer: string
  readonly terminal: string
  readonly stan: string
  /** UTC MMDDhhmmss. */
  readonly transmittedAt: string
  /** Alphabetic code; null where the bank knows only that the order was reversed. */
  readonly currency: string | null
  readonly figures: OrderFigures
}

/** The bank's name of an order: acquirer, terminal, STAN and time with slashes between. */
export function bankKeyOf({
  acquirer,
  stan,
  terminal,
  transmittedAt,
}: Pick<BankOrder, 'acquirer' | 'stan' | 'terminal' | 'transmittedAt'>): string {
  return `${acquirer}/${terminal}/${stan}/${transmittedAt}`
}

/** The database of reconciliation. One call at a time. */
export interface ReconcileStore {
  /** Takes the bank's orders in place of those taken before; how many there were. */
  takeBankOrders(orders: AsyncIterable<BankOrder>): Promise<number>
  /** Every order that any of the books knows, from one moment. */
  readOrders(): AsyncIterable<OrderInBooks>
  /** The same orders once more, from a new moment. */
  readOrdersAgain(orders: readonly OrderInBooks[]): AsyncIterable<OrderInBooks>
  readFacts(orderIds: readonly bigint[]): Promise<ReadonlyMap<bigint, OrderFacts>>
}

export interface ReconcileDeps {
  readonly store: ReconcileStore
  /** Reads the bank's books from the start. Fails when not all of them came. */
  readonly readBank: () => AsyncIterable<BankOrder>
  /** Resolves when what was on its way has had time to arrive. */
  readonly pause: () => Promise<void>
  readonly onProgress?: (progress: ComparisonProgress) => void
}

export interface ComparisonProgress {
  readonly doing: 'reading the bank' | 'comparing' | 'rechecking differences'
  readonly orders: number
}

export interface Difference {
  readonly order: OrderInBooks
  readonly reasons: readonly DifferenceReason[]
}

export interface CurrencyTotals {
  readonly currency: string
  readonly orders: number
  readonly gateway: OrderFigures
  readonly ledger: OrderFigures
  readonly bank: OrderFigures
}

export interface Reconciliation {
  readonly bankOrders: number
  readonly orders: number
  /** By currency code. */
  readonly totals: readonly CurrencyTotals[]
  /** By order id; what only the bank knows comes last. */
  readonly differences: readonly Difference[]
}

/** Beyond this an order that still differs is reported, even while others change. */
const MOST_LOOKS = 5

/**
 * Compares gateway, ledger and bank, order by order. The books are read one after the other while
 * payments go on, so a first difference may only be a movement in between. Different orders are
 * read again until a round clears no more of them. A reported difference was there at every
 * comparison.
 */
export async function reconcile(deps: ReconcileDeps): Promise<Reconciliation> {
  const { store } = deps
  const totals = new Totals()
  const bankOrders = await takeBank(deps)
  let differing: OrderInBooks[] = []
  let orders = 0
  for await (const order of store.readOrders()) {
    orders += 1
    totals.add(order, 1)
    if (booksDiffer(order)) differing.push(order)
    if (orders % 1_000 === 0) deps.onProgress?.({ doing: 'comparing', orders })
  }

  let cleared = 1
  for (let look = 1; differing.length > 0 && cleared > 0 && look < MOST_LOOKS; look += 1) {
    deps.onProgress?.({ doing: 'rechecking differences', orders: differing.length })
    const before = differing.length
    await deps.pause()
    await takeBank(deps)
    for (const order of differing) totals.add(order, -1)
    const still: OrderInBooks[] = []
    for await (const order of store.readOrdersAgain(differing)) {
      totals.add(order, 1)
      if (booksDiffer(order)) still.push(order)
    }
    differing = still
    cleared = before - differing.length
  }
  return {
    bankOrders,
    orders,
    totals: totals.list(),
    differences: await explain(store, differing),
  }
}

async function takeBank({ store, readBank, onProgress }: ReconcileDeps): Promise<number> {
  async function* counted(): AsyncGenerator<BankOrder> {
    let orders = 0
    for await (const order of readBank()) {
      yield order
      orders += 1
      if (orders % 1_000 === 0) onProgress?.({ doing: 'reading the bank', orders })
    }
  }
  return store.takeBankOrders(counted())
}

async function explain(
  store: ReconcileStore,
  differing: readonly OrderInBooks[],
): Promise<Difference[]> {
  const ids = differing.flatMap(({ orderId }) => (orderId === null ? [] : [orderId]))
  const facts = await store.readFacts(ids)
  const none: OrderFacts = { runningMs: null, advices: [] }
  return differing.toSorted(byOrder).map((order) => ({
    order,
    reasons: explainDifference(
      order,
      order.orderId === null ? none : (facts.get(order.orderId) ?? none),
    ),
  }))
}

function byOrder(left: OrderInBooks, right: OrderInBooks): number {
  if (left.orderId === null || right.orderId === null) {
    if (left.orderId !== right.orderId) return left.orderId === null ? 1 : -1
    return left.bankKey < right.bankKey ? -1 : 1
  }
  return left.orderId < right.orderId ? -1 : 1
}

/** Approved, captured and refunded in each set of books. */
interface Sums {
  orders: number
  readonly gateway: bigint[]
  readonly ledger: bigint[]
  readonly bank: bigint[]
}

/** Sums of all orders. The bank's money counts in the currency that the bank has it in. */
class Totals {
  readonly #byCurrency = new Map<string, Sums>()

  /** `sign` -1 takes an order out again. */
  add(order: OrderInBooks, sign: 1 | -1): void {
    const sums = this.#of(order.currency)
    sums.orders += sign
    book(sums.gateway, order.gateway, sign)
    book(sums.ledger, order.ledger, sign)
    book(this.#of(order.bankCurrency ?? order.currency).bank, order.bank, sign)
  }

  list(): CurrencyTotals[] {
    return [...this.#byCurrency]
      .filter(([currency]) => currency !== '')
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([currency, { orders, gateway, ledger, bank }]) => ({
        currency,
        orders,
        gateway: figuresOf(gateway),
        ledger: figuresOf(ledger),
        bank: figuresOf(bank),
      }))
  }

  #of(currency: string): Sums {
    let sums = this.#byCurrency.get(currency)
    if (sums === undefined) {
      sums = { orders: 0, gateway: [0n, 0n, 0n], ledger: [0n, 0n, 0n], bank: [0n, 0n, 0n] }
      this.#byCurrency.set(currency, sums)
    }
    return sums
  }
}

function book(sums: bigint[], figures: OrderFigures | null, sign: 1 | -1): void {
  if (figures === null) return
  const amounts = [figures.approvedMinor, figures.capturedMinor, figures.refundedMinor]
  for (const [at, amount] of amounts.entries()) {
    sums[at] = (sums[at] ?? 0n) + (sign === 1 ? amount : -amount)
  }
}

function figuresOf(sums: readonly bigint[]): OrderFigures {
  const [approvedMinor = 0n, capturedMinor = 0n, refundedMinor = 0n] = sums
  return { approvedMinor, capturedMinor, refundedMinor }
}
