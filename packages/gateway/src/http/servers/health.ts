import type { FastifyInstance } from 'fastify'
import type { LinkStateView } from '../../usecases/banks/processor-links.ts'

export interface HealthDeps {
  /** False while the gateway stops. */
  readonly isReady: () => boolean
  /** True once the gateway begins to stop: load balancers shall send it nothing new. */
  readonly isLeaving: () => boolean
  /** The state of everything that a payment needs. */
  readonly health: () => Promise<Health>
}

export interface Health {
  readonly database: 'writable' | 'read_only' | 'away'
  /** Null where this process has the data keys itself. */
  readonly vault: 'up' | 'away' | null
  /** Of this process. */
  readonly links: readonly Pick<LinkStateView, 'name' | 'mode' | 'state'>[]
}

const LIVE_PATH = '/health/live'
const READY_PATH = '/health/ready'
/** Programs that probe the usual address get the stricter of the two answers. */
const USUAL_PATH = '/health'
export const HEALTH_PATHS = [LIVE_PATH, READY_PATH, USUAL_PATH] as const

export function isProbe(url: string | undefined): boolean {
  return HEALTH_PATHS.some((path) => path === url)
}

/**
 * For supervisors and load balancers. `live`: the program runs. `ready`: it takes requests; this
 * turns to 503 before a stopping gateway closes its port. A gateway without its database takes
 * nothing, and likewise one without its vault process. Without a bank it takes what needs no
 * answer of that bank, and answers the rest as failed. Its other links still serve. An acquirer
 * that is down is down for all nodes, so a check that failed then would leave no node: each link is
 * only reported.
 */
export function healthService(app: FastifyInstance, deps: HealthDeps): void {
  app.get(LIVE_PATH, (_request, reply) => {
    void reply.header('cache-control', 'no-store').send({ status: 'live' })
  })
  for (const path of [READY_PATH, USUAL_PATH]) {
    app.get(path, async (_request, reply) => {
      const { database, links, vault } = await deps.health()
      const serves = database === 'writable' && vault !== 'away'
      const ready = deps.isReady() && !deps.isLeaving() && serves
      void reply.code(ready ? 200 : 503).header('cache-control', 'no-store')
      if (!ready) void reply.header('retry-after', '1')
      return {
        status: ready ? 'ready' : 'unavailable',
        database,
        ...(vault === null ? {} : { vault }),
        links: links.map(({ name, mode, state }) => ({ name, mode, state })),
      }
    })
  }
}
