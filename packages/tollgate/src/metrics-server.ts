import type { GatewayConfig } from '@tollgate/gateway/config'
import { createServer } from 'node:http'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Log } from './log.ts'
import { pushMetrics } from './pushed-metrics.ts'
import { StartupError } from './startup-error.ts'

const PUSH_EVERY_MS = 15_000

interface Stoppable {
  stop(): Promise<void>
}

/**
 * Serves the metrics of the node, and sends them to a collector, as the settings say. This runs in
 * the supervisor, because a worker knows only its own share. `own` are the supervisor's metrics.
 */
export async function startMetrics(
  { metrics, metricsUrl }: Pick<GatewayConfig, 'metrics' | 'metricsUrl'>,
  own: Registry,
  log: Log,
): Promise<Stoppable> {
  const registry = new AggregatorRegistry()
  const read = async (): Promise<string> => {
    const texts = await Promise.all([registry.clusterMetrics(), own.metrics()])
    return texts.map((text) => `${text.trimEnd()}\n`).join('')
  }
  const started: Stoppable[] = []
  if (metrics !== null) {
    started.push(await serveMetrics(metrics, registry.contentType, read))
    log.info(`metrics at http://${metrics.host}:${metrics.port}/metrics`)
  }
  if (metricsUrl !== null) {
    started.push(pushMetrics({ url: metricsUrl, read, log, everyMs: PUSH_EVERY_MS }))
    log.info(`metrics to ${metricsUrl}`)
  }
  return {
    async stop() {
      await Promise.all(started.map((each) => each.stop()))
    },
  }
}

/** In the text format that Prometheus reads. */
async function serveMetrics(
  place: { readonly host: string; readonly port: number },
  contentType: string,
  read: () => Promise<string>,
): Promise<Stoppable> {
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
    }
    if (request.method !== 'GET' || request.url !== '/metrics') {
      return answer(404, 'text/plain; charset=utf-8', 'The metrics are at /metrics.\n')
    }
    read().then(
      (text) => answer(200, contentType, text),
      () =>
        answer(503, 'text/plain; charset=utf-8', 'A worker did not answer in time. Try again.\n'),
    )
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', (error) =>
    listening.reject(new StartupError(`The metrics cannot be served: ${error.message}.`)),
  )
  server.listen(place, () => listening.resolve())
  await listening.promise
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
