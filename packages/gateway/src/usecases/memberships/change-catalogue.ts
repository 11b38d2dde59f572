import type { Result } from '../../base/refusal.ts'
import {
  decideCatalogueMode,
  decideNewProducts,
  noSuchProduct,
  type CatalogueEntry,
  type CatalogueMode,
} from '../../domain/memberships/catalogue.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { Transact } from '../audit/audited-transaction.ts'
import { onLockedSite, type LockedSiteTx } from '../merchants/locked-site.ts'
import type { ProductDraft } from './product-operator.ts'

/** The locks, reads and writes of one change of a site's catalogue. */
export interface CatalogueTx extends LockedSiteTx {
  /** Those of the site that have the id or the name of one of `products`. */
  readLike(siteId: bigint, products: readonly ProductDraft[]): Promise<readonly CatalogueEntry[]>
  addProduct(siteId: bigint, product: ProductDraft): Promise<void>
  /** Gives whether there is such a product. */
  hasProduct(siteId: bigint, productId: string): Promise<boolean>
  setActive(siteId: bigint, productId: string, active: boolean): Promise<void>
  readMode(siteId: bigint): Promise<CatalogueMode>
  setMode(siteId: bigint, mode: CatalogueMode): Promise<void>
}

export interface ChangeCatalogue {
  /** Adds all of the products or none. */
  add(siteId: bigint, products: readonly ProductDraft[], by: AuditAuthor): Promise<Result>
  /** Switches a product on or off; memberships of it renew as before. */
  setActive(siteId: bigint, productId: string, active: boolean, by: AuditAuthor): Promise<Result>
  /** `seen`: what the caller takes to be in force; null for a caller who saw none. */
  setMode(
    siteId: bigint,
    mode: CatalogueMode,
    seen: CatalogueMode | null,
    by: AuditAuthor,
  ): Promise<Result>
}

/** Changes of a site's catalogue, decided under the site's lock and on record with it. */
export function createChangeCatalogue(transact: Transact<CatalogueTx>): ChangeCatalogue {
  return {
    add: (siteId, products, by) =>
      onLockedSite(transact, siteId, by, async (tx, entry) => {
        const refusal = decideNewProducts(siteId, products, await tx.readLike(siteId, products))
        if (refusal !== null) return refusal
        for (const product of products) await tx.addProduct(siteId, product)
        await tx.audit(products.map((product) => entry('product.added', detailsOf(product))))
        return { ok: true }
      }),

    setActive: (siteId, productId, active, by) =>
      onLockedSite(transact, siteId, by, async (tx, entry) => {
        if (!(await tx.hasProduct(siteId, productId))) return noSuchProduct(siteId, productId)
        await tx.setActive(siteId, productId, active)
        const operation = active ? 'product.activated' : 'product.deactivated'
        await tx.audit([entry(operation, { product: productId })])
        return { ok: true }
      }),

    setMode: (siteId, mode, seen, by) =>
      onLockedSite(transact, siteId, by, async (tx, entry) => {
        const before = await tx.readMode(siteId)
        const refusal = decideCatalogueMode(siteId, before, seen)
        if (refusal !== null) return refusal
        await tx.setMode(siteId, mode)
        await tx.audit([entry('site.catalogue_set', { before, catalogue: mode })])
        return { ok: true }
      }),
  }
}

function detailsOf({ productId, name, definition }: ProductDraft) {
  if (definition === null) return { product: productId, name }
  const { type, period, price } = definition
  return {
    product: productId,
    name,
    type,
    period: `${period.length}${period.metric}`,
    priceMinor: price.minor.toString(),
    currency: price.currency.code,
  }
}
