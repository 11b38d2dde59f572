import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { SealedSecondFactor } from '../usecases/second-factor.ts'
import type { NewSession } from '../usecases/sign-in-ports.ts'
import { audited, insertSession } from './session-store.ts'
import type { UserTables } from './user-tables.ts'

/** Statements on the access of a user, within the transaction of the caller. */
export interface AccessTx {
  setRole(id: bigint, role: string): Promise<void>
  setActive(id: bigint, active: boolean): Promise<void>
  hasPastPasswords(id: bigint): Promise<boolean>
  /** Moves the password to those that must not be chosen again. */
  retirePassword(id: bigint, hash: string): Promise<void>
  forgetSecondFactor(id: bigint): Promise<void>
  endSessions(id: bigint): Promise<void>
  endLinks(id: bigint): Promise<void>
  /** Gives the time at which the link expires. */
  insertLink(
    userId: bigint,
    kind: 'invitation' | 'reset',
    digest: Buffer,
    madeBy: string,
  ): Promise<Date>
}

export function accessTx(client: pg.ClientBase, tables: UserTables): AccessTx {
  const { users, sessions, invitations, pastPasswords, userId } = tables
  return {
    async setRole(id, role) {
      await client.query(`update ${users} set role = $2 where id = $1`, [id, role])
    },

    async setActive(id, active) {
      await client.query(
        `update ${users}
            set active = $2, enabled_at = case when $2 then now() else enabled_at end
          where id = $1`,
        [id, active],
      )
    },

    async hasPastPasswords(id) {
      const { rowCount } = await client.query(
        `select from ${pastPasswords} where ${userId} = $1 limit 1`,
        [id],
      )
      return rowCount === 1
    },

    async retirePassword(id, hash) {
      await client.query(`insert into ${pastPasswords} (${userId}, hash) values ($1, $2)`, [
        id,
        hash,
      ])
      await client.query(`update ${users} set password_hash = null where id = $1`, [id])
    },

    forgetSecondFactor: (id) => forgetSecondFactor(client, tables, id),

    async endSessions(id) {
      await client.query(
        `update ${sessions} set ended_at = now() where ${userId} = $1 and ended_at is null`,
        [id],
      )
    },

    async endLinks(id) {
      await client.query(
        `update ${invitations} set ended_at = now() where ${userId} = $1 and ended_at is null`,
        [id],
      )
    },

    async insertLink(id, kind, digest, madeBy) {
      const { rows } = await client.query<{ expires_at: Date }>(
        `insert into ${invitations} (${userId}, kind, token_digest, made_by)
         values ($1, $2, $3, $4) returning expires_at`,
        [id, kind, digest, madeBy],
      )
      const [row] = rows
      if (row === undefined) throw new Error('An invitation was written and is not there.')
      return row.expires_at
    },
  }
}

/** A link as it was made. */
export interface MadeLink {
  readonly kind: 'invitation' | 'reset'
  readonly made_by: string
}

/**
 * Uses a link up: sets name and password, and begins a session. `mark` writes what else depends on
 * who made the link. False when the link was used meanwhile.
 */
export async function takeLink(
  pool: pg.Pool,
  tables: UserTables,
  tokenDigest: Buffer,
  taken: { readonly name: string; readonly passwordHash: string },
  session: NewSession,
  entry: AuditEntry,
  mark: (client: pg.ClientBase, link: MadeLink) => Promise<void>,
): Promise<boolean> {
  const { ok } = await inTransaction(pool, AUDITED, async (client) => {
    const { rows } = await client.query<MadeLink>(
      `update ${tables.invitations} i set ended_at = now() from ${tables.users} p
        where i.token_digest = $1 and i.ended_at is null and i.expires_at > now()
          and p.id = i.${tables.userId} and p.id = $2 and p.active
       returning i.kind, i.made_by`,
      [tokenDigest, session.userId],
    )
    const [link] = rows
    if (link === undefined) return { ok: false }
    await client.query(
      `update ${tables.users}
          set name = $2, password_hash = $3, password_changed_at = now(), enabled_at = now()
        where id = $1`,
      [session.userId, taken.name, taken.passwordHash],
    )
    await mark(client, link)
    await insertSession(client, tables, session)
    await appendAudit(client, [entry])
    return { ok: true }
  })
  return ok
}

/** The session of a user who changes their own access. */
export interface OwnSession {
  readonly id: bigint
  readonly userId: bigint
}

/** Ends the user's other sessions; this one has shown its second factor. */
export async function setSecondFactor(
  pool: pg.Pool,
  tables: UserTables,
  own: OwnSession,
  { ciphertext, dataKeyId, step }: SealedSecondFactor,
  digests: readonly Buffer[],
  entries: readonly AuditEntry[],
): Promise<void> {
  await audited(pool, entries, async (client) => {
    await client.query(
      `update ${tables.users} set second_factor_ciphertext = $2, second_factor_data_key_id = $3,
         second_factor_set_at = now(), second_factor_step = $4 where id = $1`,
      [own.userId, ciphertext, dataKeyId, step],
    )
    await replaceCodes(client, tables, own.userId, digests)
    await client.query(`update ${tables.sessions} set second_factor = true where id = $1`, [own.id])
    await endOthers(client, tables, own)
  })
}

/**
 * Replaces the password `before` and ends the user's other sessions; false when it was changed
 * meanwhile. `mark` writes what else a new password changes.
 */
export async function replacePassword(
  pool: pg.Pool,
  tables: UserTables,
  own: OwnSession,
  { before, hash }: { readonly before: string; readonly hash: string },
  entry: AuditEntry,
  mark: (client: pg.ClientBase) => Promise<void>,
): Promise<boolean> {
  const { ok } = await inTransaction(pool, AUDITED, async (client) => {
    const { rowCount } = await client.query(
      `update ${tables.users} set password_hash = $3, password_changed_at = now()
        where id = $1 and password_hash = $2`,
      [own.userId, before, hash],
    )
    if (rowCount !== 1) return { ok: false }
    await mark(client)
    await client.query(
      `insert into ${tables.pastPasswords} (${tables.userId}, hash) values ($1, $2)`,
      [own.userId, before],
    )
    await endOthers(client, tables, own)
    await appendAudit(client, [entry])
    return { ok: true }
  })
  return ok
}

export async function endOthers(
  client: pg.ClientBase,
  tables: UserTables,
  { id, userId }: OwnSession,
): Promise<void> {
  await client.query(
    `update ${tables.sessions} set ended_at = now()
      where ${tables.userId} = $1 and id <> $2 and ended_at is null`,
    [userId, id],
  )
}

export async function replaceCodes(
  client: pg.ClientBase,
  { recoveryCodes, userId }: UserTables,
  id: bigint,
  digests: readonly Buffer[],
): Promise<void> {
  await client.query(`delete from ${recoveryCodes} where ${userId} = $1`, [id])
  await client.query(
    `insert into ${recoveryCodes} (${userId}, digest) select $1, unnest($2::bytea[])`,
    [id, digests],
  )
}

/**
 * Takes second factor and recovery codes away, within the transaction of the caller, who writes the
 * entry.
 */
export async function forgetSecondFactor(
  client: pg.ClientBase,
  { users, recoveryCodes, userId }: UserTables,
  id: bigint,
): Promise<void> {
  await client.query(
    `update ${users} set second_factor_ciphertext = null, second_factor_data_key_id = null,
       second_factor_set_at = null, second_factor_step = null where id = $1`,
    [id],
  )
  await client.query(`delete from ${recoveryCodes} where ${userId} = $1`, [id])
}
