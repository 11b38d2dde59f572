import { reconciliation as table } from '@tollgate/portal-contract/routes/reconciliation'
import { z } from 'zod'
import { holdsCardSecret } from '../../../base/card-masking.ts'
import { ID, idOf } from '../../shell/ids.ts'
import { implement, notFound, PortalFault, type PortalRoute } from '../../shell/portal-route.ts'
import { personActor, type PortalPerson } from '../../shell/usecases/person.ts'
import type { Actor, ReconBook } from '../usecases/recon.ts'

const PAGE = 50
const RUNS_SHOWN = 20

const actorOf = (person: PortalPerson, address: string): Actor => ({
  personId: person.id,
  actor: personActor(person),
  address,
})

/** The reconciliation: comparisons, and what people do about what they find. */
export function reconciliationRoutes(book: ReconBook): readonly PortalRoute[] {
  return [
    implement(table.overview, {
      async handle({ person: { merchantId } }) {
        const [runs, schedule, colleagues, accounts] = await Promise.all([
          book.runs(merchantId, RUNS_SHOWN),
          book.schedule(merchantId),
          book.colleagues(merchantId),
          book.comparable(merchantId),
        ])
        return { runs, dailyHour: schedule, colleagues, accounts }
      },
    }),
    implement(table.run, {
      async handle({ person, params }) {
        const run = await book.run(person.merchantId, idOf(params.id, 'comparison'))
        if (run === null) throw notFound('comparison')
        return run
      },
    }),
    implement(table.ask, {
      async handle({ person, address }) {
        const id = await book.ask(person.merchantId, actorOf(person, address))
        if (id === null)
          throw new PortalFault(409, 'under_way', 'A comparison is under way already.')
        return { id }
      },
    }),
    implement(table.setDaily, {
      body: z.strictObject({ hour: z.int().min(0).max(23).nullable() }),
      async handle({ person, address, body }) {
        await book.setSchedule(person.merchantId, body.hour, actorOf(person, address))
        return { done: true }
      },
    }),
    implement(table.differences, {
      query: z.object({
        show: z.enum(['open', 'settled', 'gone', 'all']).default('open'),
        before: ID.optional(),
      }),
      async handle({ person, query }) {
        const found = await book.differences(
          person.merchantId,
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
        what: z.enum(['taken', 'handed', 'noted', 'settled', 'reopened']),
        ownerId: ID.nullable().default(null),
        note: z.string().trim().max(2_000).default(''),
      }),
      async handle({ person, address, params, body }) {
        if (body.note === '' && (body.what === 'noted' || body.what === 'settled')) {
          throw new PortalFault(400, 'invalid', 'Write a note that says why.', 'note')
        }
        if (holdsCardSecret(body.note)) {
          throw new PortalFault(
            400,
            'card_number',
            'The note holds what looks like a card number or a security code. Take it out: it must not be written down.',
            'note',
          )
        }
        const id = idOf(params.id, 'difference')
        const changed = await book.change(person.merchantId, id, body, actorOf(person, address))
        switch (changed.kind) {
          case 'changed':
            return { done: true }
          case 'no_such_colleague':
            throw new PortalFault(
              400,
              'invalid',
              'Choose a colleague who may settle differences.',
              'ownerId',
            )
          case 'gone':
            throw new PortalFault(
              409,
              'changed_before',
              'A comparison has changed this difference meanwhile. Look at it again.',
            )
          case 'changed_before':
            throw new PortalFault(
              409,
              'changed_before',
              `${changed.by} has ${DONE[changed.what]} at ${changed.at.toISOString().slice(0, 16).replace('T', ' ')} UTC. Look at it again.`,
            )
          case 'unknown':
            throw notFound('difference')
        }
      },
    }),
  ]
}

const DONE = {
  taken: 'taken it on',
  handed: 'handed it over',
  noted: 'written a note',
  settled: 'settled it',
  reopened: 'opened it again',
} as const
