import { audit as table } from '@tollgate/portal-contract/routes/portal-users'
import { z } from 'zod'
import { maskText } from '../../../base/card-masking.ts'
import { csvRow } from '../../../base/csv.ts'
import { AUDIT_OPERATIONS, type AuditEntry } from '../../../usecases/audit/audit-log.ts'
import {
  Download,
  implement,
  PortalFault,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import {
  eachAuditRow,
  type AuditFilter,
  type AuditRow,
  type AuditView,
} from '../usecases/audit-view.ts'

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
  operation: text,
  object: text,
  result: z
    .string()
    .pipe(z.enum(['done', 'refused', 'failed']))
    .nullable()
    .default(null),
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

/** The result of checking the chain of the whole log. */
export interface CheckedChain {
  /** The first fault; null for none. */
  readonly fault: string | null
  readonly count: number
  /** The last entry that was right. */
  readonly last: { readonly number: bigint; readonly hash: string } | null
}

export interface AuditRoutesDeps {
  readonly view: AuditView
  readonly append: (entry: AuditEntry) => Promise<void>
  readonly checkLog: () => Promise<CheckedChain>
}

/** A merchant's part of the audit log. The reading is recorded before it happens. */
export function auditRoutes({ view, append, checkLog }: AuditRoutesDeps): readonly PortalRoute[] {
  let isChecking = false

  function record(
    { portalUser, address }: PortalCall<unknown, unknown>,
    command: string,
    more: Pick<AuditEntry, 'result' | 'details'> = { result: 'done' },
  ): Promise<void> {
    return append({
      actor: portalUserActor(portalUser),
      operation: 'audit.read',
      object: 'entries',
      merchantId: portalUser.merchantId,
      address,
      result: more.result,
      details: { command, ...more.details },
    })
  }

  return [
    implement(table.page, {
      query: PAGE,
      async handle(call) {
        const { before, ...filter } = call.query
        await record(call, 'show', {
          result: 'done',
          details: {
            ...filterText(filter),
            below: before === null ? null : maskText(before.toString()),
          },
        })
        return view.page(call.portalUser.merchantId, filter, before, PAGE_SIZE)
      },
    }),
    implement(table.operations, {
      handle: () => Promise.resolve(AUDIT_OPERATIONS),
    }),
    implement(table.file, {
      query: EXPORT,
      async handle(call) {
        const { format, ...filter } = call.query
        await record(call, 'export', { result: 'done', details: { ...filterText(filter), format } })
        const rows = eachAuditRow(view, call.portalUser.merchantId, filter)
        return format === 'csv'
          ? new Download('audit-log.csv', 'text/csv; charset=utf-8', csvOf(rows))
          : new Download('audit-log.jsonl', 'application/x-ndjson; charset=utf-8', jsonOf(rows))
      },
    }),
    implement(table.check, {
      async handle(call) {
        if (isChecking)
          throw new PortalFault(
            409,
            'conflict',
            'The log is already being verified. Try again in a minute.',
          )
        isChecking = true
        try {
          const { fault, count, last } = await checkLog()
          const recorded = record(call, 'verify', {
            result: fault === null ? 'done' : 'failed',
            details: { checked: count, found: fault ?? 'whole' },
          })
          // A damaged log may take no entry; the damage is reported all the same.
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

/** Portal users look for what is at hand, a card number for one. */
function filterText({
  actor,
  operation,
  object,
  result,
  since,
  until,
}: AuditFilter): AuditEntry['details'] {
  return {
    actor: actor && maskText(actor),
    operation: operation && maskText(operation),
    object: object && maskText(object),
    result,
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
  }
}

async function* csvOf(rows: AsyncIterable<AuditRow>): AsyncGenerator<string> {
  yield csvRow(['number', 'time', 'who', 'operation', 'object', 'result', 'address', 'details'])
  for await (const { number, at, actor, operation, object, result, address, details } of rows) {
    yield csvRow([
      number.toString(),
      at.toISOString(),
      actor,
      operation,
      object,
      result,
      address,
      JSON.stringify(details),
    ])
  }
}

async function* jsonOf(rows: AsyncIterable<AuditRow>): AsyncGenerator<string> {
  for await (const row of rows) {
    yield `${JSON.stringify({ ...row, number: row.number.toString() })}\n`
  }
}
