import { timeText } from '../parts/when.tsx'

/** `2026-11-21 16:00`, `2026-11-21` or `2026-11`: a point of a chart, in the merchant's zone. */
export function pointText(from: string, unit: 'hour' | 'day' | 'month'): string {
  return timeText(from).slice(0, { hour: 16, day: 10, month: 7 }[unit])
}
