import type {
  ChargedFees,
  ExpectedPayouts,
  OperatorFee,
  PayoutDetail,
  PayoutLines,
  PayoutList,
  PayoutPart,
  PayoutState,
  SettlementSource,
  Statement,
  StatementLines,
  StatementRowName,
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
  /** A part of the trace or of the acquirer's id, or the net amount. */
  readonly find?: string
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

interface StatementLinesQuery extends StatementQuery {
  readonly row: StatementRowName
}

interface StatementFeesQuery extends StatementQuery {
  readonly fee: OperatorFee
}

/** Deposits of the acquirer, and statements of a month. */
export const payouts = {
  list: get('/payouts', 'batches.see').answers<
    PayoutList,
    { query: PayoutFilter & { readonly before?: string } }
  >(),
  csv: get('/payouts.csv', 'batches.see').answers<FileAnswer, { query: PayoutFilter }>(),
  expected: get('/expected-payouts', 'batches.see').answers<ExpectedPayouts>(),
  read: get('/payouts/:id', 'batches.see').answers<PayoutDetail>(),
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
  untakenCsv: get('/settlement-sources/:id/lines.csv', 'batches.see').answers<FileAnswer>(),
  sources: get('/settlement-sources', 'batches.see').answers<{
    readonly sources: readonly SettlementSource[]
  }>(),
  statement: get('/statements', 'batches.see').answers<Statement, { query: StatementQuery }>(),
  statementCsv: get('/statements.csv', 'batches.see').answers<
    FileAnswer,
    { query: StatementQuery }
  >(),
  statementLines: get('/statements/lines', 'batches.see').answers<
    StatementLines,
    { query: StatementLinesQuery & { readonly after?: string } }
  >(),
  statementLinesCsv: get('/statements/lines.csv', 'batches.see').answers<
    FileAnswer,
    { query: StatementLinesQuery }
  >(),
  statementFees: get('/statements/fees', 'batches.see').answers<
    ChargedFees,
    { query: StatementFeesQuery & { readonly after?: string } }
  >(),
  statementFeesCsv: get('/statements/fees.csv', 'batches.see').answers<
    FileAnswer,
    { query: StatementFeesQuery }
  >(),
}
