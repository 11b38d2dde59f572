import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import {
  endOthers,
  forgetSecondFactor,
  replaceCodes,
  replacePassword,
  setSecondFactor,
  type OwnSession,
} from '../../shell/store/access-statements.ts'
import { LAST_PASSWORDS } from '../../shell/store/portal-user-rows.ts'
import { HELD_UNTIL } from '../../shell/store/portal-users-store.ts'
import { audited } from '../../shell/store/session-store.ts'
import { IS_OPEN, PORTAL_USER_TABLES } from '../../shell/store/user-tables.ts'
import type { PortalSession } from '../../shell/usecases/portal-user.ts'
import type { AccountStore } from '../usecases/account.ts'

/** Stores users' operations on their own accounts. */
export function createAccountStore(pool: pg.Pool): AccountStore {
  return {
    async read(session) {
      const [{ rows: portalUsers }, { rows: sessions }] = await Promise.all([
        pool.query<{ password_changed_at: Date; second_factor_set_at: Date | null; codes: number }>(
          `select p.password_changed_at, p.second_factor_set_at,
                  (select count(*)::int from portal_recovery_codes where portal_user_id = p.id and used_at is null) as codes
             from portal_users p where p.id = $1`,
          [session.portalUser.id],
        ),
        pool.query<{
          id: string
          address: string
          browser: string
          started_at: Date
          last_seen_at: Date
        }>(
          `select s.id, s.address, s.browser, s.started_at, s.last_seen_at from portal_sessions s
            where s.portal_user_id = $1 and ${IS_OPEN} order by s.id = $2 desc, s.last_seen_at desc limit 100`,
          [session.portalUser.id, session.id],
        ),
      ])
      const [portalUser] = portalUsers
      if (portalUser === undefined)
        throw new Error('The portal user who is signed in is not there.')
      return {
        passwordChangedAt: portalUser.password_changed_at,
        secondFactorSetAt: portalUser.second_factor_set_at,
        recoveryCodesLeft: portalUser.codes,
        sessions: sessions.map((row) => ({
          id: BigInt(row.id),
          address: row.address,
          browser: row.browser,
          startedAt: row.started_at,
          lastSeenAt: row.last_seen_at,
          isThis: BigInt(row.id) === session.id,
        })),
      }
    },

    async setName({ id }, name, entry) {
      await audited(pool, [entry], (client) =>
        client.query('update portal_users set name = $2 where id = $1', [id, name]),
      )
    },

    async readForPassword(portalUserId) {
      const { rows } = await pool.query<{ hashes: string[]; merchant: string }>(
        `select ${LAST_PASSWORDS} as hashes, m.name as merchant
           from portal_users p join merchants m on m.id = p.merchant_id where p.id = $1`,
        [portalUserId],
      )
      return { last: rows[0]?.hashes ?? [], merchant: rows[0]?.merchant ?? '' }
    },

    replacePassword: (session, before, hash, entry) =>
      replacePassword(
        pool,
        PORTAL_USER_TABLES,
        ownSession(session),
        { before, hash },
        entry,
        // A user who takes a password of their own after the hold is no longer marked.
        async (client) => {
          await client.query(
            `update portal_users p set
               came_in_by = case when ${HELD_UNTIL} is null then null else came_in_by end,
               came_in_at = case when ${HELD_UNTIL} is null then null else came_in_at end
              where id = $1 and came_in_by is not null`,
            [session.portalUser.id],
          )
        },
      ),

    setSecondFactor: (session, factor, digests, entries) =>
      setSecondFactor(pool, PORTAL_USER_TABLES, ownSession(session), factor, digests, entries),

    async removeSecondFactor(session, entry) {
      await audited(pool, [entry], async (client) => {
        await forgetSecondFactor(client, PORTAL_USER_TABLES, session.portalUser.id)
        await endOthers(client, PORTAL_USER_TABLES, ownSession(session))
      })
    },

    async replaceRecoveryCodes(portalUserId, digests, entry) {
      await audited(pool, [entry], (client) =>
        replaceCodes(client, PORTAL_USER_TABLES, portalUserId, digests),
      )
    },

    async endSessions(session, id, entry) {
      const { ended } = await inTransaction(pool, AUDITED, async (client) => {
        const { rowCount } = await client.query(
          `update portal_sessions s set ended_at = now()
            where s.portal_user_id = $1 and ${IS_OPEN} and (s.id = $3 or ($3::bigint is null and s.id <> $2))`,
          [session.portalUser.id, session.id, id],
        )
        const ended = rowCount ?? 0
        if (ended > 0)
          await appendAudit(client, [{ ...entry, details: { ...entry.details, ended } }])
        return { ok: true, ended }
      })
      return ended
    },
  }
}

function ownSession({ id, portalUser }: PortalSession): OwnSession {
  return { id, userId: portalUser.id }
}
