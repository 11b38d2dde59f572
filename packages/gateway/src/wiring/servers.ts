import type { IncomingMessage } from 'node:http'
import { createDatabaseState } from '../adapters/postgres/connection/database-state.ts'
import type { GatewayConfig } from '../config/config.ts'
import { SANDBOX, saleCommand } from '../config/sandbox-credentials.ts'
import { watchCertificate } from '../http/servers/certificate-watch.ts'
import { connectionsThatFit, openFileLimit } from '../http/servers/connection-room.ts'
import { healthService, isProbe } from '../http/servers/health.ts'
import { HTTP_LIMITS, type HttpLimits } from '../http/servers/http-limits.ts'
import { httpPlugin, type HttpPlugin } from '../http/servers/http-plugin.ts'
import { createHttpServers, type HttpServersOptions } from '../http/servers/server.ts'
import type { SandboxFacts } from '../http/welcome/welcome-page.ts'
import { welcomeService } from '../http/welcome/welcome-service.ts'
import type { LinkStateView } from '../usecases/banks/processor-links.ts'
import type { Foundation } from './foundation.ts'
import { follow, type Part } from './part.ts'

/** How long a renewed certificate may take to be seen. */
const READ_CERTIFICATE_EVERY_MS = 2_000

export interface Servers extends Part {
  /** The addresses of the servers, plain HTTP first; empty before the start. */
  addresses(): readonly string[]
  /** 48 secret bytes that seal TLS session tickets, the same for every worker. */
  useTicketKeys(keys: Buffer): void
  /** Serves on for `DRAIN_S`, while load balancers see that this gateway is not ready. */
  leave(): Promise<void>
}

export interface ServerNeeds {
  /** The parts whose addresses are served. */
  readonly parts: readonly Part[]
  readonly linkStates: () => readonly LinkStateView[]
  /** Null where this process has the data keys itself. */
  readonly vaultState: () => 'up' | 'away' | null
  readonly limits: Partial<HttpLimits>
}

/** The HTTP and HTTPS servers, with the certificate and the health of this process. */
export async function wireServers(foundation: Foundation, needs: ServerNeeds): Promise<Servers> {
  const { activity, clock, config, database, logger, metrics, monotonicMs } = foundation
  const { tls } = config
  const certificates =
    tls === null
      ? null
      : await watchCertificate({
          files: tls,
          clock,
          logger,
          onChange: (certificate) => servers.useCertificate(certificate),
        })
  const databaseState = createDatabaseState(database.pool, monotonicMs)
  const health = httpPlugin(healthService, {
    health: async () => ({
      database: await databaseState(),
      vault: needs.vaultState(),
      links: needs.linkStates(),
    }),
  })
  const welcome = httpPlugin(welcomeService, { sandbox: sandboxFacts(config) })
  const servers = createHttpServers({
    http: config.http,
    https: tls && certificates && { ...tls, certificate: certificates.certificate },
    trustedProxies: config.trustProxy,
    servedHosts: servedNames(config),
    logger,
    httpsOnly: config.mode === 'production',
    limits: {
      ...HTTP_LIMITS,
      connections: roomForConnections(foundation),
      connectionsPerAddress: config.maxConnectionsPerAddress,
      ...needs.limits,
    },
    ...placesOf(config, needs.parts, health, welcome),
  })
  metrics.watchConnections(servers.connections)
  for (const { server } of servers.apps) {
    server.on('request', ({ url }: IncomingMessage) => isProbe(url) || activity.request())
  }
  if (certificates !== null) metrics.watchCertificate(() => certificates.validTo)

  let addresses: readonly string[] = []
  return {
    followers:
      certificates === null
        ? []
        : [follow('certificate', READ_CERTIFICATE_EVERY_MS, certificates.look)],
    addresses: () => addresses,
    useTicketKeys: servers.useTicketKeys,
    async start() {
      addresses = await servers.listen()
    },
    leave: () => servers.leave(config.drainS * 1_000),
    drain: servers.close,
  }
}

/** The portal is served with the payments, or apart with all that it needs; the console apart. */
function placesOf(
  { portalEndpoint, consoleEndpoint }: Pick<GatewayConfig, 'portalEndpoint' | 'consoleEndpoint'>,
  parts: readonly Part[],
  health: HttpPlugin,
  welcome: HttpPlugin,
): Pick<HttpServersOptions, 'plugins' | 'apart'> {
  const portal = parts.flatMap(({ portalRoutes = [] }) => portalRoutes)
  const common = [...parts.flatMap(({ commonRoutes = [] }) => commonRoutes), health]
  const own = [...parts.flatMap(({ routes = [] }) => routes), ...common, welcome]
  const operators = parts.flatMap(({ consoleRoutes = [] }) => consoleRoutes)
  const console =
    consoleEndpoint === null ? [] : [{ ...consoleEndpoint, plugins: [...operators, health] }]
  return portalEndpoint === null
    ? { plugins: [...own, ...portal], apart: console }
    : { plugins: own, apart: [{ ...portalEndpoint, plugins: [...portal, ...common] }, ...console] }
}

/** The names of this gateway in addresses: what the settings list, and where it is reached. */
export function servedNames(
  config: Pick<
    GatewayConfig,
    | 'servedHosts'
    | 'publicUrl'
    | 'portalUrl'
    | 'portalEndpoint'
    | 'consoleUrl'
    | 'consoleEndpoint'
    | 'http'
    | 'tls'
  >,
): readonly string[] {
  const {
    consoleEndpoint,
    consoleUrl,
    http,
    portalEndpoint,
    portalUrl,
    publicUrl,
    servedHosts,
    tls,
  } = config
  const endpoints = [http, tls, portalEndpoint, consoleEndpoint].flatMap((endpoint) =>
    endpoint === null ? [] : [endpoint.host],
  )
  const urls = [publicUrl, portalUrl, consoleUrl].flatMap((url) =>
    url === '' ? [] : [new URL(url).hostname],
  )
  return [...servedHosts, ...endpoints, ...urls]
}

/** How many connections may be kept: what is asked for, as far as open files allow it. */
function roomForConnections({ config, logger }: Foundation): number {
  const connections = connectionsThatFit(config.maxConnections, openFileLimit())
  if (connections < config.maxConnections) {
    logger.warn(
      { asked: config.maxConnections, connections },
      'the limit of open files allows fewer connections than MAX_CONNECTIONS',
    )
  }
  return connections
}

/** The facts that the first page of a sandbox shows; null in production. */
function sandboxFacts({ baseUrl, mode, portalUrl, publicUrl }: GatewayConfig): SandboxFacts | null {
  if (mode !== 'sandbox') return null
  return {
    publicUrl,
    portalUrl,
    firstPayment: saleCommand(baseUrl),
    portal: [SANDBOX.portalUser, SANDBOX.portalPassword],
    api: [SANDBOX.apiUser, SANDBOX.apiPassword],
  }
}
