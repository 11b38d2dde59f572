import type { FastifyInstance } from 'fastify'

const LOOK_AGAIN_MS = 20

/**
 * The door stays open for a moment, so that who comes in is told 503 and to close the connection,
 * and a load balancer sees that this gateway is not ready; idle connections are cut only then.
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
