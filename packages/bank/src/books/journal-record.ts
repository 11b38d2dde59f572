import { hash } from 'node:crypto'
import type { Objection } from '../acquirer/stored-credential.ts'
import type { UpdaterResult } from '../issuer/account-updater.ts'
import type { DisputeNote } from './dispute-note.ts'
import type { SettlementNote } from './settlement-note.ts'

/**
 * The kinds of records. `refusal` is any message that was answered without moving money, a passed
 * card check and an advice with nothing to do included. `tombstone` records a reversal that came
 * before its original. `rebatch` moves a capture or refund to another batch of its merchant.
 * `batch_close` ends a batch, `settlement` is a step of a settlement file, and `dispute` one of a
 * case. `fault` explains the treatment of a message, and moves nothing.
 */
export type RecordKind =
  | 'open'
  | 'seed'
  | 'auth'
  | 'capture'
  | 'refund'
  | 'credit'
  | 'reversal'
  | 'tombstone'
  | 'refusal'
  | 'rebatch'
  | 'batch_close'
  | 'settlement'
  | 'dispute'
  | 'fault'

/**
 * The bank's general ledger. `cardholder` and `hold` belong to the record's account, `payable` to
 * its merchant. The issuer's debt to the acquirer stands on both sides, so that each can be read
 * alone: the two clearing accounts mirror each other. `suspense` is the source of the test cards'
 * funds.
 */
export type LedgerAccount =
  | 'cardholder'
  | 'hold'
  | 'issuer_clearing'
  | 'acquirer_clearing'
  | 'payable'
  | 'suspense'

/** Debit or credit, the ledger account, and minor units of the record's currency. */
export type Posting = readonly [side: 'D' | 'C', account: LedgerAccount, amount: string]

/** A record before it has its place in the journal. Amounts are minor units of `currency`. */
export interface RecordDraft {
  readonly kind: RecordKind
  /** UTC, ISO 8601 with milliseconds. */
  readonly at: string
  readonly mti?: string
  /** The message's key: DE 32, DE 41, DE 11 and DE 7 with slashes between. */
  readonly key?: string
  /** The key of the message that this one is about. */
  readonly original?: string
  /** The account id, which is a keyed digest of the card number, and the number's end. */
  readonly account?: string
  readonly last4?: string
  /** DE 42 without its filling. */
  readonly merchant?: string
  readonly currency?: string
  /** The merchant's batch, and the card brand by which the batch counts: tags BN and BR. */
  readonly batch?: string
  readonly brand?: string
  /** The amount that was moved; in a refusal, the requested amount. */
  readonly amount?: string
  /** A reversal that ended its original; a partial one does not have this. */
  readonly whole?: true
  readonly responseCode?: string
  /** Of a payment with a card on file: tags CI, NO and BD as they came. */
  readonly initiation?: string
  readonly firstReference?: string
  readonly businessTime?: string
  /** The account updater's result; `not_done` if the request for it was not allowed. */
  readonly updater?: UpdaterResult | 'not_done'
  /** The objections of a strict issuer, in alphabetical order; absent where there are none. */
  readonly objections?: readonly Objection[]
  /** The network id of a customer-initiated payment, for later payments to name. */
  readonly reference?: string
  /**
   * The answer's fields except the four of the key and the number that has replaced the card's. A
   * repeat gets these.
   */
  readonly answer?: Readonly<Record<number, string>>
  /** DE 37 of a capture, refund or unreferenced credit. */
  readonly rrn?: string
  readonly settlement?: SettlementNote
  readonly dispute?: DisputeNote
  /** The fault that was injected into the message. */
  readonly fault?: string
  /** In the `open` record: proves that the account key is the one these books were made with. */
  readonly keyCheck?: string
  readonly postings: readonly Posting[]
}

export interface JournalRecord extends RecordDraft {
  /** Counts from 1 without gaps. */
  readonly seq: number
  /** The previous record's `hash`; 64 zeros in the first. */
  readonly prev: string
}

/** The `prev` of the first record. */
export const NO_HASH = '0'.repeat(64)

/** The end of each line, behind the hashed text. */
const HASH_MARK = ',"hash":"'
const SEAL_LENGTH = HASH_MARK.length + 64 + '"}'.length

/** A record as its line, without the line feed, and its SHA-256. The hash covers `prev`. */
export function sealRecord(record: JournalRecord): {
  readonly line: string
  readonly hash: string
} {
  const text = JSON.stringify(record)
  const digest = hash('sha256', text, 'hex')
  return { line: `${text.slice(0, -1)}${HASH_MARK}${digest}"}`, hash: digest }
}

/** The hash that a line ends with; null when the line is not what that hash was made of. */
export function checkSeal(line: string): string | null {
  const mark = line.length - SEAL_LENGTH
  if (mark < 1 || !line.startsWith(HASH_MARK, mark) || !line.endsWith('"}')) return null
  const stated = line.slice(mark + HASH_MARK.length, -2)
  return hash('sha256', `${line.slice(0, mark)}}`, 'hex') === stated ? stated : null
}

/** True when a sealed line is the record with this number, behind the one with this hash. */
export function isPlaced(line: string, seq: number, prev: string): boolean {
  return line.startsWith(`{"seq":${seq},"prev":"${prev}",`)
}

/** The record in a line whose seal is right: a bank wrote it, so it has this shape. */
export function parseRecord(line: string): JournalRecord {
  return JSON.parse(line) as JournalRecord
}
