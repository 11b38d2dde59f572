import type { SettlementDifferenceList, WholeSettlementDifference } from '../answers/differences.ts'
import type { ChosenEnd, SettlementDifferenceCode } from '../difference-words.ts'
import { get, post, put, type Done, type FileAnswer } from '../route.ts'

interface DifferencesFilter {
  /** `open` unless stated. */
  readonly state?: 'open' | 'ended' | 'all'
  readonly code?: SettlementDifferenceCode
  readonly account?: string
  /** An e-mail address; `none` for those without an owner. */
  readonly owner?: string
  /** Only those that are older than so many bank days. */
  readonly olderThan?: string
  /** A side has it. */
  readonly currency?: string
}

/** Differences between settlement files and this gateway. */
export const differences = {
  list: get('/settlement-differences', 'recon.see').answers<
    SettlementDifferenceList,
    { query: DifferencesFilter & { readonly after?: string } }
  >(),
  csv: get('/settlement-differences.csv', 'recon.see').answers<
    FileAnswer,
    { query: DifferencesFilter }
  >(),
  read: get('/settlement-differences/:id', 'recon.see').answers<WholeSettlementDifference>(),
  assign: put('/settlement-differences/:id/owner', 'recon.resolve').answers<
    Done,
    { body: { readonly owner: string } }
  >(),
  note: post('/settlement-differences/:id/notes', 'recon.resolve').answers<
    Done,
    { body: { readonly text: string } }
  >(),
  end: post('/settlement-differences/:id/end', 'recon.resolve').answers<
    Done,
    { body: { readonly as: ChosenEnd; readonly reason: string } }
  >(),
}
