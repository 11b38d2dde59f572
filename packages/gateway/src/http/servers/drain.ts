import type { FastifyInstance } from 'fastify'

const LOOK_AGAIN_MS = 20

/**
 * The port stays open for a moment. New requests get 503 and are asked to close the connection,
 * and load balancers see that this gateway is not ready. Idle connections are cut only then.
 */
export async function drain(apps: readonly FastifyInstance[], drainMs: number): Promise<void> {
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
