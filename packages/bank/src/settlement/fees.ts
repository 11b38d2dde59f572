import { decimalsOf } from '../issuer/currencies.ts'
import type { BrandFees, FeePart, FeePlan } from './fee-plans.ts'
import { FEE_NAMES } from './settlement-line.ts'
import type { FeeName, Fees } from './settlement-line.ts'

const MILLION = 1_000_000n

/**
 * A fee in minor units of the currency (ISO 4217 numeric), above zero for an amount above zero.
 * Share and fixed part are added before one rounding, half away from zero.
 */
export function feeOf(part: FeePart, minor: bigint, currency: string): bigint {
  const unit = 10n ** BigInt(decimalsOf(currency))
  const sign = minor < 0n ? -1n : 1n
  return divide(minor * part.rateMillionths + sign * part.fixedMillionths * unit, MILLION)
}

/** The fees of a sale: all are charged, so none is above zero. Parts of zero are left out. */
export function saleFees(plan: FeePlan, brand: string, minor: bigint, currency: string): Fees {
  const parts = brandFees(plan, brand)
  return withoutZeros((name) => {
    const part = parts[name]
    return part === undefined ? 0n : -feeOf(part, minor, currency)
  })
}

/** The fees of a refund: its interchange comes back, and the acquirer charges for the refund. */
export function refundFees(plan: FeePlan, brand: string, minor: bigint, currency: string): Fees {
  const { interchange } = brandFees(plan, brand)
  return withoutZeros((name) => {
    if (name === 'acquirer') return -feeOf(plan.refund, minor, currency)
    if (name !== 'interchange' || interchange === undefined) return 0n
    return feeOf({ ...interchange, fixedMillionths: 0n }, minor, currency)
  })
}

/** Half away from zero. */
export function divide(value: bigint, by: bigint): bigint {
  const size = value < 0n ? -value : value
  const rounded = (size + by / 2n) / by
  return value < 0n ? -rounded : rounded
}

function brandFees({ brands }: FeePlan, brand: string): BrandFees {
  return Object.hasOwn(brands, brand) ? (brands[brand] ?? brands.other) : brands.other
}

function withoutZeros(fee: (name: FeeName) => bigint): Fees {
  const entries = FEE_NAMES.map((name) => [name, fee(name)] as const)
  return Object.fromEntries(entries.filter(([, minor]) => minor !== 0n))
}
