// A gateway whose limits a test chooses, and which reports its usage to the test.
import { readdirSync } from 'node:fs'
import { pino } from 'pino'
import { loadConfig } from '../../packages/gateway/src/config/config.ts'
import { startGateway } from '../../packages/gateway/src/wiring/gateway.ts'
import type { GatewayUsage } from './measured-gateway.ts'

const loaded = loadConfig(process.env)
if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
const { config } = loaded
const gateway = await startGateway({
  config,
  databaseUrl: config.databaseUrl?.reveal() ?? '',
  runJobs: false,
  logger: pino({ level: 'warn' }),
  httpLimits: JSON.parse(process.env['TEST_HTTP_LIMITS'] ?? '{}'),
})

async function usage(): Promise<GatewayUsage> {
  const metrics = await gateway.metrics.registry.metrics()
  const read = (name: string): number =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1] ?? 0,
    )
  const { rss, heapUsed, external } = process.memoryUsage()
  return {
    connections: read('tollgate_connections_open'),
    cutForRoom: read('tollgate_connections_cut_total{why="full"}'),
    descriptors: readdirSync('/proc/self/fd').length,
    residentBytes: rss,
    usedBytes: heapUsed + external,
  }
}

process.on('message', (message) => {
  if (message === 'usage after collection') globalThis.gc?.()
  if (message === 'usage' || message === 'usage after collection')
    void usage().then((told) => process.send?.(told))
  if (message === 'stop') void gateway.stop().then(() => process.exit(0))
})
process.on('disconnect', () => process.exit(1))
process.send?.({ addresses: gateway.addresses })
