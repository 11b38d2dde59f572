import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { eventually } from '../../../../../../test/support/eventually.ts'
import { catalogueTransact } from '../../../../src/adapters/postgres/memberships/catalogue-store.ts'
import { createMembershipSales } from '../../../../src/adapters/postgres/memberships/product-store.ts'
import { findCurrency } from '../../../../src/domain/currency.ts'
import type { ProductDefinition } from '../../../../src/domain/memberships/product.ts'
import { startTestServer } from '../../../support/database.ts'

const SITE = 1001n

function monthly(): ProductDefinition {
  const currency = findCurrency('USD')
  assert.ok(currency !== null)
  return {
    name: 'Monthly',
    type: 'renews',
    period: { metric: 'M', length: 1 },
    price: { minor: 995n, currency },
  }
}

test('a payment and an operator who add one product at a moment wait for each other', async (t) => {
  const server = await startTestServer()
  const pool = new pg.Pool({ connectionString: await server.createDatabase() })
  t.after(async () => {
    await pool.end()
    await server.stop()
  })
  await pool.query(`
    insert into merchants (id, name) values (10, 'Shop');
    insert into sites (id, merchant_id, name, mode, default_currency)
    values (${SITE}, 10, 'Shop', 'test', 'USD')`)
  const definition = monthly()

  const byPayment = await catalogueTransact(pool)(async (tx) => {
    await tx.lockSite(SITE)
    const defining = createMembershipSales(pool).define(SITE, definition, true)
    await eventually('the payment waits for a lock', async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rowCount === 1
    })
    const { name } = definition
    await tx.addProduct(SITE, { productId: 'monthly', name, definition })
    return { defining }
  })

  assert.deepEqual(await byPayment.defining, { productId: 'monthly', active: true })
  const { rows } = await pool.query('select code from products where site_id = $1', [SITE])
  assert.deepEqual(rows, [{ code: 'monthly' }])
})
