import type { Entry } from './answer-book.ts'
import type { BankEntry } from './bank-side.ts'
import type { GatewayOrder } from './gateway-books.ts'
import type { FileLine, SettledFile } from './settled-file.ts'

/** An entry of a bank statement that was imported. */
export interface Deposit {
  readonly trace: string
  readonly minor: bigint
}

/** All records about settlement. */
export interface SettlementRecords {
  readonly entries: readonly Entry[]
  readonly orders: Iterable<GatewayOrder>
  readonly bank: ReadonlyMap<string, BankEntry>
  readonly files: readonly SettledFile[]
  readonly deposits: readonly Deposit[]
  /** The gateway's ledger: the balance of each account, plus on debit. */
  readonly balances: ReadonlyMap<string, bigint>
  /** The balances that the ends of disputes add to those of files and statements. */
  readonly outcomes: ReadonlyMap<string, bigint>
}

export interface SettlementComparison {
  /** A sentence each. */
  readonly differences: readonly string[]
  /** By how much the records differ, all comparisons together, in minor units. */
  readonly cents: bigint
}

/**
 * Follows every cent: from the clients' answers and the bank's books into the files, and from the
 * files into the ledger and the deposits.
 */
export function compareSettlement(records: SettlementRecords): SettlementComparison {
  const differences: string[] = []
  let cents = 0n
  const compare = (what: string, one: bigint, other: bigint): void => {
    if (one === other) return
    cents += one > other ? one - other : other - one
    differences.push(`settlement: ${what}: ${one} and ${other}`)
  }
  compareChains(records.files, compare)
  compareMovements(records, compare)
  comparePayouts(records, compare)
  const expected = expectedBalances(records)
  for (const account of new Set([...expected.keys(), ...records.balances.keys()])) {
    const [files, ledger] = [expected.get(account) ?? 0n, records.balances.get(account) ?? 0n]
    compare(
      `account ${account} by files, statements and outcomes, and in the ledger`,
      files,
      ledger,
    )
  }
  return { differences, cents }
}

type Compare = (what: string, one: bigint, other: bigint) => void

/** Each file opens where the one before closed, and its lines make its closing balance. */
function compareChains(files: readonly SettledFile[], compare: Compare): void {
  for (const chain of Map.groupBy(files, ({ account }) => account).values()) {
    let [seq, closing] = [0, 0n]
    for (const file of chain.toSorted((one, other) => one.seq - other.seq)) {
      const name = `file ${file.seq} of ${file.account}`
      seq += 1
      compare(`the number of ${name}, and the next number`, BigInt(file.seq), BigInt(seq))
      compare(`${name} opens, and the one before closed`, file.opening, closing)
      for (const { fees, gross, net } of file.lines) {
        closing += net
        compare(`gross and fees of a line of ${name}, and its net`, gross + sumOf(fees), net)
      }
      compare(`${name} closes, and its lines make`, file.closing, closing)
      closing = file.closing
    }
  }
}

interface Moved {
  captured: bigint
  refunded: bigint
}

/** Each order has in the files what the bank moved, and what its clients were answered. */
function compareMovements({ bank, entries, files, orders }: SettlementRecords, compare: Compare) {
  const inFiles = new Map<string, Moved>()
  for (const { gross, kind, order } of files.flatMap(({ lines }) => lines)) {
    if (order === '') continue
    const moved = inFiles.get(order) ?? { captured: 0n, refunded: 0n }
    if (kind === 'sale' || kind === 'adjustment') moved.captured += gross
    if (kind === 'refund' || kind === 'refund_reversal') moved.refunded -= gross
    inFiles.set(order, moved)
  }
  const answered = movedByAnswers(entries)
  const [known, nothing] = [new Set<string>(), { captured: 0n, refunded: 0n }]
  for (const { id, key } of orders) {
    known.add(key)
    const found = inFiles.get(key) ?? nothing
    const { captured = 0n, refunded = 0n, unreferenced = 0n } = bank.get(key) ?? {}
    compare(`order ${id} captured in files and by the bank`, found.captured, captured)
    compare(
      `order ${id} refunded in files and by the bank`,
      found.refunded,
      refunded + unreferenced,
    )
    const told = answered.get(id)
    if (told === undefined || told.isOpen) continue
    compare(`order ${id} captured in files and by answers`, found.captured, told.captured)
    compare(`order ${id} refunded in files and by answers`, found.refunded, told.refunded)
  }
  for (const [key, { captured, refunded }] of inFiles) {
    if (known.has(key)) continue
    compare(`message ${key} is in files and in no order`, captured + refunded, 0n)
  }
}

interface Answered extends Moved {
  authorized: bigint
  voided: bigint
  /** A request has no answer, or one that leaves the outcome open. */
  isOpen: boolean
}

/** By order: what its answers moved. */
function movedByAnswers(entries: readonly Entry[]): Map<string, Answered> {
  const orders = new Map<string, Answered>()
  const seen = new Set<string>()
  for (const { action, heard, orderId } of entries) {
    const id = orderId === '' && heard.kind === 'answer' ? heard.orderId : orderId
    if (id === '') continue
    const nothing = { authorized: 0n, captured: 0n, refunded: 0n, voided: 0n, isOpen: false }
    const order = orders.get(id) ?? nothing
    orders.set(id, order)
    if (heard.kind === 'nothing') order.isOpen = true
    if (heard.kind !== 'answer') continue
    if (heard.status === 'RUNNING' || heard.status === 'PENDING') order.isOpen = true
    // A repeat is answered with the same transaction.
    if (heard.status !== 'APPROVED' || seen.has(heard.transactionId)) continue
    seen.add(heard.transactionId)
    const minor = BigInt(heard.valueMinor)
    if (action === 'authorize' || action === 'sale') order.authorized += minor
    if (action === 'sale' || action === 'capture') order.captured += minor
    if (action === 'refund' || action === 'unreferencedCredit') order.refunded += minor
    if (action === 'void') order.voided += minor
    if (action === 'captureVoid') {
      order.authorized -= minor
      order.captured -= minor
    }
  }
  for (const order of orders.values()) {
    // A void takes what is not captured first, and then captures.
    const left = order.authorized - order.voided
    if (left < order.captured) order.captured = left
  }
  return orders
}

/** Each payout has one deposit of its amount. */
function comparePayouts({ deposits, files }: SettlementRecords, compare: Compare): void {
  const paid = new Map<string, bigint>()
  for (const { minor, trace } of deposits) paid.set(trace, (paid.get(trace) ?? 0n) + minor)
  for (const { gross, trace } of payoutsOf(files)) {
    compare(`payout ${trace} in its file and in statements`, -gross, paid.get(trace) ?? 0n)
    paid.delete(trace)
  }
  for (const [trace, minor] of paid) compare(`deposit ${trace} without a payout`, minor, 0n)
}

/** The payout lines. */
export function payoutsOf(files: readonly SettledFile[]): readonly FileLine[] {
  return files.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'payout'))
}

/** The balances that files, statements and outcomes leave in the ledger, where nothing differs. */
function expectedBalances({ deposits, files, outcomes }: SettlementRecords): Map<string, bigint> {
  const balances = new Map(outcomes)
  const add = (account: string, minor: bigint): void =>
    void balances.set(account, (balances.get(account) ?? 0n) + minor)
  for (const { fees, gross, kind, net } of files.flatMap(({ lines }) => lines)) {
    add('acquirer_balance', net)
    for (const [name, minor] of Object.entries(fees)) add(`fee_${name}`, -minor)
    if (gross !== 0n) add(ACCOUNTS[kind] ?? kind, -gross)
  }
  for (const { minor } of deposits) {
    add('bank', minor)
    add('payout_in_transit', -minor)
  }
  return balances
}

/** The account on the other side of the gross amount. A kind without one is a difference. */
const ACCOUNTS: Readonly<Record<string, string>> = {
  sale: 'merchant_payable',
  refund: 'merchant_refunds',
  fee: 'fee_other',
  payout: 'payout_in_transit',
  chargeback: 'disputes_open',
  chargeback_again: 'disputes_open',
  dispute_reversal: 'disputes_open',
}

function sumOf(fees: Readonly<Record<string, bigint>>): bigint {
  return Object.values(fees).reduce((sum, fee) => sum + fee, 0n)
}
