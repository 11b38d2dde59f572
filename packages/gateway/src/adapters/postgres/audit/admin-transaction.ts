import type pg from 'pg'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import { appendAudit } from './audit-log.ts'

/** What an administrative act came to, and how it is told in the audit log; null for not at all. */
export interface AdminResult<Outcome extends { readonly ok: boolean }> {
  readonly outcome: Outcome
  readonly entry: AuditEntry | null
}

// An entry holds up every other until its commit. A command that is stopped in between (by Ctrl-Z,
// or with its machine) loses its lock after this long, and waits no longer for another's.
const LIMITS = `set local lock_timeout = '5s'; set local idle_in_transaction_session_timeout = '5s'`

/**
 * An administrative act and its entry in the audit log, as one: both are written or neither. An
 * outcome that is not `ok` changes nothing; its entry is written nevertheless.
 */
export async function inAdminTransaction<Outcome extends { readonly ok: boolean }>(
  pool: pg.Pool,
  work: (client: pg.ClientBase) => Promise<AdminResult<Outcome>>,
): Promise<Outcome> {
  const { outcome } = await inTransaction(pool, async (client) => {
    const { outcome, entry } = await work(client)
    // A refusal is on record although everything else is rolled back: it is written behind that.
    if (!outcome.ok) await client.query('rollback')
    if (entry !== null) await appendAudit(client, [entry])
    return { ok: outcome.ok, outcome }
  })
  return outcome
}

/** What is answered where the caller had seen something else than there is. */
export function changedMeanwhile(siteId: bigint | number): {
  readonly ok: false
  readonly faults: string[]
  readonly stale: true
} {
  return {
    ok: false,
    faults: [`Site ${siteId} was changed by somebody else meanwhile.`],
    stale: true,
  }
}

/** For acts that write their own entries. A result that is not `ok` changes nothing. */
export async function inTransaction<Result extends { readonly ok: boolean }>(
  pool: pg.Pool,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let failed = true
  try {
    await client.query(`begin; ${LIMITS}`)
    const result = await work(client)
    await client.query(result.ok ? 'commit' : 'rollback')
    failed = false
    return result
  } finally {
    client.release(failed)
  }
}
