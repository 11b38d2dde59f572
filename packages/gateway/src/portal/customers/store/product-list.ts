import type pg from 'pg'
import {
  catalogueProduct,
  PRODUCT_COLUMNS,
  type ProductRow,
} from '../../../adapters/postgres/memberships/product-rows.ts'
import type { Catalogue, ProductView } from '../usecases/products.ts'

interface Row extends ProductRow {
  readonly name: string
  readonly created_at: Date
}

interface CountRow {
  readonly product: string
  readonly active: number
  readonly past_due: number
  readonly cancel_scheduled: number
  readonly over: number
}

/** Payments may define products; who has more than these looks for them by name. */
const SHOWN = 500

/**
 * The products of a site, at most 500: all, or those with `search` in id or name. Null if the
 * merchant has no such site.
 */
export async function readCatalogue(
  pool: pg.Pool,
  merchantId: bigint,
  siteId: bigint,
  search: string,
): Promise<Catalogue | null> {
  const [{ rows: sites }, { rows }, { rows: counts }, { rows: coming }] = await Promise.all([
    pool.query<{ catalogue: 'open' | 'strict' }>(
      'select catalogue from sites where id = $1 and merchant_id = $2',
      [siteId, merchantId],
    ),
    pool.query<Row>(
      `select ${PRODUCT_COLUMNS}, name, created_at from products
        where site_id = $1 and (position(lower($2) in lower(name)) > 0 or position(lower($2) in lower(code)) > 0)
        order by active desc, type is null, name, code limit ${SHOWN}`,
      [siteId, search],
    ),
    pool.query<CountRow>(
      `select product, (count(*) filter (where state = 'active'))::int as active,
              (count(*) filter (where state = 'past_due'))::int as past_due,
              (count(*) filter (where state = 'cancel_scheduled'))::int as cancel_scheduled,
              (count(*) filter (where over_at is not null))::int as over
         from memberships where site_id = $1 and merchant_id = $2 group by product`,
      [siteId, merchantId],
    ),
    pool.query<{ product: string; count: number }>(
      `select next_product as product, count(*)::int as count from memberships
        where site_id = $1 and merchant_id = $2 and next_product is not null group by next_product`,
      [siteId, merchantId],
    ),
  ])
  const [site] = sites
  if (site === undefined) return null
  const countOf = new Map(counts.map((count) => [count.product, count]))
  const comingTo = new Map(coming.map(({ product, count }) => [product, count]))
  const products = rows.map(({ name, created_at: createdAt, ...row }): ProductView => {
    const { active, terms } = catalogueProduct(row)
    const count = countOf.get(row.code)
    return {
      siteId,
      productId: row.code,
      name,
      active,
      terms: terms && {
        type: terms.type,
        period: terms.period,
        priceMinor: terms.price.minor,
        currency: terms.price.currency.code,
      },
      createdAt,
      memberships: {
        active: count?.active ?? 0,
        pastDue: count?.past_due ?? 0,
        cancelScheduled: count?.cancel_scheduled ?? 0,
        over: count?.over ?? 0,
        coming: comingTo.get(row.code) ?? 0,
      },
    }
  })
  return { siteId, rule: site.catalogue, products, isCut: products.length === SHOWN }
}
