import { hostname } from 'node:os'
import { createLinkNames } from '../adapters/metrics/link-metrics.ts'
import { createTraceCounts } from '../adapters/metrics/trace-metrics.ts'
import { createCollector } from '../adapters/traces/collector.ts'
import { traceFields } from '../adapters/traces/current-trace.ts'
import { encodeTraces } from '../adapters/traces/otlp-json.ts'
import { createSpanQueue, type SpanQueue } from '../adapters/traces/span-queue.ts'
import {
  traceDelivery,
  tracedAdvices,
  tracedIssuer,
  tracedPayments,
  tracedProcessor,
  tracedTokens,
  tracedVault,
  traceRenewal,
} from '../adapters/traces/traced-ports.ts'
import { createTracer, type Tracer } from '../adapters/traces/tracer.ts'
import type { GatewayConfig } from '../config/config.ts'
import { ACTION_NAMES } from '../http/payment/actions.ts'
import type { PmtServiceDeps } from '../http/payment/pmt-service.ts'
import type { LinkStateView } from '../usecases/banks/processor-links.ts'
import type { CardTokens } from '../usecases/card-tokens/use-card-token.ts'
import type { RecordCharge } from '../usecases/memberships/renew-memberships.ts'
import type { AdviceDeliveryDeps } from '../usecases/payments/deliver-advices.ts'
import type { ThreeDsDeps } from '../usecases/three-ds/three-ds-deps.ts'
import type { CardVault } from '../usecases/vault/card-vault.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import type { GatewayPorts } from './ports.ts'
import { readProgramVersions } from './program-version.ts'

interface TracedNeeds {
  readonly vault: CardVault
  readonly cardTokens: CardTokens
  readonly threeDs: ThreeDsDeps
}
type AddressDeps = Omit<PmtServiceDeps, 'isReady' | 'traces'>

/** Puts the recorder of traces in front of what payments use. Without one, all stays as it is. */
export interface Traces extends Part {
  ports(ports: GatewayPorts): GatewayPorts
  payments<Needs extends TracedNeeds>(needs: Needs): Needs & Pick<AdviceDeliveryDeps, 'recorded'>
  /** Null: renewals are not traced. */
  readonly renewals: RecordCharge | null
  address(deps: AddressDeps): AddressDeps & Pick<PmtServiceDeps, 'traces'>
}

const COLLECTOR_TIMEOUT_MS = 10_000
/** How long a stop may take to send the last spans. */
const LAST_SPANS_MS = 2_000

/** Options of the process' logger: lines within a trace name it. */
export function traceOptions({ traces }: Pick<GatewayConfig, 'traces'>): {
  readonly mixin?: typeof traceFields
} {
  return traces === null ? {} : { mixin: traceFields }
}

const NO_TRACES: Traces = {
  ports: (ports) => ports,
  payments: (needs) => ({ ...needs, recorded: null }),
  renewals: null,
  address: (deps) => ({ ...deps, traces: null }),
}

/** Traces of requests and advices for the collector of `TRACES_URL`. */
export function wireTraces(
  foundation: Foundation,
  linkStates: () => readonly LinkStateView[],
): Traces {
  const { config, monotonicMs } = foundation
  const counts = createTraceCounts(foundation.metrics.registry)
  if (config.traces === null) return NO_TRACES
  const { ratio, url } = config.traces
  const queue = createQueue(foundation, url, counts)
  const tracer = createTracer({ ratio, monotonicMs, onEnd: queue.add })
  const linkName = createLinkNames(linkStates)
  return {
    ports: ({ advices, payments, processor, ...others }) => ({
      ...others,
      advices: tracedAdvices(tracer, advices),
      payments: tracedPayments(tracer, payments),
      processor: tracedProcessor(tracer, processor, linkName),
    }),
    payments: (needs) => ({
      ...needs,
      vault: tracedVault(tracer, needs.vault),
      cardTokens: tracedTokens(tracer, needs.cardTokens),
      threeDs: { ...needs.threeDs, server: tracedIssuer(tracer, needs.threeDs.server) },
      recorded: traceDelivery(tracer),
    }),
    renewals: traceRenewal(tracer),
    address: (deps) => tracedAddress(tracer, deps),
    stop: () => queue.stop(LAST_SPANS_MS),
  }
}

/** The payment address: log-in, turns, and what is no payment. */
function tracedAddress(tracer: Tracer, deps: AddressDeps): ReturnType<Traces['address']> {
  const { turns } = deps
  return {
    ...deps,
    traces: tracer,
    authenticate: (...login) => tracer.call('log in', () => deps.authenticate(...login)),
    turns: {
      ...turns,
      begin(sender) {
        const turn = turns.begin(sender)
        return turn === null ? null : tracer.call('wait for a turn', () => turn)
      },
    },
    adjustOrder: (command) => tracer.call('adjust order', () => deps.adjustOrder(command)),
    readOrder: (...asked) => tracer.call('read order', () => deps.readOrder(...asked)),
    updateOrder: (...given) => tracer.call('update order', () => deps.updateOrder(...given)),
    changeMembership: (...given) =>
      tracer.call('change membership', () => deps.changeMembership(...given)),
    logRequest(entry) {
      tracer.note(entry)
      deps.logRequest(entry)
    },
  }
}

function createQueue(
  { clock, logger, monotonicMs }: Foundation,
  url: string,
  counts: ReturnType<typeof createTraceCounts>,
): SpanQueue {
  const source = {
    resource: {
      'service.name': 'tollgate',
      'service.version': readProgramVersions().tollgate,
      'host.name': hostname(),
      'process.pid': process.pid,
    },
    actions: new Set(ACTION_NAMES),
  }
  return createSpanQueue({
    collector: createCollector(url, COLLECTOR_TIMEOUT_MS),
    // Read for each batch: the machine's time may be set.
    encode: (traces) => encodeTraces(traces, clock.now().getTime() - monotonicMs(), source),
    monotonicMs,
    counts,
    onTrouble: (reason, dropped) =>
      logger.warn(
        { url, reason, dropped },
        'the collector of TRACES_URL takes no spans: payments go on, and spans are dropped',
      ),
    onRecovery: () => logger.info({ url }, 'the collector of TRACES_URL takes spans again'),
  })
}
