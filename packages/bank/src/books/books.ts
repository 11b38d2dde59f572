import { InvariantError, invariant } from '../invariant.ts'
import { Balance, GeneralLedger } from '../issuer/balance.ts'
import { Batches } from './batches.ts'
import { findContradictions } from './contradictions.ts'
import { Disputes } from './disputes.ts'
import { FirstPayments } from './first-payments.ts'
import type { JournalRecord, RecordDraft } from './journal-record.ts'
import { MessageMemory } from './message-memory.ts'
import { countedBy, reverseMovement } from './movement.ts'
import { heldOf } from './order.ts'
import type { Movement, Order, Remembered } from './order.ts'
import { balanceKey, dayOf, need } from './record-fields.ts'
import { conversionOf } from './settled-amounts.ts'
import { Settlements } from './settlements.ts'
import { SharedTexts } from './shared-texts.ts'

const CLOSED_DAYS = 30 // For answers of messages without a lasting effect.
/** Orders are kept for this long; DE 7 has no year, so it must stay below one. */
const ORDER_DAYS = 330

const TOMBSTONE = { kind: 'tombstone' } as const

/**
 * The content of the journal, in memory. Only `apply` changes it, in the same way for a new record
 * and for one read back. So replaying the journal gives the same books.
 */
export class Books {
  readonly messages = new MessageMemory<Remembered>()
  readonly firstPayments = new FirstPayments()
  readonly batches = new Batches()
  readonly settlements = new Settlements()
  readonly disputes = new Disputes()
  readonly balances = new Map<string, Balance>()
  readonly ledgers = new Map<string, GeneralLedger>()
  /** From the `open` record: proves which account key these books belong to. */
  keyCheck: string | null = null

  /** The stored result of a message, by its key. */
  find(key: string): Remembered | undefined {
    return this.messages.find(key)
  }

  findBalance(account: string, currency: string): Balance | undefined {
    return this.balances.get(balanceKey(account, currency))
  }

  /**
   * Books one record that stands at `offset` in the journal. Throws InvariantError when the record
   * contradicts the books or itself; they are unusable then.
   */
  apply(record: RecordDraft | JournalRecord, offset: number): void {
    switch (record.kind) {
      case 'open':
        this.keyCheck = need(record.keyCheck, 'key check')
        return
      case 'fault':
        return
      case 'tombstone':
        this.#remember(record, { kind: 'closed', offset })
        this.messages.remember(need(record.original, 'original'), TOMBSTONE, dayOf(record))
        return
      case 'refusal':
        this.#noteFirst(record)
        this.#remember(record, { kind: 'closed', offset })
        return
      case 'seed':
        this.#seed(record)
        return
      case 'auth':
        this.#authorize(record, offset)
        return
      case 'capture':
        this.#capture(record, offset)
        return
      case 'refund':
      case 'credit':
        this.#credit(record, offset)
        return
      case 'reversal':
        this.#reverse(record, offset)
        return
      case 'rebatch':
        this.#rebatch(record)
        return
      case 'batch_close':
        this.#closeBatch(record, offset)
        return
      case 'settlement':
        this.settlements.apply(record, (key) => this.find(key))
        return
      case 'dispute':
        this.disputes.apply(record)
        this.settlements.applyDispute(record)
        return
      default:
        throw new InvariantError(`The journal has a record of kind ${String(record.kind)}.`)
    }
  }

  /** Forgets messages that are too old to be repeated. An order that still holds money is kept. */
  forget(nowMs: number): void {
    const before = (days: number) => new Date(nowMs - days * 86_400_000).toISOString().slice(0, 10)
    const isOpen = (entry: Remembered) => entry.kind === 'auth' && heldOf(entry) > 0n
    const hasMoved = ({ kind }: Remembered) => kind !== 'closed' && kind !== 'tombstone'
    this.messages.forget(before(CLOSED_DAYS), hasMoved)
    this.messages.forget(before(ORDER_DAYS), isOpen)
    this.batches.forget(before(ORDER_DAYS))
  }

  /** A sentence for each contradiction between accounts, orders and ledgers; none when sound. */
  findContradictions(): string[] {
    return findContradictions(this)
  }

  #seed(record: RecordDraft): void {
    const balance = this.#balanceOf(record)
    // A seed may remove money as well; the postings state which.
    const before = balance.available
    this.#post(record, balance)
    balance.ledger += balance.available - before
    balance.restoredOn = dayOf(record)
    balance.check()
  }

  /** A passed card check, too, is a first payment that later ones may name. */
  #noteFirst({ account, businessTime, merchant, reference }: RecordDraft): void {
    if (businessTime !== undefined) this.settlements.reach(merchant ?? '', businessTime)
    if (reference !== undefined) this.firstPayments.note(reference, need(account, 'account'))
  }

  #authorize(record: RecordDraft, offset: number): void {
    this.#noteFirst(record)
    const balance = this.#balanceOf(record)
    const amount = BigInt(need(record.amount, 'amount'))
    const merchant = this.#merchantOf(record)
    this.#post(record, balance)
    balance.countApproval(amount, dayOf(record))
    balance.check()
    this.#remember(record, {
      kind: 'auth',
      offset,
      balance,
      merchant,
      conversion: conversionOf(record),
      authorized: amount,
      approved: amount,
      captured: 0n,
      refunded: 0n,
      reversed: false,
    })
  }

  #capture(record: RecordDraft, offset: number): void {
    const order = this.#orderOf(record)
    const amount = BigInt(need(record.amount, 'amount'))
    invariant(!order.reversed, 'a reversed order is captured')
    invariant(amount <= heldOf(order), 'an order is captured past its authorization')
    const { balance, merchant } = order
    this.#post(record, balance)
    balance.ledger -= amount
    order.captured += amount
    balance.check()
    const rejectedInSettlement = record.fault === 'settlement_rejection'
    this.#move(record, {
      kind: 'capture',
      offset,
      balance,
      merchant,
      order,
      rejectedInSettlement,
      amount,
      ...countedBy(record),
    })
  }

  #credit(record: RecordDraft, offset: number): void {
    const kind = record.kind === 'refund' ? 'refund' : 'credit'
    const order = kind === 'refund' ? this.#orderOf(record) : null
    const balance = this.#balanceOf(record)
    const amount = BigInt(need(record.amount, 'amount'))
    const merchant = order?.merchant ?? this.#merchantOf(record)
    this.#post(record, balance)
    balance.ledger += amount
    if (order !== null) order.refunded += amount
    balance.check()
    const rejectedInSettlement = false
    this.#move(record, {
      kind,
      offset,
      balance,
      merchant,
      order,
      rejectedInSettlement,
      amount,
      ...countedBy(record),
    })
  }

  #reverse(record: RecordDraft, offset: number): void {
    const original = this.find(need(record.original, 'original'))
    const amount = BigInt(need(record.amount, 'amount'))
    invariant(original !== undefined, 'an unknown message is reversed')
    invariant(original.kind !== 'closed' && original.kind !== 'tombstone', 'nothing is reversed')
    const { balance } = original
    this.#post(record, balance)
    if (original.kind === 'auth') {
      invariant(amount <= heldOf(original), 'more is released than is held')
      original.approved -= amount
      if (record.whole === true) original.reversed = true
    } else {
      invariant(amount <= original.amount, 'more is reversed than was moved')
      reverseMovement(original, amount)
      this.batches.reverse(original, amount)
      this.settlements.reverse(original, amount, record.at)
    }
    balance.check()
    this.#remember(record, { kind: 'closed', offset })
  }

  /** A capture or refund that its merchant has put into a later batch. */
  #rebatch(record: RecordDraft): void {
    const key = need(record.original, 'original')
    const movement = this.find(key)
    const isMovement = movement?.kind === 'capture' || movement?.kind === 'refund'
    invariant(isMovement, 'something other than a capture or refund changes its batch')
    const batch = this.batches.move(key, movement, need(record.batch, 'batch'), dayOf(record))
    if (batch) this.settlements.expect(batch, movement)
    else if (movement.batch === '') this.settlements.wait(movement, record.at)
  }

  #closeBatch(record: RecordDraft, offset: number): void {
    const { batch, currency, merchant } = record
    const closed = this.batches.close(
      need(merchant, 'merchant'),
      need(batch, 'batch'),
      need(currency, 'currency'),
      dayOf(record),
    )
    this.settlements.waitBatch(closed, record.at)
    this.#remember(record, { kind: 'closed', offset })
  }

  #move(record: RecordDraft, movement: Movement): void {
    this.#remember(record, movement)
    const { batch: n } = record
    const batch = n && this.batches.put(movement.key, movement, n, dayOf(record))
    if (batch) this.settlements.expect(batch, movement)
    else this.settlements.wait(movement, record.at)
  }

  #post(record: RecordDraft, balance: Balance): void {
    invariant(record.currency === balance.currency, 'a record is in another currency')
    let ledger = this.ledgers.get(balance.currency)
    if (ledger === undefined) {
      ledger = new GeneralLedger()
      this.ledgers.set(balance.currency, ledger)
    }
    ledger.post(record.postings, balance, record.merchant ?? '')
  }

  /** The balance of an account in a currency; created if there is none yet. */
  openBalance(account: string, last4: string, currency: string): Balance {
    const key = balanceKey(account, currency)
    let balance = this.balances.get(key)
    if (balance === undefined) {
      balance = new Balance(account, last4, currency)
      this.balances.set(key, balance)
    }
    return balance
  }

  #balanceOf(record: RecordDraft): Balance {
    const account = need(record.account, 'account')
    const last4 = need(record.last4, 'last4')
    return this.openBalance(account, last4, need(record.currency, 'currency'))
  }

  #orderOf(record: RecordDraft): Order {
    const order = this.find(need(record.original, 'original'))
    invariant(order?.kind === 'auth', 'a capture or refund has no order')
    return order
  }

  /** The merchant's id, one string for all its orders. */
  #merchantOf(record: RecordDraft): string {
    return this.#merchants.one(need(record.merchant, 'merchant'))
  }

  readonly #merchants = new SharedTexts()

  #remember(record: RecordDraft, entry: Remembered): void {
    this.messages.remember(need(record.key, 'key'), entry, dayOf(record))
  }
}
