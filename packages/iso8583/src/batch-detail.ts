import { Iso8583Error } from './iso8583-error.ts'

/** A capture or refund of a batch as a 0610 lists it, with the parts of its message key. */
export interface DetailRow {
  /** DE 41, 8 characters. */
  readonly terminal: string
  /** DE 11. */
  readonly stan: string
  /** DE 7. */
  readonly transmissionTime: string
  readonly kind: 'capture' | 'refund'
  /** Before its voids. */
  readonly amountMinor: bigint
  readonly voidedMinor: bigint
}

/** The fields that hold rows, in their sequence; DE 123 is the address of a payment. */
const ROW_FIELDS = [120, 121, 122, 124, 125, 126, 127] as const
const ROWS_A_FIELD = 20
const ROW_CHARACTERS = 49
const ROW = /^(.{8})(\d{6})(\d{10})([CR])(\d{12})(\d{12})$/

/** The most rows of one 0610. */
export const DETAIL_ROWS_A_PAGE = ROW_FIELDS.length * ROWS_A_FIELD

/** The fields of a page of at most DETAIL_ROWS_A_PAGE rows. */
export function encodeDetail(rows: readonly DetailRow[]): Record<number, string> {
  if (rows.length > DETAIL_ROWS_A_PAGE) throw fault(120, 'A page of detail has too many rows.')
  const fields: Record<number, string> = {}
  for (const [place, field] of ROW_FIELDS.entries()) {
    const own = rows.slice(place * ROWS_A_FIELD, (place + 1) * ROWS_A_FIELD)
    if (own.length > 0) fields[field] = own.map(writeRow).join('')
  }
  return fields
}

/** The rows of a page. Throws Iso8583Error on a text that is not made of rows. */
export function decodeDetail(fields: Readonly<Record<number, string>>): DetailRow[] {
  return ROW_FIELDS.flatMap((field) => {
    const text = fields[field] ?? ''
    if (text.length % ROW_CHARACTERS !== 0) {
      throw fault(field, `DE ${field} is not made of rows of ${ROW_CHARACTERS} characters.`)
    }
    return Array.from({ length: text.length / ROW_CHARACTERS }, (_, index) =>
      readRow(field, text.slice(index * ROW_CHARACTERS, (index + 1) * ROW_CHARACTERS)),
    )
  })
}

function writeRow(row: DetailRow): string {
  const kind = row.kind === 'capture' ? 'C' : 'R'
  const amounts = [row.amountMinor, row.voidedMinor].map((minor) =>
    minor.toString().padStart(12, '0'),
  )
  return `${row.terminal.padEnd(8)}${row.stan}${row.transmissionTime}${kind}${amounts.join('')}`
}

function readRow(field: number, text: string): DetailRow {
  const match = ROW.exec(text)
  if (match === null) throw fault(field, `A row of DE ${field} is not a capture or refund.`)
  const [, terminal = '', stan = '', transmissionTime = '', kind, amount = '', voided = ''] = match
  return {
    terminal,
    stan,
    transmissionTime,
    kind: kind === 'C' ? 'capture' : 'refund',
    amountMinor: BigInt(amount),
    voidedMinor: BigInt(voided),
  }
}

function fault(field: number, text: string): Iso8583Error {
  return new Iso8583Error('subfield_invalid', text, { field })
}
