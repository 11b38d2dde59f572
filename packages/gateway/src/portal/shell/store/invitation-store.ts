import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import { markingUser } from '../domain/reset-mark.ts'
import type { InvitationStore } from '../usecases/invitations.ts'
import {
  LAST_PASSWORDS,
  PORTAL_USER,
  portalUserOf,
  type PortalUserRow,
} from './portal-user-rows.ts'
import { insertSession } from './portal-users-store.ts'

/** Links that were handed over and not taken up yet. They go by the database's clock. */
export function createInvitationStore(pool: pg.Pool): InvitationStore {
  return {
    async find(tokenDigest) {
      const { rows } = await pool.query<
        PortalUserRow & {
          kind: 'invitation' | 'reset'
          merchant: string
          expires_at: Date
          hashes: string[]
        }
      >(
        `select ${PORTAL_USER}, i.kind, i.expires_at, m.name as merchant, ${LAST_PASSWORDS} as hashes
           from portal_invitations i
           join portal_users p on p.id = i.portal_user_id
           join merchants m on m.id = p.merchant_id
          where i.token_digest = $1 and i.ended_at is null and i.expires_at > now() and p.active
            and m.disabled_at is null`,
        [tokenDigest],
      )
      const [row] = rows
      if (row === undefined) return null
      const { kind, merchant, expires_at: expiresAt, hashes: lastPasswords } = row
      return { kind, merchant, expiresAt, lastPasswords, portalUser: portalUserOf(row) }
    },

    async take(tokenDigest, { name, passwordHash }, session, entry) {
      const { ok } = await inTransaction(pool, AUDITED, async (client) => {
        const { rows } = await client.query<{ kind: 'invitation' | 'reset'; made_by: string }>(
          `update portal_invitations i set ended_at = now() from portal_users p
            where i.token_digest = $1 and i.ended_at is null and i.expires_at > now()
              and p.id = i.portal_user_id and p.id = $2 and p.active
           returning i.kind, i.made_by`,
          [tokenDigest, session.portalUserId],
        )
        const [link] = rows
        if (link === undefined) return { ok: false }
        await client.query(
          `update portal_users
              set name = $2, password_hash = $3, password_changed_at = now(), enabled_at = now(),
                  came_in_by = $4, came_in_at = case when $4::text is null then null else now() end
            where id = $1`,
          [session.portalUserId, name, passwordHash, markingUser(link.kind, link.made_by)],
        )
        await insertSession(client, session)
        await appendAudit(client, [entry])
        return { ok: true }
      })
      return ok
    },
  }
}

/**
 * Whether another portal user made a link for this one within the last 24 hours. Its maker can open
 * it, and act as two users. Links of operators are left out: an operator can act alone.
 */
export async function hasFreshLink(client: pg.ClientBase, portalUserId: bigint): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from portal_invitations
      where portal_user_id = $1 and made_by like 'portal:%'
        and made_at > now() - interval '24 hours' limit 1`,
    [portalUserId],
  )
  return rowCount === 1
}
