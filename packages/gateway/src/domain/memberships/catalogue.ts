import { refused, type Refusal } from '../../base/refusal.ts'
import { siteChangedMeanwhile } from '../merchants/refused-site.ts'
import { isSameDefinition, type ProductDefinition } from './product.ts'

/** `strict` sells what the catalogue has, and nothing else. */
export type CatalogueMode = 'open' | 'strict'

export interface CatalogueEntry {
  readonly productId: string
  /** Null for a product that is sold once. */
  readonly definition: ProductDefinition | null
}

/**
 * Why products may not be added; null for nothing. A product is never changed, and a definition is
 * that of one product.
 * @param stored the site's products with an id or a definition of the new ones, or more of them
 */
export function decideNewProducts(
  siteId: bigint,
  added: readonly CatalogueEntry[],
  stored: readonly CatalogueEntry[],
): Refusal | null {
  for (const [at, { productId, definition }] of added.entries()) {
    const others = [...stored, ...added.slice(0, at)]
    if (others.some((other) => other.productId === productId)) {
      return refused(
        'conflict',
        `Site ${siteId} has a product ${productId} already; a product is never changed, ` +
          'so add another one.',
        { field: 'id', code: 'product_exists' },
      )
    }
    if (others.some((other) => isSame(definition, other.definition))) {
      return refused(
        'conflict',
        `Site ${siteId} has a product of the same definition as ${productId}; sell that one, ` +
          'or choose another name.',
        { field: 'name', code: 'product_exists' },
      )
    }
  }
  return null
}

function isSame(left: ProductDefinition | null, right: ProductDefinition | null): boolean {
  return left !== null && right !== null && isSameDefinition(left, right)
}

export function noSuchProduct(siteId: bigint, productId: string): Refusal {
  return refused('missing', `Site ${siteId} has no product ${productId}.`)
}

/** Why the mode may not be set; null for nothing. `seen`: null for a caller who saw none. */
export function decideCatalogueMode(
  siteId: bigint,
  before: CatalogueMode,
  seen: CatalogueMode | null,
): Refusal | null {
  return seen === null || seen === before ? null : siteChangedMeanwhile(siteId)
}
