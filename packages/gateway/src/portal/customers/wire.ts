import { readProduct } from '../../adapters/operator-files/product-file.ts'
import { addProducts, setProductActive } from '../../adapters/postgres/memberships/product-admin.ts'
import { createDirectory } from '../../adapters/postgres/merchants/directory.ts'
import type { PortalFoundation } from '../../wiring/portal.ts'
import { createSettingsReader } from '../settings/store/settings-reader.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { readMerchant } from '../shell/store/people-store.ts'
import { customersRoutes } from './routes/customers-routes.ts'
import { membershipsRoutes } from './routes/memberships-routes.ts'
import { productsRoutes } from './routes/products-routes.ts'
import { createCustomerBook } from './store/customer-changes.ts'
import { createMembershipActs } from './store/membership-acts.ts'
import { createMembershipBook } from './store/membership-book.ts'
import { readCatalogue } from './store/product-list.ts'
import { createChangeMembershipByPerson } from './usecases/change-membership.ts'

/** Customers and their cards, products, memberships and what is expected of them. */
export function wireCustomers(foundation: PortalFoundation): readonly PortalRoute[] {
  const { changeMembership, clock, config, monotonicMs } = foundation
  const { pool } = foundation.database
  const directory = createDirectory(pool, monotonicMs, config.apiUserIdleDays, clock)
  const book = createMembershipBook(pool)
  return [
    ...customersRoutes(createCustomerBook(pool)),
    ...productsRoutes({
      readCatalogue: (merchantId, siteId, search) =>
        readCatalogue(pool, merchantId, siteId, search),
      hasSite: createSettingsReader(pool).hasSite,
      readProduct,
      addProduct: (siteId, draft, { actor, address }) =>
        addProducts(pool, siteId, [draft], actor, address),
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
      sitesOf: async (merchantId) =>
        (await readMerchant(pool, merchantId)).sites.map(({ id }) => id),
    }),
  ]
}
