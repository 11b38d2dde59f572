import { Counter, type Registry } from 'prom-client'

/** Counts the rows that were erased because their days of retention were over. */
export function createRetentionCounter(registry: Registry): (kind: string, count: number) => void {
  const erased = new Counter({
    name: 'tollgate_retention_erased_total',
    help: 'Rows that were erased because their days of retention were over, by kind.',
    labelNames: ['kind'],
    registers: [registry],
  })
  return (kind, count) => erased.inc({ kind }, count)
}
