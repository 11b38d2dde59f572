import { consoleOperators as table } from '@tollgate/portal-contract/routes/console'
import { z } from 'zod'
import { idOf } from '../../shell/ids.ts'
import { orFault } from '../../shell/portal-route.ts'
import type { OperatorsAdmin } from '../usecases/change-operators.ts'
import { requesterOf } from '../usecases/console-operator.ts'
import type { NewLink } from '../usecases/new-link.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'

/** The address of a link that an operator hands over. */
export type LinkAddress = (link: NewLink) => { readonly address: string; readonly expiresAt: Date }

const ROLE = z.enum(['owner', 'admin', 'viewer'])

/** The routes of operators and their roles. */
export function operatorsRoutes(
  operators: OperatorsAdmin,
  addressOf: LinkAddress,
): readonly ConsoleRoute[] {
  return [
    implementConsole(table.list, { handle: () => operators.list() }),
    implementConsole(table.invite, {
      body: z.strictObject({ email: z.string().trim().max(254), name: z.string().trim().max(100) }),
      async handle({ session, address, body }) {
        const wanted = { ...body, role: 'viewer' } as const
        const invited = orFault(await operators.invite(requesterOf(session, address), wanted))
        return { link: addressOf(invited.link) }
      },
    }),
    implementConsole(table.setRole, {
      body: z.strictObject({ role: ROLE }),
      async handle({ session, address, params, body }) {
        const id = idOf(params.id, 'operator')
        const requester = requesterOf(session, address)
        const { done } = orFault(await operators.setRole(requester, id, body.role))
        return { done }
      },
    }),
    implementConsole(table.setActive, {
      body: z.strictObject({ active: z.boolean() }),
      async handle({ session, address, params, body }) {
        const id = idOf(params.id, 'operator')
        const requester = requesterOf(session, address)
        const { done } = orFault(await operators.setActive(requester, id, body.active))
        return { done }
      },
    }),
    implementConsole(table.reset, {
      async handle({ session, address, params }) {
        const id = idOf(params.id, 'operator')
        const { done, link } = orFault(await operators.reset(requesterOf(session, address), id))
        return { done, link: link === null ? null : addressOf(link) }
      },
    }),
  ]
}
