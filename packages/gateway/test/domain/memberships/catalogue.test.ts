import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findCurrency } from '../../../src/domain/currency.ts'
import {
  decideCatalogueMode,
  decideNewProducts,
  type CatalogueEntry,
} from '../../../src/domain/memberships/catalogue.ts'

function monthly(productId: string, name: string, minor = 995n): CatalogueEntry {
  const currency = findCurrency('EUR')
  assert.ok(currency !== null)
  const period = { metric: 'M', length: 1 } as const
  return {
    productId,
    definition: { name, type: 'renews', period, price: { minor, currency } },
  }
}
const once = (productId: string): CatalogueEntry => ({ productId, definition: null })

suite('new products of a site', () => {
  const stored = [once('shirt'), monthly('gold', 'Gold')]

  test('products of other ids and other definitions are added', () => {
    const added = [once('hat'), monthly('silver', 'Silver'), monthly('gold2', 'Gold', 1995n)]
    assert.equal(decideNewProducts(1001n, added, stored), null)
  })

  test('two products that are sold once are never of the same definition', () => {
    assert.equal(decideNewProducts(1001n, [once('hat'), once('sock')], [once('shirt')]), null)
  })

  test('an id that the site has is refused, also within the new ones', () => {
    for (const [added, id] of [
      [[monthly('shirt', 'Shirt')], 'shirt'],
      [[once('hat'), once('hat')], 'hat'],
      [[monthly('gold', 'Gold')], 'gold'],
    ] as const) {
      const refusal = decideNewProducts(1001n, added, stored)
      assert.deepEqual([refusal?.kind, refusal?.field], ['conflict', 'id'])
      assert.match(refusal?.faults.join() ?? '', new RegExp(`has a product ${id} already`))
    }
  })

  test('a definition that the site has is refused, also within the new ones', () => {
    for (const added of [
      [once('hat'), monthly('bronze', 'Gold')],
      [monthly('iron', 'Bronze'), monthly('bronze', 'Bronze')],
    ]) {
      const refusal = decideNewProducts(1001n, added, stored)
      assert.deepEqual([refusal?.kind, refusal?.field], ['conflict', 'name'])
      assert.match(refusal?.faults.join() ?? '', /the same definition as bronze/)
    }
  })
})

test('the catalogue is set where it equals the seen one, or where none was seen', () => {
  assert.equal(decideCatalogueMode(1001n, 'open', null), null)
  assert.equal(decideCatalogueMode(1001n, 'open', 'open'), null)
  assert.equal(decideCatalogueMode(1001n, 'open', 'strict')?.code, 'changed_meanwhile')
})
