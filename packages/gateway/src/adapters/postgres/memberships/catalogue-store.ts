import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { CatalogueMode } from '../../../domain/memberships/catalogue.ts'
import type { ProductTerms } from '../../../domain/memberships/product.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { CatalogueTx } from '../../../usecases/memberships/change-catalogue.ts'
import type { ProductSummary } from '../../../usecases/memberships/product-operator.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { lockSite } from '../merchants/locked-site.ts'
import { catalogueProduct, PRODUCT_COLUMNS, type ProductRow } from './product-rows.ts'

/** A site's products by their ids; null for no such site. */
export async function listProducts(
  pool: pg.Pool,
  siteId: bigint,
): Promise<{
  readonly catalogue: CatalogueMode
  readonly products: readonly ProductSummary[]
} | null> {
  const sites = await pool.query<{ catalogue: CatalogueMode }>(
    'select catalogue from sites where id = $1',
    [siteId],
  )
  const [site] = sites.rows
  if (site === undefined) return null
  const { rows } = await pool.query<ProductRow & { name: string; memberships: number }>(
    `select ${PRODUCT_COLUMNS}, name,
            (select count(*)::int from memberships m
              where m.site_id = p.site_id and m.product = p.code
                and m.over_at is null) as memberships
       from products p where site_id = $1 order by code`,
    [siteId],
  )
  const products = rows.map(({ name, memberships, ...row }) => {
    const { active, terms } = catalogueProduct(row)
    return { productId: row.code, name, active, memberships, terms: terms && termsText(terms) }
  })
  return { catalogue: site.catalogue, products }
}

function termsText({ type, period, price }: ProductTerms): string {
  const cost = `${formatMinor(price.minor, price.currency)} ${price.currency.code}`
  return `${cost} ${type === 'renews' ? 'every' : 'once for'} ${period.length} ${period.metric}`
}

/** Transactions in which a site's catalogue is changed. */
export function catalogueTransact(pool: pg.Pool): Transact<CatalogueTx> {
  return createTransact(pool, txOf)
}

function txOf(client: pg.ClientBase): Omit<CatalogueTx, 'audit'> {
  return {
    lockSite: (siteId) => lockSite(client, siteId),

    async readLike(siteId, products) {
      const { rows } = await client.query<ProductRow & { name: string }>(
        `select ${PRODUCT_COLUMNS}, name from products
          where site_id = $1
            and (code = any($2::text[]) or (type is not null and name = any($3::text[])))`,
        [siteId, products.map(({ productId }) => productId), products.map(({ name }) => name)],
      )
      return rows.map(({ name, ...row }) => {
        const { terms } = catalogueProduct(row)
        return { productId: row.code, definition: terms && { ...terms, name } }
      })
    },

    async addProduct(siteId, { productId, name, definition }) {
      const { type, period, price } = definition ?? { type: null, period: null, price: null }
      await client.query(
        `insert into products (site_id, code, name, type, metric, period, price_minor, currency)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          siteId,
          productId,
          name,
          type,
          period?.metric,
          period?.length,
          price?.minor,
          price?.currency.code,
        ],
      )
    },

    async hasProduct(siteId, productId) {
      const { rowCount } = await client.query(
        'select from products where site_id = $1 and code = $2',
        [siteId, productId],
      )
      return rowCount === 1
    },

    async setActive(siteId, productId, active) {
      await client.query('update products set active = $3 where site_id = $1 and code = $2', [
        siteId,
        productId,
        active,
      ])
    },

    async readMode(siteId) {
      const { rows } = await client.query<{ catalogue: CatalogueMode }>(
        'select catalogue from sites where id = $1',
        [siteId],
      )
      const [site] = rows
      invariant(site !== undefined, 'the site is locked')
      return site.catalogue
    },

    async setMode(siteId, mode) {
      await client.query('update sites set catalogue = $2 where id = $1', [siteId, mode])
    },
  }
}
