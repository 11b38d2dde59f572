import { CHART_RANGES } from '@tollgate/portal-contract/chart-ranges'
import { home } from '@tollgate/portal-contract/routes/home'
import { z } from 'zod'
import type { LinkStateView } from '../../../usecases/banks/processor-links.ts'
import { ID } from '../../shell/ids.ts'
import { implement, notFound, type PortalRoute } from '../../shell/portal-route.ts'
import { serviceMeaning } from '../../words/decline-reasons.ts'
import { chartPoints, periodsAt } from '../domain/home-periods.ts'
import {
  EXPIRING_WITHIN_DAYS,
  heldUsersFor,
  type HomeStore,
  type SiteScope,
} from '../usecases/home.ts'

const PAGE = 50
const MOST_REASONS = 8
const DAY_MS = 86_400_000
const SITE = z.object({ site: ID.optional() })

export interface HomeRoutesDeps {
  readonly store: HomeStore
  readonly linkStates: () => readonly LinkStateView[]
}

/** Instead of the state of the bundled bank's link, where no such bank runs (BANK=off). */
const NO_BUNDLED_BANK = {
  linkId: null,
  name: 'the bundled bank',
  state: 'down',
  signedOnSince: null,
  lastError: 'The operator runs no bundled bank (BANK=off), so test payments fail.',
} as const

/** Authorizations that expire until then are urgent. */
function soonAfter(now: Date): Date {
  return new Date(now.getTime() + EXPIRING_WITHIN_DAYS * DAY_MS)
}

/** The home page, and the list of open authorizations. */
export function homeRoutes({ store, linkStates }: HomeRoutesDeps): readonly PortalRoute[] {
  const scopeOf = async (merchantId: bigint, siteId: bigint | undefined): Promise<SiteScope> => {
    const scope = await store.scope(merchantId, siteId ?? null)
    if (scope === null) throw notFound('site')
    return scope
  }
  return [
    implement(home.figures, {
      query: SITE,
      async handle({ portalUser, session, query }) {
        const scope = await scopeOf(portalUser.merchantId, query.site)
        const [periods, hasPayments] = await Promise.all([
          store.periods(scope, periodsAt(scope.now, session.timeZone)),
          store.hasPayments(scope),
        ])
        return { now: scope.now, leftOut: scope.leftOut, periods, hasPayments }
      },
    }),
    implement(home.chart, {
      query: SITE.extend({ range: z.enum(CHART_RANGES) }),
      async handle({ portalUser, session, query: { site, range } }) {
        const scope = await scopeOf(portalUser.merchantId, site)
        const { unit, starts } = chartPoints(range, scope.now, session.timeZone)
        const { points, declines } = await store.chart(scope, starts)
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
    implement(home.work, {
      query: SITE,
      async handle({ portalUser, query }) {
        const { merchantId } = portalUser
        const scope = await scopeOf(merchantId, query.site)
        const [expiring, advices, pastDue, inUse, held] = await Promise.all([
          store.expiring(scope, soonAfter(scope.now)),
          store.waitingAdvices(merchantId),
          store.pastDueMemberships(scope),
          store.linksInUse(merchantId),
          store.heldUsers(merchantId),
        ])
        const states = linkStates()
        const lacksBank = inUse.includes(null) && states.every(({ linkId }) => linkId !== null)
        const links = [...(lacksBank ? [NO_BUNDLED_BANK] : []), ...states]
          .filter(({ linkId }) => inUse.includes(linkId))
          .map(({ name, state, signedOnSince, lastError }) => ({
            name,
            state,
            signedOnSince,
            lastError,
          }))
        const heldUsers = heldUsersFor(portalUser, held)
        return { now: scope.now, expiring, advices, pastDue, heldUsers, links }
      },
    }),
    implement(home.openAuthorizations, {
      query: SITE.extend({
        soon: z.literal('true').optional(),
        after: z.iso.datetime().optional(),
        afterOrder: ID.optional(),
      }),
      async handle({ portalUser, query }) {
        const scope = await scopeOf(portalUser.merchantId, query.site)
        const after =
          query.after === undefined
            ? null
            : { expiresAt: new Date(query.after), orderId: query.afterOrder ?? 0n }
        const until = query.soon === undefined ? null : soonAfter(scope.now)
        const found = await store.openAuthorizations(scope, { until, after }, PAGE + 1)
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
