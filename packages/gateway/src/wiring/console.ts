import { httpPlugin } from '../http/servers/http-plugin.ts'
import { consoleService } from '../portal/console/console-service.ts'
import { visitService } from '../portal/console/visit-service.ts'
import { wireConsole } from '../portal/console/wire.ts'
import type { Foundation } from './foundation.ts'
import { createConsolePortalUsers } from './operator-portal-users.ts'
import { follow, type Part } from './part.ts'
import { isUnavailable } from './unavailable.ts'

const TIDY_EVERY_MS = 60_000
const EXPIRE_EVERY_MS = 60_000
const END_VISITS_EVERY_MS = 5_000

/** The operator's console; nothing where no port is set for it. */
export function wireOperatorConsole(
  parts: Omit<Parameters<typeof wireConsole>[0], 'portalUsers'> &
    Pick<Foundation, 'config' | 'database'>,
): Required<Pick<Part, 'consoleRoutes' | 'followers' | 'jobs' | 'stop'>> {
  const { config, database } = parts
  if (config.consoleEndpoint === null) {
    return { consoleRoutes: [], followers: [], jobs: [], stop: () => Promise.resolve() }
  }
  const { console, visits, endOverVisits, expireRequests, tidy, idle } = wireConsole({
    ...parts,
    portalUsers: createConsolePortalUsers(database.pool, config.portalUrl, config.portal.idleDays),
  })
  return {
    consoleRoutes: [
      httpPlugin(consoleService, { console, isUnavailable }),
      httpPlugin(visitService, { visits, isUnavailable }),
    ],
    jobs: [
      { name: 'end support visits', everyMs: END_VISITS_EVERY_MS, run: endOverVisits },
      { name: 'expire operator requests', everyMs: EXPIRE_EVERY_MS, run: expireRequests },
    ],
    followers: [follow('console', TIDY_EVERY_MS, tidy)],
    stop: idle,
  }
}
