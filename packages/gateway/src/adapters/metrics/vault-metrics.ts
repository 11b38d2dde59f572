import { Histogram, type Registry } from 'prom-client'

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5, 10]

/** Counts how long this process waited for answers of the vault process. */
export function createVaultWaits(registry: Registry): (operation: string, seconds: number) => void {
  const waits = new Histogram({
    name: 'tollgate_vault_request_seconds',
    help: 'Wait of gateway processes for an answer of the vault process, by operation.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers: [registry],
  })
  return (operation, seconds) => waits.observe({ operation }, seconds)
}
