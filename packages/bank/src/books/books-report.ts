import type { BrandTotals, Figure } from '@tollgate/iso8583'
import { totalsOf } from './batches.ts'
import type { Books } from './books.ts'
import { heldOf, stateOf } from './order.ts'
import type { Movement, Order, Remembered } from './order.ts'

/** Of DE 41. */
const TERMINAL_LENGTH = 8

/**
 * One order in the control API. Amounts are minor units of `currency` as decimal text. The first
 * four name the order's first message.
 */
export interface OrderLine {
  readonly acquirer: string
  readonly terminal: string
  readonly stan: string
  /** DE 7, MMDDhhmmss in UTC. */
  readonly transmittedAt: string
  /** Null in a tombstone, of which only the key is known. */
  readonly merchant: string | null
  /** ISO 4217 numeric; null in a tombstone. */
  readonly currency: string | null
  /** A tombstone is a reversal that came before its original. */
  readonly kind: 'authorization' | 'credit' | 'tombstone'
  readonly state: string
  readonly approvedMinor: string
  readonly capturedMinor: string
  readonly refundedMinor: string
  readonly heldMinor: string
}

/**
 * Every approved authorization, every unreferenced credit, and every tombstone. An order that
 * changes meanwhile is read as it is when its turn comes.
 */
export function* reportOrders(books: Books): Generator<OrderLine> {
  for (const [key, entry] of books.messages.all()) {
    const line = reportOrder(key, entry)
    if (line !== null) yield line
  }
}

/**
 * The same for the orders with these keys, as far as the books have them. Keys may lack the filling
 * of DE 41, as the lines do.
 */
export function* reportOrdersNamed(books: Books, keys: Iterable<string>): Generator<OrderLine> {
  for (const each of keys) {
    const [acquirer, terminal = '', ...message] = each.split('/')
    const key = [acquirer, terminal.padEnd(TERMINAL_LENGTH), ...message].join('/')
    const entry = books.find(key)
    const line = entry === undefined ? null : reportOrder(key, entry)
    if (line !== null) yield line
  }
}

/** The highest STAN of one terminal. */
export interface TerminalLine {
  readonly acquirer: string
  readonly terminal: string
  readonly stan: string
}

/** Every terminal that the books have had a message of. */
export function reportTerminals(books: Books): TerminalLine[] {
  return [...books.messages.highestStans()].map(([key, stan]) => {
    const [acquirer = '', terminal = ''] = key.split('/')
    return { acquirer, terminal: terminal.trimEnd(), stan }
  })
}

/** The balances of one currency's accounts, in minor units; credits count as positive. */
export interface TotalsLine {
  readonly currency: string
  readonly accounts: Readonly<Record<string, string>>
  /** The sum of all accounts: zero when debits and credits are equal. */
  readonly differenceMinor: string
}

/** The ledger by kind of account, for each currency. */
export function reportTotals(books: Books): TotalsLine[] {
  const holders = new Map<string, { available: bigint; held: bigint }>()
  for (const { available, currency, held } of books.balances.values()) {
    const sums = holders.get(currency) ?? { available: 0n, held: 0n }
    holders.set(currency, { available: sums.available + available, held: sums.held + held })
  }
  return [...books.ledgers].map(([currency, ledger]) => {
    const { available, held } = holders.get(currency) ?? { available: 0n, held: 0n }
    const accounts = {
      cardholder: available,
      hold: held,
      issuer_clearing: ledger.issuerClearing,
      acquirer_clearing: ledger.acquirerClearing,
      payable: [...ledger.payable.values()].reduce((sum, amount) => sum + amount, 0n),
      suspense: ledger.suspense,
    }
    const texts = Object.entries(accounts).map(([name, amount]) => [name, String(amount)])
    const difference = Object.values(accounts).reduce((sum, amount) => sum + amount, 0n)
    return { currency, accounts: Object.fromEntries(texts), differenceMinor: String(difference) }
  })
}

/** A merchant's batch of one currency, with its totals by brand; amounts as decimal text. */
export interface BatchLine {
  readonly merchant: string
  readonly batch: string
  /** ISO 4217 numeric. */
  readonly currency: string
  readonly closed: boolean
  readonly brands: readonly Readonly<Record<string, string | number>>[]
}

/** The batches of the named merchants; of all without a name. */
export function reportBatches({ batches }: Books, merchants: ReadonlySet<string>): BatchLine[] {
  return [...batches.all()]
    .filter(({ merchant }) => merchants.size === 0 || merchants.has(merchant))
    .map((batch) => {
      const { closed, currency, merchant, number } = batch
      return { merchant, batch: number, currency, closed, brands: totalsOf(batch).map(brandLine) }
    })
}

function brandLine(totals: BrandTotals) {
  const figures = (name: string, { count, minor }: Figure) => ({
    [name]: count,
    [`${name}Minor`]: String(minor),
  })
  return {
    brand: totals.brand,
    ...figures('sales', totals.sales),
    ...figures('refunds', totals.refunds),
    ...figures('voidedSales', totals.voidedSales),
    ...figures('voidedRefunds', totals.voidedRefunds),
  }
}

function reportOrder(key: string, entry: Remembered): OrderLine | null {
  switch (entry.kind) {
    case 'auth':
      return { ...identityOf(key), ...authorizationLine(entry) }
    case 'credit':
      return { ...identityOf(key), ...creditLine(entry) }
    case 'tombstone':
      return {
        ...identityOf(key),
        merchant: null,
        currency: null,
        kind: 'tombstone',
        state: 'reversed',
        approvedMinor: '0',
        capturedMinor: '0',
        refundedMinor: '0',
        heldMinor: '0',
      }
    default:
      return null
  }
}

function identityOf(key: string) {
  const [acquirer = '', terminal = '', stan = '', transmittedAt = ''] = key.split('/')
  return { acquirer, terminal: terminal.trimEnd(), stan, transmittedAt }
}

function authorizationLine(order: Order) {
  return {
    merchant: order.merchant,
    currency: order.balance.currency,
    kind: 'authorization',
    state: stateOf(order),
    approvedMinor: String(order.approved),
    capturedMinor: String(order.captured),
    refundedMinor: String(order.refunded),
    heldMinor: String(heldOf(order)),
  } as const
}

function creditLine({ amount, balance, merchant }: Movement) {
  return {
    merchant,
    currency: balance.currency,
    kind: 'credit',
    state: amount > 0n ? 'refunded' : 'reversed',
    approvedMinor: '0',
    capturedMinor: '0',
    refundedMinor: String(amount),
    heldMinor: '0',
  } as const
}
