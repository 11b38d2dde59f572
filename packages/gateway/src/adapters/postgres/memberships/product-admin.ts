import type pg from 'pg'
import { refused, type Result } from '../../../base/refusal.ts'
import type { ProductTerms } from '../../../domain/memberships/product.ts'
import { noSuchSite, siteChangedMeanwhile } from '../../../domain/merchants/refused-site.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import type {
  ProductDraft,
  ProductSummary,
} from '../../../usecases/memberships/product-operator.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'
import { catalogueProduct, PRODUCT_COLUMNS, type ProductRow } from './product-rows.ts'

type Catalogue = 'open' | 'strict'

/** A site's products by their ids; null for no such site. */
export async function listProducts(
  pool: pg.Pool,
  siteId: bigint,
): Promise<{ readonly catalogue: Catalogue; readonly products: readonly ProductSummary[] } | null> {
  const sites = await pool.query<{ catalogue: Catalogue }>(
    'select catalogue from sites where id = $1',
    [siteId],
  )
  const [site] = sites.rows
  if (site === undefined) return null
  const { rows } = await pool.query<ProductRow & { name: string; memberships: number }>(
    `select ${PRODUCT_COLUMNS}, name,
            (select count(*)::int from memberships m
              where m.site_id = p.site_id and m.product = p.code and m.over_at is null) as memberships
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

const UNIQUE_VIOLATION = '23505'

/** Adds all of the products or none. */
export function addProducts(
  pool: pg.Pool,
  siteId: bigint,
  products: readonly ProductDraft[],
  actor: string,
  address = '',
): Promise<Result<object>> {
  return onSite(pool, siteId, async (client, merchantId) => {
    for (const { productId, name, definition } of products) {
      const { type, period, price } = definition ?? { type: null, period: null, price: null }
      try {
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
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== UNIQUE_VIOLATION) throw error
        const isSameDefinition =
          (error as { readonly constraint?: unknown }).constraint ===
          'products_one_of_each_definition'
        const fault = isSameDefinition
          ? `Site ${siteId} has a product of the same definition as ${productId}; sell that one, or choose another name.`
          : `Site ${siteId} has a product ${productId} already; a product is never changed, so add another one.`
        return refused('conflict', fault)
      }
      const terms =
        type === null || period === null || price === null
          ? {}
          : {
              type,
              period: `${period.length}${period.metric}`,
              priceMinor: price.minor.toString(),
              currency: price.currency.code,
            }
      await appendAudit(client, [
        {
          actor,
          act: 'product.added',
          object: `site ${siteId}`,
          merchantId,
          address,
          result: 'done',
          details: { product: productId, name, ...terms },
        },
      ])
    }
    return { ok: true }
  })
}

/** Switches a product on or off; memberships of it renew as before. */
export function setProductActive(
  pool: pg.Pool,
  siteId: bigint,
  productId: string,
  active: boolean,
  actor: string,
  address = '',
): Promise<Result<object>> {
  return onSite(pool, siteId, async (client, merchantId) => {
    const { rowCount } = await client.query(
      'update products set active = $3 where site_id = $1 and code = $2',
      [siteId, productId, active],
    )
    if (rowCount === 0) return refused('missing', `Site ${siteId} has no product ${productId}.`)
    const act = active ? 'product.activated' : 'product.deactivated'
    await appendAudit(client, [
      {
        actor,
        act,
        object: `site ${siteId}`,
        merchantId,
        address,
        result: 'done',
        details: { product: productId },
      },
    ])
    return { ok: true }
  })
}

/**
 * `strict` sells what the catalogue has, and nothing else. `seen`: what the caller takes to be in
 * force.
 */
export function setCatalogue(
  pool: pg.Pool,
  siteId: bigint,
  catalogue: Catalogue,
  by: AuditAuthor,
  seen: Catalogue | null = null,
): Promise<Result<object>> {
  return onSite(pool, siteId, async (client, merchantId) => {
    const { rows } = await client.query<{ catalogue: Catalogue }>(
      'select catalogue from sites where id = $1',
      [siteId],
    )
    const before = rows[0]?.catalogue ?? null
    if (seen !== null && seen !== before) return siteChangedMeanwhile(siteId)
    await client.query('update sites set catalogue = $2 where id = $1', [siteId, catalogue])
    await appendAudit(client, [
      {
        ...by,
        act: 'site.catalogue_set',
        object: `site ${siteId}`,
        merchantId,
        result: 'done',
        details: { before, catalogue },
      },
    ])
    return { ok: true }
  })
}

function onSite(
  pool: pg.Pool,
  siteId: bigint,
  change: (client: pg.ClientBase, merchantId: bigint) => Promise<Result<object>>,
): Promise<Result<object>> {
  return inTransaction(pool, AUDITED, async (client): Promise<Result<object>> => {
    const { rows } = await client.query<{ merchant_id: string }>(
      'select merchant_id from sites where id = $1 for update',
      [siteId],
    )
    const [site] = rows
    if (site === undefined) return noSuchSite(siteId)
    return change(client, BigInt(site.merchant_id))
  })
}
