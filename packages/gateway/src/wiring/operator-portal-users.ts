import { ROLES, type Role } from '@tollgate/portal-contract/rights'
import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { invariant } from '../base/invariant.ts'
import { refused, type Result } from '../base/refusal.ts'
import { addressOf } from '../portal/users/routes/portal-users-routes.ts'
import { createPortalUsersRecords } from '../portal/users/store/portal-users-records.ts'
import { createPortalUsersAdmin } from '../portal/users/usecases/change-portal-users.ts'
import type {
  UserChangeRequester,
  NewLink,
  PortalUsersAdmin,
  PortalUserSummary,
} from '../portal/users/usecases/portal-users.ts'
import type { AuditAuthor } from '../usecases/audit/audit-log.ts'
import { operatorActor } from './operator-actor.ts'

/** A single-use link for a portal user, as it is handed over. */
export interface PortalUserLink {
  readonly address: string
  readonly expiresAt: Date
}

/** Invites the owner of a merchant without portal users, for an operator at the console. */
export type InviteFirst = (
  by: AuditAuthor,
  merchantId: bigint,
  owner: { readonly email: string; readonly name: string },
) => Promise<Result<{ readonly link: PortalUserLink }>>

/** `portalUrl`: where portal users' browsers reach the portal. */
export function createInviteFirst(pool: pg.Pool, portalUrl: string, idleDays: number): InviteFirst {
  const portalUsers = usersAdmin(pool, idleDays)
  return async ({ actor, address = '' }, merchantId, owner) => {
    const requester = { actor, address, portalUser: null }
    const invited = await portalUsers.inviteFirst(requester, merchantId, owner)
    return invited.ok ? { ok: true, link: addressOf(portalUrl, invited.link) } : invited
  }
}

function usersAdmin(pool: pg.Pool, idleDays: number): PortalUsersAdmin {
  return createPortalUsersAdmin({
    store: createPortalUsersRecords(pool, idleDays),
    randomToken: () => randomBytes(32).toString('base64url'),
    digest: (token) => createHash('sha256').update(token).digest(),
  })
}

/** An operator's operations on the users of the portal. */
export interface PortalUsersOperator {
  list(): Promise<readonly PortalUserSummary[]>
  add(
    merchantId: number,
    email: string,
    role: string,
    name: string,
  ): Promise<Result<PortalUserLink>>
  reset(email: string): Promise<Result<PortalUserLink>>
  setActive(email: string, active: boolean): Promise<Result<object>>
}

/** `portalUrl`: where portal users' browsers reach the portal. */
export function createPortalUsersOperator(
  pool: pg.Pool,
  portalUrl: string,
  idleDays: number,
): PortalUsersOperator {
  const portalUsers = usersAdmin(pool, idleDays)
  const requester: UserChangeRequester = { actor: operatorActor(), address: '', portalUser: null }
  const linkOf = (link: NewLink): PortalUserLink => addressOf(portalUrl, link)

  async function ofPortalUser<Done extends object>(
    email: string,
    work: (id: bigint) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    const id = await portalUsers.findByEmail(email)
    if (id === null)
      return refused(
        'missing',
        `This portal user does not exist; "tollgate portal-users" lists them.`,
      )
    return work(id)
  }

  return {
    list: () => portalUsers.list(null),
    async add(merchantId, email, role, name) {
      if (!(role in ROLES)) {
        return refused(
          'invalid',
          `There is no such role. There are: ${Object.keys(ROLES).join(', ')}.`,
        )
      }
      const portalUser = { email: email.toLowerCase(), name, role: role as Role, refundLimit: null }
      const added = await portalUsers.invite(requester, BigInt(merchantId), portalUser)
      return added.ok ? { ok: true, ...linkOf(added.link) } : added
    },
    async reset(email) {
      const reset = await ofPortalUser(email, (id) => portalUsers.reset(requester, id))
      if (!reset.ok) return reset
      invariant(reset.link !== null, 'a reset by an operator waits for a portal user')
      return { ok: true, ...linkOf(reset.link) }
    },
    setActive: (email, active) =>
      ofPortalUser(email, (id) => portalUsers.setActive(requester, id, active)),
  }
}
