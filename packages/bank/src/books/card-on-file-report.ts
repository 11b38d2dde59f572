import { parseRecord } from './journal-record.ts'
import type { RecordDraft } from './journal-record.ts'
import { readLines } from './read-lines.ts'

/** How many payments with a card on file were the same in these four. */
export interface CardOnFileLine extends Pick<RecordDraft, 'responseCode' | 'updater'> {
  readonly initiation: string
  /** Empty where a strict issuer has no objection. */
  readonly objections: NonNullable<RecordDraft['objections']>
  readonly count: number
}

/** Counts the payments with a card on file (tag CI) in a journal, in the order of the journal. */
export async function countCardsOnFile(journalPath: string): Promise<readonly CardOnFileLine[]> {
  const counts = new Map<string, number>()
  await readLines(journalPath, (text) => {
    // Most records of most journals are about something else, and take longer to parse.
    if (!text.includes('"initiation":')) return
    const { initiation, objections = [], responseCode, updater } = parseRecord(text)
    if (initiation === undefined) return
    const line = JSON.stringify({ initiation, responseCode, updater, objections })
    counts.set(line, (counts.get(line) ?? 0) + 1)
  })
  return [...counts].map(([line, count]) => ({
    ...(JSON.parse(line) as Omit<CardOnFileLine, 'count'>),
    count,
  }))
}
