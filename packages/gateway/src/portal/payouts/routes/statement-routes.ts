import { payouts } from '@tollgate/portal-contract/routes/payouts'
import { z } from 'zod'
import type { Clock } from '../../../base/clock.ts'
import { ID } from '../../shell/ids.ts'
import { Download, implement, notFound, type PortalRoute } from '../../shell/portal-route.ts'
import { accountsOfRow, STATEMENT_ROWS } from '../domain/statement.ts'
import { makeStatement, monthOf, type Statement } from '../usecases/make-statement.ts'
import type { LinePlace, StatementReader } from '../usecases/payouts.ts'
import { linesPage, PLACE } from './lines-page.ts'
import { statementCsv, statementLinesCsv } from './payout-csv.ts'

const QUERY = z.object({
  source: ID,
  month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'expected a month such as 2026-11'),
})

const LINES_QUERY = QUERY.extend({ row: z.enum(STATEMENT_ROWS) })
const CSV = 'text/csv; charset=utf-8'

interface StatementDeps {
  readonly reader: StatementReader
  readonly clock: Clock
}

/** Statements of a month, as a page and as a file. */
export function statementRoutes({ reader, clock }: StatementDeps): readonly PortalRoute[] {
  const make = async (
    merchantId: bigint,
    timeZone: string,
    { month, source }: z.output<typeof QUERY>,
  ): Promise<Statement> => {
    const asked = { merchantId, month, timeZone, sourceId: source, now: clock.now() }
    const made = await makeStatement(reader, asked)
    if (made === null) throw notFound('settlement source')
    return made
  }
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

// eslint-disable-next-line @typescript-eslint/require-await
async function* pieces(text: string): AsyncGenerator<string> {
  yield text
}
