import { consoleVisits as table } from '@tollgate/portal-contract/routes/console'
import { z } from 'zod'
import { idOf } from '../../shell/ids.ts'
import { orFault } from '../../shell/portal-route.ts'
import type {
  BeginVisit,
  EndVisit,
  SupportVisitStore,
} from '../../shell/usecases/support-visits.ts'
import { requesterOf } from '../usecases/console-operator.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'

/** The routes of visits to portals. The pages of a visit are at `/portal` of the same address. */
export function visitRoutes(deps: {
  readonly beginVisit: BeginVisit
  readonly endVisit: EndVisit
  readonly listVisits: SupportVisitStore['listVisits']
}): readonly ConsoleRoute[] {
  return [
    implementConsole(table.list, {
      handle: ({ params }) => deps.listVisits(idOf(params.id, 'merchant')),
    }),
    implementConsole(table.begin, {
      body: z.strictObject({ reason: z.string().trim().max(200), minutes: z.int() }),
      async handle({ session, address, params, body }) {
        const { actor } = requesterOf(session, address)
        const visitor = { ...session.operator, sessionId: session.id }
        const wanted = { merchantId: idOf(params.id, 'merchant'), ...body }
        return orFault(await deps.beginVisit(visitor, { actor, address }, wanted))
      },
    }),
    implementConsole(table.end, {
      async handle({ session, address, params }) {
        const { actor } = requesterOf(session, address)
        return orFault(await deps.endVisit(idOf(params.id, 'visit'), null, { actor, address }))
      },
    }),
  ]
}
