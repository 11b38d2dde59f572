import { Gauge, type Registry } from 'prom-client'

/** Reports how many settlement files of the bundled bank are refused at present. */
export function watchRefusedFiles(registry: Registry, countRefused: () => number): void {
  void new Gauge({
    name: 'tollgate_settlement_files_refused',
    help: 'Settlement files of the bundled bank that the gateway refuses to import.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(countRefused())
    },
  })
}
