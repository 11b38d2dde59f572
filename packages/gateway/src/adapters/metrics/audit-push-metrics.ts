import { Counter, Gauge, type Registry } from 'prom-client'

/** The entries that the receiver lacks. */
export interface AuditPushLag {
  readonly entries: number
  /** How long the oldest of them waits, in seconds; 0 without one. */
  readonly seconds: number
}

/** Reads the lag whenever the metrics are asked for; returns the counter of failures. */
export function watchAuditPush(
  registry: Registry,
  readLag: () => Promise<AuditPushLag>,
): () => void {
  const entries = new Gauge({
    name: 'tollgate_audit_push_lag_entries',
    help: 'Entries of the audit log that its receiver lacks.',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      try {
        const lag = await readLag()
        this.set(lag.entries)
        seconds.set(lag.seconds)
      } catch {
        // Unknown while the database is away.
        this.reset()
        seconds.reset()
      }
    },
  })
  void entries
  const seconds: Gauge = new Gauge({
    name: 'tollgate_audit_push_lag_seconds',
    help: 'How long the oldest entry waits for the receiver of the audit log; 0 without one.',
    aggregator: 'max',
    registers: [registry],
  })
  const failures = new Counter({
    name: 'tollgate_audit_push_failures_total',
    help: 'Batches of the audit log that the receiver did not take.',
    registers: [registry],
  })
  return () => failures.inc()
}
