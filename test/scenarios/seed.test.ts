import { verifyBooks } from '@tollgate/gateway/books'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { fillSandbox, type Filled } from '../../tools/seed/fill.ts'
import { createSampleBank } from '../../tools/seed/sample-bank.ts'
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
      databaseUrl: gateway.databaseUrl,
      bank: createSampleBank({ dataDir: gateway.nodeSettings['DATA_DIR'] ?? '', bankSecret: null }),
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

  test('come by day, and most customers have a card of their own', async () => {
    const { rows } = await gateway.pool.query<{ nights: number; shared: number; cards: number }>(
      `select (select count(*)::int from orders where merchant_id = $1 and reference <> ''
                 and extract(hour from created_at at time zone 'UTC') between 1 and 6) as nights,
              count(*)::int as cards, count(*) filter (where customers > 1)::int as shared
         from (select count(distinct customer_id) as customers from payment_methods
                where merchant_id = $1 group by fingerprint) c`,
      [SAMPLE_MERCHANT.id],
    )
    const { nights = NaN, shared = NaN, cards = NaN } = rows[0] ?? {}
    // The last two moments are those before the run, at any hour.
    assert.ok(nights < ORDERS / 5, `${nights} orders at night`)
    assert.ok(shared >= 1 && shared < cards / 4, `${shared} of ${cards} cards are shared`)
  })

  test('are in batches that were closed through the year, a week each', async () => {
    const { rows } = await gateway.pool.query<{ days: number }>(
      `select extract(day from closed_at - opened_at)::int as days from batches
        where merchant_id = $1 and closed_at is not null and opened_at < now() - interval '30 days'`,
      [SAMPLE_MERCHANT.id],
    )
    assert.ok(rows.length >= 12, `${rows.length} closed batches`)
    for (const { days } of rows) assert.ok(days >= 7, `a batch of ${days} days`)
  })

  test('are settled through the year: deposits have arrived, and a bookkeeper finds work', async () => {
    const { rows } = await gateway.pool.query<{ months: number; states: string[] }>(
      `select count(distinct date_trunc('month', f.booked_at))::int as months,
              array_agg(distinct p.state order by p.state) as states
         from settlement_payouts p join settlement_files f on f.id = p.file_id
        where p.merchant_id = $1`,
      [SAMPLE_MERCHANT.id],
    )
    const { months = NaN, states = [] } = rows[0] ?? {}
    assert.ok(months >= 6, `payouts in ${months} months`)
    assert.deepEqual(states, ['announced', 'deposited'])
    const { rows: open } = await gateway.pool.query<{ code: string }>(
      `select code from settlement_differences
        where merchant_id = $1 and state = 'open' order by code`,
      [SAMPLE_MERCHANT.id],
    )
    assert.deepEqual(
      open.map(({ code }) => code),
      ['amount', 'duplicate', 'missing_here', 'payout_short'],
    )
  })

  test('are disputed: cases of every kind are dated through the year, and some wait for an answer', async () => {
    const { rows } = await gateway.pool.query<Record<string, string | number | boolean>>(
      `select d.state, d.opened_at < now() - interval '24 hours' as is_dated,
              d.order_id is not null as has_order, d.respond_by - now()::date as days_left,
              (select count(*)::int from dispute_movements m where m.dispute_id = d.id) as lines,
              (select count(*)::int from dispute_files f where f.dispute_id = d.id) as files
         from disputes d where d.merchant_id = $1 order by d.opened_at`,
      [SAMPLE_MERCHANT.id],
    )
    const of = (state: string) => rows.filter((row) => row['state'] === state)
    for (const state of ['inquiry', 'reported', 'chargeback', 'pre_arbitration']) {
      assert.ok(of(state).length > 0, `no case is in state ${state}`)
    }
    for (const state of ['won', 'lost', 'withdrawn', 'accepted']) {
      assert.ok(of(state).length > 0, `no case ended as ${state}`)
    }
    assert.ok(
      rows.every((row) => row['is_dated'] === true && row['has_order'] === true),
      'a case has no order, or the date of the run',
    )
    const charged = [...of('chargeback'), ...of('lost'), ...of('accepted')]
    assert.ok(
      charged.every((row) => Number(row['lines']) >= 2),
      'a chargeback has no money and fee in a file',
    )
    const due = of('chargeback').map((row) => Number(row['days_left']))
    assert.ok(Math.min(...due) >= 0 && Math.min(...due) <= 3 && Math.max(...due) > 7, String(due))
    assert.ok(of('won').every((row) => Number(row['files']) === 1))
  })

  test('the operator charges fees through the year, and each month once', async () => {
    const { rows } = await gateway.pool.query<Record<string, number>>(
      `select count(*)::int as fees, count(distinct date_trunc('month', posted_at))::int as months,
              count(*) filter (where fee_minor < 0)::int as returned,
              (select count(*)::int from monthly_fees where merchant_id = $1
                  and posted_at::date = month + interval '1 month') as monthly
         from transaction_fees where merchant_id = $1`,
      [SAMPLE_MERCHANT.id],
    )
    const { fees = 0, months = 0, monthly = 0, returned = 0 } = rows[0] ?? {}
    assert.ok(fees > ORDERS / 3 && months >= 6 && returned > 0, JSON.stringify(rows[0]))
    assert.ok(monthly >= 11, `${monthly} monthly fees`)
  })

  test('leave it to the rules of the site how most results of the address check are judged', async () => {
    const { rows } = await gateway.pool.query<{ own: number; all: number }>(
      `select count(*)::int as all, count(*) filter (where parameters ->> 'CHKAVS' <> '')::int as own
         from requests where merchant_id = $1 and action = 'CCAUTHCAP'`,
      [SAMPLE_MERCHANT.id],
    )
    const { own = NaN, all = NaN } = rows[0] ?? {}
    assert.ok(own > 0 && own < all / 5, `${own} of ${all} requests`)
  })

  test('leave books that agree with themselves and with the bank', async () => {
    await untilNoAdviceIsQueued(gateway)
    assert.deepEqual((await recon(gateway)).differences, [])
    const broken = await verifyBooks(gateway.databaseUrl, {
      bankTimeoutMs: 10_000,
      dataDir: gateway.nodeSettings['DATA_DIR'] ?? '',
    })
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
