import { testSites } from '@tollgate/portal-contract/routes/developer'
import { z } from 'zod'
import { maskText } from '../../../base/card-masking.ts'
import { readCursor, readClockCommand, writeCursor } from '../../../http/sandbox/clock-request.ts'
import { SandboxRequestError } from '../../../http/sandbox/sandbox-request.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { ChangeClock, ClockView, ClockCommand } from '../../../usecases/clocks/change-clock.ts'
import type { ReadAgenda } from '../../../usecases/clocks/read-agenda.ts'
import { idOf } from '../../shell/ids.ts'
import { implement, orFault, PortalFault, type PortalRoute } from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import type { SiteClock } from '../usecases/clock-views.ts'
import type { DeveloperSite, FindDeveloperSites } from '../usecases/developer-site.ts'
import { siteOf } from './developer-sandbox.ts'

export interface DeveloperClockDeps {
  readonly changeClock: ChangeClock
  readonly readAgenda: ReadAgenda
  readonly findSites: FindDeveloperSites
  readonly audit: (entry: AuditEntry) => Promise<void>
}

interface Shown {
  readonly view: ClockView
}

const CHANGE = z.strictObject({
  action: z.enum(['jump', 'step', 'speed', 'stop', 'reset']),
  /** A time, an ISO 8601 duration or a speed, as the action needs it. */
  argument: z.string().max(60).default(''),
})
const AGENDA = 50
/** Pages refresh by themselves while a clock moves. */
const MOVE_WAIT_MS = 1_500
/** A clock is taken away once it is there. */
const RESET_WAIT_MS = 20_000

/** Clocks of the merchant's test sites. */
export function developerClock({
  changeClock,
  readAgenda,
  findSites,
  audit,
}: DeveloperClockDeps): readonly PortalRoute[] {
  const look = async (site: DeveloperSite): Promise<SiteClock> => {
    const { view } = orFault<Shown>(await changeClock(site, { kind: 'show' }, '', 0))
    return { siteId: site.id, name: site.name, clock: view }
  }
  return [
    implement(testSites.clocks, {
      handle: async ({ portalUser }) => {
        const sites = (await findSites(portalUser.merchantId)).filter(({ mode }) => mode === 'test')
        return { clocks: await Promise.all(sites.map(look)) }
      },
    }),
    implement(testSites.agenda, {
      query: z.object({ after: z.string().max(120).optional() }),
      handle: async ({ portalUser, params, query }) => {
        const site = await testSite(findSites, portalUser.merchantId, params.id)
        const { entries, next } = await readAgenda(
          site,
          readable(() => readCursor({ after: query.after ?? null })),
          AGENDA,
        )
        return {
          entries: entries.map(({ at, what, object }) => ({ at, what, object })),
          next: next === null ? null : writeCursor(next),
        }
      },
    }),
    implement(testSites.changeClock, {
      body: CHANGE,
      handle: async ({ portalUser, address, params, body: { action, argument } }) => {
        const site = await testSite(findSites, portalUser.merchantId, params.id)
        const command = clockCommandOf(action, argument)
        const actor = portalUserActor(portalUser)
        const result = await changeClock(
          site,
          command,
          actor,
          command.kind === 'reset' ? RESET_WAIT_MS : MOVE_WAIT_MS,
        )
        await audit({
          actor,
          operation: 'site.clock_changed',
          object: `site ${site.id}`,
          merchantId: site.merchantId,
          address,
          result: result.ok ? 'done' : 'refused',
          details: {
            action,
            argument: maskText(argument),
            ...(result.view === null ? {} : { time: result.view.time.toISOString() }),
          },
        })
        return { siteId: site.id, name: site.name, clock: orFault<Shown>(result).view }
      },
    }),
  ]
}

async function testSite(
  findSites: FindDeveloperSites,
  merchantId: bigint,
  id: string | undefined,
): Promise<DeveloperSite> {
  const site = await siteOf(findSites, merchantId, idOf(id, 'site'))
  if (site.mode === 'test') return site
  throw new PortalFault(
    409,
    'live_site',
    'The site is in live mode and uses real time. Only test sites can have a clock.',
  )
}

function clockCommandOf(action: string, argument: string): ClockCommand {
  const command = readable(() =>
    readClockCommand(action, {
      to: argument,
      by: argument,
      speed: argument === '' ? null : Number(argument),
    }),
  )
  if (command === null)
    throw new PortalFault(400, 'invalid', `"${action}" is not a valid action.`, 'action')
  return command
}

function readable<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof SandboxRequestError)
      throw new PortalFault(400, 'invalid', error.message, 'argument')
    throw error
  }
}
