import { get, type Route } from '@tollgate/portal-contract/route'
import { session } from '@tollgate/portal-contract/routes'
import Fastify from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { implement, type PortalRoute } from '../../../src/portal/shell/portal-route.ts'
import { portalService } from '../../../src/portal/shell/portal-service.ts'
import { EMPTY_PORTAL } from '../../http/fake-gateway.ts'

/** Method and URL of each address that the portal registers with these routes, sorted. */
async function registered(routes: readonly PortalRoute[]): Promise<string[]> {
  const app = Fastify({ exposeHeadRoutes: false })
  const found: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    found.push(...[method].flat().map((each) => `${each} ${url}`))
  })
  portalService(app, { portal: { ...EMPTY_PORTAL, routes }, isUnavailable: () => false })
  await app.ready()
  await app.close()
  return found.toSorted()
}

test('the API has the addresses of its routes and the entries of the sign-in, and no other', async () => {
  const figures = get('/figures', null).answers<{ readonly count: number }>()
  const entries: readonly Route[] = [...Object.values(session), figures]
  assert.deepEqual(
    await registered([implement(figures, { handle: () => Promise.resolve({ count: 1 }) })]),
    entries.map(({ method, path }) => `${method} /portal/api${path}`).toSorted(),
  )
})

test('no entry of the sign-in has a right or a step, which its route would not check', () => {
  const checked = Object.values(session).map(({ right, onTheWayIn }) => [right, onTheWayIn])
  assert.deepEqual(
    checked,
    checked.map(() => [null, null]),
  )
})
