import { apiUsers } from '@tollgate/portal-contract/routes/settings'
import { z } from 'zod'
import type { Result } from '../../../base/refusal.ts'
import { nameOfMerchant } from '../../../domain/logins/api-user.ts'
import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import type {
  ApiUserAdmin,
  ApiUserSummary,
  MadePassword,
} from '../../../usecases/logins/api-users.ts'
import { idOf } from '../../shell/ids.ts'
import {
  notFound,
  orFault,
  implement,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import type { SettingsReader } from '../usecases/settings.ts'
import { authorOf } from './outcome.ts'

export interface ApiUserDeps {
  readonly reader: SettingsReader
  /** The operations of the operator's commands, in the name of a user. */
  usersFor(requester: { readonly by: AuditAuthor; readonly portalUserId: bigint }): ApiUserAdmin
  /** Networks as they are stored, and whether an address is in one of them. */
  readNetworks(networks: readonly string[]): Promise<
    Result<{
      readonly networks: readonly string[]
      readonly isAllowedFrom: (address: string) => boolean
    }>
  >
  /** API_USER_IDLE_DAYS. */
  readonly idleDays: number
}

type Call = Pick<PortalCall<unknown, unknown>, 'portalUser' | 'session' | 'address' | 'params'>

const NETWORKS = z.array(z.string().trim().max(60)).max(200)

/** The names and passwords that a merchant's programs sign in with. */
export function apiUserRoutes(deps: ApiUserDeps): readonly PortalRoute[] {
  const { reader, idleDays } = deps

  const adminFor = (call: Omit<Call, 'params'>): ApiUserAdmin =>
    deps.usersFor({ by: authorOf(call), portalUserId: call.portalUser.id })

  /** The user of the address, when it is of the portal user's merchant. */
  async function ownUser(
    call: Call,
  ): Promise<{ readonly user: ApiUserSummary; readonly admin: ApiUserAdmin }> {
    const admin = adminFor(call)
    const users = await admin.list(call.portalUser.merchantId)
    const user = users.find(({ name }) => name === call.params['name'])
    if (user === undefined) throw notFound('API user')
    return { user, admin }
  }

  return [
    implement(apiUsers.list, {
      handle: async (call) => ({
        users: await adminFor(call).list(call.portalUser.merchantId),
        idleDays,
      }),
    }),
    implement(apiUsers.add, {
      body: z.strictObject({ name: z.string().max(100) }),
      async handle(call) {
        const { merchantId } = call.portalUser
        const name = nameOfMerchant(call.body.name, merchantId)
        const made = await adminFor(call).add(Number(merchantId), name, null)
        return { ...shown(orFault(made)), name }
      },
    }),
    implement(apiUsers.addPassword, {
      async handle(call) {
        const { user, admin } = await ownUser(call)
        return shown(orFault(await admin.addPassword(user.name, null)))
      },
    }),
    implement(apiUsers.retirePassword, {
      async handle(call) {
        const { user, admin } = await ownUser(call)
        const number = Number(idOf(call.params.number, 'password'))
        return orFault(await admin.retirePassword(user.name, number))
      },
    }),
    implement(apiUsers.callers, {
      async handle(call) {
        const { user } = await ownUser(call)
        return { callers: await reader.readRecentCallers(call.portalUser.merchantId, user.name) }
      },
    }),
    implement(apiUsers.checkNetworks, {
      body: z.strictObject({ networks: NETWORKS }),
      async handle(call) {
        const { user } = await ownUser(call)
        const { networks, isAllowedFrom } = orFault(await deps.readNetworks(call.body.networks))
        const callers = await reader.readRecentCallers(call.portalUser.merchantId, user.name)
        return { networks, shutOut: callers.filter(({ address }) => !isAllowedFrom(address)) }
      },
    }),
    implement(apiUsers.changeNetworks, {
      body: z.strictObject({ networks: NETWORKS, seen: NETWORKS }),
      async handle(call) {
        const { user, admin } = await ownUser(call)
        return orFault(await admin.allowFrom(user.name, call.body.networks, call.body.seen))
      },
    }),
    implement(apiUsers.disable, {
      async handle(call) {
        const { user, admin } = await ownUser(call)
        return orFault(await admin.disable(user.name))
      },
    }),
    implement(apiUsers.enable, {
      async handle(call) {
        const { user, admin } = await ownUser(call)
        return orFault(await admin.enable(user.name))
      },
    }),
    implement(apiUsers.setEvents, {
      body: z.strictObject({ on: z.boolean() }),
      async handle(call) {
        const { user, admin } = await ownUser(call)
        return orFault(await admin.setReadsApi(user.name, call.body.on))
      },
    }),
  ]
}

/** A new password goes to the page once; it is kept nowhere but as its hash. */
function shown({ number, generated }: MadePassword): {
  readonly number: number
  readonly password: string
} {
  return { number, password: generated?.reveal() ?? '' }
}
