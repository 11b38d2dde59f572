import {
  DETAIL_ROWS_A_PAGE,
  Iso8583Error,
  decodePrivateData,
  decodeTotals,
  encodeDetail,
  encodePrivateData,
  encodeTotals,
} from '@tollgate/iso8583'
import type { DetailRow, IsoMessage } from '@tollgate/iso8583'
import { totalsOf } from '../books/batches.ts'
import type { Batch } from '../books/batches.ts'
import type { Books } from '../books/books.ts'
import type { RecordDraft } from '../books/journal-record.ts'
import type { Incoming } from '../books/record-drafts.ts'
import { readBatchNumber, requireField } from './read-request.ts'

const IN_BALANCE = '1'
const OUT_OF_BALANCE = '2'
const RECONCILED = '00'
const RECONCILE_ERROR = '95'

interface NamedBatch {
  readonly merchant: string
  readonly number: string
  readonly currency: string
}

/**
 * A 0500: closes the merchant's batch of one currency, and compares its totals with the bank's. A
 * batch is closed even if they differ, so that both sides keep the totals that they had.
 */
export function closeBatch({ batches }: Books, incoming: Incoming): RecordDraft {
  const { at, key, message } = incoming
  const named = readBatch(message)
  const asked = decodeTotals({ fields: message.fields, byBrand: named.tags['TB'] ?? null })
  const own = encodeTotals(totalsOf(batches.find(named.merchant, named.number, named.currency)))
  const isEqual = encodeTotals(asked).byBrand === own.byBrand
  const tags = { BN: named.number, ...(own.byBrand === null ? {} : { TB: own.byBrand }) }
  const responseCode = isEqual ? RECONCILED : RECONCILE_ERROR
  return {
    kind: 'batch_close',
    at,
    mti: message.mti,
    key,
    merchant: named.merchant,
    batch: named.number,
    currency: named.currency,
    responseCode,
    answer: {
      ...own.fields,
      39: responseCode,
      48: encodePrivateData(tags),
      50: named.currency,
      66: isEqual ? IN_BALANCE : OUT_OF_BALANCE,
    },
    postings: [],
  }
}

/** The answer to a 0600: a page of a closed batch's movements. It changes nothing. */
export function listBatch({ batches }: Books, message: IsoMessage): Record<number, string> {
  const { merchant, number, currency, tags } = readBatch(message)
  const batch = batches.find(merchant, number, currency)
  // An open batch changes between two pages.
  if (batch?.closed !== true) return { 39: '25' }
  const from = Number(readCount(tags['FR'] ?? '0'))
  const { size } = batch.movements
  const data = { BN: number, FR: String(from), NR: String(size) }
  return {
    ...encodeDetail(page(batch, from)),
    39: RECONCILED,
    48: encodePrivateData(data),
    50: currency,
  }
}

function page({ movements }: Batch, from: number): DetailRow[] {
  const entries = [...movements.entries().drop(from).take(DETAIL_ROWS_A_PAGE)]
  return entries.map(([key, { kind, amount, voided }]) => {
    const [, terminal = '', stan = '', transmissionTime = ''] = key.split('/')
    const row = { terminal, stan, transmissionTime }
    const amountMinor = amount + voided
    return { ...row, kind: kind === 'capture' ? kind : 'refund', amountMinor, voidedMinor: voided }
  })
}

function readBatch(
  message: IsoMessage,
): NamedBatch & { readonly tags: Readonly<Record<string, string>> } {
  const number = readBatchNumber(message)
  if (number === null) {
    throw new Iso8583Error('field_missing', 'Tag BN of DE 48 is missing.', { field: 48 })
  }
  return {
    merchant: requireField(message, 42).trim(),
    number,
    currency: requireField(message, 50),
    tags: decodePrivateData(message.fields[48] ?? ''),
  }
}

function readCount(text: string): string {
  if (/^\d{1,9}$/.test(text)) return text
  throw new Iso8583Error('subfield_invalid', 'Tag FR of DE 48 is not 1 to 9 digits.', { field: 48 })
}
