import { z } from 'zod'
import { onConnection } from '../../../adapters/postgres/connection/database.ts'
import { maskText } from '../../../base/card-masking.ts'
import { AUDIT_ACTS, type AuditEntry } from '../../../usecases/audit/audit-log.ts'
import { checkWholeLog } from '../../../wiring/operator-audit.ts'
import type { PortalFoundation } from '../../../wiring/portal.ts'
import {
  Download,
  PortalFault,
  portalRoute,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { personActor } from '../../shell/usecases/person.ts'
import { cell } from '../../words/csv.ts'
import { createAuditView } from '../store/audit-view.ts'
import {
  eachAuditRow,
  type AuditFilter,
  type AuditPage,
  type AuditRow,
} from '../usecases/audit-view.ts'
import type { ChainCheckAnswer } from '../usecases/people-answers.ts'

const PAGE_SIZE = 50

const text = z
  .string()
  .trim()
  .max(200)
  .transform((typed) => (typed === '' ? null : typed))
  .nullable()
  .default(null)
const time = z.iso
  .datetime({ offset: true })
  .transform((typed) => new Date(typed))
  .nullable()
  .default(null)
const FILTER = z.strictObject({
  actor: text,
  act: text,
  object: text,
  result: z.enum(['done', 'refused', 'failed']).nullable().default(null),
  since: time,
  until: time,
})
const PAGE = FILTER.extend({
  before: z
    .string()
    .regex(/^\d{1,18}$/)
    .transform(BigInt)
    .nullable()
    .default(null),
})
const EXPORT = FILTER.extend({ format: z.enum(['csv', 'json']) })

/** A merchant's part of the audit log. That it is read is written down before it is. */
export function wireAuditLog({ audit, database }: PortalFoundation): readonly PortalRoute[] {
  const { pool } = database
  const view = createAuditView(pool)
  let isChecking = false

  function record(
    { person, address }: PortalCall<unknown, unknown>,
    command: string,
    more: Pick<AuditEntry, 'result' | 'details'> = { result: 'done' },
  ): Promise<void> {
    return audit.append({
      actor: personActor(person),
      act: 'audit.read',
      object: 'entries',
      merchantId: person.merchantId,
      address,
      result: more.result,
      details: { command, ...more.details },
    })
  }

  return [
    portalRoute({
      method: 'GET',
      path: '/audit',
      right: 'audit.see',
      query: PAGE,
      async handle(call): Promise<AuditPage> {
        const { before, ...filter } = call.query
        await record(call, 'show', {
          result: 'done',
          details: {
            ...filterText(filter),
            below: before === null ? null : maskText(before.toString()),
          },
        })
        return view.page(call.person.merchantId, filter, before, PAGE_SIZE)
      },
    }),
    portalRoute({
      method: 'GET',
      path: '/audit/acts',
      right: 'audit.see',
      handle: () => Promise.resolve(AUDIT_ACTS),
    }),
    portalRoute({
      method: 'GET',
      path: '/audit/export',
      right: 'audit.see',
      query: EXPORT,
      async handle(call) {
        const { format, ...filter } = call.query
        await record(call, 'export', { result: 'done', details: { ...filterText(filter), format } })
        const rows = eachAuditRow(view, call.person.merchantId, filter)
        return format === 'csv'
          ? new Download('audit-log.csv', 'text/csv; charset=utf-8', csvOf(rows))
          : new Download('audit-log.jsonl', 'application/x-ndjson; charset=utf-8', jsonOf(rows))
      },
    }),
    portalRoute({
      method: 'POST',
      path: '/audit/check',
      right: 'audit.see',
      async handle(call): Promise<ChainCheckAnswer> {
        if (isChecking)
          throw new PortalFault(
            409,
            'conflict',
            'The chain is being checked already. Try again in a minute.',
          )
        isChecking = true
        try {
          const { fault, count, last } = await onConnection(pool, checkWholeLog)
          const recorded = record(call, 'verify', {
            result: fault === null ? 'done' : 'failed',
            details: { checked: count, found: fault ?? 'whole' },
          })
          // A log that is damaged may take no entry; that it is, is told all the same.
          await (fault === null ? recorded : recorded.catch(() => undefined))
          const head = last === null ? null : `${last.number}:${last.hash}`
          return { whole: fault === null, fault, checked: count, head }
        } finally {
          isChecking = false
        }
      },
    }),
  ]
}

/** People look for what is at hand, a card number for one. */
function filterText({
  actor,
  act,
  object,
  result,
  since,
  until,
}: AuditFilter): AuditEntry['details'] {
  return {
    actor: actor && maskText(actor),
    act: act && maskText(act),
    object: object && maskText(object),
    result,
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
  }
}

async function* csvOf(rows: AsyncIterable<AuditRow>): AsyncGenerator<string> {
  yield 'number,time,who,act,object,result,address,details\r\n'
  for await (const { number, at, actor, act, object, result, address, details } of rows) {
    const cells = [
      number.toString(),
      at.toISOString(),
      actor,
      act,
      object,
      result,
      address,
      JSON.stringify(details),
    ]
    yield `${cells.map(cell).join(',')}\r\n`
  }
}

async function* jsonOf(rows: AsyncIterable<AuditRow>): AsyncGenerator<string> {
  for await (const row of rows) {
    yield `${JSON.stringify({ ...row, number: row.number.toString() })}\n`
  }
}
