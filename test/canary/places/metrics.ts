import type { Place } from '../place.ts'

/** The metrics that Prometheus reads, labels included. */
export const metrics: Place = {
  name: 'metrics',
  when: 'running',
  async *collect(run) {
    yield await metricsAt(run.metricsUrl)
  },
}

export async function metricsAt(url: string): Promise<{ name: string; bytes: Buffer }> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The metrics were answered with ${response.status}.`)
  return { name: 'the metrics', bytes: Buffer.from(await response.text()) }
}
