import type { DifferenceList, ReconciliationView, ReconRun } from '../answers/reconciliation.ts'
import { get, post, put, type Done } from '../route.ts'

interface DifferencesQuery {
  readonly show?: 'open' | 'resolved' | 'gone' | 'all'
  readonly before?: string
}

interface DifferenceChange {
  /** The version that the page shows: a difference that was changed since is left alone. */
  readonly version: number
  readonly what: 'taken' | 'handed' | 'noted' | 'resolved' | 'reopened'
  readonly ownerId?: string | null
  readonly note?: string
}

/** Comparisons of the books, and operations on the differences. */
export const reconciliation = {
  overview: get('/reconciliation', 'recon.see').answers<ReconciliationView>(),
  run: get('/reconciliation/runs/:id', 'recon.see').answers<ReconRun>(),
  request: post('/reconciliation/runs', 'recon.resolve').answers<{ readonly id: string }>(),
  setDaily: put('/reconciliation/daily', 'recon.resolve').answers<
    Done,
    { body: { readonly hour: number | null } }
  >(),
  differences: get('/reconciliation/differences', 'recon.see').answers<
    DifferenceList,
    { query: DifferencesQuery }
  >(),
  change: post('/reconciliation/differences/:id', 'recon.resolve').answers<
    Done,
    { body: DifferenceChange }
  >(),
}
