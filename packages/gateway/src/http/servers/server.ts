import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify'
import { fastify } from 'fastify'
import { createServer as createHttpServer } from 'node:http'
import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { describeFault } from '../payment/fault-record.ts'
import { createBrokenRequests, refuseAddress } from './broken-request.ts'
import type { Certificate } from './certificate.ts'
import { guardRequests, watchConnections } from './connection-guard.ts'
import {
  createConnectionTable,
  type ConnectionCounts,
  type ConnectionTable,
} from './connection-table.ts'
import { closeAll } from './drain.ts'
import { HTTP_LIMITS, type HttpLimits } from './http-limits.ts'
import type { HttpPlugin, Serving } from './http-plugin.ts'
import { listenOptions } from './listen-options.ts'
import { assertPrivate, isThisMachine } from './private-endpoint.ts'
import { FORM_LIMIT } from './raw-bodies.ts'
import { namedRequests } from './request-ids.ts'
import { secureAnswers } from './secure-answers.ts'
import { refuseOtherHosts } from './served-hosts.ts'
import { TLS_POLICY } from './tls-policy.ts'
import { addressRanges, refuseOtherPeers } from './trusted-peers.ts'

export interface Endpoint {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

/** An endpoint that answers its own addresses, and no others. */
export interface ApartServer extends Endpoint {
  readonly isTls: boolean
  readonly plugins: readonly HttpPlugin[]
}

export interface HttpServersOptions {
  /** Null: no plain HTTP. */
  readonly http: Endpoint | null
  /** Null: no HTTPS. */
  readonly https: (Endpoint & { readonly certificate: Certificate }) | null
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-* headers are believed. */
  readonly trustedProxies: readonly string[]
  /** Names that requests may address, beside IP addresses and localhost; `*`: every name. */
  readonly servedHosts: readonly string[]
  /** The addresses that every server answers. */
  readonly plugins: readonly HttpPlugin[]
  /** Servers with other addresses, each on an endpoint of its own. */
  readonly apart: readonly ApartServer[]
  readonly logger: FastifyBaseLogger
  readonly limits?: Partial<HttpLimits>
  /** Whether answers ask browsers for HTTPS only, for a year. */
  readonly httpsOnly?: boolean
}

export interface HttpServers {
  /** One server for each endpoint, in the sequence of `listen`; for tests that need no socket. */
  readonly apps: readonly FastifyInstance[]
  /** Gives the base addresses: plain HTTP first, the servers apart last. */
  listen(): Promise<string[]>
  /** New connections are shown this certificate; those that are open go on as they are. */
  useCertificate(certificate: Certificate): void
  /** 48 secret bytes that seal session tickets, the same for every worker. */
  useTicketKeys(keys: Buffer): void
  connections(): ConnectionCounts
  /**
   * Serves on for `ms` and reports that it is not ready, so that load balancers send requests
   * elsewhere. Each answer asks the client to close its connection.
   */
  leave(ms: number): Promise<void>
  /** Lets open requests finish and answers new ones with 503; may be called more than once. */
  close(): Promise<void>
}

/** The gateway's HTTP and HTTPS servers, which answer the same, and those apart. */
export function createHttpServers(options: HttpServersOptions): HttpServers {
  const limits = { ...HTTP_LIMITS, ...options.limits }
  const endpoints: ServerEndpoint[] = []
  const { apart, http, https, plugins } = options
  if (http !== null) endpoints.push({ ...http, isTls: false, plugins })
  if (https !== null) endpoints.push({ ...https, isTls: true, plugins })
  endpoints.push(...apart)
  for (const endpoint of endpoints) {
    if (!endpoint.isTls) assertPrivate(endpoint.host, options.trustedProxies)
  }

  let closing: Promise<void> | null = null
  let leaving = false
  const serving: Serving = {
    isReady: () => closing === null,
    isLeaving: () => leaving || closing !== null,
  }
  const table = createConnectionTable({
    ...limits,
    // A request that begins at the last moment keeps its full timeout.
    quietTimeoutMs: limits.keepAliveTimeoutMs + limits.requestTimeoutMs,
    hasNoShare: addressRanges(options.trustedProxies),
    monotonicMs: () => performance.now(),
  })
  let certificate = options.https?.certificate ?? null
  let ticketKeys: Buffer | null = null
  const tlsServers: TlsServer[] = []
  const apps = endpoints.map((endpoint) =>
    createApp(options, limits, serving, endpoint, table, (handler) => {
      const server = createServer(handler, limits, endpoint.isTls ? certificate : null)
      watchConnections(server, table)
      if (server instanceof TlsServer) tlsServers.push(server)
      return server
    }),
  )
  const sweep = setInterval(() => table.cutIdle(), SWEEP_MS).unref()

  for (const app of apps) {
    // A connection that its client may keep would hold up the closing until it runs out of time.
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (serving.isLeaving()) void reply.header('connection', 'close')
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
        await app.listen(listenOptions(endpoint))
        addresses.push(baseAddress(app.server.address(), endpoint))
      }
      return addresses
    },
    useCertificate(next) {
      certificate = next
      for (const server of tlsServers) {
        server.setSecureContext({
          ...TLS_POLICY,
          ...next,
          ...(ticketKeys === null ? {} : { ticketKeys }),
        })
      }
    },
    useTicketKeys(keys) {
      ticketKeys = keys
      for (const server of tlsServers) server.setTicketKeys(keys)
    },
    connections: table.counts,
    async leave(ms) {
      leaving = true
      await new Promise((resolve) => setTimeout(resolve, ms))
    },
    close() {
      closing ??= closeAll(apps, table, limits).finally(() => clearInterval(sweep))
      return closing
    },
  }
}

const SWEEP_MS = 1_000
type ServerEndpoint = ApartServer

function createApp(
  options: HttpServersOptions,
  limits: HttpLimits,
  serving: Serving,
  endpoint: ServerEndpoint,
  table: ConnectionTable,
  serverFactory: (handler: RequestListener) => Server,
): FastifyInstance {
  const broken = createBrokenRequests()
  const app = fastify({
    loggerInstance: options.logger,
    ...namedRequests(),
    bodyLimit: FORM_LIMIT,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    // The payment address answers for itself while closing, in the layout that merchants read.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    frameworkErrors: refuseAddress,
    clientErrorHandler: broken.answer,
    serverFactory,
  })
  broken.watch(app)
  guardRequests(app, table, limits)
  secureAnswers(app, options.httpsOnly === true)
  if (!endpoint.isTls && !isThisMachine(endpoint.host)) {
    refuseOtherPeers(app, options.trustedProxies)
  }
  refuseOtherHosts(app, options.servedHosts)
  const answerNotFound = (reply: FastifyReply): void => {
    void reply.code(404).type('text/plain; charset=utf-8').send('There is nothing at this address.')
  }
  app.setNotFoundHandler((_request, reply) => answerNotFound(reply))
  // For addresses without an answer of their own for faults: the framework's would repeat the
  // error.
  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode >= 500)
      request.log.error(describeFault(error), 'A request failed with an internal error.')
    void reply.code(statusCode).type('text/plain; charset=utf-8')
    void reply.send(statusCode >= 500 ? 'Internal gateway error.' : 'The request cannot be read.')
  })
  // Before the body is read: the framework would answer for an unreadable one, and repeat it.
  app.addHook('onRequest', (request, reply, done) =>
    request.is404 ? answerNotFound(reply) : done(),
  )
  // No scope but its own may see how an address reads bodies and answers faults.
  for (const plugin of endpoint.plugins) {
    app.register((scope, _options, done) => {
      plugin(scope, serving)
      done()
    })
  }
  return app
}

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
    maxHeaderSize: limits.headerBytes,
  }
  const tls = { ...TLS_POLICY, ...certificate, handshakeTimeout: limits.handshakeTimeoutMs }
  const server =
    certificate === null
      ? createHttpServer(http, handler)
      : createHttpsServer({ ...http, ...tls }, handler)
  // One more than is allowed is let through, for the server drops the rest without a word.
  server.maxHeadersCount = limits.headerLines + 1
  return server
}

function baseAddress(bound: string | AddressInfo | null, endpoint: ServerEndpoint): string {
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  const { host } = endpoint
  const shown = host.includes(':') ? `[${host}]` : host
  return `${endpoint.isTls ? 'https' : 'http'}://${shown}:${port}`
}
