import type { FastifyInstance } from 'fastify'
import type { ConnectionTable } from './connection-table.ts'
import type { HttpLimits } from './http-limits.ts'

const LOOK_AGAIN_MS = 20

/** Closes the servers once their clients had the time to go, and open requests to finish. */
export async function closeAll(
  apps: readonly FastifyInstance[],
  table: ConnectionTable,
  { drainMs, closeTimeoutMs }: HttpLimits,
): Promise<void> {
  await drain(apps, drainMs)
  // Slow clients would hold up a restart for as long as a request may take to arrive.
  table.cutWaiting()
  const deadline = setTimeout(() => {
    for (const { server } of apps) server.closeAllConnections()
  }, closeTimeoutMs)
  try {
    await Promise.all(apps.map((app) => app.close()))
  } finally {
    clearTimeout(deadline)
  }
}

/**
 * The port stays open for a moment. New requests get 503 and are asked to close the connection,
 * and load balancers see that this gateway is not ready. Idle connections are cut only then.
 */
async function drain(apps: readonly FastifyInstance[], drainMs: number): Promise<void> {
  const until = performance.now() + drainMs
  while (performance.now() < until && (await anyConnection(apps))) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

async function anyConnection(apps: readonly FastifyInstance[]): Promise<boolean> {
  const counts = await Promise.all(
    apps.map(
      ({ server }) =>
        new Promise<number>((resolve) =>
          server.getConnections((_error, count) => resolve(count ?? 0)),
        ),
    ),
  )
  return counts.some((count) => count > 0)
}
