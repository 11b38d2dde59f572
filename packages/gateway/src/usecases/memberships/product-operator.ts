import type { ProductDefinition } from '../../domain/memberships/product.ts'

/** A product as an operator describes it; the terms are null for one that is sold once. */
export interface ProductDraft {
  readonly productId: string
  readonly name: string
  readonly definition: ProductDefinition | null
}

/** A product of a site's catalogue as it is shown. */
export interface ProductSummary {
  readonly productId: string
  readonly name: string
  /** Such as `19.95 USD every 1 M`; null for one that is sold once. */
  readonly terms: string | null
  readonly active: boolean
  /** Memberships of it that are not over. */
  readonly memberships: number
}
