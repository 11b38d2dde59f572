import { hostname } from 'node:os'
import type { Log } from './log.ts'
import { readMetricsText } from './metrics-text.ts'
import { OtlpMetrics } from './otlp-metrics.ts'
import { readVersion } from './version.ts'

const AWAY = 'the collector of METRICS_URL takes no metrics'
const TIMEOUT_MS = 10_000
const COMPLAIN_EVERY_MS = 60_000

export interface MetricsPushOptions {
  /** The address of a collector that takes OTLP over HTTP, with its path. */
  readonly url: string
  /** All metrics of the node, in the text format of Prometheus. */
  readonly read: () => Promise<string>
  readonly log: Log
  readonly everyMs: number
}

/**
 * Sends the metrics of the node to a collector, at once and then regularly. Values that were not
 * taken are not sent again: the next ones count since the same start.
 */
export function pushMetrics(options: MetricsPushOptions): { stop(): Promise<void> } {
  const { log, read, url } = options
  const resource = {
    'service.name': 'tollgate',
    'service.version': readVersion(),
    'host.name': hostname(),
  }
  const metrics = new OtlpMetrics(resource, new Date())
  const stopped = new AbortController()
  let complainedAt = 0
  let isAway = false

  const push = async (): Promise<void> => {
    try {
      const body = metrics.encode(readMetricsText(await read()), new Date())
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(TIMEOUT_MS)])
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`it answered with HTTP ${answer.status}`)
      if (isAway) log.info(`the collector of METRICS_URL takes metrics again: ${url}`)
      isAway = false
    } catch (error) {
      if (stopped.signal.aborted) return
      isAway = true
      if (Date.now() - complainedAt < COMPLAIN_EVERY_MS) return
      complainedAt = Date.now()
      log.warn(`${AWAY}: ${url}: ${reasonOf(error)}`)
    }
  }
  let last = push()
  const timer = setInterval(() => {
    last = last.then(push)
  }, options.everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      stopped.abort()
      await last
    },
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  if (error.name === 'TimeoutError') return 'it did not answer in time'
  const { cause } = error
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? error.message
}
