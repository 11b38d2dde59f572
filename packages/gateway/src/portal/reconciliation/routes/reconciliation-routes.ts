import { reconciliation as table } from '@tollgate/portal-contract/routes/reconciliation'
import { z } from 'zod'
import { ID, idOf } from '../../shell/ids.ts'
import { implement, notFound, orFault, type PortalRoute } from '../../shell/portal-route.ts'
import { portalUserActor, type PortalUser } from '../../shell/usecases/portal-user.ts'
import { mayOwnDifferences } from '../domain/difference-changes.ts'
import type { ChangeComparisons } from '../usecases/change-comparisons.ts'
import type { ChangeDifference } from '../usecases/change-difference.ts'
import type { Actor, ReconBook } from '../usecases/recon.ts'

const PAGE = 50
const RUNS_SHOWN = 20

const actorOf = (portalUser: PortalUser, address: string): Actor => ({
  portalUserId: portalUser.id,
  actor: portalUserActor(portalUser),
  address,
})

export interface ReconciliationRoutesDeps {
  readonly book: ReconBook
  readonly changeComparisons: ChangeComparisons
  readonly changeDifference: ChangeDifference
}

/** The reconciliation: comparisons, and what portal users do about what they find. */
export function reconciliationRoutes({
  book,
  changeComparisons,
  changeDifference,
}: ReconciliationRoutesDeps): readonly PortalRoute[] {
  return [
    implement(table.overview, {
      async handle({ portalUser: { merchantId } }) {
        const [runs, schedule, users, accounts] = await Promise.all([
          book.runs(merchantId, RUNS_SHOWN),
          book.schedule(merchantId),
          book.portalUsers(merchantId),
          book.comparable(merchantId),
        ])
        const portalUsers = users
          .filter(({ role }) => mayOwnDifferences(role))
          .map(({ id, name, email }) => ({ id, name, email }))
        return { runs, dailyHour: schedule, portalUsers, accounts }
      },
    }),
    implement(table.run, {
      async handle({ portalUser, params }) {
        const run = await book.run(portalUser.merchantId, idOf(params.id, 'comparison'))
        if (run === null) throw notFound('comparison')
        return run
      },
    }),
    implement(table.request, {
      async handle({ portalUser, address }) {
        const by = actorOf(portalUser, address)
        const { id } = orFault(await changeComparisons.start(portalUser.merchantId, by))
        return { id }
      },
    }),
    implement(table.setDaily, {
      body: z.strictObject({ hour: z.int().min(0).max(23).nullable() }),
      async handle({ portalUser, address, body }) {
        const by = actorOf(portalUser, address)
        await changeComparisons.setDailyHour(portalUser.merchantId, body.hour, by)
        return { done: true }
      },
    }),
    implement(table.differences, {
      query: z.object({
        show: z.enum(['open', 'resolved', 'gone', 'all']).default('open'),
        before: ID.optional(),
      }),
      async handle({ portalUser, query }) {
        const found = await book.differences(
          portalUser.merchantId,
          query.show,
          query.before ?? null,
          PAGE + 1,
        )
        const shown = found.slice(0, PAGE)
        return { differences: shown, next: found.length > PAGE ? (shown.at(-1)?.id ?? null) : null }
      },
    }),
    implement(table.change, {
      body: z.strictObject({
        version: z.int().min(1),
        what: z.enum(['taken', 'handed', 'noted', 'resolved', 'reopened']),
        ownerId: ID.nullable().default(null),
        note: z.string().trim().max(2_000).default(''),
      }),
      async handle({ portalUser, address, params, body }) {
        const id = idOf(params.id, 'difference')
        orFault(
          await changeDifference(portalUser.merchantId, id, body, actorOf(portalUser, address)),
        )
        return { done: true }
      },
    }),
  ]
}
