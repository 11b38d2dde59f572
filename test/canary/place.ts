import type { Evidence, ProgramRun } from './program-run.ts'

/** Somewhere a value can end up. A new one is a file in `places/` and a line in its list. */
export interface Place {
  readonly name: string
  /** While it runs, or when it has stopped and nothing is written any more. */
  readonly when: 'running' | 'stopped'
  /** All there is, in parts of a size that memory holds. */
  readonly collect: (run: ProgramRun) => AsyncIterable<Evidence> | Iterable<Evidence>
}
