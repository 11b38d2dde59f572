import { RIGHTS, ROLES, type Role } from '@tollgate/portal-contract/rights'
import { portalUsers } from '@tollgate/portal-contract/routes/portal-users'
import { z } from 'zod'
import { findCurrency } from '../../../domain/currency.ts'
import { idOf } from '../../shell/ids.ts'
import { implement, orFault, type PortalCall, type PortalRoute } from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import type { UserChangeRequester, NewLink, PortalUsersAdmin } from '../usecases/portal-users.ts'

const ROLE = z.enum(Object.keys(ROLES) as [Role, ...Role[]])
const REFUND_LIMIT = z
  .strictObject({
    minor: z
      .string()
      .regex(/^\d{1,15}$/, 'expected a whole number of minor units')
      .transform(BigInt),
    currency: z
      .string()
      .refine((code) => findCurrency(code) !== null, 'expected a currency such as EUR'),
  })
  .nullable()
const NEW_PORTAL_USER = z.strictObject({
  email: z.string().trim().toLowerCase().max(254),
  name: z.string().trim().max(100),
  role: ROLE,
  refundLimit: REFUND_LIMIT,
})
const CHANGES = z.strictObject({ role: ROLE.optional(), refundLimit: REFUND_LIMIT.optional() })

export interface PortalUsersRoutesDeps {
  readonly portalUsers: PortalUsersAdmin
  /** The public address of invitation links. */
  readonly portalUrl: string
}

/** The portal users, the rights of each role, the own account, and the audit log. */
export function portalUsersRoutes({
  portalUsers: admin,
  portalUrl,
}: PortalUsersRoutesDeps): readonly PortalRoute[] {
  const linkAnswer = (link: NewLink) => addressOf(portalUrl, link)

  return [
    implement(portalUsers.list, {
      async handle({ portalUser }) {
        return { portalUsers: await admin.list(portalUser.merchantId) }
      },
    }),
    implement(portalUsers.roles, {
      handle: () =>
        Promise.resolve({
          roles: (Object.keys(ROLES) as Role[]).map((role) => ({ role, ...ROLES[role] })),
          rights: Object.entries(RIGHTS).map(([right, text]) => ({ right, text })),
        }),
    }),
    implement(portalUsers.invite, {
      body: NEW_PORTAL_USER,
      async handle(call) {
        const { id, link } = orFault(
          await admin.invite(requesterOf(call), call.portalUser.merchantId, call.body),
        )
        return { id, link: linkAnswer(link) }
      },
    }),
    implement(portalUsers.change, {
      body: CHANGES,
      async handle(call) {
        const { role, refundLimit } = call.body
        const to = { ...(role && { role }), ...(refundLimit !== undefined && { refundLimit }) }
        const id = idOf(call.params.id, 'portal user')
        const { done } = orFault(await admin.change(requesterOf(call), id, to))
        return { done }
      },
    }),
    ...[
      { entry: portalUsers.enable, active: true },
      { entry: portalUsers.disable, active: false },
    ].map(({ entry, active }) =>
      implement(entry, {
        async handle(call) {
          const id = idOf(call.params.id, 'portal user')
          const { done } = orFault(await admin.setActive(requesterOf(call), id, active))
          return { done }
        },
      }),
    ),
    implement(portalUsers.reset, {
      async handle(call) {
        const { link } = orFault(
          await admin.reset(requesterOf(call), idOf(call.params.id, 'portal user')),
        )
        return { link: link === null ? null : linkAnswer(link) }
      },
    }),
  ]
}

/** A link as it is shown. Behind the #, no server and no log along the way gets to see it. */
export function addressOf(portalUrl: string, { token, expiresAt }: NewLink) {
  return { address: `${portalUrl}/portal/invitation#${token}`, expiresAt }
}

function requesterOf({
  portalUser,
  session,
  address,
}: PortalCall<unknown, unknown>): UserChangeRequester {
  const by = { ...portalUser, sessionId: session.id }
  return { actor: portalUserActor(portalUser), address, portalUser: by }
}
