import type { DisputeList, DisputeMonitoring, WholeDispute } from '../answers/disputes.ts'
import type { DisputeGroup, DisputeState } from '../dispute-words.ts'
import { get, post, remove, type Done, type FileAnswer } from '../route.ts'

interface DisputesFilter {
  readonly group?: DisputeGroup
  readonly state?: DisputeState
  /** As cases have it: `visa`. */
  readonly brand?: string
  readonly account?: string
  readonly order?: string
  readonly currency?: string
  /** `2026-11`: the month in which monitoring programmes count the case. */
  readonly month?: string
  /** newest: the newest case first, the default. due: the first day of answer first. */
  readonly sort?: 'newest' | 'due'
}

/** Disputes of a merchant, and the answers to them. */
export const disputes = {
  list: get('/disputes', 'disputes.see').answers<
    DisputeList,
    { query: DisputesFilter & { readonly after?: string } }
  >(),
  csv: get('/disputes.csv', 'disputes.see').answers<FileAnswer, { query: DisputesFilter }>(),
  monitoring: get('/dispute-monitoring', 'disputes.see').answers<DisputeMonitoring>(),
  read: get('/disputes/:id', 'disputes.see').answers<WholeDispute>(),
  file: get('/disputes/:id/files/:file', 'disputes.see').answers<FileAnswer>(),
  addFile: post('/disputes/:id/files', 'disputes.answer').answers<
    Done,
    {
      body: {
        readonly name: string
        /** Base64. */
        readonly content: string
      }
    }
  >(),
  removeFile: remove('/disputes/:id/files/:file', 'disputes.answer').answers<Done>(),
  accept: post('/disputes/:id/accept', 'disputes.answer').answers<Done>(),
  contest: post('/disputes/:id/contest', 'disputes.answer').answers<
    Done,
    { body: { readonly text: string } }
  >(),
}
