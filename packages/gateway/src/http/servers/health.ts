import type { FastifyInstance } from 'fastify'

export interface HealthDeps {
  /** False while the gateway stops. */
  readonly isReady: () => boolean
  /** The state of everything that a payment needs. */
  readonly health: () => Promise<Health>
}

export interface Health {
  readonly database: 'writable' | 'read_only' | 'away'
  readonly bankLink: 'up' | 'signing_on' | 'down'
}

/**
 * For supervisors and load balancers. `live`: the program runs. `ready`: it takes requests; this
 * turns to 503 before a stopping gateway closes its port. A gateway without its database takes
 * nothing. Without the bank it takes what needs no answer of the bank, and answers the rest as
 * failed. No other gateway would do better, so the link is only reported.
 */
export function healthService(app: FastifyInstance, deps: HealthDeps): void {
  app.get('/health/live', (_request, reply) => {
    void reply.header('cache-control', 'no-store').send({ status: 'live' })
  })
  // Programs that probe the usual address get the stricter of the two answers.
  for (const path of ['/health/ready', '/health']) {
    app.get(path, async (_request, reply) => {
      const { database, bankLink } = await deps.health()
      const ready = deps.isReady() && database === 'writable'
      void reply.code(ready ? 200 : 503).header('cache-control', 'no-store')
      if (!ready) void reply.header('retry-after', '1')
      return { status: ready ? 'ready' : 'unavailable', database, bank_link: bankLink }
    })
  }
}
