import type { PaymentSums } from '@tollgate/portal-contract/answers/home'

/** Approved of all that a bank or the gateway decided, 0 to 1; null where nothing was. */
export function rateOf({
  approved,
  declined,
}: Pick<PaymentSums, 'approved' | 'declined'>): number | null {
  return approved + declined === 0 ? null : approved / (approved + declined)
}

/** Fewer payments than this have no point in the line of the chart: one decline would be 0 %. */
const LEAST_FOR_POINT = 5

/** The approval rate as the line of the chart shows it, in percent; null for no point. */
export function linePoint(point: Pick<PaymentSums, 'approved' | 'declined'>): number | null {
  const rate = rateOf(point)
  return rate === null || point.approved + point.declined < LEAST_FOR_POINT ? null : rate * 100
}

/** `98.3 %`; 100 only where nothing was declined. */
export function rateText(rate: number | null): string {
  if (rate === null) return '–'
  if (rate === 1) return '100 %'
  return `${(Math.floor(rate * 1000) / 10).toFixed(1)} %`
}
