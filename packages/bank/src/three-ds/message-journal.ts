import { hasValidCheckDigit } from '../issuer/card-brands.ts'
import type { Message } from './protocol-error.ts'

export type Direction = 'in' | 'out'

/** Between whom a message travels. */
export type JournalLeg = 'server-ds' | 'ds-acs' | 'browser-acs'

export interface JournalEntry {
  readonly seq: number
  /** UTC, ISO 8601. */
  readonly at: string
  /** As seen by the first of DS and ACS that the leg names. */
  readonly direction: Direction
  readonly leg: JournalLeg
  /** `AReq` and so on, `form` for a browser's form post; null for a text that is no message. */
  readonly type: string | null
  /** Card numbers masked; no CAVV, no code. */
  readonly message: Message | null
  readonly note?: string
}

const MOST_ENTRIES = 5_000
/** Characters of JSON. Only extensions make a message longer. */
const LONGEST_MESSAGE = 16_384

/** Every message in and out, in memory; the oldest make room for new ones. */
export class MessageJournal {
  readonly #entries: JournalEntry[] = []
  readonly #now: () => number
  #seq = 0

  constructor(now: () => number) {
    this.#now = now
  }

  add(leg: JournalLeg, direction: Direction, message: Message | null, note?: string): void {
    this.#seq += 1
    const type = message?.['messageType']
    const masked = message === null ? null : (mask(message) as Message)
    const isShort = JSON.stringify(masked).length <= LONGEST_MESSAGE
    const remark = isShort ? note : 'too long to be kept'
    this.#entries.push({
      seq: this.#seq,
      at: new Date(this.#now()).toISOString(),
      direction,
      leg,
      type: typeof type === 'string' ? type.slice(0, 4) : null,
      message: isShort ? masked : null,
      ...(remark === undefined ? {} : { note: remark }),
    })
    if (this.#entries.length > MOST_ENTRIES) this.#entries.shift()
  }

  /** The entries behind a number, oldest first. */
  since(seq: number): readonly JournalEntry[] {
    return this.#entries.filter((entry) => entry.seq > seq)
  }

  clear(): void {
    this.#entries.length = 0
  }
}

/** Elements that are never written down, of any type. */
const HIDDEN = new Set(['authenticationValue', 'cardExpiryDate', 'challengeDataEntry'])

/** First six and last four digits of a card number, with the rest as stars. */
export function maskPan(pan: string): string {
  if (pan.length < 13) return '*'.repeat(pan.length)
  return `${pan.slice(0, 6)}${'*'.repeat(pan.length - 10)}${pan.slice(-4)}`
}

function mask(value: unknown, name = ''): unknown {
  if (HIDDEN.has(name)) return '*'.repeat(typeof value === 'string' ? value.length : 1)
  if (name === 'acctNumber') return maskPan(String(value).slice(0, 19))
  if (Array.isArray(value)) return value.map((item) => mask(item))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [maskText(key), mask(inner, key)]),
    )
  }
  if (typeof value === 'number') return maskNumber(value)
  return typeof value === 'string' ? maskText(value) : value
}

function maskNumber(value: number): number | string {
  const text = String(value)
  return maskText(text) === text ? value : maskText(text)
}

/** A card number may come in any field. */
function maskText(text: string): string {
  if (text.length < 13) return text
  return text.replace(/\d{13,19}/g, (run) => (hasValidCheckDigit(run) ? maskPan(run) : run))
}
