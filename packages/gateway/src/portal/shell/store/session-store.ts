import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { NewSession, SignInStore, SignInUser } from '../usecases/sign-in-ports.ts'
import type { UserTables } from './user-tables.ts'

/** Does the work and writes its entries, as one. */
export async function audited<Result>(
  pool: pg.Pool,
  entries: readonly AuditEntry[],
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const { result } = await inTransaction(pool, AUDITED, async (client) => {
    const result = await work(client)
    if (entries.length > 0) await appendAudit(client, entries)
    return { ok: true, result }
  })
  return result
}

/** Begins a session within the transaction of the caller; its user counts as seen. */
export async function insertSession(
  client: pg.ClientBase,
  tables: UserTables,
  session: NewSession,
): Promise<void> {
  const { userId, tokenDigest, csrfToken, address, browser } = session
  await client.query(
    `insert into ${tables.sessions} (${tables.userId}, token_digest, csrf_token, address, browser)
     values ($1, $2, $3, $4, $5)`,
    [userId, tokenDigest, csrfToken, address, printable(browser).slice(0, 300)],
  )
  await client.query(`update ${tables.users} set last_seen_at = now() where id = $1`, [userId])
}

/** A browser's name is arbitrary input. */
function printable(text: string): string {
  return text.replace(/[^ -~]/g, ' ').trim()
}

/** Marks an open session as seen. */
export async function markSeen(pool: pg.Pool, tables: UserTables, id: string): Promise<void> {
  await pool.query(
    `update ${tables.sessions} set last_seen_at = now() where id = $1 and ended_at is null`,
    [id],
  )
}

/** Sessions and used codes of users of one kind. Sessions go by the database's clock. */
export function createSessionStore(
  pool: pg.Pool,
  tables: UserTables,
): Omit<SignInStore<SignInUser>, 'findByEmail' | 'findById'> {
  return {
    async startSession(session, passwordHash, entries) {
      const { ok } = await inTransaction(pool, AUDITED, async (client) => {
        // A change of the password locks the user, and ends the sessions that exist then.
        const { rowCount } = await client.query(
          `select from ${tables.users}
            where id = $1 and password_hash = $2 and active for no key update`,
          [session.userId, passwordHash],
        )
        if (rowCount !== 1) return { ok: false }
        await insertSession(client, tables, session)
        if (entries.length > 0) await appendAudit(client, entries)
        return { ok: true }
      })
      return ok
    },

    async raiseSession(id, { tokenDigest, csrfToken }, entries) {
      await audited(pool, entries, (client) =>
        client.query(
          `update ${tables.sessions}
              set token_digest = $2, csrf_token = $3, second_factor = true, last_seen_at = now()
            where id = $1 and ended_at is null`,
          [id, tokenDigest, csrfToken],
        ),
      )
    },

    async endSession(id, entries) {
      await audited(pool, entries, (client) =>
        client.query(
          `update ${tables.sessions} set ended_at = now() where id = $1 and ended_at is null`,
          [id],
        ),
      )
    },

    async takeStep(userId, step) {
      const { rowCount } = await pool.query(
        `update ${tables.users} set second_factor_step = $2
          where id = $1 and second_factor_ciphertext is not null
            and (second_factor_step is null or second_factor_step < $2)`,
        [userId, step],
      )
      return rowCount === 1
    },

    async takeRecoveryCode(userId, digest) {
      const { rowCount } = await pool.query(
        `update ${tables.recoveryCodes} set used_at = now()
          where ${tables.userId} = $1 and digest = $2 and used_at is null`,
        [userId, digest],
      )
      return rowCount === 1
    },
  }
}
