import type pg from 'pg'
import {
  checkInvariants,
  checkSinceLast,
  type CheckOptions,
} from '../adapters/postgres/books/invariants/check-invariants.ts'
import { INVARIANTS } from '../adapters/postgres/books/invariants/invariant-list.ts'
import type { InvariantResult } from '../adapters/postgres/books/invariants/invariant.ts'
import {
  canNote,
  noteEnd,
  noteStart,
  readMark,
  type NoMark,
} from '../adapters/postgres/books/invariants/verify-runs.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { readIdMarks } from '../adapters/postgres/connection/id-marks.ts'
import { readIdentity } from '../adapters/postgres/connection/id-sequences.ts'
import { BooksUnavailableError, withConnection } from './books-connection.ts'

/** Twice what the resolver waits beyond the bank's time-out: by then it has looked. */
const RESOLVER_MARGIN_MS = 60_000

interface VerifyOptions {
  readonly bankTimeoutMs: number
  /** The folder with the id marks of this node. */
  readonly dataDir: string
  readonly onStep?: (step: { number: number; of: number; sentence: string }) => void
}

/**
 * Checks every invariant of a gateway's database, while the gateway runs or not.
 * @throws BooksUnavailableError when the database cannot be queried.
 */
export function verifyBooks(
  databaseUrl: DatabaseAddress,
  options: VerifyOptions,
): Promise<InvariantResult[]> {
  return withConnection(databaseUrl, async (client) =>
    checkInvariants(client, await checkOptions(client, options)),
  )
}

/** A run that another one can go on from. */
export interface Verification {
  readonly results: readonly InvariantResult[]
  /** Null for a full run. */
  readonly sinceLast: {
    /** When the run began that this one goes on from. */
    readonly since: Date
    readonly orders: number
    /** The names of the invariants that only a full run checks. */
    readonly leftOut: readonly string[]
  } | null
}

/**
 * As `verifyBooks`, and notes the run for the next one where the database can be written. With
 * `sinceLast` it checks what has changed since the last run that found nothing broken.
 * @throws BooksUnavailableError when the database cannot be queried, or no run can be gone on from.
 */
export function verifyAndNote(
  databaseUrl: DatabaseAddress,
  sinceLast: boolean,
  options: VerifyOptions,
): Promise<Verification> {
  return withConnection(databaseUrl, async (client) => {
    const given = await checkOptions(client, options)
    return sinceLast ? verifyChanges(client, given) : verifyAll(client, given)
  })
}

async function verifyAll(client: pg.Client, options: CheckOptions): Promise<Verification> {
  const isNoted = await canNote(client)
  if (isNoted) await noteStart(client)
  const found = await checkInvariants(client, options)
  if (isNoted) await noteEnd(client, true, found)
  return { results: found.map(reported), sinceLast: null }
}

async function verifyChanges(client: pg.Client, options: CheckOptions): Promise<Verification> {
  const refuse = (reason: string): never => {
    throw new BooksUnavailableError(`${reason} Run "tollgate verify" without --since-last.`)
  }
  if (!(await canNote(client))) {
    return refuse('This database or its role takes no writes, so no run was noted here.')
  }
  const mark = await readMark(client, 'verify_runs')
  if (typeof mark === 'string') return refuse(NO_MARK[mark])
  const { orders, results } = await checkSinceLast(client, mark, options)
  await noteEnd(client, false, results)
  const checked = new Set(results.map(({ name }) => name))
  const leftOut = INVARIANTS.map(({ name }) => name).filter((name) => !checked.has(name))
  return { results: results.map(reported), sinceLast: { since: mark.beganAt, orders, leftOut } }
}

const NO_MARK: Readonly<Record<NoMark, string>> = {
  'no run': 'No run has found everything in order yet.',
  'events are gone': 'The events behind the last good run are erased.',
  'older copy': 'This database is an older copy than the one that the last good run has checked.',
}

function reported({
  count,
  examples,
  isWarning,
  name,
  sentence,
}: InvariantResult): InvariantResult {
  return { name, sentence, isWarning, count, examples }
}

async function checkOptions(
  client: pg.Client,
  { bankTimeoutMs, dataDir, onStep }: VerifyOptions,
): Promise<CheckOptions> {
  return {
    longestRunMs: bankTimeoutMs + RESOLVER_MARGIN_MS,
    idMarks: readIdMarks(dataDir, await readIdentity(client)),
    ...(onStep === undefined ? {} : { onStep }),
  }
}
