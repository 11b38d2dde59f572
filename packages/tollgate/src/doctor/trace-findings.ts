import { good, warning, type Finding } from './finding.ts'

const PART = 'traces'

/**
 * Judges the collector of traces.
 * @param url null where none is set
 * @param problem why it takes no spans; null for nothing
 */
export function judgeTraces(url: string | null, problem: string | null): Finding {
  if (url === null) return good(PART, 'TRACES_URL is not set, so no traces are recorded.')
  if (problem === null) return good(PART, `The collector ${url} is reached and takes spans.`)
  const advice =
    'Correct TRACES_URL, or start the collector: docs/operators/traces.md. Payments go on ' +
    'without it.'
  return warning(PART, `The collector ${url} takes no spans: ${problem}.`, advice)
}
