import { consolePortalUsers as table } from '@tollgate/portal-contract/routes/console'
import { z } from 'zod'
import { idOf } from '../../shell/ids.ts'
import { orFault } from '../../shell/portal-route.ts'
import { requesterOf } from '../usecases/console-operator.ts'
import type { ResetPortalUser } from '../usecases/operate-portal-users.ts'
import type { InviteFirst, ListedPortalUser } from '../usecases/portal-user-links.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'
import type { LinkAddress } from './operators-routes.ts'

export interface PortalUserRoutesDeps {
  /** Of a merchant, by name. */
  readonly list: (merchantId: bigint) => Promise<readonly ListedPortalUser[]>
  readonly inviteFirst: InviteFirst
  readonly reset: ResetPortalUser
  readonly addressOf: LinkAddress
}

/** The routes of a merchant's portal users. */
export function portalUserRoutes(deps: PortalUserRoutesDeps): readonly ConsoleRoute[] {
  const { list, inviteFirst, reset, addressOf } = deps
  return [
    implementConsole(table.list, {
      async handle({ params }) {
        const users = await list(idOf(params.id, 'merchant'))
        return users.map(
          ({ id, email, name, role, state, hasSecondFactor, lastSeenAt, linkUntil }) => {
            return { id, email, name, role, state, hasSecondFactor, lastSeenAt, linkUntil }
          },
        )
      },
    }),
    implementConsole(table.inviteFirst, {
      body: z.strictObject({
        email: z.string().trim().toLowerCase().max(254),
        name: z.string().trim().max(100),
      }),
      async handle({ session, address, params, body }) {
        const id = idOf(params.id, 'merchant')
        const invited = await inviteFirst(requesterOf(session, address), id, body)
        return { link: addressOf(orFault(invited).link) }
      },
    }),
    implementConsole(table.reset, {
      body: z.strictObject({ reason: z.string().trim().max(200) }),
      async handle({ session, address, params, body }) {
        const id = idOf(params.id, 'portal user')
        const requester = requesterOf(session, address)
        const { done, link } = orFault(await reset(requester, id, body.reason))
        return { done, link: link === null ? null : addressOf(link) }
      },
    }),
  ]
}
