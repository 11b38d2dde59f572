import { Counter, type Registry } from 'prom-client'

/** Counts the spans of traces. */
export interface TraceCounts {
  exported(spans: number): void
  dropped(why: 'queue' | 'collector' | 'refused', spans: number): void
}

export function createTraceCounts(registry: Registry): TraceCounts {
  const registers = [registry]
  const exported = new Counter({
    name: 'tollgate_trace_spans_exported_total',
    help: 'Spans that the collector of TRACES_URL has taken.',
    registers,
  })
  const dropped = new Counter({
    name: 'tollgate_trace_spans_dropped_total',
    help: 'Spans that were dropped: no room (queue), away (collector), not taken (refused).',
    labelNames: ['why'],
    registers,
  })
  // Prometheus sees no increase in the first value of a series.
  for (const why of ['queue', 'collector', 'refused']) dropped.inc({ why }, 0)
  return {
    exported: (spans) => exported.inc(spans),
    dropped: (why, spans) => dropped.inc({ why }, spans),
  }
}
