/** `2026-11-21 16:00`, `2026-11-21` or `2026-11`: a point of a chart, in UTC. */
export function pointText(from: string, unit: 'hour' | 'day' | 'month'): string {
  if (unit === 'month') return from.slice(0, 7)
  return unit === 'day' ? from.slice(0, 10) : from.slice(0, 16).replace('T', ' ')
}
