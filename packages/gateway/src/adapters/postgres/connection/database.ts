import pg from 'pg'
import type { PoolCount } from '../../../base/database-load.ts'
import { NothingWrittenError } from '../../../usecases/payments/learn-truth.ts'
import { createAddressRing } from './address-ring.ts'
import type { DatabaseAddress } from './cluster-memory.ts'

/**
 * The gateway's connections. Each lane writes whole groups on a connection of its own, so that a
 * group never waits for a report; everything else shares the pool.
 */
export interface Database {
  readonly pool: pg.Pool
  /** For statements of payments that reach every row by key, with plans fixed for that. */
  readonly byKey: pg.Pool
  /** A connection of its own for one lane, with plans fixed for small groups by key. */
  lane(name: string, options?: { readonly durable?: boolean }): pg.Pool
  /**
   * Connections of their own for lists and sums that portal users ask for: none of them keeps a
   * payment waiting, or reads a whole table. A statement that takes longer than `timeoutMs` is
   * cancelled.
   */
  reports(options: { readonly connections: number; readonly timeoutMs: number }): pg.Pool
  /**
   * Connections of their own for portal users: however much they ask for, payments have
   * theirs.
   */
  portalUsers(): pg.Pool
  /** A connection of its own that waits for notifications. */
  listening(): pg.Pool
  /**
   * Connections for whole settlement files. Their statements read and write a million rows, and
   * no payment waits for them. All callers share them.
   */
  files(): pg.Pool
  /** The connections of each pool and lane now. */
  countConnections(): readonly PoolCount[]
  /** Counts rows of a lane that wait for its connection as waiting statements, too. */
  watchLane(name: string, waiting: () => number): void
  /** Leaves a server for a newer primary of the same cluster, if there is one. */
  checkServers(): Promise<void>
  close(): Promise<void>
}

// A plan that was made while a table was empty reads the whole table for ever after. Groups always
// reach their rows by key, so the lanes forbid every other way. A named statement is planned once,
// for any values: PostgreSQL takes an array for ten rows then. For one row it would plan each time.
const KEY_PLANS =
  '-c enable_seqscan=off -c enable_mergejoin=off -c enable_hashjoin=off -c plan_cache_mode=force_generic_plan -c jit=off'

// A statement that takes several cores takes them from payments.
const ONE_CORE = '-c max_parallel_workers_per_gather=0'

// The same for lists: rows are met in the sequence of an index, and what belongs to them by key.
const REPORT_PLANS =
  '-c enable_seqscan=off -c enable_mergejoin=off -c enable_hashjoin=off -c enable_memoize=off -c jit=off -c max_parallel_workers_per_gather=0'

/**
 * The most connections of one gateway process. The pool and `byKey` have 6 each, portal users and
 * reports 4 each, the feed of events, queries and settlement files 2 each. 18 lanes have one each.
 * One listens, and one compares books.
 */
export const MOST_CONNECTIONS = 46

/** The most connections of the vault process: its pool, and the lane of the audit log. */
export const VAULT_CONNECTIONS = 7

const CONNECT_TIMEOUT_MS = 5_000
/**
 * A database whose machine lost its power says nothing, and a connection to it would wait for many
 * minutes. Far beyond any statement of ours, which reach their rows by key.
 */
const STATEMENT_TIMEOUT_MS = 10_000
/** For one statement over all lines of a file. */
const FILE_TIMEOUT_MS = 900_000

/**
 * Connects lazily: nothing is opened before the first query. The address may name several servers
 * of one cluster, of which the primary with the highest timeline is used. `onRefused` gets the
 * reason when no server may be used.
 */
export function openDatabase(
  address: DatabaseAddress,
  onError: (error: Error) => void,
  onRefused: (reason: string) => void = () => undefined,
): Database {
  const { Client, check } = createAddressRing(address, onRefused)
  const pools: { readonly name: string; readonly pool: pg.Pool }[] = []
  const queues = new Map<string, () => number>()
  const open = (config: pg.PoolConfig & { readonly application_name: string }): pg.Pool => {
    const pool = new pg.Pool({
      Client,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
      idleTimeoutMillis: 0,
      ...config,
    })
    // A connection may break at any time, also between two statements of its holder, when the pool
    // does not listen. An error without a listener would end the process.
    pool.on('connect', (client) => client.on('error', onError))
    // The same error of an idle connection once more. The pool replaces it.
    pool.on('error', () => undefined)
    pools.push({ name: config.application_name, pool })
    return pool
  }
  let files: pg.Pool | null = null
  return {
    pool: open({ max: 6, application_name: 'tollgate', options: ONE_CORE }),
    byKey: open({ max: 6, application_name: 'tollgate by key', options: KEY_PLANS }),
    lane: (name, { durable = true } = {}) =>
      open({
        max: 1,
        application_name: `tollgate ${name}`,
        options: durable ? KEY_PLANS : `${KEY_PLANS} -c synchronous_commit=off`,
      }),
    reports: ({ connections, timeoutMs }) =>
      open({
        max: connections,
        application_name: 'tollgate reports',
        options: `${REPORT_PLANS} -c default_transaction_read_only=on -c statement_timeout=${timeoutMs}`,
      }),
    portalUsers: () =>
      open({
        max: 4,
        application_name: 'tollgate portal',
        // The server times out first; otherwise an abandoned statement goes on there.
        options: `${ONE_CORE} -c statement_timeout=${STATEMENT_TIMEOUT_MS - 1_000}`,
      }),
    listening: () => open({ max: 1, application_name: 'tollgate listening' }),
    files: () =>
      (files ??= open({
        max: 2,
        application_name: 'tollgate files',
        query_timeout: FILE_TIMEOUT_MS,
        options: '-c work_mem=64MB -c jit=off',
      })),
    countConnections: () => pools.map((each) => countOf(each, queues.get(each.name)?.() ?? 0)),
    watchLane: (name, waiting) => void queues.set(`tollgate ${name}`, waiting),
    checkServers: check,
    async close() {
      await Promise.all(pools.map(({ pool }) => pool.end()))
    },
  }
}

function countOf(
  { name, pool }: { readonly name: string; readonly pool: pg.Pool },
  queued: number,
): PoolCount {
  const { idleCount, totalCount, waitingCount } = pool
  return { pool: name, open: totalCount, idle: idleCount, waiting: waitingCount + queued }
}

/**
 * Lends a connection to work that writes. Throws NothingWrittenError when there was none to be had;
 * what else is thrown leaves open whether a commit under way has happened.
 */
export async function onConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw new NothingWrittenError(error)
  }
  // A connection that breaks between two statements says so here, and in the next statement.
  client.on('error', ignore)
  let failed = true
  try {
    const result = await work(client)
    failed = false
    return result
  } finally {
    client.off('error', ignore)
    // After a failure it is closed, not reused: that rolls back, and what is broken stays out.
    client.release(failed)
  }
}

function ignore(): void {}

/**
 * Whether the server itself refused a statement and rolled it back. Not so when it was going down
 * (57P) or lost a connection of its own (08): then a commit may have gone before.
 */
export function isRolledBack(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '')
}

/**
 * Whether an error says that the database could not be reached or gave up, rather than that a
 * statement was wrong. SQLSTATE classes 08 (connection), 53 (resources), 57 (operator), 58
 * (system), and 25006 (read-only).
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof NothingWrittenError) return true
  if (!(error instanceof Error)) return false
  const code = (error as Error & { code?: unknown }).code
  if (typeof code === 'string') {
    if (/^(08|53|57|58)/.test(code) || code === '25006') return true
    // The system's own names: ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH, ENOENT, EAI_AGAIN, ...
    if (/^(E[A-Z]{3,}|EAI_[A-Z]+|ERR_(SSL|TLS)_[A-Z_]+)$/.test(code)) return true
  }
  return DRIVER_SAYS.test(error.message)
}

/**
 * The messages of `pg`, in errors without a code, for connections that are gone or were never made.
 */
const DRIVER_SAYS =
  /connection (terminated|timeout|error)|not queryable|timeout (expired|exceeded)|read timeout|after calling end/i
