import type { RawRecord } from './raw-record.ts'

/** The record of an answer, and its headers. */
export interface Answer {
  readonly raw: RawRecord
  /** A header by its name; '' if the answer has none. */
  readonly header: (name: string) => string
}

/** A row of CCSTATUS as an answer: rows have no headers. */
export function answerOfRow(raw: RawRecord): Answer {
  return { raw, header: () => '' }
}
