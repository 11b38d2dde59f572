import type pg from 'pg'
import type { AuditEntry } from '../../usecases/audit-log.ts'
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
  const client = await pool.connect()
  let failed = true
  try {
    await client.query(`begin; ${LIMITS}`)
    const { outcome, entry } = await work(client)
    if (!outcome.ok) await client.query('rollback')
    if (entry !== null) await appendAudit(client, [entry])
    if (outcome.ok) await client.query('commit')
    failed = false
    return outcome
  } finally {
    client.release(failed)
  }
}
