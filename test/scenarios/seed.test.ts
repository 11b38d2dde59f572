import { verifyBooks } from '@tollgate/gateway/books'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { fillSandbox, type Filled } from '../../tools/seed/fill.ts'
import { SAMPLE_MERCHANT, SAMPLE_PASSWORD } from '../../tools/seed/sample-merchant.ts'
import { recon } from '../support/books.ts'
import { untilNoAdviceIsQueued } from '../support/payments.ts'
import { signIn } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const ORDERS = 300

suite('sample orders', () => {
  let gateway: RunningGateway
  let filled: Filled
  const fill = () =>
    fillSandbox({
      baseUrl: gateway.baseUrl,
      pool: gateway.pool,
      orders: ORDERS,
      now: new Date(),
      onProgress: () => undefined,
    })

  before(async () => {
    gateway = await startRunningGateway()
    filled = await fill()
  })
  after(() => gateway?.stop())

  test('sample orders are spread over a year and are of every kind', async () => {
    const { rows } = await gateway.pool.query<Record<string, number>>(
      `select count(*)::int as orders, count(distinct created_at::date)::int as days,
              count(distinct currency)::int as currencies, count(distinct (select brand from payment_methods p where p.id = payment_method_id))::int as brands,
              count(*) filter (where (select count(*) from order_lines l where l.order_id = o.id) = 2)::int as baskets,
              count(*) filter (where state = 'declined')::int as declined, count(*) filter (where refunded_minor > 0)::int as refunded
         from orders o where merchant_id = $1`,
      [SAMPLE_MERCHANT.id],
    )
    const {
      orders = 0,
      days = 0,
      currencies = 0,
      brands = 0,
      baskets = 0,
      declined = 0,
      refunded = 0,
    } = rows[0] ?? {}
    assert.ok(Math.abs(orders - ORDERS) < ORDERS / 4, `${orders} orders`)
    assert.ok(days >= 15, `${days} days`)
    assert.ok(
      currencies >= 4 && brands >= 6 && declined >= 10 && refunded >= 2 && baskets >= 5,
      JSON.stringify(rows[0]),
    )
    assert.equal(filled.orders, orders)
  })

  test('leave books that agree with themselves and with the bank', async () => {
    await untilNoAdviceIsQueued(gateway)
    assert.deepEqual((await recon(gateway)).differences, [])
    const broken = await verifyBooks(gateway.databaseUrl, { bankTimeoutMs: 10_000 })
    assert.deepEqual(
      broken.filter(({ count, isWarning }) => count > 0 && !isWarning),
      [],
    )
  })

  test('sample orders are made once: the sites go by the real time, and a second run does nothing', async () => {
    assert.equal((await gateway.pool.query('select from site_clocks')).rowCount, 0)
    assert.deepEqual(await fill(), { orders: filled.orders, didAnything: false })
  })

  test('sample orders are what the owner of the sample merchant sees in the portal', async () => {
    const owner = await signIn(gateway, { email: SAMPLE_MERCHANT.owner, password: SAMPLE_PASSWORD })
    assert.equal((await owner.get('/orders')).body.rows.length, 50)
    const sites = (await owner.get('/terminal/sites')).body
    assert.deepEqual(
      sites.map(({ hasTokenKey }: { hasTokenKey: boolean }) => hasTokenKey),
      [true, true, true],
    )
  })
})
