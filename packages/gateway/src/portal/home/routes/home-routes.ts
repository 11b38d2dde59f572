import { z } from 'zod'
import type { Job } from '../../../jobs/worker.ts'
import type { Foundation } from '../../../wiring/foundation.ts'
import type { PortalFoundation } from '../../../wiring/portal.ts'
import { ID } from '../../shell/ids.ts'
import { notFound, portalRoute, type PortalRoute } from '../../shell/portal-route.ts'
import { serviceMeaning } from '../../words/decline-reasons.ts'
import { CHART_RANGES, chartPoints, periodsAt } from '../domain/home-stretches.ts'
import { createHomeStore } from '../store/home-store.ts'
import { rollPaymentHours } from '../store/payment-hours.ts'
import {
  EXPIRING_WITHIN_DAYS,
  type HomeChart,
  type HomeFigures,
  type HomeWork,
  type OpenAuthorizationPage,
  type SiteScope,
} from '../usecases/home.ts'

const PAGE = 50
const MOST_REASONS = 8
const DAY_MS = 86_400_000
const SITE = z.object({ site: ID.optional() })

/** The home page, and the list of open authorizations. */
export function wireHome({
  database,
  clock,
  linkStates,
}: PortalFoundation): readonly PortalRoute[] {
  const store = createHomeStore(database.pool, () => clock.now())
  const scopeOf = async (merchantId: bigint, siteId: bigint | undefined): Promise<SiteScope> => {
    const scope = await store.scope(merchantId, siteId ?? null)
    if (scope === null) throw notFound('site')
    return scope
  }
  return [
    portalRoute({
      method: 'GET',
      path: '/home',
      right: 'home.see',
      query: SITE,
      async handle({ person, query }): Promise<HomeFigures> {
        const scope = await scopeOf(person.merchantId, query.site)
        const [periods, hasPayments] = await Promise.all([
          store.periods(scope, periodsAt(scope.now)),
          store.hasPayments(scope),
        ])
        return { now: scope.now, leftOut: scope.leftOut, periods, hasPayments }
      },
    }),
    portalRoute({
      method: 'GET',
      path: '/home/chart',
      right: 'home.see',
      query: SITE.extend({ range: z.enum(CHART_RANGES) }),
      async handle({ person, query: { site, range } }): Promise<HomeChart> {
        const scope = await scopeOf(person.merchantId, site)
        const { unit, starts } = chartPoints(range, scope.now)
        const { points, declines } = await store.chart(scope, unit, starts)
        return {
          range,
          unit,
          from: starts[0] ?? scope.now,
          now: scope.now,
          points,
          declined: declines.reduce((sum, { payments }) => sum + payments, 0),
          declines: declines
            .slice(0, MOST_REASONS)
            .map((decline) => ({ ...decline, reason: serviceMeaning(decline.serviceCode).reason })),
        }
      },
    }),
    portalRoute({
      method: 'GET',
      path: '/home/work',
      right: 'home.see',
      query: SITE,
      async handle({ person: { merchantId }, query }): Promise<HomeWork> {
        const scope = await scopeOf(merchantId, query.site)
        const [expiring, advices, pastDue, inUse] = await Promise.all([
          store.expiring(scope, new Date(scope.now.getTime() + EXPIRING_WITHIN_DAYS * DAY_MS)),
          store.waitingAdvices(merchantId),
          store.pastDueMemberships(scope),
          store.linksInUse(merchantId),
        ])
        const links = linkStates()
          .filter(({ linkId }) => inUse.includes(linkId))
          .map(({ name, state, signedOnSince, lastError }) => ({
            name,
            state,
            signedOnSince,
            lastError,
          }))
        return { now: scope.now, expiring, advices, pastDue, links }
      },
    }),
    portalRoute({
      method: 'GET',
      path: '/open-authorizations',
      right: 'orders.see',
      query: SITE.extend({ after: z.iso.datetime().optional(), afterOrder: ID.optional() }),
      async handle({ person, query }): Promise<OpenAuthorizationPage> {
        const scope = await scopeOf(person.merchantId, query.site)
        const after =
          query.after === undefined
            ? null
            : { expiresAt: new Date(query.after), orderId: query.afterOrder ?? 0n }
        const found = await store.openAuthorizations(scope, after, PAGE + 1)
        const shown = found.slice(0, PAGE)
        const last = shown.at(-1)
        return {
          now: scope.now,
          leftOut: scope.leftOut,
          authorizations: shown,
          next:
            found.length > PAGE && last !== undefined
              ? { expiresAt: last.expiresAt, orderId: last.orderId }
              : null,
        }
      },
    }),
  ]
}

const ADD_UP_EVERY_MS = 15_000

/** What the home page sums up, added up by the hour. */
export function homeJobs({ database, clock }: Foundation): readonly Job[] {
  return [
    {
      name: 'add up payment hours',
      everyMs: ADD_UP_EVERY_MS,
      run: () => rollPaymentHours(database.pool, clock.now()),
    },
  ]
}
