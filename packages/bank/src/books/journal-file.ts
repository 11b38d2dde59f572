import type { FileHandle } from 'node:fs/promises'
import { NO_HASH, checkSeal, isPlaced, parseRecord } from './journal-record.ts'
import type { JournalRecord } from './journal-record.ts'
import { openIfThere, readLines } from './read-lines.ts'

/** The name of the journal in the bank's folder. */
export const JOURNAL_NAME = 'journal.jsonl'

/** A place between two records. */
export interface JournalPosition {
  /** Bytes before this place. */
  readonly offset: number
  /** Records before this place, and the hash of the last of them. */
  readonly seq: number
  readonly hash: string
}

export const JOURNAL_START: JournalPosition = { offset: 0, seq: 0, hash: NO_HASH }

/** A journal with content that the bank did not write. The message names the line. */
export class JournalDamage extends Error {
  override readonly name = 'JournalDamage'
}

export interface JournalEnd extends JournalPosition {
  /** Bytes behind the last whole line: a write that a crash cut short, never acknowledged. */
  readonly tornBytes: number
}

const LINE_FEED = 10

/**
 * Reads the whole journal and checks each line and the chain. Records at `from` or later are passed
 * on with their offsets; earlier ones are only checked. A missing file is an empty journal. Throws
 * JournalDamage at the first altered line. A last line without its end is no damage, and is
 * reported instead.
 */
export async function readJournal(
  path: string,
  from: number,
  onRecord: (record: JournalRecord, offset: number) => void,
): Promise<JournalEnd> {
  let { offset, seq, hash } = JOURNAL_START
  const tornBytes = await readLines(path, (line, start) => {
    hash = checkLine(line, seq + 1, hash)
    seq += 1
    offset = start + line.length + 1
    if (start >= from) onRecord(parseRecord(line), start)
  })
  return { offset, seq, hash, tornBytes: tornBytes ?? 0 }
}

/** The hash of a line that is sound and follows the one with `previousHash`. */
function checkLine(line: string, lineNumber: number, previousHash: string): string {
  const hash = checkSeal(line)
  if (hash === null) throw damage(lineNumber, 'does not match its hash')
  if (!isPlaced(line, lineNumber, previousHash)) {
    throw damage(lineNumber, 'does not follow the line before it')
  }
  return hash
}

function damage(lineNumber: number, what: string): JournalDamage {
  return new JournalDamage(`Line ${lineNumber} of the journal ${what}.`)
}

/** The record that starts at `offset`. Throws JournalDamage when there is no whole record. */
export async function readRecordAt(file: FileHandle, offset: number): Promise<JournalRecord> {
  let size = 2048
  for (;;) {
    const bytes = Buffer.allocUnsafe(size)
    const { bytesRead } = await file.read(bytes, 0, size, offset)
    const lineEnd = bytes.subarray(0, bytesRead).indexOf(LINE_FEED)
    if (lineEnd !== -1) {
      const line = bytes.toString('latin1', 0, lineEnd)
      if (checkSeal(line) !== null) return parseRecord(line)
      throw new JournalDamage(`The record at byte ${offset} of the journal is damaged.`)
    }
    if (bytesRead < size) {
      throw new JournalDamage(`The record at byte ${offset} of the journal has no end.`)
    }
    size *= 4
  }
}

/** True when a record with this hash ends exactly at the position. */
export async function endsThere(path: string, position: JournalPosition): Promise<boolean> {
  if (position.offset === 0) return position.seq === 0 && position.hash === NO_HASH
  const file = await openIfThere(path)
  if (file === null) return false
  try {
    const tail = `${position.hash}"}\n`
    const bytes = Buffer.alloc(tail.length)
    await file.read(bytes, 0, tail.length, position.offset - tail.length)
    return bytes.toString('latin1') === tail
  } catch {
    // A position before the file's start is as wrong as one that no record ends at.
    return false
  } finally {
    await file.close()
  }
}
