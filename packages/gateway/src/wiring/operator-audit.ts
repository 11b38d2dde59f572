import { createHash } from 'node:crypto'
import type pg from 'pg'
import { appendAudit } from '../adapters/postgres/audit/audit-log.ts'
import {
  countAuditEntries,
  findAuditRange,
  findLastAuditEntries,
  readAuditEntries,
  readAuditHead,
  withAuditSnapshot,
} from '../adapters/postgres/audit/audit-reader.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { isDatabaseAway } from '../adapters/postgres/connection/database.ts'
import { maskText } from '../base/card-masking.ts'
import {
  createChainCheck,
  type AuditHead,
  type ChainCheck,
  type ChainDigest,
  type ChainedEntry,
} from '../usecases/audit/audit-chain.ts'
import type { AuditEntry } from '../usecases/audit/audit-log.ts'
import { BooksUnavailableError, withConnection } from './books-connection.ts'
import { operatorActor } from './operator-actor.ts'

export { entryLine } from '../usecases/audit/entry-line.ts'
export { formatHead, parseHead } from '../usecases/audit/audit-chain.ts'
export type { AuditHead, ChainedEntry } from '../usecases/audit/audit-chain.ts'
export { AUDIT_OPERATIONS } from '../usecases/audit/audit-log.ts'

/** The result of checking a log, or a part of it. */
export interface AuditVerdict {
  /** The first fault, a sentence; null when there is none. */
  readonly fault: string | null
  readonly count: number
  readonly first: ChainedEntry | null
  /** The last entry that was right. */
  readonly last: ChainedEntry | null
  readonly clockSetBack: ChainCheck['clockSetBack']
  /** Why the check is not itself on record, a sentence; null when it is, or need not be. */
  readonly unrecorded: string | null
}

const digest: ChainDigest = (previousHash, text) =>
  createHash('sha256').update(previousHash, 'hex').update(text, 'utf8').digest('hex')

// A command waits only briefly for a locked log, and the lock is held no longer than that.
const CONNECTION = '-c lock_timeout=5s -c idle_in_transaction_session_timeout=60s -c jit=off'

const inDatabase = <Result>(
  databaseUrl: DatabaseAddress,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> => withConnection(databaseUrl, work, CONNECTION)

/**
 * Checks the log in the database from the entry `from` on, as it is now. Records the check and its
 * result in the log.
 * @throws BooksUnavailableError when the database cannot be queried.
 */
export function verifyAudit(
  databaseUrl: DatabaseAddress,
  options: {
    readonly from: bigint
    readonly noted: readonly AuditHead[]
    readonly onProgress?: (checked: bigint, of: bigint) => void
  },
): Promise<AuditVerdict> {
  const { from, noted, onProgress } = options
  return inDatabase(databaseUrl, async (client) => {
    const verdict = await withAuditSnapshot(client, async () => {
      const of = onProgress === undefined ? 0n : (await countAuditEntries(client)) - from + 1n
      // Without a bound where everything is wanted: an entry in front of the first shows as well.
      const entries = readAuditEntries(client, from === 1n ? null : from, null)
      const check = createChainCheck({ digest, from, noted })
      return checkAll(
        check,
        entries,
        () => readAuditHead(client),
        (count) => onProgress?.(BigInt(count), of),
      )
    })
    const unrecorded = await record(client, {
      object: `entries from ${from}`,
      result: verdict.fault === null ? 'done' : 'failed',
      details: {
        command: 'verify',
        checked: verdict.count,
        found: verdict.fault ?? 'whole',
        noted: noted.map(({ number, hash }) => `${number}:${hash}`),
      },
    }).then(
      () => null,
      (error: unknown) => unrecordedBecause(error),
    )
    return { ...verdict, unrecorded }
  })
}

/**
 * Checks exported entries, without the end of the log, which only the database or a note proves.
 */
export function verifyAuditFile(
  entries: AsyncIterable<ChainedEntry>,
  noted: readonly AuditHead[],
): Promise<AuditVerdict> {
  const check = createChainCheck({ digest, from: null, noted })
  return checkAll(
    check,
    entries,
    () => Promise.resolve(undefined),
    () => undefined,
  )
}

/** Checks all of the log as it is now, and writes nothing down. */
export function checkWholeLog(client: pg.ClientBase): Promise<AuditVerdict> {
  return withAuditSnapshot(client, () => {
    const check = createChainCheck({ digest, from: 1n, noted: [] })
    return checkAll(
      check,
      readAuditEntries(client, null, null),
      () => readAuditHead(client),
      () => undefined,
    )
  })
}

async function checkAll(
  check: ChainCheck,
  entries: AsyncIterable<ChainedEntry>,
  readHead: () => Promise<AuditHead | null | undefined>,
  onChecked: (count: number) => void,
): Promise<AuditVerdict> {
  let first: ChainedEntry | null = null
  let fault: string | null = null
  for await (const entry of entries) {
    fault = check.next(entry)
    if (fault !== null) break
    first ??= entry
    onChecked(check.count)
  }
  fault ??= check.end(await readHead())
  const { count, last, clockSetBack } = check
  return { fault, count, first, last, clockSetBack, unrecorded: null }
}

/**
 * Exports every entry from one number or time to another, after the log has recorded the export.
 * Between two times it leaves out nothing, so that the chain can be checked.
 * @throws BooksUnavailableError when the database cannot be queried, or keeps no record.
 */
export function exportAudit(
  databaseUrl: DatabaseAddress,
  options: {
    readonly from: bigint | null
    readonly to: bigint | null
    readonly since: Date | null
    readonly until: Date | null
    readonly onEntry: (entry: ChainedEntry) => void
  },
): Promise<void> {
  const { from, to, since, until, onEntry } = options
  return inDatabase(databaseUrl, async (client) => {
    await recordOrRefuse(client, {
      object: 'entries',
      result: 'done',
      details: {
        command: 'export',
        from: from?.toString() ?? null,
        to: to?.toString() ?? null,
        since: since?.toISOString() ?? null,
        until: until?.toISOString() ?? null,
      },
    })
    await withAuditSnapshot(client, async () => {
      const isTimed = since !== null || until !== null
      const range = isTimed ? await findAuditRange(client, since, until) : { from, to }
      if (range === null) return
      const first = larger(from, range.from)
      const last = smaller(to, range.to)
      for await (const entry of readAuditEntries(client, first, last)) onEntry(entry)
    })
  })
}

/**
 * The newest entries that fit, oldest first, after the log has recorded that they are read.
 * @throws BooksUnavailableError when the database cannot be queried, or keeps no record.
 */
export function showAudit(
  databaseUrl: DatabaseAddress,
  filter: {
    readonly last: number
    readonly operation: string | null
    readonly object: string | null
  },
): Promise<ChainedEntry[]> {
  return inDatabase(databaseUrl, async (client) => {
    await recordOrRefuse(client, {
      object: 'entries',
      result: 'done',
      // An operator looks for what is at hand, a card number for one.
      details: { command: 'show', ...filter, object: filter.object && maskText(filter.object) },
    })
    return findLastAuditEntries(client, filter)
  })
}

async function record(
  client: pg.ClientBase,
  entry: Pick<AuditEntry, 'object' | 'result' | 'details'>,
): Promise<void> {
  await appendAudit(client, [{ actor: operatorActor(), operation: 'audit.read', ...entry }])
}

async function recordOrRefuse(...given: Parameters<typeof record>): Promise<void> {
  try {
    await record(...given)
  } catch (error) {
    throw new BooksUnavailableError(`${unrecordedBecause(error)} The log is not read without that.`)
  }
}

function unrecordedBecause(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  const away = isDatabaseAway(error) ? 'the database does not take it' : 'the log is damaged'
  return `The reading of the log could not be written into it (${away}): ${reason}.`
}

function larger(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b
  return a > b ? a : b
}

function smaller(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}
