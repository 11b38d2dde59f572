import type { Balance } from '../issuer/balance.ts'
import type { Books } from './books.ts'
import type { JournalPosition } from './journal-file.ts'
import type { Order } from './order.ts'
import type { LineValue } from './snapshot-values.ts'

/** A change of the lines below needs a new number; a snapshot of another version is not read. */
export const SNAPSHOT_VERSION = 7

export type SnapshotLine = readonly [tag: string, ...values: LineValue[]]

/** The books as lines; movements come behind the settlement files that they are in. */
export function* snapshotLines(books: Books, position: JournalPosition): Generator<SnapshotLine> {
  const { hash, offset, seq } = position
  yield ['tollgate bank', SNAPSHOT_VERSION, offset, seq, hash, books.keyCheck]
  for (const [currency, ledger] of books.ledgers) {
    const { acquirerClearing, issuerClearing, suspense } = ledger
    yield ['l', currency, `${issuerClearing}`, `${acquirerClearing}`, `${suspense}`]
    for (const [merchant, amount] of ledger.payable) yield ['p', currency, merchant, `${amount}`]
  }
  for (const [reference, account] of books.firstPayments.all()) yield ['f', reference, account]
  const numbers = new Map<Balance, number>()
  for (const balance of books.balances.values()) {
    numbers.set(balance, numbers.size)
    const { account, approvalsToday, currency, day, last4, restoredOn } = balance
    const { approvedToday, available, held, ledger } = balance
    const sums = [ledger, available, held, approvedToday].map(String)
    yield ['b', account, last4, currency, ...sums, approvalsToday, day, restoredOn]
  }
  const keys = new Map<Order, string>()
  for (const [key, entry, day] of books.messages.all()) {
    if (entry.kind !== 'auth') continue
    keys.set(entry, key)
    const { approved, authorized, balance, captured } = entry
    const { conversion, merchant, offset, refunded, reversed } = entry
    const sums = [authorized, approved, captured, refunded].map(String)
    yield [
      'o',
      key,
      day,
      offset,
      numbers.get(balance) ?? -1,
      merchant,
      ...sums,
      reversed,
      conversion,
    ]
  }
  yield* settlementLines(books)
  yield* disputeLines(books)
  yield* otherLines(books, numbers, keys)
  for (const batch of books.batches.closed()) yield ['r', ...batch]
}

function* settlementLines({ settlements }: Books): Generator<SnapshotLine> {
  for (const [merchant, day] of settlements.days) yield ['d', merchant, day]
  for (const { due: _due, filed: _filed, ...state } of settlements.all()) {
    yield ['s', JSON.stringify(state)]
  }
}

function* disputeLines({ disputes }: Books): Generator<SnapshotLine> {
  for (const { answers, cases, merchant, notices } of disputes.all()) {
    for (const notice of notices) yield ['n', merchant, JSON.stringify(notice)]
    for (const each of cases.values()) yield ['k', merchant, JSON.stringify(each)]
    for (const answer of answers.values()) yield ['a', merchant, JSON.stringify(answer)]
  }
}

/** Everything that is no authorization. */
function* otherLines(
  books: Books,
  numbers: ReadonlyMap<Balance, number>,
  keys: ReadonlyMap<Order, string>,
): Generator<SnapshotLine> {
  for (const [key, entry, day] of books.messages.all()) {
    if (entry.kind === 'auth') continue
    if (entry.kind === 'tombstone') yield ['t', key, day]
    else if (entry.kind === 'closed') yield ['c', key, day, entry.offset]
    else {
      const { amount, balance, batch, brand, kind, merchant } = entry
      const { offset, order, rejectedInSettlement, voided } = entry
      const orderKey = order === null ? null : keys.get(order)
      // The order was forgotten, so no message can refer to this any more either.
      if (orderKey === undefined) continue
      const number = numbers.get(balance) ?? -1
      const values = [merchant, orderKey, `${amount}`, rejectedInSettlement, batch, brand] as const
      const { file, line, orderKey: orderOf, rrn, settled } = entry
      const filed = [orderOf, rrn, file, line, `${settled}`] as const
      yield ['m', key, day, offset, kind, number, ...values, `${voided}`, ...filed]
    }
  }
}
