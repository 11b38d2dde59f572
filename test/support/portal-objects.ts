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
}

/** Bodies that requests of these routes take; `{}` where there is no row. */
export const PORTAL_BODIES: Readonly<Record<string, unknown>> = {
  'PUT /people/:id': { role: 'admin' },
}
