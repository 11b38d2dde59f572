import { Counter, Gauge, type Registry } from 'prom-client'
import { createAccessMetrics, type AccessMetrics } from './access-metrics.ts'

/** Requests of merchants: how many are in work and waiting, and how many were refused so far. */
export interface TurnCounts {
  readonly inWork: number
  readonly waiting: number
  readonly refused: number
}

/** Connections of clients: how many there are, and how many were cut since the start, by reason. */
export interface ConnectionCounts {
  readonly open: number
  readonly cut: Readonly<Record<string, number>>
}

/** The metrics of clients, registered once their source is known. */
export interface TrafficMetrics extends AccessMetrics {
  watchConnections(read: () => ConnectionCounts): void
  watchTurns(read: () => TurnCounts): void
}

export function trafficMetrics(registers: Registry[]): TrafficMetrics {
  return {
    ...createAccessMetrics(registers),
    watchConnections: (read) => watchConnections(registers, read),
    watchTurns: (read) => watchTurns(registers, read),
  }
}

function watchTurns(registers: Registry[], read: () => TurnCounts): void {
  void new Gauge({
    name: 'tollgate_requests_in_work',
    help: 'Requests at the payment address that have a place, or wait for one (state).',
    labelNames: ['state'],
    aggregator: 'sum',
    registers,
    collect() {
      this.set({ state: 'working' }, read().inWork)
      this.set({ state: 'waiting' }, read().waiting)
    },
  })
  void new Counter({
    name: 'tollgate_requests_refused_total',
    help: 'Requests at the payment address answered 503 because too many waited for a place.',
    registers,
    collect() {
      this.reset()
      this.inc(read().refused)
    },
  })
}

function watchConnections(registers: Registry[], read: () => ConnectionCounts): void {
  void new Gauge({
    name: 'tollgate_connections_open',
    help: 'Open client connections.',
    aggregator: 'sum',
    registers,
    collect() {
      this.set(read().open)
    },
  })
  void new Counter({
    name: 'tollgate_connections_cut_total',
    help:
      'Closed client connections: limit reached (full, address), response not read (unread), ' +
      'no request (quiet).',
    labelNames: ['why'],
    registers,
    collect() {
      this.reset()
      for (const [why, count] of Object.entries(read().cut)) this.inc({ why }, count)
    },
  })
}
