import pg from 'pg'

/**
 * The gateway's connections. Each lane writes whole groups on a connection of its own, so that a
 * group never waits for a report; everything else shares the pool.
 */
export interface Database {
  readonly pool: pg.Pool
  /** A connection of its own for one lane, with plans fixed for small groups by key. */
  lane(name: string, options?: { readonly durable?: boolean }): pg.Pool
  close(): Promise<void>
}

// A plan that was made while a table was empty reads the whole table for ever after. Groups always
// reach their rows by key, so the lanes forbid every other way.
const LANE_PLANS =
  '-c enable_seqscan=off -c enable_mergejoin=off -c enable_hashjoin=off -c plan_cache_mode=force_generic_plan -c jit=off'

/** Connects lazily: nothing is opened before the first query. */
export function openDatabase(url: string, onError: (error: Error) => void): Database {
  const pools: pg.Pool[] = []
  const open = (config: pg.PoolConfig): pg.Pool => {
    const pool = new pg.Pool({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 0,
      ...config,
    })
    // A connection may break at any time, also while somebody holds it between two statements, when
    // the pool does not listen; an error that nobody listens to would end the process.
    pool.on('connect', (client) => client.on('error', onError))
    // The same error of an idle connection once more. The pool replaces it.
    pool.on('error', () => undefined)
    pools.push(pool)
    return pool
  }
  return {
    pool: open({ max: 6, application_name: 'tollgate' }),
    lane: (name, { durable = true } = {}) =>
      open({
        max: 1,
        application_name: `tollgate ${name}`,
        options: durable ? LANE_PLANS : `${LANE_PLANS} -c synchronous_commit=off`,
      }),
    async close() {
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}

/**
 * Whether an error says that the database could not be reached or gave up, rather than that a
 * statement was wrong. SQLSTATE classes 08 (connection), 53 (resources), 57 (operator), 58 (system),
 * and 25006 (read-only).
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as Error & { code?: unknown }).code
  if (typeof code === 'string') {
    if (/^(08|53|57|58)/.test(code) || code === '25006') return true
    if (/^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EAI_)/.test(code)) return true
  }
  return /connection (terminated|timeout)|timeout exceeded when trying to connect|pool after calling end/i.test(
    error.message,
  )
}
