import { Counter, Gauge, type Registry } from 'prom-client'

/** The metrics of batches that are agreed with a bank. */
export interface BatchMetrics {
  countDiffering(): void
}

/** `readOldest` gives the seconds since the cut-off of the oldest batch without its agreement. */
export function createBatchMetrics(
  registry: Registry,
  readOldest: () => Promise<number>,
): BatchMetrics {
  const registers = [registry]
  const differing = new Counter({
    name: 'tollgate_batches_differing_total',
    help: 'Closed batches of which the bank has other totals.',
    registers,
  })
  void new Gauge({
    name: 'tollgate_batches_unagreed_oldest_seconds',
    help: 'Time since the cut-off of the oldest closed batch that is not agreed yet, in seconds.',
    aggregator: 'max',
    registers,
    async collect() {
      try {
        this.set(await readOldest())
      } catch {
        // Unknown while the database is away: the value before would be taken for true.
        this.reset()
      }
    },
  })
  return { countDiffering: () => differing.inc() }
}
