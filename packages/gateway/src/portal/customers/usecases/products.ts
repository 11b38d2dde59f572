import type { Period } from '../../../domain/memberships/calendar.ts'
import type { ProductType } from '../../../domain/memberships/product.ts'

/** A product of a site's catalogue, with all of its parts. */
export interface ProductView {
  readonly siteId: bigint
  readonly productId: string
  readonly name: string
  readonly active: boolean
  /** Null for one that is sold once. */
  readonly terms: {
    readonly type: ProductType
    readonly period: Period
    readonly priceMinor: bigint
    readonly currency: string
  } | null
  readonly createdAt: Date
  /** Memberships of it by what they are; those that are over together. */
  readonly memberships: {
    readonly active: number
    readonly pastDue: number
    readonly cancelScheduled: number
    readonly over: number
    /** Those that go over to it with their next renewal. */
    readonly coming: number
  }
}

export interface Catalogue {
  readonly siteId: bigint
  /** `open` sells any product id; `strict` only what is in the catalogue. */
  readonly rule: 'open' | 'strict'
  readonly products: readonly ProductView[]
  /** There are more than these. */
  readonly isCut: boolean
}
