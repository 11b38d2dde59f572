import { z } from 'zod'
import { createBatchStore } from '../../../adapters/postgres/books/batch-store.ts'
import type { Job } from '../../../jobs/worker.ts'
import type { Foundation } from '../../../wiring/foundation.ts'
import type { PortalFoundation } from '../../../wiring/portal.ts'
import { ID, idOf } from '../../shell/ids.ts'
import {
  Download,
  notFound,
  PortalFault,
  portalRoute,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { personActor } from '../../shell/usecases/person.ts'
import type { BatchListAnswer, BatchTransactionsAnswer } from '../api.ts'
import { batchCsv } from './batch-csv.ts'

const PAGE = 50

/** Batches of a merchant's accounts: looked at, closed, and when they close by themselves. */
export function wireBatches({ database }: PortalFoundation): readonly PortalRoute[] {
  const batches = createBatchStore(database.pool)
  return [
    portalRoute({
      method: 'GET',
      path: '/batches',
      right: 'batches.see',
      query: z.object({
        site: ID.optional(),
        account: ID.optional(),
        state: z.enum(['open', 'closed']).optional(),
        before: ID.optional(),
      }),
      async handle({ person: { merchantId }, query }): Promise<BatchListAnswer> {
        const siteId = query.site ?? null
        const [found, accounts] = await Promise.all([
          batches.list({
            merchantId,
            siteId,
            accountId: query.account ?? null,
            state: query.state ?? null,
            before: query.before ?? null,
            limit: PAGE + 1,
          }),
          batches.accounts(merchantId, siteId),
        ])
        const shown = found.slice(0, PAGE)
        return {
          batches: shown,
          next: found.length > PAGE ? (shown.at(-1)?.id ?? null) : null,
          accounts,
        }
      },
    }),
    portalRoute({
      method: 'GET',
      path: '/batches/:id',
      right: 'batches.see',
      async handle({ person, params }) {
        return (await batches.read(person.merchantId, idOf(params['id'], 'batch'))) ?? missing()
      },
    }),
    portalRoute({
      method: 'GET',
      path: '/batches/:id/transactions',
      right: 'batches.see',
      query: z.object({ after: ID.optional() }),
      async handle({ person: { merchantId }, params, query }): Promise<BatchTransactionsAnswer> {
        const id = idOf(params['id'], 'batch')
        const found = await batches.transactions(merchantId, id, query.after ?? 0n, PAGE + 1)
        if (found.length === 0 && (await batches.read(merchantId, id)) === null) missing()
        const shown = found.slice(0, PAGE)
        return {
          transactions: shown,
          next: found.length > PAGE ? (shown.at(-1)?.id ?? null) : null,
        }
      },
    }),
    portalRoute({
      method: 'GET',
      path: '/batches/:id/transactions.csv',
      right: 'batches.see',
      async handle({ person: { merchantId }, params }) {
        const id = idOf(params['id'], 'batch')
        if ((await batches.read(merchantId, id)) === null) missing()
        return new Download(
          `batch-${id}.csv`,
          'text/csv; charset=utf-8',
          batchCsv((after, limit) => batches.transactions(merchantId, id, after, limit)),
        )
      },
    }),
    portalRoute({
      method: 'POST',
      path: '/batches/:id/close',
      right: 'batches.close',
      async handle({ person, address, params }) {
        const by = { actor: personActor(person), address }
        const closed = await batches.close(person.merchantId, idOf(params['id'], 'batch'), by)
        switch (closed.kind) {
          case 'closed':
            return { batch: closed.batch, nextId: closed.nextId }
          case 'closed_before':
            throw new PortalFault(
              409,
              'closed_before',
              `The batch was closed by ${closed.closedBy.replace(/^\w+:/, '') || 'somebody else'} at ` +
                `${closed.closedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
            )
          case 'empty':
            throw new PortalFault(
              409,
              'empty',
              'The batch holds nothing yet, so there is nothing to close.',
            )
          case 'unknown':
            return missing()
        }
      },
    }),
    portalRoute({
      method: 'PUT',
      path: '/batch-accounts/:id/cutoff',
      right: 'batches.close',
      body: z.strictObject({ minute: z.int().min(0).max(1439).nullable() }),
      async handle({ person, address, params, body }) {
        const by = { actor: personActor(person), address }
        const isSet = await batches.setCutoff(
          person.merchantId,
          idOf(params['id'], 'merchant account'),
          body.minute,
          by,
        )
        if (!isSet) throw notFound('merchant account')
        return { done: true }
      },
    }),
  ]
}

const LOOK_FOR_CUTOFFS_EVERY_MS = 5_000

/** Closes batches of accounts with a cut-off. Any process may: a batch is closed once. */
export function batchJobs({ database, clock, actor, logger }: Foundation): readonly Job[] {
  const batches = createBatchStore(database.pool)
  return [
    {
      name: 'close batches',
      everyMs: LOOK_FOR_CUTOFFS_EVERY_MS,
      async run() {
        for (const { merchantId, batchId } of await batches.findDue(clock.now())) {
          const { kind } = await batches.close(merchantId, batchId, { actor, address: '' })
          if (kind === 'closed')
            logger.info({ batch: batchId.toString() }, 'a batch was closed at its cut-off')
        }
        return false
      },
    },
  ]
}

function missing(): never {
  throw notFound('batch')
}
