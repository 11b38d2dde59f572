import type { FastifyBaseLogger } from 'fastify'
import type { GatewayMetrics } from '../adapters/metrics/gateway-metrics.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import type { Clock } from '../base/clock.ts'
import type { GatewayConfig } from '../config/config.ts'
import { pmtService } from '../http/payment/pmt-service.ts'
import { programPlugin } from '../http/servers/foreign-pages.ts'
import type { HttpLimits } from '../http/servers/http-limits.ts'
import type { Job, Worker } from '../jobs/worker.ts'
import type { PortalRoute } from '../portal/shell/portal-route.ts'
import type { LinkStateView } from '../usecases/banks/processor-links.ts'
import type { ApiUser } from '../usecases/merchants/merchant-directory.ts'
import { wireAuditPush } from './audit-push.ts'
import { wireAudit } from './audit.ts'
import { wireBanks } from './banks.ts'
import { wireCardTesting } from './card-testing.ts'
import { wireCardTokens } from './card-tokens.ts'
import { wireDatabase } from './database.ts'
import { wireDisputes } from './disputes.ts'
import { wireEvents } from './events.ts'
import { wireFees } from './fees.ts'
import type { Foundation } from './foundation.ts'
import { startJobs } from './jobs.ts'
import { layFoundation } from './lay-foundation.ts'
import { wireLogins } from './logins.ts'
import { wireMail } from './mail.ts'
import { retryWithNewExpiry, wireMemberships, wireMembershipStores } from './memberships.ts'
import { startParts, stopOnFailure, stopParts, wireFollowers, type Part } from './part.ts'
import { wirePayments } from './payments.ts'
import { wirePortal } from './portal.ts'
import { wirePorts, type ChangePorts } from './ports.ts'
import { wireQueries } from './queries.ts'
import { wireRequestLog } from './request-log.ts'
import { wireRequestVolume } from './request-volume.ts'
import { wireRetention } from './retention.ts'
import { wireSandbox } from './sandbox.ts'
import { wireServers } from './servers.ts'
import { wireSettlement } from './settlement.ts'
import { wireSiteClocks } from './site-clocks.ts'
import { wireThreeDs } from './three-ds.ts'
import { wireThrowawaySites } from './throwaway-sites.ts'
import { wireTraces } from './traces.ts'
import { lendWhileAsking, wireTurns, type TurnLimits } from './turns.ts'
import { wireVault, type VaultSocket } from './vault.ts'
import { wireWebhooks } from './webhooks.ts'

export interface GatewayOptions {
  readonly config: GatewayConfig
  readonly databaseUrl: DatabaseAddress
  /** Whether this process does the jobs too. */
  readonly runJobs: boolean
  readonly logger: FastifyBaseLogger
  readonly clock?: Clock
  /** The vault process of this node; without one, this process has the data keys. */
  readonly vaultSocket?: VaultSocket | null
  /** For the torture run, which breaks a rule to see that it is missed. */
  readonly changePorts?: ChangePorts
  /** For tests that want time-outs shorter than they are. */
  readonly httpLimits?: Partial<HttpLimits>
  /** For tests that want fewer requests at once than there are places. */
  readonly turnLimits?: Partial<TurnLimits>
}

export interface Gateway {
  /** Plain HTTP first, the portal's own and the console's last. */
  readonly addresses: readonly string[]
  readonly metrics: GatewayMetrics
  /** The bundled bank first, unless there is none, then every processor link in use. */
  linkStates(): LinkStateView[]
  /** 48 secret bytes that seal TLS session tickets, the same for every worker. */
  useTicketKeys(keys: Buffer): void
  /** The routes of the portal's API, for a caller that requests all of them. */
  readonly portalRoutes: readonly PortalRoute[]
  /** Serves on for `DRAIN_S` and reports that it is not ready. Before `stop`. */
  leave(): Promise<void>
  /** Finishes open requests and what they queued, then closes everything. */
  stop(): Promise<void>
}

/**
 * Wires everything and starts serving; the database must have been prepared. Throws the first error
 * of a part; the parts that were opened before it have been stopped then.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { logger } = options
  const opened: Part[] = []
  const composed = await stopOnFailure(logger, opened, () => composeGateway(options, opened))
  const { parts, servers, foundation, banks, portal } = composed
  await stopOnFailure(logger, parts, () => startParts(parts))
  return {
    addresses: servers.addresses(),
    metrics: foundation.metrics,
    linkStates: banks.linkStates,
    useTicketKeys: servers.useTicketKeys,
    portalRoutes: portal.apiRoutes,
    leave: servers.leave,
    stop: () => stopParts(parts),
  }
}

/** Parts of which each needs the foundation only. */
const PLAIN_PARTS = [wireRetention, wireFees, wireSettlement, wireMail, wireAuditPush] as const

/** Wires the parts; `opened` receives each one that needs a stop, as soon as it is wired. */
async function composeGateway(options: GatewayOptions, opened: Part[]) {
  let worker: Worker | null = null
  const wake = (job: string): void => worker?.wake(job)
  const keep = <Opened extends Part>(part: Opened): Opened => {
    opened.push(part)
    return part
  }
  const foundation = await layFoundation(options)
  const database = keep(wireDatabase(foundation))
  const audit = wireAudit(foundation)
  keep(audit.log)
  const vaultParts = keep(await wireVault(foundation, options.vaultSocket ?? null))
  const { evidence, vault, seal, keyedDigest } = vaultParts
  const banks = keep(wireBanks(foundation, seal))
  const requests = keep(wireRequestLog(foundation))
  const volume = keep(wireRequestVolume(foundation))
  const logins = keep(wireLogins(foundation, keyedDigest))
  const access = accessOf(logins, volume)
  const tokens = wireCardTokens(foundation, vaultParts, {
    formAddress: requests.formAddress,
    allowSite: (siteId) => volume.allow(`site ${siteId}`, null),
  })
  const { cardTokens, findTokenSite } = keep(tokens)
  const address = { ...access, ...requests.formAddress }
  const threeDs = keep(wireThreeDs(foundation, vaultParts, cardTokens, address))
  const cardTesting = keep(wireCardTesting(foundation, keyedDigest))
  const stores = wireMembershipStores(foundation)
  const turns = wireTurns(foundation, options.turnLimits ?? {})
  const traces = keep(wireTraces(foundation, banks.linkStates))
  const needed = { vault, processor: lendWhileAsking(banks.processor, turns), traces, ...stores }
  const ports = wirePorts(foundation, needed, options.changePorts)
  const payments = wirePayments(foundation, {
    traces,
    ports,
    vault,
    keyedDigest,
    cardTesting: cardTesting.velocityRules,
    threeDs: threeDs.payments,
    turns,
    cardTokens,
    memberships: stores.sales,
    cardRenewed: retryWithNewExpiry(foundation, ports.renewals),
    wake,
  })
  const { takePayment, adjustOrder } = keep(payments)
  const needs = { stores, ports, vault, takePayment, adjustOrder, traces }
  const memberships = keep(wireMemberships(foundation, needs))
  const dueSources = [payments.due, tokens.due, threeDs.due, memberships.due]
  const clocks = keep(wireSiteClocks(foundation, dueSources, access, wake))
  const sandboxNeeds = { access, payments, memberships, wake, addresses: () => servers.addresses() }
  const sandbox = wireSandbox(foundation, vaultParts, sandboxNeeds)
  const portalUses = {
    takePayment,
    adjustOrder,
    changeMembership: memberships.uses.changeMembership,
    logRequest: requests.log,
    findTokenSite,
    clockUses: clocks.uses,
    ...sandbox.uses,
    linkStates: banks.linkStates,
    seal,
  }
  const portal = keep(wirePortal(foundation, vaultParts, portalUses, options.databaseUrl))
  const pmt = { ...address, ...payments.orders, takePayment, turns, ...memberships.uses }

  // A part that others may still write to stops after them, so it stands before them.
  const composed: readonly Part[] = [
    traces,
    database,
    vaultParts,
    audit.log,
    requests,
    volume,
    cardTesting,
    memberships,
    portal,
    logins,
    payments,
    { routes: [programPlugin(foundation.config.publicUrl, pmtService, traces.address(pmt))] },
    banks,
    audit.serving,
    threeDs,
    tokens,
    clocks,
    ...[wireEvents, wireQueries].map((wire) => wire(foundation, { ...address, seal }, wake)),
    ...PLAIN_PARTS.map((wire) => wire(foundation)),
    wireDisputes(foundation, evidence),
    wireWebhooks(foundation, seal, wake, turns.counts),
    ...sandbox.parts,
    wireThrowawaySites(foundation, seal, access, portalUses),
  ]
  const servers = await wireServers(foundation, {
    parts: composed,
    linkStates: banks.linkStates,
    vaultState: vaultParts.state,
    limits: options.httpLimits ?? {},
  })
  if (options.runJobs) worker = startJobs(foundation, jobsOf(composed))
  const parts = partsOf(foundation, composed, servers, () => worker)
  return { parts, servers, foundation, banks, portal }
}

/** All parts in the sequence of their start: what works by itself comes behind what it needs. */
function partsOf(
  foundation: Foundation,
  composed: readonly Part[],
  servers: Part,
  worker: () => Worker | null,
): readonly Part[] {
  return [
    ...composed,
    { drain: () => worker()?.stop() ?? Promise.resolve() },
    wireFollowers(foundation, followersOf([...composed, servers])),
    servers,
  ]
}

function jobsOf(parts: readonly Part[]): readonly Job[] {
  return parts.flatMap((part) => part.jobs ?? [])
}

function followersOf(parts: readonly Part[]): readonly Job[] {
  return parts.flatMap((part) => part.followers ?? [])
}

/** How API users log in, and how many requests each may send. */
function accessOf(
  { authenticate }: Pick<ReturnType<typeof wireLogins>, 'authenticate'>,
  volume: Pick<ReturnType<typeof wireRequestVolume>, 'allow'>,
) {
  const allowRequest = ({ id, requestRate }: ApiUser) => volume.allow(`user ${id}`, requestRate)
  return { authenticate, allowRequest }
}
