import { createDirectory } from './adapters/postgres/merchants/directory.ts'
import { readProduct } from './adapters/operator-files/product-file.ts'
import { createCustomerBook } from './adapters/postgres/portal/customers/customer-changes.ts'
import { createMembershipActs } from './adapters/postgres/portal/customers/membership-acts.ts'
import { createMembershipBook } from './adapters/postgres/portal/customers/membership-book.ts'
import { readCatalogue } from './adapters/postgres/portal/customers/product-list.ts'
import { readMerchant } from './adapters/postgres/portal/people-store.ts'
import { createSettingsReader } from './adapters/postgres/portal/settings-reader.ts'
import { addProducts, setProductActive } from './adapters/postgres/memberships/product-admin.ts'
import type { PortalFoundation } from './gateway-portal.ts'
import { customersRoutes } from './http/portal/customers/customers-routes.ts'
import { membershipsRoutes } from './http/portal/customers/memberships-routes.ts'
import { productsRoutes } from './http/portal/customers/products-routes.ts'
import type { PortalRoute } from './http/portal/portal-route.ts'
import { createChangeMembershipByPerson } from './usecases/portal/customers/change-membership.ts'

/** Customers and their cards, products, memberships and what is expected of them. */
export function wireCustomers(foundation: PortalFoundation): readonly PortalRoute[] {
  const { changeMembership, clock, config, monotonicMs } = foundation
  const { pool } = foundation.database
  const directory = createDirectory(pool, monotonicMs, config.apiUserIdleDays, clock)
  const book = createMembershipBook(pool)
  return [
    ...customersRoutes(createCustomerBook(pool)),
    ...productsRoutes({
      readCatalogue: (merchantId, siteId, search) => readCatalogue(pool, merchantId, siteId, search),
      hasSite: createSettingsReader(pool).hasSite,
      readProduct,
      addProduct: (siteId, draft, { actor, address }) => addProducts(pool, siteId, [draft], actor, address),
      setActive: (siteId, productId, active, { actor, address }) =>
        setProductActive(pool, siteId, productId, active, actor, address),
    }),
    ...membershipsRoutes({
      book,
      change: createChangeMembershipByPerson({
        changeMembership,
        acts: createMembershipActs(pool),
        readCardHistory: book.readCardHistory,
      }),
      readSite: directory.readSite,
      sitesOf: async (merchantId) => (await readMerchant(pool, merchantId)).sites.map(({ id }) => id),
    }),
  ]
}
