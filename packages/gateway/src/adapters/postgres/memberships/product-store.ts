import type pg from 'pg'
import type { MembershipSales } from '../../../usecases/memberships/sold-memberships.ts'
import { hasMembershipOf } from './membership-claims.ts'
import { catalogueProduct, PRODUCT_COLUMNS, type ProductRow } from './product-rows.ts'

const SAME_DEFINITION = `
select code, active from products
 where site_id = $1 and name = $2 and type = $3 and metric = $4 and period = $5 and price_minor = $6
   and currency = $7`

/**
 * Locks the site before the product, as an operator does. With the product first, the check of the
 * foreign key would wait for the operator, who waits for the product: a deadlock.
 */
const DEFINE = `
insert into products (site_id, code, name, type, metric, period, price_minor, currency)
select s.id, nextval('product_numbers')::text, $2, $3, $4, $5, $6, $7
  from (select id from sites where id = $1 for key share) s
on conflict (site_id, name, type, metric, period, price_minor, currency) where type is not null do nothing
returning code, active`

/** Reads and defines the products of memberships, and finds customers who have one. */
export function createMembershipSales(pool: pg.Pool): MembershipSales {
  return {
    async findProduct(siteId, productId) {
      const { rows } = await pool.query<ProductRow>({
        name: 'find product',
        text: `select ${PRODUCT_COLUMNS} from products where site_id = $1 and code = $2`,
        values: [siteId, productId],
      })
      return rows[0] === undefined ? null : catalogueProduct(rows[0])
    },

    async define(siteId, { name, type, period, price }, mayMake) {
      const { metric, length } = period
      const values = [siteId, name, type, metric, length, price.minor, price.currency.code]
      // Read again: another request may insert it between the first read and this insert.
      const found = (await query(SAME_DEFINITION)) ?? (mayMake ? await query(DEFINE) : null)
      return found ?? (mayMake ? query(SAME_DEFINITION) : null)

      async function query(text: string): Promise<{ productId: string; active: boolean } | null> {
        const { rows } = await pool.query<{ code: string; active: boolean }>(text, values)
        const row = rows[0]
        return row === undefined ? null : { productId: row.code, active: row.active }
      }
    },

    hasOne: ({ id: siteId, mode }, customerId, products) =>
      hasMembershipOf(pool, { siteId, mode, customerId, products }),
  }
}
