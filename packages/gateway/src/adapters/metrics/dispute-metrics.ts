import { Gauge, type Registry } from 'prom-client'

/** Reports how many accounts have notices about disputes that are refused at present. */
export function watchRefusedNotices(registry: Registry, countRefused: () => number): void {
  void new Gauge({
    name: 'tollgate_dispute_notices_refused',
    help: 'Merchant accounts of which the bundled bank has notices that the gateway refuses.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(countRefused())
    },
  })
}

/** Reports how much of both limits of each monitoring programme an account has reached. */
export function watchProgrammes(
  registry: Registry,
  readPercents: () => ReadonlyMap<string, number>,
): void {
  void new Gauge({
    name: 'tollgate_dispute_programme_percent',
    help: 'The highest share of both limits of a monitoring programme, of all merchant accounts.',
    labelNames: ['programme'],
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.reset()
      for (const [programme, percent] of readPercents()) this.set({ programme }, percent)
    },
  })
}
