import type { PaymentSums } from '@tollgate/portal-contract/answers/home'

/** Approved of all that a bank or the gateway decided, 0 to 1; null where nothing was. */
export function rateOf({
  approved,
  declined,
}: Pick<PaymentSums, 'approved' | 'declined'>): number | null {
  return approved + declined === 0 ? null : approved / (approved + declined)
}

/** `98.3 %`; 100 only where nothing was declined. */
export function rateText(rate: number | null): string {
  if (rate === null) return '–'
  if (rate === 1) return '100 %'
  return `${(Math.floor(rate * 1000) / 10).toFixed(1)} %`
}
