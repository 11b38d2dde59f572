import { invariant } from '../../../base/invariant.ts'
import { findCurrency } from '../../../domain/currency.ts'
import type { PeriodMetric } from '../../../domain/memberships/calendar.ts'
import type { ProductTerms, ProductType } from '../../../domain/memberships/product.ts'
import type { CatalogueProduct } from '../../../usecases/merchants/merchant-directory.ts'

export interface ProductRow {
  readonly code: string
  readonly active: boolean
  /** Null, with the next four, for a product that is sold once. */
  readonly type: ProductType | null
  readonly metric: PeriodMetric | null
  readonly period: number | null
  readonly price_minor: string | null
  readonly currency: string | null
}

/** The columns that `catalogueProduct` reads, of `products`. */
export const PRODUCT_COLUMNS = 'code, active, type, metric, period, price_minor, currency'

export function catalogueProduct(row: ProductRow): CatalogueProduct {
  return { active: row.active, terms: termsOf(row) }
}

function termsOf({
  type,
  metric,
  period,
  price_minor: minor,
  currency: code,
}: ProductRow): ProductTerms | null {
  if (type === null || metric === null || period === null || minor === null || code === null)
    return null
  const currency = findCurrency(code)
  invariant(currency !== null, 'a stored product has an unknown currency')
  return { type, period: { metric, length: period }, price: { minor: BigInt(minor), currency } }
}
