import type {
  ExpectedPayouts,
  PayoutLines,
  PayoutList,
  PayoutPart,
  PayoutState,
  PayoutView,
  SettlementSource,
  Statement,
  UntakenBalance,
} from '../answers/payouts.ts'
import { get, type FileAnswer } from '../route.ts'

interface PayoutFilter {
  readonly state?: PayoutState
  readonly currency?: string
  readonly account?: string
  /** Value dates in ISO 8601, both included. */
  readonly from?: string
  readonly to?: string
}

interface LinesQuery {
  /** The lines of one part; all of them without it. */
  readonly part?: PayoutPart
  /** The value of `next` on the page before. */
  readonly after?: string
}

interface StatementQuery {
  readonly source: string
  /** `2026-11`. */
  readonly month: string
}

/** Deposits of the acquirer, and statements of a month. */
export const payouts = {
  list: get('/payouts', 'batches.see').answers<
    PayoutList,
    { query: PayoutFilter & { readonly before?: string } }
  >(),
  csv: get('/payouts.csv', 'batches.see').answers<FileAnswer, { query: PayoutFilter }>(),
  expected: get('/expected-payouts', 'batches.see').answers<ExpectedPayouts>(),
  read: get('/payouts/:id', 'batches.see').answers<PayoutView>(),
  lines: get('/payouts/:id/lines', 'batches.see').answers<PayoutLines, { query: LinesQuery }>(),
  linesCsv: get('/payouts/:id/lines.csv', 'batches.see').answers<
    FileAnswer,
    { query: Pick<LinesQuery, 'part'> }
  >(),
  untaken: get('/settlement-sources/:id', 'batches.see').answers<UntakenBalance>(),
  untakenLines: get('/settlement-sources/:id/lines', 'batches.see').answers<
    PayoutLines,
    { query: Pick<LinesQuery, 'after'> }
  >(),
  sources: get('/settlement-sources', 'batches.see').answers<{
    readonly sources: readonly SettlementSource[]
  }>(),
  statement: get('/statements', 'batches.see').answers<Statement, { query: StatementQuery }>(),
  statementCsv: get('/statements.csv', 'batches.see').answers<
    FileAnswer,
    { query: StatementQuery }
  >(),
}
