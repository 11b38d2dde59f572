import type pg from 'pg'
import { onConnection } from './database.ts'

/** How long a transaction waits for one lock, and for its own process between two statements. */
export interface TransactionLimits {
  readonly lockMs: number
  readonly idleMs: number
}

/**
 * For everything that writes the audit log: an entry holds up every other until its commit. A
 * process that is stopped in between (by Ctrl-Z, or with its machine) loses its locks after this
 * long, and waits no longer for another's.
 */
export const AUDITED: TransactionLimits = { lockMs: 5_000, idleMs: 5_000 }

/** Whether a transaction gave up because a lock was not free within its limit. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === '55P03'
}

/**
 * Runs the writes of `work` on a connection of the pool, all or nothing. Rolls them back when
 * `work` throws or its result has `ok: false` in it. The `limits` are null for work that must wait,
 * such as a payment for its order. Throws what `onConnection` throws; a commit may have happened.
 */
export async function inTransaction<Result>(
  pool: pg.Pool,
  limits: TransactionLimits | null,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  return onConnection(pool, async (client) => {
    await client.query(beginText(limits))
    const result = await work(client)
    await client.query(isRefusal(result) ? 'rollback' : 'commit')
    return result
  })
}

const BEGIN_SNAPSHOT = 'begin isolation level repeatable read, read only'
/** As a snapshot, which also writes: tables of the connection. */
const BEGIN_MOMENT = 'begin isolation level repeatable read'

/** Runs the reads of `work` on a connection of the pool: all of them see the same moment. */
export async function inSnapshot<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  return onConnection(pool, async (client) => {
    await client.query(BEGIN_SNAPSHOT)
    const result = await work(client)
    await client.query('commit')
    return result
  })
}

/** Everything that `work` does on the connection sees one moment, also in tables that it makes. */
export async function atOneMoment<Result>(
  client: pg.ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query(BEGIN_MOMENT)
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** As `inTransaction`, on a connection that the caller keeps, which is in no transaction. */
export async function inTransactionOn<Result>(
  client: pg.ClientBase,
  limits: TransactionLimits | null,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query(beginText(limits))
  try {
    const result = await work()
    await client.query(isRefusal(result) ? 'rollback' : 'commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

function beginText(limits: TransactionLimits | null): string {
  if (limits === null) return 'begin'
  return (
    `begin; set local lock_timeout = ${limits.lockMs}; ` +
    `set local idle_in_transaction_session_timeout = ${limits.idleMs}`
  )
}

function isRefusal(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'ok' in result && result.ok === false
}
