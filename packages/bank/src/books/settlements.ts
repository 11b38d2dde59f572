import { InvariantError, invariant } from '../invariant.ts'
import type { Batch } from './batches.ts'
import { DueMovements } from './due-movements.ts'
import type { RecordDraft } from './journal-record.ts'
import { rejectInFile } from './movement.ts'
import type { Movement, Remembered } from './order.ts'
import { inCurrencyOf, lineId, settlementCurrency } from './settled-amounts.ts'
import type { Decision, MadeFile, ReserveTerms, WaitingLine } from './settlement-note.ts'

/** Everything of a chain except its movements, as texts and numbers for a snapshot. */
export interface ChainState {
  readonly merchant: string
  /** The settlement currency, ISO 4217 numeric. */
  readonly currency: string
  /** DE 32 of the gateway that the last file was for. */
  receiver: string
  /** Of the last file that was decided; 0 for none. */
  seq: number
  /** Of the last finished file. */
  sha256: string
  closing: string
  businessDate: string
  /** The business day on which the first of the waiting things came; '' where nothing waits. */
  waitingSince: string
  reserve: ReserveTerms | null
  /** Held back, and not released yet. */
  held: NonNullable<MadeFile['held']>[]
  waiting: WaitingLine[]
  /** Movements that wait for a later day than the others, by key. */
  postponed: NonNullable<Decision['postponed']>
  /** Keys of movements that a file has, and that the next file gets once more. */
  again: readonly string[]
  /** Keys of captures in finished files that are disputed, with the amounts of their rows. */
  disputes: NonNullable<Decision['disputes']>
  files: Omit<MadeFile, 'step' | 'held' | 'released'>[]
  /** The file that was decided and is not finished, with the lines that waited for it. */
  open: (Decision & { readonly extra: readonly WaitingLine[] }) | null
}

/** The settlement files of one merchant in one currency, chained by hashes. */
export interface Chain extends ChainState {
  /** Movements that wait for a file. */
  readonly due: DueMovements
  /** Movements of the open file. */
  filed: Movement[]
}

const NO_HASH = '0'.repeat(64)

/** The movements in settlement files, and those that wait for one. */
export class Settlements {
  readonly #chains = new Map<string, Chain>()
  /** By merchant: the latest day of its test sites' clocks, `YYYY-MM-DD`. */
  readonly days = new Map<string, string>()

  all(): Iterable<Chain> {
    return this.#chains.values()
  }

  find(merchant: string, currency: string): Chain | undefined {
    return this.#chains.get(`${merchant}/${currency}`)
  }

  /** The chain; an empty one is made if there is none. */
  open(merchant: string, currency: string): Chain {
    const known = this.find(merchant, currency)
    if (known !== undefined) return known
    const last = { seq: 0, sha256: NO_HASH, closing: '0', businessDate: '' }
    const none = { held: [], waiting: [], postponed: [], again: [], disputes: [] }
    const terms = { receiver: '', waitingSince: '', reserve: null, files: [], open: null }
    return this.restore({ merchant, currency, ...last, ...terms, ...none })
  }

  /** Puts a chain back as a snapshot has it; its movements follow. */
  restore(state: ChainState): Chain {
    const chain: Chain = { ...state, due: new DueMovements(), filed: [] }
    this.#chains.set(`${state.merchant}/${state.currency}`, chain)
    return chain
  }

  /** Puts a movement of a snapshot back into the file that is not finished, if it is in that. */
  restoreFiled(movement: Movement): void {
    if (movement.file === 0) return
    const chain = this.#chainOf(movement)
    if (movement.file === chain.open?.seq) chain.filed.push(movement)
  }

  /** Puts a movement of a snapshot, which is in no open batch, back to those that wait. */
  restoreDue(movement: Movement): void {
    if (movement.amount === 0n) return
    const chain = this.#chainOf(movement)
    if (movement.file > 0 && !chain.again.includes(movement.key)) return
    chain.due.add(movement)
  }

  /** The later one of a day of the bank's clock and the day of the merchant's test sites. */
  dayOf(merchant: string, bankDay: string): string {
    const own = this.days.get(merchant) ?? ''
    return own > bankDay ? own : bankDay
  }

  /** A test site of the merchant has reached a time; `YYYY-MM-DD` or `YYYYMMDDhhmmss`. */
  reach(merchant: string, time: string): void {
    const digits = time.replaceAll('-', '')
    const day = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6, 8)}`
    if (day > (this.days.get(merchant) ?? '')) this.days.set(merchant, day)
  }

  /** A movement that is in no open batch waits for a file. */
  wait(movement: Movement, at: string): void {
    if (movement.file !== 0 || movement.amount === 0n) return
    this.#chainOf(movement).due.add(movement)
    this.#since(this.#chainOf(movement), at)
  }

  /** A movement that is in an open batch will wait for a file when that one closes. */
  expect({ waiting }: Batch, movement: Movement): void {
    const currency = settlementCurrency(movement)
    if (movement.file !== 0 || movement.amount === 0n) return
    if (this.find(movement.merchant, currency)?.due.has(movement.key) === true) return
    const group = waiting.get(currency) ?? new Map<string, Movement>()
    waiting.set(currency, group.set(movement.key, movement))
  }

  /** The movements of a batch that has closed wait for a file. */
  waitBatch({ merchant, waiting }: Batch, at: string): void {
    for (const [currency, group] of [...waiting].filter(([, { size }]) => size > 0)) {
      const chain = this.open(merchant, currency)
      chain.due.adopt(group)
      this.#since(chain, at)
    }
    waiting.clear()
  }

  /** A part of a movement was reversed; what a file already has is corrected by a later one. */
  reverse(movement: Movement, minor: bigint, at: string): void {
    if (movement.file === 0 || movement.rejectedInSettlement) return
    const chain = this.#chainOf(movement)
    const amount = inCurrencyOf(chain.currency, movement, minor)
    const isCapture = movement.kind === 'capture'
    chain.waiting.push({
      kind: isCapture ? 'adjustment' : 'refund_reversal',
      gross: String(isCapture ? -amount : amount),
      order: movement.orderKey,
      ...(movement.rrn === '' ? {} : { rrn: movement.rrn }),
      ref: movement.key,
      reason: 'VOID',
      corrects: lineId(chain, movement.file, movement.line),
    })
    this.#since(chain, at)
  }

  /** Books a record of kind `settlement`; `find` gives the result of a message by its key. */
  apply(record: RecordDraft, find: (key: string) => Remembered | undefined): void {
    const { currency = '', merchant = '', settlement } = record
    invariant(settlement !== undefined && merchant !== '', 'a settlement record says nothing')
    if (settlement.step === 'day') return this.reach(merchant, settlement.day)
    if (settlement.step === 'reject') return rejectInFile(find(settlement.key))
    const chain = this.open(merchant, currency)
    switch (settlement.step) {
      case 'line':
        this.#add(chain, settlement.line, record.at)
        return
      case 'terms':
        chain.reserve = settlement.reserve
        return
      case 'decided':
        this.#decide(chain, settlement)
        return
      case 'made':
        finish(chain, settlement)
        return
      default:
        throw new InvariantError('A settlement record is of an unknown step.')
    }
  }

  /** Books the part of a record of kind `dispute` that is about settlement files. */
  applyDispute({ at, currency = '', dispute, merchant = '' }: RecordDraft): void {
    invariant(dispute !== undefined, 'a dispute record says nothing')
    const chain = this.open(merchant, currency)
    for (const line of dispute.lines) this.#add(chain, line, at)
    chain.disputes = chain.disputes.filter(([key]) => key !== dispute.planned)
  }

  #add(chain: Chain, line: WaitingLine, at: string): void {
    chain.waiting.push(line)
    this.#since(chain, at)
  }

  #decide(chain: Chain, decision: Decision): void {
    invariant(chain.open === null, 'a settlement file is decided before the last one is finished')
    invariant(decision.seq === chain.seq + 1, 'a settlement file has a wrong number')
    const later = new Map(decision.postponed)
    const again = new Set(decision.again)
    const taken = [...chain.due.values()].filter(
      ({ amount, key }) => amount > 0n && !later.has(key),
    )
    chain.filed = taken.toSorted((left, right) => left.offset - right.offset)
    for (const [at, movement] of chain.filed.entries()) {
      movement.file = decision.seq
      movement.line = at + 1
      movement.settled = movement.amount
      if (!again.has(movement.key)) chain.due.delete(movement.key)
    }
    chain.due.deleteVoided()
    chain.again = [...chain.due.values()].filter(({ file }) => file > 0).map(({ key }) => key)
    const late = new Map(decision.lateLines)
    const waiting = chain.waiting.map((line, at) => withUntil(line, late.get(at)))
    const isLate = ({ until = '' }: WaitingLine) => until > decision.businessDate
    chain.open = { ...decision, extra: waiting.filter((line) => !isLate(line)) }
    chain.waiting = waiting.filter(isLate)
    chain.postponed = decision.postponed ?? []
    chain.seq = decision.seq
    chain.receiver = decision.receiver
    const delayed = new Map(decision.delayed)
    chain.held = chain.held.map((held) => ({
      ...held,
      releaseOn: delayed.get(held.ref) ?? held.releaseOn,
    }))
    const isDone = chain.due.size === 0 && chain.waiting.length === 0
    chain.waitingSince = isDone ? '' : decision.businessDate
  }

  #since(chain: Chain, at: string): void {
    chain.waitingSince ||= this.dayOf(chain.merchant, at.slice(0, 10))
  }

  #chainOf(movement: Movement): Chain {
    return this.open(movement.merchant, settlementCurrency(movement))
  }
}

function withUntil(line: WaitingLine, until: string | undefined): WaitingLine {
  return until === undefined ? line : { ...line, until }
}

function finish(chain: Chain, made: MadeFile): void {
  invariant(chain.open?.seq === made.seq, 'a settlement file is finished that was not decided')
  const { businessDate, closing, held, lines, name, released, seq, sha256 } = made
  chain.files.push({ seq, name, businessDate, lines, sha256, closing })
  chain.disputes = [...chain.disputes, ...(chain.open.disputes ?? [])]
  chain.held = chain.held.filter(({ ref }) => !released.includes(ref))
  if (held !== undefined) chain.held.push(held)
  chain.sha256 = sha256
  chain.closing = closing
  chain.businessDate = businessDate
  chain.open = null
  chain.filed = []
}
