import type { Currency } from './currency.ts'

export * from '@tollgate/kernel/money'

/** An amount: always whole minor units, never a fraction. */
export interface Money {
  readonly minor: bigint
  readonly currency: Currency
}
