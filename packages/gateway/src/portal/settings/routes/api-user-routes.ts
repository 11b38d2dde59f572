import { z } from 'zod'
import type { Result } from '../../../base/refusal.ts'
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
  portalRoute,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import type { SettingsReader } from '../usecases/settings.ts'
import { authorOf } from './outcome.ts'

export interface ApiUserDeps {
  readonly reader: SettingsReader
  /** What the operator's commands do, in the name of somebody. */
  usersFor(by: AuditAuthor): ApiUserAdmin
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

type Call = Pick<PortalCall<unknown, unknown>, 'person' | 'session' | 'address' | 'params'>

const NETWORKS = z.array(z.string().trim().max(60)).max(200)

/** The names and passwords that a merchant's programs sign in with. */
export function apiUserRoutes(deps: ApiUserDeps): readonly PortalRoute[] {
  const { reader, idleDays } = deps

  /** The user of the address, when it is of the person's merchant. */
  async function ownUser(
    call: Call,
  ): Promise<{ readonly user: ApiUserSummary; readonly admin: ApiUserAdmin }> {
    const admin = deps.usersFor(authorOf(call))
    const users = await admin.list(call.person.merchantId)
    const user = users.find(({ name }) => name === call.params['name'])
    if (user === undefined) throw notFound('API user')
    return { user, admin }
  }

  return [
    portalRoute({
      method: 'GET',
      path: '/settings/api-users',
      right: 'settings.see',
      handle: async (call) => ({
        users: await deps.usersFor(authorOf(call)).list(call.person.merchantId),
        idleDays,
      }),
    }),
    portalRoute({
      method: 'POST',
      path: '/settings/api-users',
      right: 'api_users.change',
      body: z.strictObject({ name: z.string().max(100) }),
      async handle(call) {
        const made = await deps
          .usersFor(authorOf(call))
          .add(Number(call.person.merchantId), call.body.name, null)
        return shown(orFault(made))
      },
    }),
    portalRoute({
      method: 'POST',
      path: '/settings/api-users/:name/passwords',
      right: 'api_users.change',
      async handle(call) {
        const { user, admin } = await ownUser(call)
        return shown(orFault(await admin.addPassword(user.name, null)))
      },
    }),
    portalRoute({
      method: 'DELETE',
      path: '/settings/api-users/:name/passwords/:number',
      right: 'api_users.change',
      async handle(call) {
        const { user, admin } = await ownUser(call)
        const number = Number(idOf(call.params['number'], 'password'))
        return orFault(await admin.retirePassword(user.name, number))
      },
    }),
    portalRoute({
      method: 'GET',
      path: '/settings/api-users/:name/callers',
      right: 'settings.see',
      async handle(call) {
        const { user } = await ownUser(call)
        return { callers: await reader.readRecentCallers(call.person.merchantId, user.name) }
      },
    }),
    portalRoute({
      method: 'POST',
      path: '/settings/api-users/:name/networks/check',
      right: 'settings.see',
      body: z.strictObject({ networks: NETWORKS }),
      async handle(call) {
        const { user } = await ownUser(call)
        const { networks, isAllowedFrom } = orFault(await deps.readNetworks(call.body.networks))
        const callers = await reader.readRecentCallers(call.person.merchantId, user.name)
        return { networks, shutOut: callers.filter(({ address }) => !isAllowedFrom(address)) }
      },
    }),
    portalRoute({
      method: 'PUT',
      path: '/settings/api-users/:name/networks',
      right: 'api_users.change',
      body: z.strictObject({ networks: NETWORKS, seen: NETWORKS }),
      async handle(call) {
        const { user, admin } = await ownUser(call)
        return orFault(await admin.allowFrom(user.name, call.body.networks, call.body.seen))
      },
    }),
    portalRoute({
      method: 'POST',
      path: '/settings/api-users/:name/disable',
      right: 'api_users.change',
      async handle(call) {
        const { user, admin } = await ownUser(call)
        return orFault(await admin.disable(user.name))
      },
    }),
    portalRoute({
      method: 'POST',
      path: '/settings/api-users/:name/enable',
      right: 'api_users.change',
      async handle(call) {
        const { user, admin } = await ownUser(call)
        return orFault(await admin.enable(user.name))
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
