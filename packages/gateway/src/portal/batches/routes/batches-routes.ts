import { timeWithZone } from '@tollgate/kernel/time-zone'
import { batches } from '@tollgate/portal-contract/routes/batches'
import { z } from 'zod'
import type { Batches } from '../../../usecases/books/batches.ts'
import { ID, idOf } from '../../shell/ids.ts'
import {
  Download,
  notFound,
  PortalFault,
  implement,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import type { BatchSettlementReader } from '../usecases/batch-settlements.ts'
import { batchCsv } from './batch-csv.ts'

const PAGE = 50
/** Rows on the page of a differing batch; the command lists as many. */
const MOST_DIFFERENCES = 200

/** Batches of a merchant's accounts: looked at, closed, and when they close by themselves. */
export function batchesRoutes(
  store: Batches,
  settlements: BatchSettlementReader,
): readonly PortalRoute[] {
  return [
    implement(batches.settlements, {
      async handle({ portalUser: { merchantId }, params }) {
        const id = idOf(params.id, 'batch')
        if ((await store.read(merchantId, id)) === null) missing()
        return { settlements: await settlements.read(merchantId, id) }
      },
    }),
    implement(batches.settled, {
      query: z.object({
        state: z.enum(['settled', 'rejected', 'waiting']),
        currency: z.string().regex(/^[A-Z]{3}$/, 'expected a currency such as EUR'),
        payout: ID.optional(),
        after: ID.optional(),
      }),
      async handle({ portalUser: { merchantId }, params, query }) {
        const id = idOf(params.id, 'batch')
        if ((await store.read(merchantId, id)) === null) missing()
        const { after = 0n, currency, payout = null, state } = query
        const group = { state, currency, payoutId: payout }
        const found = await settlements.transactions(merchantId, id, group, after, PAGE + 1)
        const shown = found.slice(0, PAGE)
        return {
          transactions: shown,
          next: found.length > PAGE ? (shown.at(-1)?.id ?? null) : null,
        }
      },
    }),
    implement(batches.list, {
      query: z.object({
        site: ID.optional(),
        account: ID.optional(),
        state: z.enum(['open', 'closed']).optional(),
        before: ID.optional(),
      }),
      async handle({ portalUser: { merchantId }, query }) {
        const siteId = query.site ?? null
        const [found, accounts] = await Promise.all([
          store.list({
            merchantId,
            siteId,
            accountId: query.account ?? null,
            state: query.state ?? null,
            before: query.before ?? null,
            limit: PAGE + 1,
          }),
          store.accounts(merchantId, siteId),
        ])
        const shown = found.slice(0, PAGE)
        return {
          batches: shown,
          next: found.length > PAGE ? (shown.at(-1)?.id ?? null) : null,
          accounts,
        }
      },
    }),
    implement(batches.read, {
      async handle({ portalUser, params }) {
        return (await store.read(portalUser.merchantId, idOf(params.id, 'batch'))) ?? missing()
      },
    }),
    implement(batches.transactions, {
      query: z.object({ after: ID.optional() }),
      async handle({ portalUser: { merchantId }, params, query }) {
        const id = idOf(params.id, 'batch')
        const found = await store.transactions(merchantId, id, query.after ?? 0n, PAGE + 1)
        if (found.length === 0 && (await store.read(merchantId, id)) === null) missing()
        const shown = found.slice(0, PAGE)
        return {
          transactions: shown,
          next: found.length > PAGE ? (shown.at(-1)?.id ?? null) : null,
        }
      },
    }),
    implement(batches.agreement, {
      async handle({ portalUser, params }) {
        const id = idOf(params.id, 'batch')
        return (await store.agreement(portalUser.merchantId, id, MOST_DIFFERENCES)) ?? missing()
      },
    }),
    implement(batches.csv, {
      async handle({ portalUser: { merchantId }, session: { timeZone }, params }) {
        const id = idOf(params.id, 'batch')
        if ((await store.read(merchantId, id)) === null) missing()
        return new Download(
          `batch-${id}.csv`,
          'text/csv; charset=utf-8',
          batchCsv((after, limit) => store.transactions(merchantId, id, after, limit), timeZone),
        )
      },
    }),
    implement(batches.close, {
      async handle({ portalUser, session, address, params }) {
        const by = { actor: portalUserActor(portalUser), address }
        const closed = await store.close(portalUser.merchantId, idOf(params.id, 'batch'), by)
        switch (closed.kind) {
          case 'closed':
            return { batch: closed.batch, nextId: closed.nextId }
          case 'closed_before':
            throw new PortalFault(
              409,
              'closed_before',
              `The batch was closed by ${closed.closedBy.replace(/^\w+:/, '') || 'another user'} at ` +
                `${timeWithZone(session.timeZone, closed.closedAt)}.`,
            )
          case 'empty':
            throw new PortalFault(
              409,
              'empty',
              'The batch holds nothing that the bank has answered, so there is nothing to close.',
            )
          case 'unknown':
            return missing()
        }
      },
    }),
    implement(batches.setCutoff, {
      body: z.strictObject({ minute: z.int().min(0).max(1439).nullable() }),
      async handle({ portalUser, address, params, body }) {
        const by = { actor: portalUserActor(portalUser), address }
        const isSet = await store.setCutoff(
          portalUser.merchantId,
          idOf(params.id, 'merchant account'),
          body.minute,
          by,
        )
        if (!isSet) throw notFound('merchant account')
        return { done: true }
      },
    }),
  ]
}

function missing(): never {
  throw notFound('batch')
}
