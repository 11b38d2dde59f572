import type { FastifyInstance } from 'fastify'

/** The state of the servers, for every address. */
export interface Serving {
  /** False while the servers close. */
  readonly isReady: () => boolean
  /** True from the first moment of a stop, while requests may still be served. */
  readonly isLeaving: () => boolean
}

/** An address with all that it needs. It is registered in a scope of its own on every server. */
export type HttpPlugin = (app: FastifyInstance, serving: Serving) => void

/**
 * Binds an address to its options.
 * @param routes puts the address on a server
 * @param options everything that `routes` needs, except what the servers say of themselves
 */
export function httpPlugin<Options extends object>(
  routes: (app: FastifyInstance, options: Options) => void,
  options: Omit<Options, keyof Serving>,
): HttpPlugin {
  return (app, serving) => routes(app, { ...options, ...serving } as Options)
}
