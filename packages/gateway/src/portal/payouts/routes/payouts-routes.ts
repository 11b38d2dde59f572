import { payouts } from '@tollgate/portal-contract/routes/payouts'
import { z } from 'zod'
import { CURRENCIES } from '../../../domain/currency.ts'
import { parseAmount } from '../../../domain/money.ts'
import { ID, idOf } from '../../shell/ids.ts'
import { Download, implement, notFound, type PortalRoute } from '../../shell/portal-route.ts'
import {
  PAYOUT_PARTS,
  type LineOwner,
  type PayoutFilter,
  type PayoutLineReader,
  type PayoutReader,
  type PayoutSearch,
} from '../usecases/payouts.ts'
import { linesPage, PLACE } from './lines-page.ts'
import { linesCsv, payoutsCsv } from './payout-csv.ts'

const PAGE = 50
/** The longest trace of a settlement file. */
const MOST_TO_FIND = 64
/** Announced payouts at the top of the list. */
const MOST_ANNOUNCED = 20
const CSV = 'text/csv; charset=utf-8'

const FILTER = z.object({
  state: z.enum(['announced', 'deposited', 'returned']).optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'expected a currency such as EUR')
    .optional(),
  account: ID.optional(),
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  find: z.string().trim().min(1).max(MOST_TO_FIND).optional(),
})
const PART = z.enum(PAYOUT_PARTS).optional()

interface PayoutsDeps {
  readonly payouts: PayoutReader
  readonly lines: PayoutLineReader
}

/** Payouts of a merchant, their lines, and money that no payout has taken. */
export function payoutsRoutes({ payouts: store, lines }: PayoutsDeps): readonly PortalRoute[] {
  return [...listRoutes(store), ...payoutRoutes(store, lines), ...untakenRoutes(store, lines)]
}

function listRoutes(store: PayoutReader): readonly PortalRoute[] {
  return [
    implement(payouts.list, {
      query: FILTER.extend({ before: ID.optional() }),
      async handle({ portalUser: { merchantId }, query }) {
        const filter = filterOf(merchantId, query)
        const [found, totals, sources] = await Promise.all([
          store.list(filter, query.before ?? null, PAGE + 1),
          store.totals(filter),
          store.sources(merchantId),
        ])
        const shown = found.slice(0, PAGE)
        return {
          payouts: shown,
          next: found.length > PAGE ? (shown.at(-1)?.id ?? null) : null,
          totals,
          sources,
        }
      },
    }),
    implement(payouts.csv, {
      query: FILTER,
      // eslint-disable-next-line @typescript-eslint/require-await
      async handle({ portalUser: { merchantId }, query }) {
        const filter = filterOf(merchantId, query)
        return new Download(
          'payouts.csv',
          CSV,
          payoutsCsv((before, limit) => store.list(filter, before, limit)),
        )
      },
    }),
    implement(payouts.expected, {
      async handle({ portalUser: { merchantId } }) {
        const [announced, untaken] = await Promise.all([
          store.announced(merchantId, MOST_ANNOUNCED),
          store.untaken(merchantId, null),
        ])
        return { announced: announced.payouts, announcedCount: announced.count, untaken }
      },
    }),
    implement(payouts.sources, {
      async handle({ portalUser: { merchantId } }) {
        return { sources: await store.sources(merchantId) }
      },
    }),
  ]
}

function payoutRoutes(store: PayoutReader, lines: PayoutLineReader): readonly PortalRoute[] {
  return [
    implement(payouts.read, {
      async handle({ portalUser: { merchantId }, params }) {
        const found = await store.read(merchantId, idOf(params.id, 'payout'))
        if (found === null) throw notFound('payout')
        return found
      },
    }),
    implement(payouts.lines, {
      query: z.object({ part: PART, after: PLACE.optional() }),
      async handle({ portalUser: { merchantId }, params, query }) {
        const id = idOf(params.id, 'payout')
        if ((await store.read(merchantId, id)) === null) throw notFound('payout')
        const owner: LineOwner = { kind: 'payout', id, part: query.part ?? null }
        return linesPage(
          (after, limit) => lines.lines(merchantId, owner, after, limit),
          query.after,
        )
      },
    }),
    implement(payouts.linesCsv, {
      query: z.object({ part: PART }),
      async handle({ portalUser: { merchantId }, params, query: { part = null } }) {
        const id = idOf(params.id, 'payout')
        const payout = await store.read(merchantId, id)
        if (payout === null) throw notFound('payout')
        return new Download(
          `payout-${id}${part === null ? '' : `-${part}`}.csv`,
          CSV,
          linesCsv(
            (after, limit) => lines.lines(merchantId, { kind: 'payout', id, part }, after, limit),
            payout.currency,
          ),
        )
      },
    }),
  ]
}

function untakenRoutes(store: PayoutReader, lines: PayoutLineReader): readonly PortalRoute[] {
  return [
    implement(payouts.untaken, {
      async handle({ portalUser: { merchantId }, params }) {
        const [found] = await store.untaken(merchantId, idOf(params.id, 'settlement source'))
        if (found === undefined) throw notFound('settlement source')
        return found
      },
    }),
    implement(payouts.untakenLines, {
      query: z.object({ after: PLACE.optional() }),
      async handle({ portalUser: { merchantId }, params, query }) {
        const id = idOf(params.id, 'settlement source')
        const [found] = await store.untaken(merchantId, id)
        if (found === undefined) throw notFound('settlement source')
        const owner: LineOwner = { kind: 'source', id }
        return linesPage(
          (after, limit) => lines.lines(merchantId, owner, after, limit),
          query.after,
        )
      },
    }),
    implement(payouts.untakenCsv, {
      async handle({ portalUser: { merchantId }, params }) {
        const id = idOf(params.id, 'settlement source')
        const [found] = await store.untaken(merchantId, id)
        if (found === undefined) throw notFound('settlement source')
        const owner: LineOwner = { kind: 'source', id }
        return new Download(
          `not-paid-out-${found.accountId}-${found.currency}.csv`,
          CSV,
          linesCsv((after, limit) => lines.lines(merchantId, owner, after, limit), found.currency),
        )
      },
    }),
  ]
}

function filterOf(merchantId: bigint, query: z.output<typeof FILTER>): PayoutFilter {
  const { account = null, currency = null, find, from = null, state = null, to = null } = query
  return {
    merchantId,
    state,
    currency,
    accountId: account,
    from,
    to,
    find: find === undefined ? null : searchOf(find),
  }
}

/** A text may be a part of a trace, or an amount as a bank statement shows it: `1,234.50`. */
function searchOf(text: string): PayoutSearch {
  const digits = text.replaceAll(',', '')
  const readings = CURRENCIES.map(
    (currency) => [currency.code, parseAmount(digits, currency)] as const,
  )
  return {
    text,
    netMinor: Object.fromEntries(
      readings.flatMap(([code, reading]) =>
        reading.kind === 'amount' ? [[code, reading.minor.toString()]] : [],
      ),
    ),
  }
}
