import { payouts } from '@tollgate/portal-contract/routes/payouts'
import { z } from 'zod'
import type { Clock } from '../../../base/clock.ts'
import { ID } from '../../shell/ids.ts'
import { Download, implement, notFound, type PortalRoute } from '../../shell/portal-route.ts'
import { makeStatement, type Statement } from '../usecases/make-statement.ts'
import type { StatementReader } from '../usecases/payouts.ts'
import { statementCsv } from './payout-csv.ts'

const QUERY = z.object({
  source: ID,
  month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'expected a month such as 2026-11'),
})

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
          'text/csv; charset=utf-8',
          pieces(statementCsv(made)),
        )
      },
    }),
  ]
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* pieces(text: string): AsyncGenerator<string> {
  yield text
}
