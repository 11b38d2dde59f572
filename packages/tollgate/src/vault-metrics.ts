import { Counter, Gauge, type Registry } from 'prom-client'

/** The metrics of the vault process, which reports what it has done to the supervisor. */
export interface VaultMetrics {
  setUp(isUp: boolean): void
  /** Adds up the reports of one run of the process. */
  follow(listen: (listener: (message: unknown) => void) => void): void
}

export function createVaultMetrics(registry: Registry): VaultMetrics {
  const registers = [registry]
  const up = new Gauge({
    name: 'tollgate_vault_process_up',
    help: 'Whether the vault process of this node runs; 0 where VAULT_PROCESS is off, too.',
    registers,
  })
  const restarts = new Counter({
    name: 'tollgate_vault_process_restarts_total',
    help: 'Unexpected ends of the vault process; it was started again.',
    registers,
  })
  const counters = {
    request: new Counter({
      name: 'tollgate_vault_requests_total',
      help: 'Requests that the vault process answered, by operation and outcome.',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    opening: new Counter({
      name: 'tollgate_vault_openings_total',
      help: 'Card numbers and secrets that the vault process gave out, by reason or purpose.',
      labelNames: ['purpose'],
      registers,
    }),
    limited: new Counter({
      name: 'tollgate_vault_openings_limited_total',
      help: 'Card numbers that were not given out, because VAULT_OPENINGS_PER_MINUTE was reached.',
      registers,
    }),
    turnedAway: new Counter({
      name: 'tollgate_vault_turned_away_total',
      help: 'Connections to the vault process that it closed: no secret, or a malformed frame.',
      registers,
    }),
  }
  return {
    setUp(isUp) {
      up.set(isUp ? 1 : 0)
      if (!isUp) restarts.inc()
    },
    follow(listen) {
      const seen = new Map<string, number>()
      /** The part of a count that the last report of the same run did not have. */
      const added = (key: string, count: number): number => {
        const before = seen.get(key) ?? 0
        seen.set(key, count)
        return Math.max(0, count - before)
      }
      listen((message) => {
        const figures = figuresOf(message)
        if (figures === null) return
        for (const { operation, count, outcome } of figures.requests)
          counters.request.inc({ operation, outcome }, added(`${operation}: ${outcome}`, count))
        for (const [purpose, count] of Object.entries(figures.openings))
          counters.opening.inc({ purpose }, added(`opened: ${purpose}`, count))
        counters.limited.inc(added('limited', figures.limited))
        counters.turnedAway.inc(added('turned away', figures.turnedAway))
      })
    },
  }
}

interface Figures {
  readonly requests: readonly {
    readonly operation: string
    readonly outcome: string
    readonly count: number
  }[]
  readonly openings: Readonly<Record<string, number>>
  readonly limited: number
  readonly turnedAway: number
}

/** A report of the vault process, which is our own program; null for any other message. */
function figuresOf(message: unknown): Figures | null {
  const isReport =
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    message.kind === 'figures' &&
    'figures' in message
  return isReport ? (message.figures as Figures) : null
}
