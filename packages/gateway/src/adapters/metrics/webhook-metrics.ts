import { Counter, Gauge, type Registry } from 'prom-client'

/** The deliveries that wait, of all endpoints that are not paused. */
export interface DeliveryBacklog {
  readonly pending: number
  /** How late the latest is, by the machine's clock; 0 where none is due. */
  readonly overdueSeconds: number
}

/** Reads the backlog whenever the metrics are asked for; returns the counter of attempts. */
export function watchDeliveries(
  registry: Registry,
  readBacklog: () => Promise<DeliveryBacklog>,
): (outcome: 'delivered' | 'failed') => void {
  const overdue = new Gauge({
    name: 'tollgate_webhook_overdue_seconds',
    help: 'How long the oldest due delivery of a webhook waits, in seconds; 0 without one.',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      try {
        const backlog = await readBacklog()
        this.set(backlog.overdueSeconds)
        pending.set(backlog.pending)
      } catch {
        // Unknown while the database is away.
        this.reset()
        pending.reset()
      }
    },
  })
  void overdue
  const pending: Gauge = new Gauge({
    name: 'tollgate_webhook_deliveries_pending',
    help: 'Deliveries of webhooks that are not concluded, of endpoints that are not paused.',
    aggregator: 'max',
    registers: [registry],
  })
  const attempts = new Counter({
    name: 'tollgate_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return (outcome) => attempts.inc({ outcome })
}
