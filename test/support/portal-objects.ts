import { addPerson, signIn } from './portal.ts'
import type { RunningGateway } from './running-gateway.ts'

/**
 * An address of something that belongs to the demo merchant, for each kind of thing that addresses of
 * the portal's API name: `/people/:id` stands for `/people/:id/disable` and whatever else goes on
 * behind it. A section that adds a route with `:` adds a row here, or test/scenarios/portal-doors.test.ts
 * tells which one is missing. What comes behind a `?` is sent along.
 */
export const PORTAL_OBJECTS: Readonly<Record<string, (gateway: RunningGateway) => Promise<string>>> = {
  '/people/:id': async (gateway) => `/people/${(await addPerson(gateway, 'support')).id}`,
  '/account/sessions/:id': async (gateway) => {
    const { body } = await (await signIn(gateway)).get('/account')
    return `/account/sessions/${body.sessions[0].id}`
  },
  '/settings/sites/:siteId': () => Promise.resolve('/settings/sites/1001'),
  '/settings/sites/:siteId/go-live/:id': () => Promise.resolve('/settings/sites/1001/go-live/1'),
  '/settings/api-users/:name': () => Promise.resolve('/settings/api-users/demo%40tollgate.test'),
  '/settings/api-users/:name/passwords/:number': () => Promise.resolve('/settings/api-users/demo%40tollgate.test/passwords/1'),
}

const THREE_DS = { required: false, whenUnavailable: 'authorize', paResRequired: false, challengePreference: null, returnHosts: [] }

/** Bodies that requests of these routes take; `{}` where there is no row. */
export const PORTAL_BODIES: Readonly<Record<string, unknown>> = {
  'PUT /people/:id': { role: 'admin' },
  'PUT /settings/sites/:siteId': { changes: { name: 'Mine' }, seen: {} },
  'PUT /settings/sites/:siteId/catalogue': { catalogue: 'strict' },
  'PUT /settings/sites/:siteId/three-ds': { policy: THREE_DS, seen: THREE_DS },
  'PUT /settings/sites/:siteId/card-testing': { draft: { rules: [], exceptAddresses: [] }, seenRevision: 0 },
  'PUT /settings/sites/:siteId/card-testing/mode': { mode: 'watch' },
  'POST /settings/sites/:siteId/card-testing/try': { rules: [], exceptAddresses: [] },
  'PUT /settings/sites/:siteId/token-origins': { origins: [], seen: ['*'] },
  'POST /settings/sites/:siteId/go-live': { digest: '0'.repeat(64) },
  'POST /settings/api-users/:name/networks/check': { networks: [] },
  'PUT /settings/api-users/:name/networks': { networks: [], seen: [] },
}
