import { Gauge, type Registry } from 'prom-client'
import type { PoolCount, StandbyLag } from '../../base/database-load.ts'

type ReadPools = () => readonly PoolCount[]

/**
 * The connections of the process; returns how to set their source. They are counted before the
 * queries of metrics that are made after them.
 */
export function createPoolMetrics(registers: Registry[]): (read: ReadPools) => void {
  let read: ReadPools = () => []
  void new Gauge({
    name: 'tollgate_database_connections',
    help: 'Connections to the database, by pool: used or idle.',
    labelNames: ['pool', 'state'],
    aggregator: 'sum',
    registers,
    collect() {
      for (const { idle, open, pool } of read()) {
        this.set({ pool, state: 'used' }, open - idle)
        this.set({ pool, state: 'idle' }, idle)
      }
    },
  })
  void new Gauge({
    name: 'tollgate_database_waiting',
    help: 'Statements and transactions that wait for a connection to the database, by pool.',
    labelNames: ['pool'],
    aggregator: 'sum',
    registers,
    collect() {
      for (const { pool, waiting } of read()) this.set({ pool }, waiting)
    },
  })
  return (source) => {
    read = source
  }
}

/** Reads the lag of standbys whenever the metrics are asked for. */
export function watchStandbys(
  registry: Registry,
  readLag: () => Promise<readonly StandbyLag[]>,
): void {
  // Both gauges ask at once, and one look serves them.
  let reading: Promise<readonly StandbyLag[]> | null = null
  const look = (): Promise<readonly StandbyLag[]> => {
    // Unknown while the database is away: the values before would be taken for true.
    reading ??= readLag()
      .catch(() => [])
      .finally(() => (reading = null))
    return reading
  }
  const gauge = (name: string, help: string, valueOf: (lag: StandbyLag) => number): void => {
    void new Gauge({
      name,
      help,
      labelNames: ['standby'],
      aggregator: 'max',
      registers: [registry],
      async collect() {
        const standbys = await look()
        this.reset()
        for (const lag of standbys) this.set({ standby: lag.standby }, valueOf(lag))
      },
    })
  }
  gauge(
    'tollgate_database_standby_lag_bytes',
    'Log that a standby of the database has not replayed, in bytes.',
    ({ bytes }) => bytes,
  )
  gauge(
    'tollgate_database_standby_lag_seconds',
    'Time from a commit to its replay on a standby of the database, as measured last.',
    ({ seconds }) => seconds,
  )
}
