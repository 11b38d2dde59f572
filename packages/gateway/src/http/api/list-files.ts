import { Readable } from 'node:stream'
import { csvRow } from '../../base/csv.ts'
import type { ListName } from '../../usecases/queries/listed-rows.ts'
import type { ListAnswerPage } from '../../usecases/queries/read-list.ts'
import { fieldText, LIST_FIELDS } from './list-fields.ts'
import type { ListObject } from './list-objects.ts'
import type { ListFormat } from './list-parameters.ts'

export type FileFormat = Exclude<ListFormat, 'json'>

export const FILE_TYPES: Readonly<Record<FileFormat, string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** A file that is made while it is sent. */
export interface ListFile {
  readonly list: ListName
  readonly format: FileFormat
  readonly completeUntil: Date | null
  readonly pieces: AsyncIterable<ListAnswerPage<ListObject>>
  /** Whether a CSV file ends with a line that counts its rows. */
  readonly hasCount: boolean
  /** Called once nothing is sent any more. */
  readonly onEnd: () => void
}

/**
 * Holds one piece at a time: the next one is read when the client has taken most of this one. A
 * failure breaks the connection, so that the file has no end.
 */
export function listFile(file: ListFile): Readable {
  const texts = file.format === 'csv' ? csvTexts(file) : jsonTexts(file)
  const stream = Readable.from(texts, { objectMode: false, highWaterMark: 1 })
  stream.once('close', file.onEnd)
  return stream
}

async function* jsonTexts({ completeUntil, pieces }: ListFile): AsyncGenerator<string> {
  let rows = 0
  let next: string | null = null
  for await (const piece of pieces) {
    rows += piece.rows.length
    next = piece.next
    const lines = piece.rows.map(({ cursor, row }) => `${JSON.stringify({ ...row, cursor })}\n`)
    if (lines.length > 0) yield lines.join('')
  }
  yield `${JSON.stringify({ end: true, rows, cursor: next, complete_until: completeUntil })}\n`
}

async function* csvTexts({ hasCount, list, pieces }: ListFile): AsyncGenerator<string> {
  const paths = Object.keys(LIST_FIELDS[list])
  let rows = 0
  let next: string | null = null
  yield csvRow([...paths, 'cursor'])
  for await (const piece of pieces) {
    rows += piece.rows.length
    next = piece.next
    const lines = piece.rows.map(({ cursor, row }) =>
      csvRow([...paths.map((path) => fieldText(row, path)), cursor]),
    )
    if (lines.length > 0) yield lines.join('')
  }
  if (hasCount) {
    const [, , ...others] = paths
    yield csvRow(['end', String(rows), ...others.map(() => ''), next ?? ''])
  }
}

/** The format that the header Accept names. */
export function acceptedFormat(accept: string | undefined): ListFormat {
  const types = (accept ?? '').split(',').map((type) => type.split(';')[0]?.trim().toLowerCase())
  for (const type of types) {
    if (type === 'application/json') return 'json'
    if (type === 'text/csv') return 'csv'
    if (type === 'application/x-ndjson' || type === 'application/jsonl') return 'jsonl'
  }
  return 'json'
}
