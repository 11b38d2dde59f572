import { Gauge, type Registry } from 'prom-client'

/** Reads the age of the oldest fact without an event whenever the metrics are asked for. */
export function watchOutbox(registry: Registry, readAgeSeconds: () => Promise<number>): void {
  void new Gauge({
    name: 'tollgate_event_outbox_oldest_seconds',
    help: 'Age of the oldest fact without an event, in seconds; 0 without one.',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      try {
        this.set(await readAgeSeconds())
      } catch {
        // Unknown while the database is away: the value before would be taken for true.
        this.reset()
      }
    },
  })
}
