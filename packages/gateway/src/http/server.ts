import { createServer as createHttpServer } from 'node:http'
import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify'
import { fastify, LogController } from 'fastify'
import { invariant } from '../base/invariant.ts'
import type { Certificate } from './certificate.ts'
import { drain } from './drain.ts'
import { healthService, type HealthDeps } from './health.ts'
import type { PmtServiceDeps } from './payment/pmt-service.ts'
import { BODY_LIMIT_BYTES, pmtService } from './payment/pmt-service.ts'
import { tokenService, type TokenServiceDeps } from './tokens/token-service.ts'
import { trustedPeers } from './trusted-peers.ts'

export interface Endpoint {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

export interface HttpServersOptions {
  /** Null: no plain HTTP. */
  readonly http: Endpoint | null
  /** Null: no HTTPS. */
  readonly https: (Endpoint & { readonly certificate: Certificate }) | null
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-* headers are believed. */
  readonly trustedProxies: readonly string[]
  readonly deps: PmtServiceDeps & TokenServiceDeps & HealthDeps
  readonly logger: FastifyBaseLogger
  readonly limits?: Partial<HttpLimits>
}

export interface HttpLimits {
  /** For the header lines of a request to arrive. */
  readonly headersTimeoutMs: number
  /** For a whole request to arrive, body included. */
  readonly requestTimeoutMs: number
  /** How long an idle connection is kept open for the next request. */
  readonly keepAliveTimeoutMs: number
  /** How long clients that keep their connections are told to let go of them before they are cut. */
  readonly drainMs: number
  /** How long open requests may take to finish once the servers are told to close. */
  readonly closeTimeoutMs: number
}

/** A payment is answered within 30 s, and closing waits for the slowest one. */
const LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
  keepAliveTimeoutMs: 65_000,
  drainMs: 1_000,
  closeTimeoutMs: 30_000,
}

export interface HttpServers {
  /** One server for each endpoint, plain HTTP first; for tests that need no socket. */
  readonly apps: readonly FastifyInstance[]
  /** Gives the base addresses, plain HTTP first. */
  listen(): Promise<string[]>
  /** Lets open requests finish and answers new ones with 503; may be called more than once. */
  close(): Promise<void>
}

/**
 * The gateway's HTTP and HTTPS servers, which answer the same. Plain HTTP carries card numbers in
 * the open, so it is served to this machine only, or to a proxy that the operator vouches for.
 */
export function createHttpServers(options: HttpServersOptions): HttpServers {
  const limits = { ...LIMITS, ...options.limits }
  const endpoints: ServerEndpoint[] = []
  if (options.http !== null) endpoints.push({ ...options.http, certificate: null })
  if (options.https !== null) endpoints.push(options.https)
  if (options.http !== null) assertPrivate(options.http, options.trustedProxies)

  let closing: Promise<void> | null = null
  const { deps } = options
  const guarded = { ...deps, isReady: () => closing === null && deps.isReady() }
  const apps = endpoints.map((endpoint) => createApp(options, limits, guarded, endpoint))
  for (const app of apps) {
    // A connection that its client may keep would hold up the closing until it runs out of time.
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (closing !== null) void reply.header('connection', 'close')
      done(null, payload)
    })
  }

  return {
    apps,
    async listen() {
      const addresses: string[] = []
      for (const [index, endpoint] of endpoints.entries()) {
        const app = apps[index]
        if (app === undefined) continue
        await app.listen({ host: endpoint.host, port: endpoint.port })
        addresses.push(baseAddress(app.server.address(), endpoint))
      }
      return addresses
    },
    close() {
      closing ??= closeAll(apps, limits)
      return closing
    },
  }
}

/** Without a certificate it is plain HTTP. */
interface ServerEndpoint extends Endpoint {
  readonly certificate: Certificate | null
}

function createApp(
  options: HttpServersOptions,
  limits: HttpLimits,
  deps: PmtServiceDeps & TokenServiceDeps & HealthDeps,
  endpoint: ServerEndpoint,
): FastifyInstance {
  const app = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    // The payment address answers for itself while closing, in the layout that merchants read.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    frameworkErrors: refuseAddress,
    clientErrorHandler: answerBrokenRequest,
    serverFactory: (handler) => createServer(handler, limits, endpoint.certificate),
  })
  if (endpoint.certificate === null && !LOOPBACK.test(endpoint.host)) {
    const isTrusted = trustedPeers(options.trustedProxies)
    app.addHook('onRequest', (request, reply, done) => {
      if (isTrusted(request.socket.remoteAddress ?? '')) return done()
      void reply.code(403).type('text/plain; charset=utf-8')
      void reply.send('Plain HTTP is answered to the trusted proxy only. Use HTTPS.')
    })
  }
  app.setNotFoundHandler((_request, reply) => {
    void reply.code(404).type('text/plain; charset=utf-8').send('There is nothing at this address.')
  })
  // No scope but its own may see how the payment address reads bodies and answers faults.
  app.register((scope, _options, done) => {
    pmtService(scope, deps)
    done()
  })
  app.register((scope, _options, done) => {
    tokenService(scope, deps)
    done()
  })
  app.register((scope, _options, done) => {
    healthService(scope, deps)
    done()
  })
  return app
}

/** TLS 1.2 suites with forward secrecy and authenticated encryption only; those of 1.3 all are. */
const TLS_1_2_SUITES = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
]
const TLS_1_3_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
]

function createServer(
  handler: RequestListener,
  limits: HttpLimits,
  certificate: Certificate | null,
): Server {
  const http: ServerOptions = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // How exact the two time-outs above are.
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs),
  }
  if (certificate === null) return createHttpServer(http, handler)
  return createHttpsServer(
    {
      ...http,
      cert: certificate.cert,
      key: certificate.key,
      minVersion: 'TLSv1.2',
      ciphers: [...TLS_1_3_SUITES, ...TLS_1_2_SUITES].join(':'),
      handshakeTimeout: limits.headersTimeoutMs,
    },
    handler,
  )
}

/** An address that can't be decoded may hold card data, so nothing of it is repeated or logged. */
function refuseAddress(_error: unknown, _request: unknown, reply: unknown): void {
  invariant(isReply(reply), 'The framework handed over no reply.')
  void reply.code(400).type('text/plain; charset=utf-8').send('The address can not be read.')
}

function isReply(value: unknown): value is FastifyReply {
  return typeof value === 'object' && value !== null && 'send' in value
}

/**
 * A connection that sent no HTTP, or not all of it in time. The error that comes along holds the
 * bytes that were sent, card data among them, so it is dropped here and logged nowhere.
 */
function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? '408 Request Timeout'
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? '431 Request Header Fields Too Large'
        : '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
}

async function closeAll(
  apps: readonly FastifyInstance[],
  { drainMs, closeTimeoutMs }: HttpLimits,
): Promise<void> {
  await drain(apps, drainMs)
  const deadline = setTimeout(() => {
    for (const { server } of apps) server.closeAllConnections()
  }, closeTimeoutMs)
  try {
    await Promise.all(apps.map((app) => app.close()))
  } finally {
    clearTimeout(deadline)
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|::1)$/

function assertPrivate({ host }: Endpoint, trustedProxies: readonly string[]): void {
  if (LOOPBACK.test(host) || trustedProxies.length > 0) return
  throw new Error(
    `Plain HTTP was asked for on ${host}, where others can read card numbers on their way. ` +
      'Expected a loopback address such as 127.0.0.1, or a trusted proxy in front: set HOST to a ' +
      'loopback address, name the proxy in TRUST_PROXY, or serve HTTPS only.',
  )
}

function baseAddress(bound: string | AddressInfo | null, endpoint: ServerEndpoint): string {
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  const { host } = endpoint
  const shown = host.includes(':') ? `[${host}]` : host
  return `${endpoint.certificate === null ? 'http' : 'https'}://${shown}:${port}`
}
