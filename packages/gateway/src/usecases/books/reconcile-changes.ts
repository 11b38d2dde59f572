import type { OrderInBooks } from '../../domain/books/order-comparison.ts'
import {
  bankKeyOf,
  reconcile,
  type BankOrder,
  type ReconcileDeps,
  type Reconciliation,
} from './reconcile.ts'

/** The bank's books from a position of its journal on. */
export interface BankChanges {
  /** The position behind everything that the bank has booked so far. */
  readPosition(): Promise<string>
  /** The orders that the bank has made or changed behind the position, as they are now. */
  readSince(position: string): AsyncIterable<BankOrder>
  /** The orders with these keys, as far as the bank has them. */
  readNamed(keys: readonly string[]): AsyncIterable<BankOrder>
}

/** The run that another one goes on from. */
export interface ReconMark {
  readonly bankPosition: string
  readonly beganAt: Date
}

/** The notes of a run for the next one. */
export interface ReconEnd {
  readonly isFull: boolean
  readonly bankPosition: string
  readonly orderIds: readonly bigint[]
  /** The keys of the orders that only the bank knows. */
  readonly bankKeys: readonly string[]
}

/** The notes of runs in the database. One call at a time. */
export interface ReconRuns {
  /** Notes the position of the feed of events, and the orders that are open. */
  begin(): Promise<void>
  /** The keys of the orders that only the bank knew in the last run. */
  readKeptKeys(): Promise<readonly string[]>
  /**
   * Chooses the orders that may have changed in the gateway since the mark, and these of the bank.
   * Returns the bank's keys of all of them.
   */
  choose(bankOrders: AsyncIterable<BankOrder>): Promise<readonly string[]>
  /** Notes the run as the one to go on from. */
  end(end: ReconEnd): Promise<void>
}

export interface ChangesDeps extends Omit<ReconcileDeps, 'readBank'> {
  readonly runs: ReconRuns
  readonly bank: BankChanges
}

/** More than these are no differences of single orders, and such a run is not gone on from. */
export const MOST_KEPT = 5_000

/** Compares all orders, and notes the run for the next one. */
export async function reconcileAndNote(
  deps: ChangesDeps & Pick<ReconcileDeps, 'readBank'>,
): Promise<Reconciliation> {
  await deps.runs.begin()
  const bankPosition = await deps.bank.readPosition()
  const found = await reconcile(deps)
  await noteEnd(deps.runs, true, bankPosition, found)
  return found
}

/**
 * Compares the orders that the gateway or the bank may have changed since the mark. The feed's
 * position is noted before the bank's, and the orders are chosen after both. So the gateway names
 * each order that the bank has changed since its own position, unless the gateway has lost it.
 */
export async function reconcileChanges(
  deps: ChangesDeps,
  mark: ReconMark,
): Promise<Reconciliation> {
  const { bank, runs } = deps
  await runs.begin()
  const bankPosition = await bank.readPosition()
  const kept = await runs.readKeptKeys()
  const keys = await runs.choose(once(bank.readSince(mark.bankPosition), bank.readNamed(kept)))
  const found = await reconcile({ ...deps, readBank: () => bank.readNamed(keys) })
  await noteEnd(runs, false, bankPosition, found)
  return found
}

async function* once(...lists: readonly AsyncIterable<BankOrder>[]): AsyncGenerator<BankOrder> {
  const seen = new Set<string>()
  for (const list of lists) {
    for await (const order of list) {
      const key = bankKeyOf(order)
      if (!seen.has(key)) yield order
      seen.add(key)
    }
  }
}

async function noteEnd(
  runs: ReconRuns,
  isFull: boolean,
  bankPosition: string,
  { differences }: Reconciliation,
): Promise<void> {
  if (differences.length > MOST_KEPT) return
  const differing = differences.map(({ order }) => order)
  await runs.end({
    isFull,
    bankPosition,
    orderIds: differing.flatMap(({ orderId }) => (orderId === null ? [] : [orderId])),
    bankKeys: differing.filter(isOnlyAtBank).map(({ bankKey }) => bankKey),
  })
}

function isOnlyAtBank({ orderId }: OrderInBooks): boolean {
  return orderId === null
}
