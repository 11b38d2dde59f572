import { NoticeRefusedError, readNotice, type JsonRecord } from './notice-record.ts'
import type { Notice } from './notice.ts'

/** The first line of a file of notices. */
export interface NoticeHeader {
  readonly mode: 'test' | 'live'
  readonly sender: string
  readonly receiver: string
  readonly account: string
}

const FORMAT = 'tollgate-disputes'

/**
 * Reads a whole file of notices (JSON Lines): a header, notices, and a trailer with their count and
 * the hash of all bytes before it.
 * @param sha256 over a text as UTF-8, in hexadecimal
 * @throws NoticeRefusedError with the line and the reason
 */
export function readNoticeFile(
  text: string,
  sha256: (text: string) => string,
): { readonly header: NoticeHeader; readonly notices: readonly Notice[] } {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const records = lines.map((line, at) => readObject(line, at + 1))
  const [first] = records
  const last = records.at(-1)
  if (first?.['r'] !== 'H') throw new NoticeRefusedError(1, 'The first line is no header.')
  if (last?.['r'] !== 'T' || last === first) {
    throw new NoticeRefusedError(records.length, 'The file ends without a trailer: it is cut off.')
  }
  const header = readHeader(first)
  const notices = records.slice(1, -1).map((record, at) => {
    const line = at + 2
    if (record['r'] !== 'N') throw new NoticeRefusedError(line, 'The line is no notice.')
    return readNotice(record, line, sha256)
  })
  checkTrailer(last, records.length, notices.length, () =>
    sha256(text.slice(0, text.lastIndexOf(lines.at(-1) ?? ''))),
  )
  return { header, notices }
}

function readObject(line: string, at: number): JsonRecord {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new NoticeRefusedError(at, 'The line is not JSON.')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as JsonRecord
  }
  throw new NoticeRefusedError(at, 'The line is not a JSON object.')
}

function readHeader(record: JsonRecord): NoticeHeader {
  if (record['format'] !== FORMAT || record['v'] !== 1) {
    throw new NoticeRefusedError(1, `The format is not ${FORMAT} version 1.`)
  }
  const { mode } = record
  if (mode !== 'test' && mode !== 'live') {
    throw new NoticeRefusedError(1, 'mode is neither test nor live.')
  }
  const text = (name: string): string => {
    const value = record[name]
    if (typeof value === 'string' && value !== '' && value.length <= 64) return value
    throw new NoticeRefusedError(1, `${name} is no text of 1 to 64 characters.`)
  }
  return { mode, sender: text('sender'), receiver: text('receiver'), account: text('account') }
}

function checkTrailer(
  trailer: JsonRecord,
  line: number,
  count: number,
  hashed: () => string,
): void {
  if (trailer['notices'] !== count) {
    throw new NoticeRefusedError(line, `The trailer does not count the ${count} notices.`)
  }
  if (trailer['sha256'] !== hashed()) {
    throw new NoticeRefusedError(line, 'The hash of the trailer is not that of the bytes before.')
  }
}
