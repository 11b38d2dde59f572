import { createHash } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import { Balance, GeneralLedger } from '../issuer/balance.ts'
import type { Batches } from './batches.ts'
import { Books } from './books.ts'
import type { DisputeCase, DisputeNote, Notice } from './dispute-note.ts'
import type { JournalPosition } from './journal-file.ts'
import { movementKind } from './movement.ts'
import type { Movement, Order, Remembered } from './order.ts'
import { readLines } from './read-lines.ts'
import type { ChainState } from './settlements.ts'
import { SharedTexts } from './shared-texts.ts'
import { SNAPSHOT_VERSION, snapshotLines } from './snapshot-lines.ts'
import type { SnapshotLine } from './snapshot-lines.ts'
import { valuesOf } from './snapshot-values.ts'
import type { LineValue } from './snapshot-values.ts'

/** The name of the snapshot in the bank's folder. */
export const SNAPSHOT_NAME = 'snapshot.jsonl'

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
    for (const line of snapshotLines(books, position)) {
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
      const line = JSON.parse(text) as SnapshotLine
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

/** Builds books from the lines of a snapshot. Throws on an impossible one. */
class SnapshotReader {
  readonly books = new Books()
  position: JournalPosition | null = null
  readonly #balances: Balance[] = []
  readonly #merchants = new SharedTexts()

  take(line: SnapshotLine): void {
    const [tag, ...rest] = line
    const { text, whole, money } = valuesOf(rest)
    switch (tag) {
      case 'tollgate bank':
        if (rest[0] !== SNAPSHOT_VERSION) throw new TypeError('The snapshot is of another version.')
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
        this.#takeOrder(rest)
        return
      case 'r':
        this.#closeBatch(this.#merchants.one(text(0)), text(1), text(2), text(3))
        return
      case 's':
        this.books.settlements.restore(JSON.parse(text(0)) as ChainState)
        return
      case 'd':
        this.books.settlements.days.set(text(0), text(1))
        return
      case 'n':
      case 'k':
      case 'a':
        this.#dispute(tag, text(0), text(1))
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
        this.#takeMovement(rest)
        return
      default:
        throw new TypeError('The snapshot has a line of an unknown kind.')
    }
  }

  #takeOrder(rest: readonly LineValue[]): void {
    const { text, whole, money } = valuesOf(rest)
    this.#remember(text(0), text(1), {
      kind: 'auth',
      offset: whole(2),
      balance: this.#balance(whole(3)),
      merchant: this.#merchants.one(text(4)),
      conversion: text(10),
      authorized: money(5),
      approved: money(6),
      captured: money(7),
      refunded: money(8),
      reversed: rest[9] === true,
    })
  }

  #takeMovement(rest: readonly LineValue[]): void {
    const { text, whole, money } = valuesOf(rest)
    this.#movement(text(0), text(1), text(9), {
      kind: movementKind(text(3)),
      offset: whole(2),
      balance: this.#balance(whole(4)),
      merchant: this.#merchants.one(text(5)),
      order: rest[6] === null ? null : this.#order(text(6)),
      amount: money(7),
      rejectedInSettlement: rest[8] === true,
      batch: '',
      brand: text(10),
      voided: money(11),
      key: text(0),
      orderKey: text(12),
      rrn: text(13),
      file: whole(14),
      line: whole(15),
      settled: money(16),
    })
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

  #dispute(tag: 'n' | 'k' | 'a', merchant: string, json: string): void {
    const account = this.books.disputes.open(merchant)
    if (tag === 'n') {
      account.notices.push(JSON.parse(json) as Notice)
    } else if (tag === 'k') {
      const each = JSON.parse(json) as DisputeCase
      account.cases.set(each.id, each)
    } else {
      const answer = JSON.parse(json) as NonNullable<DisputeNote['answer']>
      account.answers.set(answer.id, answer)
    }
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

  #movement(key: string, day: string, batch: string, movement: Movement): void {
    this.#remember(key, day, movement)
    const { batches, settlements } = this.books
    const open = batch === '' ? null : batches.put(key, movement, batch, day)
    if (open === null) settlements.restoreDue(movement)
    else settlements.expect(open, movement)
    settlements.restoreFiled(movement)
  }

  #closeBatch(...named: Parameters<Batches['close']>): void {
    const { movements, waiting } = this.books.batches.close(...named)
    // Those that a file has already do not wait any more.
    waiting.clear()
    for (const movement of movements.values()) this.books.settlements.restoreDue(movement)
  }

  #remember(key: string, day: string, entry: Remembered): void {
    this.books.messages.remember(key, entry, day)
  }
}
