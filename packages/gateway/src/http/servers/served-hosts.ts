import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import { HEALTH_PATHS } from './health.ts'

/** The name that stands for every host in a list of served hosts. */
export const ANY_HOST = '*'

/**
 * Makes a check whether a Host header names this gateway: by an IP address, a name of the
 * loopback address, or one of `names`.
 *
 * A web page that points a name of its own at
 * this machine (DNS rebinding) can use none of these.
 * Browsers send the name that they resolved.
 * The port is not compared: a forwarded port differs, and a page cannot gain a name by it.
 */
export function servedHosts(names: readonly string[]): (host: string) => boolean {
  if (names.includes(ANY_HOST)) return () => true
  const served = new Set(names.map((name) => name.toLowerCase()))
  return (host) => {
    const name = nameOf(host)
    // Browsers resolve names under localhost to this machine without asking a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return true
    return isIP(name) !== 0 || served.has(name)
  }
}

/** Without the port, the brackets of an IPv6 address, and the dot of the root. */
function nameOf(host: string): string {
  const [, v6, name = ''] = /^(?:\[([0-9a-f:.]+)\]|([^:]+?)\.?)(?::[0-9]*)?$/i.exec(host) ?? []
  return (v6 ?? name).toLowerCase()
}

/**
 * Refuses requests for hosts that are not served, except at the addresses for health checks: those
 * show no data, and probes send any name. A request without a host comes from no browser.
 */
export function refuseOtherHosts(app: FastifyInstance, names: readonly string[]): void {
  const isServed = rememberLast(servedHosts(names))
  app.addHook('onRequest', (request, reply, done) => {
    // Two servers could each believe another of the two.
    if (hostLines(request) > 1) {
      return refuse(reply, 400, 'The request has more than one Host header. Expected one.')
    }
    const { host } = request.headers
    const isHealth = HEALTH_PATHS.some((path) => path === request.routeOptions.url)
    const isFine = (host === undefined || isServed(host)) && isProxiedHostServed(request)
    if (isHealth || isFine) return done()
    return refuse(
      reply,
      421,
      'This host is not served here. Expected the host of PUBLIC_URL, localhost, an IP address, ' +
        'or a name that the setting SERVED_HOSTS lists.',
    )
  })

  /** Only a proxy names a second host. */
  function isProxiedHostServed(request: FastifyRequest): boolean {
    if (request.headers['x-forwarded-host'] === undefined) return true
    return request.host === '' || isServed(request.host)
  }
}

/** Nearly all requests name one host, and each of them is checked. */
function rememberLast(check: (host: string) => boolean): (host: string) => boolean {
  let last = ''
  let result = check(last)
  return (host) => {
    if (host === last) return result
    last = host
    result = check(host)
    return result
  }
}

function hostLines({ raw: { rawHeaders } }: FastifyRequest): number {
  let lines = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') lines += 1
  }
  return lines
}

function refuse(reply: FastifyReply, status: number, sentence: string): void {
  void reply.code(status).type('text/plain; charset=utf-8').send(sentence)
}
