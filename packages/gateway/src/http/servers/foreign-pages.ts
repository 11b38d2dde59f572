import type { FastifyInstance, FastifyRequest } from 'fastify'
import { httpPlugin, type HttpPlugin, type Serving } from './http-plugin.ts'

/** Whether an Origin header names a page of this gateway: of `publicOrigin`, or of its own host. */
export function isOwnOrigin(
  origin: string,
  request: Pick<FastifyRequest, 'host'>,
  publicOrigin: string,
): boolean {
  if (origin === publicOrigin) return true
  const { host = '' } = URL.parse(origin) ?? {}
  return host !== '' && host === request.host
}

/**
 * Whether a browser says that a page of another origin sent the request. Programs send neither
 * header. Browsers send Origin with every POST, and Sec-Fetch-Site with everything that goes over
 * HTTPS or to this machine.
 */
export function isFromForeignPage(
  request: Pick<FastifyRequest, 'headers' | 'host'>,
  publicOrigin: string,
): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  return origin !== undefined && !isOwnOrigin(origin, request, publicOrigin)
}

/**
 * Binds an address for programs to its options, and refuses the pages of other origins there. Such
 * a page may know credentials: those of the sandbox are published.
 */
export function programPlugin<Options extends object>(
  publicOrigin: string,
  routes: (app: FastifyInstance, options: Options) => void,
  options: Omit<Options, keyof Serving>,
): HttpPlugin {
  const plugin = httpPlugin(routes, options)
  return (app, serving) => {
    app.addHook('onRequest', (request, reply, done) => {
      if (!isFromForeignPage(request, publicOrigin)) return done()
      void reply.code(403).type('text/plain; charset=utf-8')
      void reply.send('This address is for programs and not for pages of other origins.')
    })
    plugin(app, serving)
  }
}
