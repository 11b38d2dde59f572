import { findCurrency } from '../currency.ts'
import { formatMinor } from '../money.ts'
import type { FileHeader, FileRefusal } from './file-record.ts'

/** The names of a merchant account in the files of its acquirer. */
export interface SettlementSource {
  readonly id: bigint
  readonly merchantId: bigint
  readonly merchantAccountId: bigint
  readonly mode: 'test' | 'live'
  readonly sender: string
  readonly receiver: string
  readonly account: string
  readonly currency: string
}

/** The last booked file of a source. */
export interface ChainPosition {
  readonly seq: bigint
  /** The hash of the trailer, which the next file names. */
  readonly contentSha256: string
  readonly closingMinor: bigint
}

/** The hash that the first file of a source names. */
export const NO_PREVIOUS = '0'.repeat(64)

/**
 * Why a file of a source is not the next one, or null (S10 to S14). The first file of a source may
 * have any number; it names no previous file and opens at zero.
 */
export function chainFault(
  header: FileHeader,
  source: SettlementSource,
  last: ChainPosition | null,
): FileRefusal | null {
  const fault = (code: FileRefusal['code'], reason: string): FileRefusal => ({
    code,
    line: 1,
    reason,
  })
  if (header.receiver !== source.receiver) {
    return fault('S10', `The receiver is ${header.receiver}; expected ${source.receiver}.`)
  }
  if (header.mode !== source.mode) {
    return fault('S10', `The mode is ${header.mode}; the merchant account is ${source.mode}.`)
  }
  if (last !== null && header.seq <= last.seq) {
    return fault('S11', `File ${header.seq} is booked already, with other content.`)
  }
  if (last !== null && header.seq !== last.seq + 1n) {
    return fault('S12', `The file is ${header.seq}; the next one is ${last.seq + 1n}.`)
  }
  const previous = last?.contentSha256 ?? NO_PREVIOUS
  if (header.prevSha256 !== previous) {
    return fault('S13', `prev_sha256 is ${header.prevSha256}; the previous file has ${previous}.`)
  }
  const closing = last?.closingMinor ?? 0n
  if (header.openingMinor !== closing) {
    const currency = findCurrency(header.currency)
    const show = (minor: bigint): string =>
      currency === null ? minor.toString() : formatMinor(minor, currency)
    return fault(
      'S14',
      `opening is ${show(header.openingMinor)}; the previous closing is ${show(closing)}.`,
    )
  }
  return null
}
