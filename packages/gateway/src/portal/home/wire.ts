import type pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import { LONG_IDLE_EVERY_MS, type Job } from '../../jobs/worker.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { homeRoutes, type HomeRoutesDeps } from './routes/home-routes.ts'
import { createHomeStore } from './store/home-store.ts'
import { rollPaymentHours } from './store/payment-hours.ts'

const ADD_UP_EVERY_MS = 15_000

interface HomeParts {
  readonly database: { readonly pool: pg.Pool }
  readonly clock: Clock
}

/** The home page, and the list of open authorizations. */
export function wireHome({
  database,
  clock,
  linkStates,
}: HomeParts & Pick<HomeRoutesDeps, 'linkStates'>): readonly PortalRoute[] {
  const store = createHomeStore(database.pool, () => clock.now())
  return homeRoutes({ store, linkStates })
}

/** Adds up the home page's sums by the hour. */
export function homeJobs({ database, clock }: HomeParts): readonly Job[] {
  return [
    {
      name: 'add up payment hours',
      everyMs: ADD_UP_EVERY_MS,
      idleEveryMs: LONG_IDLE_EVERY_MS,
      run: () => rollPaymentHours(database.pool, clock.now()),
    },
  ]
}
