import { payouts } from '@tollgate/portal-contract/routes/payouts'
import { z } from 'zod'
import type { Clock } from '../../../base/clock.ts'
import { ID } from '../../shell/ids.ts'
import { Download, implement, notFound, type PortalRoute } from '../../shell/portal-route.ts'
import { accountsOfRow, STATEMENT_ROWS } from '../domain/statement.ts'
import { OPERATOR_FEES, type ChargedFeeReader, type FeePlace } from '../usecases/charged-fees.ts'
import { makeStatement, monthOf, type Statement } from '../usecases/make-statement.ts'
import type { LinePlace, StatementReader } from '../usecases/payouts.ts'
import { chargedFeesCsv, FIRST_FEE } from './charged-fees-csv.ts'
import { linesPage, PLACE } from './lines-page.ts'
import { statementCsv, statementLinesCsv } from './payout-csv.ts'

const QUERY = z.object({
  source: ID,
  month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'expected a month such as 2026-11'),
})

const LINES_QUERY = QUERY.extend({ row: z.enum(STATEMENT_ROWS) })
const FEES_QUERY = QUERY.extend({ fee: z.enum(OPERATOR_FEES) })
const FEE_PLACE: z.ZodType<FeePlace, string> = z
  .string()
  .regex(/^(transaction|month)-[1-9]\d{0,17}$/, 'expected the value of next on the page before')
  .transform((text) => {
    const [of = '', id = ''] = text.split('-')
    return { of: of === 'month' ? 'month' : 'transaction', id: BigInt(id) }
  })
const FEES_PAGE = 100
const CSV = 'text/csv; charset=utf-8'

interface StatementDeps {
  readonly reader: StatementReader
  readonly fees: ChargedFeeReader
  readonly clock: Clock
}

/** Statements of a month, as a page and as a file. */
export function statementRoutes(deps: StatementDeps): readonly PortalRoute[] {
  const make: Make = async (merchantId, timeZone, { month, source }) => {
    const asked = { merchantId, month, timeZone, sourceId: source, now: deps.clock.now() }
    const made = await makeStatement(deps.reader, asked)
    if (made === null) throw notFound('settlement source')
    return made
  }
  return [...monthRoutes(make), ...lineRoutes(deps, make), ...feeRoutes(deps, make)]
}

/** The statement of a month; throws where the merchant has no such source. */
type Make = (
  merchantId: bigint,
  timeZone: string,
  query: z.output<typeof QUERY>,
) => Promise<Statement>

function monthRoutes(make: Make): readonly PortalRoute[] {
  return [
    implement(payouts.statement, {
      query: QUERY,
      handle: ({ portalUser: { merchantId }, session: { timeZone }, query }) =>
        make(merchantId, timeZone, query),
    }),
    implement(payouts.statementCsv, {
      query: QUERY,
      async handle({ portalUser: { merchantId }, session: { timeZone }, query }) {
        const made = await make(merchantId, timeZone, query)
        const { accountId, currency } = made.source
        return new Download(
          `statement-${made.month}-${accountId}-${currency}.csv`,
          CSV,
          pieces(statementCsv(made)),
        )
      },
    }),
  ]
}

function lineRoutes({ reader }: StatementDeps, make: Make): readonly PortalRoute[] {
  /** The lines of a row are read like the row itself, so both have the same range. */
  const linesOf = async (
    merchantId: bigint,
    timeZone: string,
    { row, ...query }: z.output<typeof LINES_QUERY>,
  ) => {
    const { source } = await make(merchantId, timeZone, query)
    const range = monthOf(timeZone, query.month)
    const of = { merchantId, sourceId: source.id, range, accounts: accountsOfRow(row) }
    return {
      source,
      read: (after: LinePlace, limit: number) => reader.lines(of, after, limit),
    }
  }
  return [
    implement(payouts.statementLines, {
      query: LINES_QUERY.extend({ after: PLACE.optional() }),
      async handle({ portalUser: { merchantId }, session: { timeZone }, query }) {
        const { read } = await linesOf(merchantId, timeZone, query)
        return linesPage(read, query.after)
      },
    }),
    implement(payouts.statementLinesCsv, {
      query: LINES_QUERY,
      async handle({ portalUser: { merchantId }, session: { timeZone }, query }) {
        const { read, source } = await linesOf(merchantId, timeZone, query)
        const { accountId, currency } = source
        return new Download(
          `statement-${query.month}-${accountId}-${currency}-${query.row}.csv`,
          CSV,
          statementLinesCsv(read, currency),
        )
      },
    }),
  ]
}

function feeRoutes({ fees }: StatementDeps, make: Make): readonly PortalRoute[] {
  /** The fees are read like the sum in the statement, so both have the same range. */
  const feesOf = async (
    merchantId: bigint,
    timeZone: string,
    { fee, ...query }: z.output<typeof FEES_QUERY>,
  ) => {
    const { source } = await make(merchantId, timeZone, query)
    const { accountId, currency } = source
    const of = { merchantId, accountId, currency, fee, range: monthOf(timeZone, query.month) }
    return {
      source,
      read: (after: FeePlace, limit: number) => fees.list(of, after, limit),
    }
  }
  return [
    implement(payouts.statementFees, {
      query: FEES_QUERY.extend({ after: FEE_PLACE.optional() }),
      async handle({ portalUser: { merchantId }, session: { timeZone }, query }) {
        const { read } = await feesOf(merchantId, timeZone, query)
        const found = await read(query.after ?? FIRST_FEE, FEES_PAGE + 1)
        const shown = found
          .slice(0, FEES_PAGE)
          .map(({ place, ...fee }) => ({ ...fee, id: `${place.of}-${place.id}` }))
        const next = found.length > FEES_PAGE ? (shown.at(-1)?.id ?? null) : null
        return { fees: shown, next }
      },
    }),
    implement(payouts.statementFeesCsv, {
      query: FEES_QUERY,
      async handle({ portalUser: { merchantId }, session: { timeZone }, query }) {
        const { read, source } = await feesOf(merchantId, timeZone, query)
        const { accountId, currency } = source
        return new Download(
          `operator-fees-${query.month}-${accountId}-${currency}-${query.fee}.csv`,
          CSV,
          chargedFeesCsv(read, currency),
        )
      },
    }),
  ]
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* pieces(text: string): AsyncGenerator<string> {
  yield text
}
