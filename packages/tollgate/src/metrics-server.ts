import { createServer } from 'node:http'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { StartupError } from './startup-error.ts'

/**
 * Serves what all workers have counted together, in the text format that Prometheus reads. It runs
 * in the supervisor, because a worker knows only its own share. `own` are the supervisor's metrics.
 */
export async function startMetricsServer(
  place: { readonly host: string; readonly port: number },
  own: Registry,
): Promise<{ stop(): Promise<void> }> {
  const registry = new AggregatorRegistry()
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
    }
    if (request.method !== 'GET' || request.url !== '/metrics') {
      return answer(404, 'text/plain; charset=utf-8', 'The metrics are at /metrics.\n')
    }
    Promise.all([registry.clusterMetrics(), own.metrics()]).then(
      (texts) =>
        answer(200, registry.contentType, texts.map((text) => `${text.trimEnd()}\n`).join('')),
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
