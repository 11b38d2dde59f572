import type pg from 'pg'
import { readProduct } from '../../adapters/operator-files/product-file.ts'
import { catalogueTransact } from '../../adapters/postgres/memberships/catalogue-store.ts'
import { createDirectory } from '../../adapters/postgres/merchants/directory.ts'
import { createCustomerErasureStore } from '../../adapters/postgres/retention/customer-erasure.ts'
import type { Clock } from '../../base/clock.ts'
import type { GatewayConfig } from '../../config/config.ts'
import { createChangeCatalogue } from '../../usecases/memberships/change-catalogue.ts'
import type { ChangeMembership } from '../../usecases/memberships/change-membership.ts'
import { createEraseCustomer } from '../../usecases/retention/erase-customer.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { hasSite, readMerchant } from '../shell/store/portal-users-store.ts'
import { customersRoutes } from './routes/customers-routes.ts'
import { membershipsRoutes } from './routes/memberships-routes.ts'
import { productsRoutes } from './routes/products-routes.ts'
import { createCustomerBook } from './store/customer-changes.ts'
import { createMembershipBook } from './store/membership-book.ts'
import { createMembershipOperations } from './store/membership-operations.ts'
import { readCatalogue } from './store/product-list.ts'
import { createChangeMembershipInPortal } from './usecases/change-membership.ts'

interface CustomersParts {
  readonly config: Pick<GatewayConfig, 'apiUserIdleDays'>
  readonly database: { readonly pool: pg.Pool }
  readonly clock: Clock
  readonly monotonicMs: () => number
  readonly changeMembership: ChangeMembership
}

/** Customers and their cards, products, memberships and what is expected of them. */
export function wireCustomers(parts: CustomersParts): readonly PortalRoute[] {
  const { changeMembership, clock, config, monotonicMs } = parts
  const { pool } = parts.database
  const directory = createDirectory(pool, monotonicMs, config.apiUserIdleDays, clock)
  const book = createMembershipBook(pool)
  const erasures = createCustomerErasureStore(pool)
  const catalogue = createChangeCatalogue(catalogueTransact(pool))
  return [
    ...customersRoutes({
      book: createCustomerBook(pool),
      previewErasure: (merchantId, customerId) =>
        erasures.preview(merchantId, customerId, clock.now()),
      erase: createEraseCustomer({ store: erasures, clock }),
    }),
    ...productsRoutes({
      readCatalogue: (merchantId, siteId, search) =>
        readCatalogue(pool, merchantId, siteId, search),
      hasSite: (merchantId, siteId) => hasSite(pool, merchantId, siteId),
      readProduct,
      addProduct: (siteId, draft, { actor, address }) =>
        catalogue.add(siteId, [draft], { actor, address }),
      setActive: (siteId, productId, active, { actor, address }) =>
        catalogue.setActive(siteId, productId, active, { actor, address }),
    }),
    ...membershipsRoutes({
      book,
      change: createChangeMembershipInPortal({
        changeMembership,
        operations: createMembershipOperations(pool),
        readCardHistory: book.readCardHistory,
      }),
      readSite: directory.readSite,
      sitesOf: async (merchantId) =>
        (await readMerchant(pool, merchantId)).sites.map(({ id }) => id),
    }),
  ]
}
