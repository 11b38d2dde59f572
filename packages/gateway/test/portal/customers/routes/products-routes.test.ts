import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused, type Refusal } from '../../../../src/base/refusal.ts'
import { decideNewProducts } from '../../../../src/domain/memberships/catalogue.ts'
import { noSuchSite } from '../../../../src/domain/merchants/refused-site.ts'
import { productsRoutes } from '../../../../src/portal/customers/routes/products-routes.ts'
import { PortalFault } from '../../../../src/portal/shell/portal-route.ts'

const HAT = { productId: 'hat', name: 'Hat', definition: null }

/** Adds a product through the route, whose use case refuses it; returns the browser's answer. */
async function answerTo(refusal: Refusal): Promise<readonly [number, string, string | null]> {
  const routes = productsRoutes({
    readCatalogue: async () => null,
    hasSite: async () => true,
    readProduct: () => HAT,
    addProduct: async () => refusal,
    setActive: async () => refusal,
  })
  const add = routes.find(({ method, body }) => method === 'POST' && body !== null)
  assert.ok(add !== undefined)
  const call = { portalUser: { merchantId: 10n, id: 1n }, params: { siteId: '1001' }, body: {} }
  const fault: unknown = await add.handle(call as never).then(
    () => null,
    (error: unknown) => error,
  )
  assert.ok(fault instanceof PortalFault)
  return [fault.status, fault.code, fault.field]
}

test('a product that exists already is answered with 409, and names the field', async () => {
  const refusal = decideNewProducts(1001n, [HAT], [HAT])
  assert.ok(refusal !== null)
  assert.deepEqual(await answerTo(refusal), [409, 'product_exists', 'id'])
})

test('a product of a missing site is answered with 404', async () => {
  assert.deepEqual(await answerTo(noSuchSite(1001n)), [404, 'not_found', null])
})

test('a product with an invalid part is answered with 400', async () => {
  const refusal = refused('invalid', 'The period is 0.', { field: 'period' })
  assert.deepEqual(await answerTo(refusal), [400, 'invalid', 'period'])
})
