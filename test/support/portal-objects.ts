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
  '/batches/:id': async ({ pool }) => {
    const { rows } = await pool.query<{ id: string }>('select id from batches where merchant_id = 1 limit 1')
    return `/batches/${rows[0]?.id}`
  },
  '/batch-accounts/:id': () => Promise.resolve('/batch-accounts/2001'),
  '/reconciliation/runs/:id': async ({ pool }) => `/reconciliation/runs/${await failedRun(pool)}`,
  '/reconciliation/differences/:id': async ({ pool }) => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into recon_differences (merchant_id, order_id, currency, reasons, last_run_id)
       values (1, nextval('order_ids'), 'USD', '[]', $1) returning id`,
      [await failedRun(pool)],
    )
    return `/reconciliation/differences/${rows[0]?.id}`
  },
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
  'PUT /batch-accounts/:id/cutoff': { minute: 5 },
  'POST /reconciliation/differences/:id': { version: 1, what: 'taken' },
}

async function failedRun(pool: RunningGateway['pool']): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into recon_runs (merchant_id, asked_by, state, finished_at) values (1, 'test', 'failed', now()) returning id`,
  )
  return rows[0]?.id ?? ''
}
