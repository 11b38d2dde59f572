import { isDeepStrictEqual } from 'node:util'
import { refused, type Result } from '../../base/refusal.ts'
import { CARD_BRANDS, type CardBrand } from '../payments/card.ts'

/** The fields that an account can require, with the SERVICE code for a payment without one. */
export const REQUIRED_FIELD_SERVICE = {
  security_code: 200,
  country: 201,
  birthday: 202,
  ssn: 203,
  address: 204,
  city: 205,
  state: 206,
  postal_code: 207,
  phone: 208,
  ip_address: 209,
  tax_number: 210,
  email: 211,
  first_name: 212,
  last_name: 213,
} as const

export type RequiredField = keyof typeof REQUIRED_FIELD_SERVICE

/** In the sequence of their codes. */
export const REQUIRED_FIELDS = Object.keys(REQUIRED_FIELD_SERVICE) as readonly RequiredField[]

const BRAND_SERVICE = 522

/** The demands of an account's acquirer on a payment. */
export interface AccountDemands {
  /** The brands that it takes, at least one; null for all. */
  readonly brands: readonly CardBrand[] | null
  readonly requiredFields: readonly RequiredField[]
}

export const NO_DEMANDS: AccountDemands = { brands: null, requiredFields: [] }

/** Whether an account demands anything: most payments need no look at their fields. */
export function hasDemands({ brands, requiredFields }: AccountDemands): boolean {
  return brands !== null || requiredFields.length > 0
}

/** The facts of a payment that the demands are about. */
export interface DemandedPayment {
  /** Null for a number of no known brand, which the bank declines. */
  readonly brand: CardBrand | null
  readonly stated: ReadonlySet<RequiredField>
  /** Whether a missing field declines: not for saved cards, whose first payment had all. */
  readonly asksForFields: boolean
}

/**
 * The SERVICE code with which the demands of an account decline a payment: the brand first, then
 * the missing field with the lowest code. Null lets the payment go on.
 */
export function declinedByDemands(
  { brands, requiredFields }: AccountDemands,
  { asksForFields, brand, stated }: DemandedPayment,
): number | null {
  if (brands !== null && brand !== null && !brands.includes(brand)) return BRAND_SERVICE
  if (!asksForFields) return null
  const missing = REQUIRED_FIELDS.find(
    (field) => requiredFields.includes(field) && !stated.has(field),
  )
  return missing === undefined ? null : REQUIRED_FIELD_SERVICE[missing]
}

/** The demands that an account has after a change, each list without repetitions and sorted. */
export function decideDemands(
  id: bigint,
  before: AccountDemands,
  { brands, requiredFields }: AccountDemands,
): Result<{ readonly demands: AccountDemands }> {
  if (brands?.length === 0) {
    const sentence = 'An account takes at least one brand. To stop all, disable the merchant.'
    return refused('invalid', sentence, { field: 'brands' })
  }
  const demands = sorted({ brands, requiredFields })
  return isDeepStrictEqual(sorted(before), demands)
    ? refused('conflict', `Account ${id} has these demands already.`)
    : { ok: true, demands }
}

function sorted({ brands, requiredFields }: AccountDemands): AccountDemands {
  return {
    brands: brands === null ? null : CARD_BRANDS.filter((brand) => brands.includes(brand)),
    requiredFields: REQUIRED_FIELDS.filter((field) => requiredFields.includes(field)),
  }
}

/** Whether a change lets in a payment that was declined before. */
export function relaxesDemands(before: AccountDemands, after: AccountDemands): boolean {
  const taken = before.brands
  const takesMore =
    taken !== null &&
    (after.brands === null || after.brands.some((brand) => !taken.includes(brand)))
  return takesMore || before.requiredFields.some((field) => !after.requiredFields.includes(field))
}

/** Demands as text, for requests and the audit log. */
export function demandsText({ brands, requiredFields }: AccountDemands): string {
  const fields = requiredFields.length === 0 ? 'no fields' : requiredFields.join(', ')
  return `brands ${brands === null ? 'all' : brands.join(', ')}; required ${fields}`
}
