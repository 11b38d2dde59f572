import type { Books } from './books.ts'
import { endsThere } from './journal-file.ts'
import type { JournalPosition } from './journal-file.ts'
import { NO_HASH, parseRecord } from './journal-record.ts'
import type { JournalRecord } from './journal-record.ts'
import { isMovement } from './order.ts'
import { readLinesFrom } from './read-lines.ts'

const POSITION = /^(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.([0-9a-f]{64})$/

/** A position as a text for readers, who give it back as it is. */
export function positionText({ hash, offset, seq }: JournalPosition): string {
  return `${offset}.${seq}.${hash}`
}

/** The position in a text; null when it is none. */
export function readPosition(text: string): JournalPosition | null {
  const [, offset = '', seq = '', hash = NO_HASH] = POSITION.exec(text) ?? []
  return offset === '' ? null : { offset: Number(offset), seq: Number(seq), hash }
}

/**
 * The keys of the orders that records behind `from` have made or changed. Null when no record of
 * this journal ends there, as in an older copy of the folder, or in another bank's.
 */
export async function changedOrders(
  journalPath: string,
  from: JournalPosition,
  books: Pick<Books, 'find'>,
): Promise<ReadonlySet<string> | null> {
  if (!(await endsThere(journalPath, from))) return null
  const keys = new Set<string>()
  await readLinesFrom(journalPath, from.offset, (line) => {
    const key = orderKeyOf(parseRecord(line), books)
    if (key !== undefined) keys.add(key)
  })
  return keys
}

/** The order that a record is about; undefined when it changes no figure of an order. */
function orderKeyOf(
  { key, kind, original }: JournalRecord,
  books: Pick<Books, 'find'>,
): string | undefined {
  switch (kind) {
    case 'auth':
    case 'credit':
      return key
    case 'capture':
    case 'refund':
    case 'tombstone':
      return original
    case 'reversal': {
      const reversed = original === undefined ? undefined : books.find(original)
      return reversed !== undefined && isMovement(reversed) ? reversed.orderKey : original
    }
    default:
      return undefined
  }
}
