import { ROLES, type Role } from '@tollgate/portal-contract/rights'
import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { appendAudit } from '../adapters/postgres/audit/audit-log.ts'
import { invariant } from '../base/invariant.ts'
import { refused, type Result } from '../base/refusal.ts'
import type { PortalUserLinks } from '../portal/console/usecases/portal-user-links.ts'
import type { ConsoleParts } from '../portal/console/wire.ts'
import { decideReset, heldState } from '../portal/users/domain/portal-user-decisions.ts'
import { addressOf } from '../portal/users/routes/portal-users-routes.ts'
import {
  createPortalUsersRecords,
  portalUsersTx,
} from '../portal/users/store/portal-users-records.ts'
import { createPortalUsersAdmin } from '../portal/users/usecases/change-portal-users.ts'
import type {
  PortalUsersRecords,
  PortalUsersTx,
} from '../portal/users/usecases/portal-users-records.ts'
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

/**
 * The portal users of merchants, for operators at the console. `portalUrl`: where portal users'
 * browsers reach the portal.
 */
export function createConsolePortalUsers(
  pool: pg.Pool,
  portalUrl: string,
  idleDays: number,
): ConsoleParts['portalUsers'] {
  const records = createPortalUsersRecords(pool, idleDays)
  const portalUsers = usersAdmin(records)
  return {
    list: (merchantId) => portalUsers.list(merchantId),
    async inviteFirst(by, merchantId, owner) {
      const invited = await portalUsers.inviteFirst(requesterOf(by), merchantId, owner)
      return invited.ok ? { ok: true, link: { opens: 'portal', ...invited.link } } : invited
    },
    on: (client) => portalUserLinks(client, records, idleDays),
    addressOf: (link) => addressOf(portalUrl, link),
  }
}

/** Portal users on the connection of an operator's transaction. */
export function portalUserLinks(
  client: pg.ClientBase,
  records: PortalUsersRecords,
  idleDays: number,
): PortalUserLinks {
  const tx: PortalUsersTx = {
    ...portalUsersTx(client, idleDays),
    audit: (entries) => appendAudit(client, entries),
  }
  const within = usersAdmin({ ...records, transact: (work) => work(tx) })
  return {
    async lockForReset(id) {
      await tx.lockMerchantOf(id)
      const portalUser = await tx.lockPortalUser(id, null)
      if (portalUser === null) return refused('missing', 'This portal user does not exist.')
      const refusal = decideReset({ refundLimit: null }, portalUser)
      if (refusal !== null) return refusal
      const { merchantId, email, name, role } = portalUser
      const seen = `${role}, ${heldState(portalUser)}`
      return { ok: true, portalUser: { merchantId, email, name, seen } }
    },
    async reset(id, by) {
      const reset = await within.reset(requesterOf(by), id)
      if (!reset.ok) return reset
      invariant(reset.link !== null, 'a reset by an operator waits for no portal user')
      return { ok: true, link: { opens: 'portal', ...reset.link } }
    },
  }
}

function requesterOf({ actor, address = '' }: AuditAuthor): UserChangeRequester {
  return { actor, address, portalUser: null }
}

function usersAdmin(store: PortalUsersRecords): PortalUsersAdmin {
  return createPortalUsersAdmin({
    store,
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
  const portalUsers = usersAdmin(createPortalUsersRecords(pool, idleDays))
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
      invariant(reset.link !== null, 'a reset by an operator waits for no portal user')
      return { ok: true, ...linkOf(reset.link) }
    },
    setActive: (email, active) =>
      ofPortalUser(email, (id) => portalUsers.setActive(requester, id, active)),
  }
}
