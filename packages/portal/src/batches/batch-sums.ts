import type { BatchSum } from '@tollgate/portal-contract/answers/batches'

export const ACTIONS = { sale: 'Sale', capture: 'Capture', refund: 'Refund' } as const

export interface CurrencyMinor {
  readonly currency: string
  readonly minor: bigint
}

export function transactionsOf(sums: readonly BatchSum[]): number {
  return sums.reduce((count, { transactions }) => count + transactions, 0)
}

/** Sums by currency, in the sequence of their codes; currencies are never added. */
function byCurrency(
  sums: readonly BatchSum[],
  minorOf: (sum: BatchSum) => bigint,
): CurrencyMinor[] {
  const found = new Map<string, bigint>()
  for (const sum of sums) found.set(sum.currency, (found.get(sum.currency) ?? 0n) + minorOf(sum))
  return [...found]
    .map(([currency, minor]) => ({ currency, minor }))
    .toSorted((left, right) => (left.currency < right.currency ? -1 : 1))
}

/** Sales and captures, less their voids. */
export function salesOf(sums: readonly BatchSum[]): CurrencyMinor[] {
  return byCurrency(
    sums.filter(({ action }) => action !== 'refund'),
    ({ amountMinor, voidedMinor }) => BigInt(amountMinor) - BigInt(voidedMinor),
  )
}

export function refundsOf(sums: readonly BatchSum[]): CurrencyMinor[] {
  return byCurrency(
    sums.filter(({ action }) => action === 'refund'),
    ({ amountMinor }) => BigInt(amountMinor),
  )
}

/** Sales less refunds. */
export function netOf(sums: readonly BatchSum[]): CurrencyMinor[] {
  return byCurrency(sums, ({ action, amountMinor, voidedMinor }) =>
    action === 'refund' ? -BigInt(amountMinor) : BigInt(amountMinor) - BigInt(voidedMinor),
  )
}
