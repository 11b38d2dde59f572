import { invariant } from '../../base/invariant.ts'
import type { Currency } from '../currency.ts'
import type { FileHeader } from './file-record.ts'
import type { ForeignSummary } from './foreign-file.ts'
import type { Mapping } from './mapping.ts'

/** Facts that an acquirer's file lacks: its sender and receiver, and the file before it. */
export interface FileTarget {
  readonly mode: 'test' | 'live'
  readonly sender: string
  readonly receiver: string
  /** The number of the file, where the mapping has none. */
  readonly seq: bigint | null
  /** 64 zeros where no file was before it. */
  readonly prevSha256: string
  /** The closing balance of the file before it, in minor units. */
  readonly openingMinor: bigint
}

/** Why no header can be made; null for nothing. */
export function headerFault(summary: ForeignSummary): string | null {
  const { currency, seq, businessDate, zone, created } = summary
  if (currency === null) return 'The file has no row, so its currency is unknown.'
  if (seq === null) return 'The file has no number; give it with --seq.'
  return businessDate === null || zone === null || created === null
    ? 'The file has no row with a date.'
    : null
}

/**
 * The header of an acquirer's file. The same bytes by the same mapping give the same id.
 * @param sha256 of the acquirer's file, hexadecimal
 */
export function canonicalHeader(
  mapping: Mapping,
  summary: ForeignSummary,
  sha256: string,
  target: FileTarget,
): { readonly header: FileHeader; readonly currency: Currency } {
  const { currency, seq, businessDate, zone, created } = summary
  invariant(
    currency !== null && seq !== null && businessDate !== null && zone !== null && created !== null,
    'A file without a currency, a number or a date has no header.',
  )
  const header = {
    fileId: idOf(sha256),
    mode: target.mode,
    sender: target.sender,
    receiver: target.receiver,
    account: mapping.file.account.as,
    currency: currency.code,
    seq,
    prevSha256: target.prevSha256,
    businessDate,
    valueDate: businessDate,
    zone,
    created,
    openingMinor: target.openingMinor,
  }
  return { header, currency }
}

/** A UUID of version 8 (RFC 9562), made of the hash. */
function idOf(sha256: string): string {
  const variant = '89ab'[Number.parseInt(sha256.charAt(16), 16) % 4] ?? '8'
  return [
    sha256.slice(0, 8),
    sha256.slice(8, 12),
    `8${sha256.slice(13, 16)}`,
    variant + sha256.slice(17, 20),
    sha256.slice(20, 32),
  ].join('-')
}
