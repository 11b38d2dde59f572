import { good, warning, type Finding } from './finding.ts'

/**
 * Judges the collector of traces.
 * @param url null where none is set
 * @param problem why it takes no spans; null for nothing
 */
export function judgeTraces(url: string | null, problem: string | null): Finding {
  if (url === null) return good('traces', 'TRACES_URL is not set, so no traces are recorded.')
  const advice =
    'Correct TRACES_URL, or start the collector: docs/operators/traces.md. Payments go on ' +
    'without it.'
  return judge('traces', { url, problem, what: 'spans', advice })
}

/**
 * Judges the collector of metrics.
 * @param url null where none is set
 * @param problem why it takes no metrics; null for nothing
 */
export function judgeMetrics(url: string | null, problem: string | null): Finding {
  if (url === null) return good('metrics', 'METRICS_URL is not set, so no metrics are sent.')
  const advice =
    'Correct METRICS_URL, or start the collector: ' +
    'docs/operators/monitoring.md#send-the-metrics-to-a-collector. Payments go on without it.'
  return judge('metrics', { url, problem, what: 'metrics', advice })
}

function judge(
  part: string,
  probed: {
    readonly url: string
    readonly problem: string | null
    readonly what: string
    readonly advice: string
  },
): Finding {
  const { advice, problem, url, what } = probed
  return problem === null
    ? good(part, `The collector ${url} is reached and takes ${what}.`)
    : warning(part, `The collector ${url} takes no ${what}: ${problem}.`, advice)
}
