import type { FastifyInstance } from 'fastify'

export interface HealthDeps {
  /** True when a payment can be taken. */
  readonly isReady: () => boolean
}

/**
 * For supervisors and load balancers. `live` says that the program runs; `ready` says whether it
 * takes payments, and turns to 503 before a stopping gateway closes its door.
 */
export function healthService(app: FastifyInstance, deps: HealthDeps): void {
  app.get('/health/live', (_request, reply) => {
    void reply.header('cache-control', 'no-store').send({ status: 'live' })
  })
  app.get('/health/ready', (_request, reply) => {
    const ready = deps.isReady()
    void reply.code(ready ? 200 : 503).header('cache-control', 'no-store')
    if (!ready) void reply.header('retry-after', '1')
    void reply.send({ status: ready ? 'ready' : 'unavailable' })
  })
}
