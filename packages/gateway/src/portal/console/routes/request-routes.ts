import { consoleRequests as table } from '@tollgate/portal-contract/routes/console'
import { idOf } from '../../shell/ids.ts'
import { orFault } from '../../shell/portal-route.ts'
import type { DecideRequests } from '../usecases/decide-requests.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'
import type { LinkAddress } from './operators-routes.ts'
import { requestAnswer } from './request-sentence.ts'

/** The routes of requests that wait for a second operator. */
export function requestRoutes(
  requests: DecideRequests,
  addressOf: LinkAddress,
): readonly ConsoleRoute[] {
  return [
    implementConsole(table.list, {
      handle: async () => (await requests.list()).map(requestAnswer),
    }),
    implementConsole(table.approve, {
      async handle({ params, ...from }) {
        const { link } = orFault(await requests.approve(from, idOf(params.id, 'request')))
        return { link: link === null ? null : addressOf(link) }
      },
    }),
    implementConsole(table.refuse, {
      handle: async ({ params, ...from }) =>
        orFault(await requests.refuse(from, idOf(params.id, 'request'))),
    }),
    implementConsole(table.withdraw, {
      handle: async ({ params, ...from }) =>
        orFault(await requests.withdraw(from, idOf(params.id, 'request'))),
    }),
  ]
}
