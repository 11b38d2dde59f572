import { DISPUTE_GROUP_TEXTS, DISPUTE_STATE_TEXTS } from '@tollgate/portal-contract/dispute-words'
import { disputes as table } from '@tollgate/portal-contract/routes/disputes'
import { z } from 'zod'
import {
  EVIDENCE_TYPES,
  MOST_FILE_BYTES,
  MOST_FILES,
  MOST_TEXT_CHARACTERS,
  MOST_TOTAL_BYTES,
} from '../../../domain/disputes/evidence.ts'
import { readRatios, type RatioStore } from '../../../usecases/disputes/compare-ratios.ts'
import {
  dueDayOf,
  type DisputeFilter,
  type DisputePlace,
  type DisputeReader,
  type DisputeView,
  type WholeDispute,
} from '../../../usecases/disputes/dispute-views.ts'
import { ID, idOf } from '../../shell/ids.ts'
import { Download, implement, notFound, type PortalRoute } from '../../shell/portal-route.ts'
import type { MovementPayouts } from '../usecases/movement-payouts.ts'
import { answerRoutes, type AnswerRoutesDeps } from './answer-routes.ts'
import { disputesCsv } from './disputes-csv.ts'

const PAGE = 50
const MONTHS = 6
const LIMITS = {
  fileBytes: MOST_FILE_BYTES,
  files: MOST_FILES,
  totalBytes: MOST_TOTAL_BYTES,
  textCharacters: MOST_TEXT_CHARACTERS,
  types: EVIDENCE_TYPES,
}
const FILTER = {
  group: z.enum(keysOf(DISPUTE_GROUP_TEXTS)).optional(),
  state: z.enum(keysOf(DISPUTE_STATE_TEXTS)).optional(),
  brand: z
    .string()
    .regex(/^[a-z0-9 _-]{1,32}$/i, 'expected the name of a card brand')
    .optional(),
  account: ID.optional(),
  order: ID.optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'expected a currency such as EUR')
    .optional(),
  month: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'expected a month such as 2026-11')
    .optional(),
}
const ORDER = z.enum(['newest', 'due']).optional()
const FILE_QUERY = z.object({ ...FILTER, sort: ORDER })
const PLACE = /^(\d{4}-\d\d-\d\d)\.([1-9]\d{0,17})$/
const LIST_QUERY = z.object({
  ...FILTER,
  sort: ORDER,
  after: z
    .string()
    .regex(PLACE, 'expected the place that the page before returned')
    .transform(placeOf)
    .optional(),
})

export interface DisputesRoutesDeps extends AnswerRoutesDeps {
  readonly reader: DisputeReader
  readonly payouts: MovementPayouts
  readonly ratios: RatioStore
  readonly clock: { now(): Date }
}

/** Disputes of a merchant: found, read, and answered. */
export function disputesRoutes(deps: DisputesRoutesDeps): readonly PortalRoute[] {
  return [...readRoutes(deps), ...answerRoutes(deps)]
}

function readRoutes({
  clock,
  payouts,
  ratios,
  reader,
}: DisputesRoutesDeps): readonly PortalRoute[] {
  return [
    implement(table.list, {
      query: LIST_QUERY,
      async handle({ portalUser: { merchantId }, query }) {
        const filter = filterOf(merchantId, query)
        const now = clock.now()
        const page = { order: query.sort ?? 'newest', after: query.after ?? null, limit: PAGE + 1 }
        const [found, totals, accounts] = await Promise.all([
          reader.list(filter, page, now),
          reader.total(filter, now),
          reader.accounts(merchantId),
        ])
        const shown = found.slice(0, PAGE)
        const last = found.length > PAGE ? shown.at(-1) : undefined
        const next = last === undefined ? null : `${dueDayOf(last)}.${last.id}`
        return { disputes: shown.map(rowOf), next, totals, accounts }
      },
    }),
    implement(table.csv, {
      query: FILE_QUERY,
      handle({ portalUser: { merchantId }, session: { timeZone }, query }) {
        const filter = filterOf(merchantId, query)
        const now = clock.now()
        const pieces = disputesCsv(
          (after, limit) =>
            reader.list(filter, { order: query.sort ?? 'newest', after, limit }, now),
          timeZone,
        )
        return Promise.resolve(new Download('disputes.csv', 'text/csv; charset=utf-8', pieces))
      },
    }),
    implement(table.monitoring, {
      async handle({ portalUser: { merchantId } }) {
        const months = await readRatios(ratios, merchantId, clock.now(), MONTHS)
        return { months: months.map(monthOf) }
      },
    }),
    implement(table.read, {
      async handle({ portalUser: { merchantId }, params }) {
        const id = idOf(params.id, 'dispute')
        const [found, payoutOf] = await Promise.all([
          reader.read(id, merchantId, clock.now()),
          payouts.read(merchantId, id),
        ])
        if (found === null) throw notFound('dispute')
        const { answers, evidenceHint, files, lossMinor, movements, notices } = found
        return {
          ...rowOf(found),
          evidenceHint,
          notices: notices.map(noticeOf),
          movements: movements.map((movement) => ({
            ...movement,
            payoutId: payoutOf(movement),
          })),
          files,
          answers,
          losses: lossMinor,
          limits: LIMITS,
        }
      },
    }),
  ]
}

function placeOf(text: string): DisputePlace {
  const [day = '', id = '0'] = text.split('.')
  return { day, id: BigInt(id) }
}

function filterOf(
  merchantId: bigint,
  { account, brand, currency, group, month, order, state }: z.output<typeof FILE_QUERY>,
): DisputeFilter {
  return {
    merchantId,
    merchantAccountId: account ?? null,
    orderId: order ?? null,
    group: group ?? null,
    state: state ?? null,
    brand: brand ?? null,
    currency: currency ?? null,
    month: month ?? null,
  }
}

/** A view without what belongs to operators. */
function rowOf(view: DisputeView) {
  return {
    id: view.id,
    merchantAccountId: view.merchantAccountId,
    caseId: view.caseId,
    state: view.state,
    orderId: view.orderId,
    brand: view.brand,
    amountMinor: view.amountMinor,
    currency: view.currency,
    reason: view.reason,
    reasonName: view.reasonName,
    isCharged: view.isCharged,
    networkDue: view.networkDue,
    respondBy: view.respondBy,
    daysLeft: view.daysLeft,
    isOverdue: view.isOverdue,
    answer: view.answer,
    answerState: view.answerState,
    canAnswer: view.canAnswer,
    openedAt: view.openedAt,
    changedAt: view.changedAt,
    endedAt: view.endedAt,
    fees: view.fees,
  }
}

function noticeOf(notice: WholeDispute['notices'][number]) {
  const { amountMinor, at, currency, event, n, networkDue, reason, state } = notice
  return { amountMinor, at, currency, event, n, networkDue, reason, state }
}

type Ratio = Awaited<ReturnType<typeof readRatios>>[number]

function monthOf({ month, standings, ...ratio }: Ratio) {
  const { amounts, brand, disputes, fraudReports, merchantAccountId, sales } = ratio
  return {
    merchantAccountId,
    brand,
    month: month.slice(0, 7),
    disputes,
    fraudReports,
    sales,
    amounts,
    standings: standings.map((standing) => ({
      programme: standing.programme.name,
      counts: standing.programme.counts,
      events: standing.events,
      mostEvents: standing.programme.events,
      sales: standing.sales,
      ratioBasisPoints: standing.ratioBasisPoints,
      mostBasisPoints: standing.programme.ratioBasisPoints,
      percent: Number.isFinite(standing.percent) ? standing.percent : null,
      warning: standing.warning,
    })),
  }
}

/** The names of a table of words, as zod takes them. */
function keysOf<Name extends string>(words: Readonly<Record<Name, string>>): [Name, ...Name[]] {
  return Object.keys(words) as [Name, ...Name[]]
}
