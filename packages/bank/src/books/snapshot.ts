import { createHash } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import { Balance, GeneralLedger } from '../issuer/balance.ts'
import { Books } from './books.ts'
import type { JournalPosition } from './journal-file.ts'
import { movementKind } from './movement.ts'
import type { Movement, Order, Remembered } from './order.ts'
import { readLines } from './read-lines.ts'
import { valuesOf } from './snapshot-values.ts'
import type { LineValue } from './snapshot-values.ts'

/** The name of the snapshot in the bank's folder. */
export const SNAPSHOT_NAME = 'snapshot.jsonl'

/** A change of the lines below needs a new number; a snapshot of another version is not read. */
const VERSION = 4

type Line = readonly [tag: string, ...values: LineValue[]]

/**
 * Writes the books as they stand at `position`. A snapshot only saves time. It is written beside
 * the old one and replaces it once complete, and every reader checks it.
 */
export async function writeSnapshot(
  path: string,
  books: Books,
  position: JournalPosition,
): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, 'w', 0o600)
  const digest = createHash('sha256')
  let batch: string[] = []
  const flush = async () => {
    const text = batch.join('')
    batch = []
    digest.update(text)
    await file.write(text)
  }
  try {
    for (const line of linesOf(books, position)) {
      batch.push(`${JSON.stringify(line)}\n`)
      if (batch.length >= 4096) await flush()
    }
    await flush()
    await file.write(`${JSON.stringify(['end', digest.digest('hex')])}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}

/**
 * The books of a snapshot with their place in the journal. Null when no usable one is there: it is
 * missing, truncated, altered, or of another version.
 */
export async function readSnapshot(
  path: string,
): Promise<{ readonly books: Books; readonly position: JournalPosition } | null> {
  const digest = createHash('sha256')
  const reader = new SnapshotReader()
  let end: string | null = null
  try {
    await readLines(path, (text) => {
      const line = JSON.parse(text) as Line
      if (line[0] === 'end') end = String(line[1])
      else {
        digest.update(`${text}\n`)
        reader.take(line)
      }
    })
  } catch {
    // The journal has everything, so any error here only costs the time of a whole replay.
    return null
  }
  const { books, position } = reader
  return end === digest.digest('hex') && position !== null ? { books, position } : null
}

function* linesOf(books: Books, position: JournalPosition): Generator<Line> {
  const { hash, offset, seq } = position
  yield ['tollgate bank', VERSION, offset, seq, hash, books.keyCheck]
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
    const { merchant, offset, refunded, reversed } = entry
    const sums = [authorized, approved, captured, refunded].map(String)
    yield ['o', key, day, offset, numbers.get(balance) ?? -1, merchant, ...sums, reversed]
  }
  yield* otherLines(books, numbers, keys)
  for (const batch of books.batches.closed()) yield ['r', ...batch]
}

/** Everything that is no authorization. */
function* otherLines(
  books: Books,
  numbers: ReadonlyMap<Balance, number>,
  keys: ReadonlyMap<Order, string>,
): Generator<Line> {
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
      yield ['m', key, day, offset, kind, number, ...values, `${voided}`]
    }
  }
}

/** Builds books from the lines above. Throws on an impossible line; readSnapshot catches it. */
class SnapshotReader {
  readonly books = new Books()
  position: JournalPosition | null = null
  readonly #balances: Balance[] = []
  readonly #merchants = new Map<string, string>()

  take(line: Line): void {
    const [tag, ...rest] = line
    const { text, whole, money } = valuesOf(rest)
    switch (tag) {
      case 'tollgate bank':
        if (rest[0] !== VERSION) throw new TypeError('The snapshot is of another version.')
        this.position = { offset: whole(1), seq: whole(2), hash: text(3) }
        this.books.keyCheck = text(4)
        return
      case 'l':
        this.#ledger(text(0), money(1), money(2), money(3))
        return
      case 'p':
        this.books.ledgers.get(text(0))?.payable.set(text(1), money(2))
        return
      case 'b':
        this.#account(valuesOf(rest))
        return
      case 'o':
        this.#remember(text(0), text(1), {
          kind: 'auth',
          offset: whole(2),
          balance: this.#balance(whole(3)),
          merchant: this.#merchant(text(4)),
          authorized: money(5),
          approved: money(6),
          captured: money(7),
          refunded: money(8),
          reversed: rest[9] === true,
        })
        return
      case 'r':
        this.books.batches.close(this.#merchant(text(0)), text(1), text(2), text(3))
        return
      case 'f':
        this.books.firstPayments.note(text(0), text(1))
        return
      case 't':
        this.#remember(text(0), text(1), { kind: 'tombstone' })
        return
      case 'c':
        this.#remember(text(0), text(1), { kind: 'closed', offset: whole(2) })
        return
      case 'm':
        this.#movement(text(0), text(1), text(9), {
          kind: movementKind(text(3)),
          offset: whole(2),
          balance: this.#balance(whole(4)),
          merchant: this.#merchant(text(5)),
          order: rest[6] === null ? null : this.#order(text(6)),
          amount: money(7),
          rejectedInSettlement: rest[8] === true,
          batch: '',
          brand: text(10),
          voided: money(11),
        })
        return
      default:
        throw new TypeError('The snapshot has a line of an unknown kind.')
    }
  }

  #account({ text, whole, money }: ReturnType<typeof valuesOf>): void {
    const balance = this.books.openBalance(text(0), text(1), text(2))
    balance.ledger = money(3)
    balance.available = money(4)
    balance.held = money(5)
    balance.approvedToday = money(6)
    balance.approvalsToday = whole(7)
    balance.day = text(8)
    balance.restoredOn = text(9)
    balance.check()
    this.#balances.push(balance)
  }

  #ledger(currency: string, issuer: bigint, acquirer: bigint, suspense: bigint): void {
    const ledger = new GeneralLedger()
    ledger.issuerClearing = issuer
    ledger.acquirerClearing = acquirer
    ledger.suspense = suspense
    this.books.ledgers.set(currency, ledger)
  }

  #balance(number: number): Balance {
    const balance = this.#balances[number]
    if (balance === undefined) throw new TypeError('A snapshot line names an unknown account.')
    return balance
  }

  #order(key: string): Order {
    const order = this.books.find(key)
    if (order?.kind !== 'auth') throw new TypeError('A snapshot line names an unknown order.')
    return order
  }

  #merchant(merchant: string): string {
    const known = this.#merchants.get(merchant)
    if (known !== undefined) return known
    this.#merchants.set(merchant, merchant)
    return merchant
  }

  #movement(key: string, day: string, batch: string, movement: Movement): void {
    this.#remember(key, day, movement)
    if (batch !== '') this.books.batches.put(key, movement, batch, day)
  }

  #remember(key: string, day: string, entry: Remembered): void {
    this.books.messages.remember(key, entry, day)
  }
}
