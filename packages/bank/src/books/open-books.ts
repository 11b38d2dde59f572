import { mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { InvariantError } from '../invariant.ts'
import { openAccountIds } from '../issuer/account-ids.ts'
import type { AccountIds } from '../issuer/account-ids.ts'
import { StartupError, reasonOf } from '../startup-error.ts'
import { Books } from './books.ts'
import { lockFolder } from './folder-lock.ts'
import { JOURNAL_NAME, JournalDamage, endsThere, readJournal } from './journal-file.ts'
import type { JournalEnd } from './journal-file.ts'
import { Journal } from './journal.ts'
import { SNAPSHOT_NAME, readSnapshot, writeSnapshot } from './snapshot.ts'

/** After so many replayed records a start writes a snapshot, so that the next one is short. */
const SNAPSHOT_AFTER_RECORDS = 100_000

export interface OpenBooks {
  readonly books: Books
  readonly journal: Journal
  readonly accountIds: AccountIds
  /** Flushes the journal, leaves a snapshot, and releases the folder. */
  close(): Promise<void>
  /** Releases the folder and leaves everything as it is: for after a failure. */
  abandon(): Promise<void>
}

export interface OpenBooksOptions {
  readonly folder: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Receives whole sentences for the operator. */
  readonly warn: (sentence: string) => void
  /** Called once when the journal can no longer be written. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Locks the bank's folder and loads its books. Throws StartupError when the folder is not writable,
 * is in use, or holds a journal that no bank wrote.
 */
export async function openBooks(options: OpenBooksOptions): Promise<OpenBooks> {
  const { folder } = options
  await makeFolder(folder)
  const lock = lockFolder(folder)
  try {
    return await openLocked(options, lock)
  } catch (error) {
    lock.release()
    if (error instanceof StartupError) throw error
    throw new StartupError(`The bank cannot open its books in ${folder}: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

async function openLocked(
  { folder, now, onFailure, warn }: OpenBooksOptions,
  lock: { release(): void },
): Promise<OpenBooks> {
  const journalPath = join(folder, JOURNAL_NAME)
  const snapshotPath = join(folder, SNAPSHOT_NAME)
  const isNew = !(await exists(journalPath))
  const accountIds = await openAccountIds(folder, isNew)
  const { books, end, replayed } = await restore(journalPath, snapshotPath, warn)
  if (end.tornBytes > 0) {
    warn(
      `The journal in ${folder} ended with ${end.tornBytes} bytes of an unfinished record, which ` +
        'were cut off. No answer to it was ever given.',
    )
  }
  if (books.keyCheck !== null && books.keyCheck !== accountIds.check) {
    throw new StartupError(
      `The account key in ${folder} is not the one that these books were made with. Bring the ` +
        'right key file back.',
    )
  }
  const journal = await Journal.open(journalPath, end, onFailure)
  if (books.keyCheck === null) {
    const at = new Date(now()).toISOString()
    const draft = { kind: 'open', at, keyCheck: accountIds.check, postings: [] } as const
    books.apply(draft, journal.end.offset)
    await journal.append(draft)
  }
  await syncFolder(folder)
  books.forget(now())
  const save = () => writeSnapshot(snapshotPath, books, journal.end)
  if (replayed >= SNAPSHOT_AFTER_RECORDS) await save()
  return {
    books,
    journal,
    accountIds,
    close: async () => {
      try {
        await journal.flushed()
        await save()
      } finally {
        await journal.close()
        lock.release()
      }
    },
    abandon: async () => {
      lock.release()
      await journal.abandon()
    },
  }
}

interface Restored {
  readonly books: Books
  readonly end: JournalEnd
  readonly replayed: number
}

async function restore(
  journalPath: string,
  snapshotPath: string,
  warn: (sentence: string) => void,
): Promise<Restored> {
  const snapshot = await readSnapshot(snapshotPath)
  if (snapshot === null && (await exists(snapshotPath))) {
    warn(`The snapshot ${snapshotPath} cannot be used; the whole journal is replayed.`)
  }
  if (snapshot !== null && !(await endsThere(journalPath, snapshot.position))) {
    throw new StartupError(
      `The journal ${journalPath} does not have the record that ${snapshotPath} was made after, ` +
        'so records that were acknowledged are missing. Bring the right journal back, or start ' +
        'with an empty folder.',
    )
  }
  const books = snapshot?.books ?? new Books()
  let replayed = 0
  let line = snapshot?.position.seq ?? 0
  try {
    const from = snapshot?.position.offset ?? 0
    const end = await readJournal(journalPath, from, (record, offset) => {
      line = record.seq
      books.apply(record, offset)
      replayed += 1
    })
    return { books, end, replayed }
  } catch (error) {
    const isWrong = error instanceof InvariantError
    const reason = isWrong ? `Line ${line} of the journal is wrong: ${error.message}` : ''
    if (!(error instanceof JournalDamage) && reason === '') throw error
    throw new StartupError(
      `The bank's books in ${journalPath} are damaged. ${reason || reasonOf(error)} Bring back a ` +
        'copy of the folder from before, or start with an empty one.',
      { cause: error },
    )
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartupError(
      `The bank cannot make its folder ${folder}: ${reasonOf(error)}. Choose another DATA_DIR.`,
      { cause: error },
    )
  }
}

/** Makes the names of new files durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
