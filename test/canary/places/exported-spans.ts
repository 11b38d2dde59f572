import type { Place } from '../place.ts'

/** Every request of the gateway to the collector of traces, its last spans included. */
export const exportedSpans: Place = {
  name: 'exported spans',
  when: 'stopped',
  *collect(run) {
    for (const body of run.spans()) yield { name: 'exported spans', bytes: Buffer.from(body) }
  },
}
