import type pg from 'pg'
import { markingUser } from '../domain/reset-mark.ts'
import type { InvitationStore } from '../usecases/invitations.ts'
import type { PortalUser } from '../usecases/portal-user.ts'
import { takeLink } from './access-statements.ts'
import {
  LAST_PASSWORDS,
  PORTAL_USER,
  portalUserOf,
  type PortalUserRow,
} from './portal-user-rows.ts'
import { PORTAL_USER_TABLES } from './user-tables.ts'

/** Links that were handed over and not taken up yet. They go by the database's clock. */
export function createInvitationStore(pool: pg.Pool): InvitationStore<PortalUser> {
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
      return { kind, merchant, expiresAt, lastPasswords, user: portalUserOf(row) }
    },

    take: (tokenDigest, taken, session, entry) =>
      takeLink(
        pool,
        PORTAL_USER_TABLES,
        tokenDigest,
        taken,
        session,
        entry,
        async (client, link) => {
          await client.query(
            `update portal_users
              set came_in_by = $2, came_in_at = case when $2::text is null then null else now() end
            where id = $1`,
            [session.userId, markingUser(link.kind, link.made_by)],
          )
        },
      ),
  }
}

/**
 * Whether another portal user made a link for this one within the last 24 hours, or an operator at
 * the console reset this one. The maker can open it, and act as two users. Links of commands are
 * left out: an operator with access to a node can act alone.
 */
export async function hasFreshLink(client: pg.ClientBase, portalUserId: bigint): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from portal_invitations
      where portal_user_id = $1
        and (made_by like 'portal:%' or made_by like 'console:%' and kind = 'reset')
        and made_at > now() - interval '24 hours' limit 1`,
    [portalUserId],
  )
  return rowCount === 1
}
