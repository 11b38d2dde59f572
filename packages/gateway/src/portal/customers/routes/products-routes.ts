import { products } from '@tollgate/portal-contract/routes/customers'
import { z } from 'zod'
import type { Result } from '../../../base/refusal.ts'
import type { ProductDraft } from '../../../usecases/memberships/product-operator.ts'
import { ID, idOf } from '../../shell/ids.ts'
import {
  notFound,
  orFault,
  PortalFault,
  implement,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import type { CustomerRequester } from '../usecases/customers.ts'
import type { Catalogue } from '../usecases/products.ts'
import { requesterOf } from './customers-routes.ts'

const DRAFT = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  type: z.enum(['1', '2']).optional(),
  metric: z.string().optional(),
  period: z.string().optional(),
  price: z.string().optional(),
  currency: z.string().optional(),
})

export interface ProductsDeps {
  readCatalogue(merchantId: bigint, siteId: bigint, search: string): Promise<Catalogue | null>
  hasSite(merchantId: bigint, siteId: bigint): Promise<boolean>
  /** The rules of `tollgate products add`. */
  readProduct(
    text: z.output<typeof DRAFT>,
  ): ProductDraft | { readonly field: string; readonly fault: string }
  addProduct(
    siteId: bigint,
    draft: ProductDraft,
    requester: CustomerRequester,
  ): Promise<Result<object>>
  setActive(
    siteId: bigint,
    productId: string,
    active: boolean,
    requester: CustomerRequester,
  ): Promise<Result<object>>
}

/** The routes of a site's catalogue. */
export function productsRoutes(deps: ProductsDeps): readonly PortalRoute[] {
  /** The site of the address, when it is of the portal user's merchant. */
  async function ownSite({
    portalUser,
    params,
  }: Pick<PortalCall<unknown, unknown>, 'portalUser' | 'params'>): Promise<bigint> {
    const siteId = idOf(params['siteId'], 'site')
    if (!(await deps.hasSite(portalUser.merchantId, siteId))) throw notFound('site')
    return siteId
  }
  return [
    implement(products.catalogue, {
      query: z.strictObject({ site: ID, search: z.string().max(255).optional() }),
      async handle({ portalUser, query }) {
        const catalogue = await deps.readCatalogue(
          portalUser.merchantId,
          query.site,
          query.search?.trim() ?? '',
        )
        if (catalogue === null) throw notFound('site')
        return catalogue
      },
    }),
    implement(products.add, {
      body: DRAFT,
      async handle(call) {
        const siteId = await ownSite(call)
        const read = deps.readProduct(call.body)
        if ('fault' in read) throw new PortalFault(400, 'invalid', sentence(read.fault), read.field)
        if (read.name.trim() === '') throw new PortalFault(400, 'invalid', 'Enter a name.', 'name')
        orFault(await deps.addProduct(siteId, read, requesterOf(call)))
        return { productId: read.productId }
      },
    }),
    implement(products.setActive, {
      body: z.strictObject({ productId: z.string().max(64), active: z.boolean() }),
      async handle(call) {
        const siteId = await ownSite(call)
        const { productId, active } = call.body
        orFault(await deps.setActive(siteId, productId, active, requesterOf(call)))
        return { done: true }
      },
    }),
  ]
}

function sentence(fault: string): string {
  return fault.charAt(0).toUpperCase() + fault.slice(1)
}
