import {
  Iso8583Error,
  answerMti,
  answerTo,
  decodeOriginalData,
  messageKey,
} from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import type { Books } from '../books/books.ts'
import type { RecordDraft } from '../books/journal-record.ts'
import type { Journal } from '../books/journal.ts'
import type { Remembered } from '../books/order.ts'
import { refusal } from '../books/record-drafts.ts'
import type { Incoming } from '../books/record-drafts.ts'
import type { CardRecord } from '../issuer/card-file.ts'
import { replacementOf } from '../issuer/replacement-number.ts'
import type { CavvCheck } from '../three-ds/cavv-check.ts'
import { withNamedBatch, withNewNumber } from './authorization-answer.ts'
import { describeFault } from './fault.ts'
import type { Fault } from './fault.ts'
import { authorize } from './handle-authorization.ts'
import { capture, credit, creditByTest, refund } from './handle-movement.ts'
import { closeBatch, listBatch } from './handle-reconciliation.ts'
import { reverse } from './handle-reversal.ts'
import { readBatchNumber } from './read-request.ts'

export interface HostParts {
  readonly books: Books
  readonly journal: Journal
  readonly findCard: (pan: string, merchant: string) => CardRecord
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether the trigger amounts have an effect. */
  readonly triggers: boolean
  /** Checks CAVVs, if there is a key for them. */
  readonly cavvCheck?: CavvCheck
}

type AnswerFields = Readonly<Record<number, string>>

/** DE 3 by what it asks for. */
const PURCHASE = '000000'
const CREDIT = '200000'
const CARD_CHECK = '330000'

/**
 * The acquirer's host: receives a message, decides, books, and answers once its record is on the
 * disk. Deciding and booking happen in one turn, so no message sees another one half done.
 */
export class Host {
  readonly #parts: HostParts
  readonly #authorizationParts
  #last = { ms: -1, at: '' }

  constructor(parts: HostParts) {
    this.#parts = parts
    this.#authorizationParts = {
      books: parts.books,
      findCard: parts.findCard,
      triggers: parts.triggers,
      cavvCheck: parts.cavvCheck ?? null,
      lastSeq: () => parts.journal.end.seq,
      // In the same group as the record that follows, whose promise the caller awaits.
      book: (draft: RecordDraft) => void this.#book(draft),
    }
  }

  /**
   * The answer to a request or an advice; null to a message without an answer. Rejects when the
   * journal fails or the books contradict themselves: the bank must answer nothing then, and stop.
   */
  async answer(message: IsoMessage, fault?: Fault): Promise<IsoMessage | null> {
    if (!isAnswerable(message)) return null
    const at = this.#time()
    let fields: AnswerFields
    try {
      const key = readKey(message)
      if (message.mti.startsWith('060')) return await this.#list(message)
      const known = this.#parts.books.find(key)
      const incoming = { message, key, at, ...(fault === undefined ? {} : { fault }) }
      if (known === undefined) fields = await this.#commit(message, this.#handle(incoming))
      else if (known.kind !== 'tombstone') fields = await this.#repeat(message, known)
      else fields = await this.#commit(message, refusal(incoming, '21'))
    } catch (error) {
      // An unreadable message is answered and not stored: a repeat would be just as unreadable.
      if (!(error instanceof Iso8583Error)) throw error
      fields = { 39: '30' }
    }
    return answerTo(message, fields)
  }

  /**
   * Records an injected fault, so that a run can be explained later. Throws Iso8583Error on a
   * message without a key.
   */
  noteFault(message: IsoMessage, fault: Fault | 'stand_in_advice'): void {
    const { fields, mti } = message
    const merchant = fields[42]?.trim()
    void this.#book({
      kind: 'fault',
      at: this.#time(),
      mti,
      key: messageKey(message),
      ...(merchant === undefined ? {} : { merchant }),
      fault: typeof fault === 'string' ? fault : describeFault(fault),
      postings: [],
    })
  }

  async #commit(message: IsoMessage, draft: RecordDraft): Promise<AnswerFields> {
    await this.#book(draft)
    return this.#whole(message, draft)
  }

  /** The answer of a record, with what no record may have and what differs by copy. */
  #whole(message: IsoMessage, { answer = {}, updater }: RecordDraft): AnswerFields {
    if (message.mti.startsWith('022')) return withNamedBatch(answer, readBatchNumber(message))
    if (updater !== 'A') return answer
    const { fields } = message
    const { testCard } = this.#parts.findCard(fields[2] ?? '', fields[42]?.trim() ?? '')
    const known = testCard?.updater
    const number = known?.result === 'A' ? known.number : replacementOf(fields[2] ?? '')
    return withNewNumber(answer, number)
  }

  #book(draft: RecordDraft): Promise<void> {
    const { books, journal } = this.#parts
    books.apply(draft, journal.end.offset)
    return journal.append(draft)
  }

  async #repeat(
    message: IsoMessage,
    known: Exclude<Remembered, { kind: 'tombstone' }>,
  ): Promise<AnswerFields> {
    const { journal } = this.#parts
    await journal.flushed()
    const record = await journal.read(known.offset)
    // One key for two different messages: the sender has used a STAN twice.
    if (record.mti?.slice(0, 3) !== message.mti.slice(0, 3)) return { 39: '94' }
    if (record.answer === undefined) return { 39: '94' }
    await this.#rebatch(message, known)
    return this.#whole(message, record)
  }

  /**
   * A repeat may name a later batch than the capture or refund did at first: the merchant's cut-off
   * came before the answer. It is in the named batch then, unless its own is closed. A late copy of
   * the first message names an earlier one, and moves nothing back.
   */
  async #rebatch(
    message: IsoMessage,
    known: Exclude<Remembered, { kind: 'tombstone' }>,
  ): Promise<void> {
    if (known.kind !== 'capture' && known.kind !== 'refund') return
    const batch = readBatchNumber(message)
    if (batch === null || known.batch === '' || BigInt(batch) <= BigInt(known.batch)) return
    const original = readKey(message)
    await this.#book({ kind: 'rebatch', at: this.#time(), original, batch, postings: [] })
  }

  /** A page of a batch, of which all is on the disk. */
  async #list(message: IsoMessage): Promise<IsoMessage> {
    const fields = listBatch(this.#parts.books, message)
    await this.#parts.journal.flushed()
    return answerTo(message, fields)
  }

  #handle(incoming: Incoming): RecordDraft {
    const { fields, mti } = incoming.message
    const processingCode = fields[3]
    if (isOfAnother(incoming.message)) return refusal(incoming, mti.startsWith('042') ? '25' : '76')
    switch (mti.slice(0, 3)) {
      case '010':
        if (processingCode === PURCHASE || processingCode === CARD_CHECK) {
          return authorize(this.#authorizationParts, incoming, processingCode === CARD_CHECK)
        }
        return refusal(incoming, '12')
      case '020':
        return processingCode === CREDIT
          ? (creditByTest(this.#parts, incoming, this.#parts.triggers) ??
              credit(this.#parts, incoming))
          : refusal(incoming, '12')
      case '022':
        if (processingCode === PURCHASE) return capture(this.#parts, incoming)
        return processingCode === CREDIT ? refund(this.#parts, incoming) : refusal(incoming, '12')
      case '042':
        return reverse(this.#parts.books, incoming)
      case '050':
        return closeBatch(this.#parts.books, incoming)
      default:
        return refusal(incoming, '12')
    }
  }

  /** The time for records. Once a day, messages that are too old to be repeated are forgotten. */
  #time(): string {
    const nowMs = this.#parts.now()
    if (nowMs === this.#last.ms) return this.#last.at
    const at = new Date(nowMs).toISOString()
    if (at.slice(0, 10) !== this.#last.at.slice(0, 10)) this.#parts.books.forget(nowMs)
    this.#last = { ms: nowMs, at }
    return at
  }
}

function isAnswerable({ mti }: IsoMessage): boolean {
  try {
    answerMti(mti)
    return true
  } catch (error) {
    if (error instanceof Iso8583Error) return false
    throw error
  }
}

/**
 * Whether an advice is about a message of another institution. It is answered as one without an
 * original: the sender learns nothing, and no record stands under the other's key.
 */
function isOfAnother({ fields, mti }: IsoMessage): boolean {
  const original = fields[90]
  const isAdvice = mti.startsWith('022') || mti.startsWith('042')
  if (!isAdvice || original === undefined) return false
  return decodeOriginalData(original).acquirerId !== fields[32]
}

/** DE 90 cannot name an acquirer with a leading zero, so its messages could never be reversed. */
function readKey(message: IsoMessage): string {
  const key = messageKey(message)
  if (!key.startsWith('0')) return key
  const text = 'DE 32 begins with a zero; DE 90 could not name it then.'
  throw new Iso8583Error('subfield_invalid', text, { field: 32 })
}
