import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { rollPaymentHours } from '../../packages/gateway/src/portal/home/store/payment-hours.ts'
import { untilMidnightIsFar } from '../support/dates.ts'
import { payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { addPortalUser, signIn, OTHER_OWNER, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

interface Sums {
  readonly approved: number
  readonly declined: number
  readonly failed: number
  readonly refunded: number
  readonly approvedAmounts: readonly { readonly currency: string; readonly minor: string }[]
  readonly refundedAmounts: readonly { readonly currency: string; readonly minor: string }[]
}

interface Range {
  readonly from: string
  readonly to: string
}

interface Compared extends Range {
  readonly key: string
  readonly before: Range
  readonly sums: Sums
  readonly sumsBefore: Sums
}

interface Totals {
  readonly currency: string
  readonly count: number
  readonly authorized: string
  readonly refunded: string
}

suite('the home page', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  before(async () => {
    await untilMidnightIsFar()
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
  })
  after(() => gateway?.stop())

  /** The same figures out of orders and transactions, counted one by one. */
  async function counted(from: string, to: string, site: number | null = null): Promise<Sums> {
    const { rows } = await gateway.pool.query<{
      what: string
      currency: string
      n: string
      minor: string
    }>(
      `select case when t.kind = 'refund' then 'refunded' else t.state end as what, o.currency, count(*) as n,
              sum(t.value_minor) as minor
         from transactions t join orders o on o.id = t.order_id
        where t.created_at >= $1 and t.created_at < $2 and o.merchant_id = 1 and ($3::bigint is null or o.site_id = $3)
          and (t.kind = 'refund' and t.state = 'approved' or t.kind in ('authorization', 'sale') and t.amount_minor > 0)
          and t.concluded_at is not null
        group by 1, 2 order by 2`,
      [from, to, site],
    )
    const of = (what: string) => rows.filter((row) => row.what === what)
    const count = (what: string): number => of(what).reduce((sum, { n }) => sum + Number(n), 0)
    const amounts = (what: string) => of(what).map(({ currency, minor }) => ({ currency, minor }))
    return {
      approved: count('approved'),
      declined: count('declined'),
      failed: count('failed'),
      refunded: count('refunded'),
      approvedAmounts: amounts('approved'),
      refundedAmounts: amounts('refunded'),
    }
  }

  function comparable({
    approved,
    declined,
    failed,
    refunded,
    approvedAmounts,
    refundedAmounts,
  }: Sums): Sums {
    return { approved, declined, failed, refunded, approvedAmounts, refundedAmounts }
  }

  /** Every figure of the page against the books; gives those of today. */
  async function assertFiguresAreRight(query = '', site: number | null = null): Promise<Sums> {
    const { status, body, text } = await owner.get(`/home${query}`)
    assert.equal(status, 200, text)
    for (const period of body.periods) {
      assert.deepEqual(
        comparable(period.sums),
        await counted(period.from, period.to, site),
        period.key,
      )
      const { from, to } = period.before
      assert.deepEqual(
        comparable(period.sumsBefore),
        await counted(from, to, site),
        `before ${period.key}`,
      )
    }
    return body.periods[0].sums
  }

  /** Every figure of the page against the list that it leads to. */
  async function assertListsAddUp(periods: readonly Compared[], site: string): Promise<void> {
    for (const { before, from, key, sums, sumsBefore, to } of periods) {
      for (const [range, own] of [
        [{ from, to }, sums],
        [before, sumsBefore],
      ] as const) {
        for (const counted of ['approved', 'declined', 'failed', 'refunded'] as const) {
          const query = `counted=${counted}&since=${range.from}&until=${range.to}${site}`
          const { totals } = (await owner.get(`/transactions/totals?${query}`)).body
          const count = totals.reduce((sum: number, total: Totals) => sum + total.count, 0)
          assert.equal(count, own[counted], `${key}: ${query}`)
          if (counted !== 'approved' && counted !== 'refunded') continue
          const amounts = totals.map((total: Totals) => [
            total.currency,
            counted === 'approved' ? total.authorized : total.refunded,
          ])
          const expected = own[`${counted}Amounts`].map(({ currency, minor }) => [currency, minor])
          assert.deepEqual(amounts.toSorted(), expected, `${key}: ${query}`)
        }
      }
    }
  }

  test('before the first payment there are first steps to show, and no figures', async () => {
    const { body } = await owner.get('/home')

    assert.equal(body.hasPayments, false)
    assert.equal(body.periods[0].sums.approved, 0)
  })

  test('today is what was approved, declined and refunded, by currency, as the ledger has it', async () => {
    const client = gateway.client()
    const sale = await client.sale(payment('10.00'))
    await client.authorize(payment('7.25'))
    await client.sale(payment('1500', { currency: 'JPY' }))
    await client.sale(payment('0.05'))
    await client.sale(payment('5.02'))
    await client.authorize(payment('0.00'))
    await client.refund({ orderId: sale.orderId, amount: '2.50' })
    await gateway.client(1003).sale(payment('4.00'))
    await gateway.client(1002).sale(payment('99.00'))

    const today = await assertFiguresAreRight()

    assert.deepEqual(
      today.approvedAmounts.filter(({ currency }) => currency === 'JPY'),
      [{ currency: 'JPY', minor: '1500' }],
    )
    assert.deepEqual(today.refundedAmounts, [{ currency: 'USD', minor: '250' }])
    assert.ok(today.declined > 0)
    const { rows } = await gateway.pool.query(
      `select currency, sum(amount_minor) as minor from ledger_postings
        where merchant_id = 1 and kind = 'authorization' group by currency order by currency`,
    )
    assert.deepEqual(today.approvedAmounts, rows)
    await assertListsAddUp((await owner.get('/home')).body.periods, '')
    assert.equal((await assertFiguresAreRight('?site=1003', 1003)).approved, 1)
  })

  test('payments added up by the hour count once, with several processes, and late conclusions count too', async () => {
    // Some of it came in hours, days and weeks ago.
    await gateway.pool.query(
      `update transactions set created_at = created_at - (id % 7) * interval '9 hours' - (id % 3) * interval '2 days'`,
    )
    await gateway.pool.query(
      'update orders o set created_at = (select min(created_at) from transactions where order_id = o.id)',
    )
    const { rows } = await gateway.pool.query<{ id: string }>(
      `update transactions set state = 'pending', concluded_at = null
        where id = (select id from transactions where kind = 'sale' and state = 'approved' and merchant_id = 1
                     order by created_at limit 1 offset 1) returning id`,
    )
    await gateway.pool.query('truncate payment_hours, payment_hours_until')
    await assertFiguresAreRight()
    const addUp = async (): Promise<void> => {
      while (await rollPaymentHours(gateway.pool, new Date(Date.now() + 3_600_000)));
    }

    await Promise.all([addUp(), addUp(), addUp()])
    await assertFiguresAreRight()
    await gateway.pool.query(
      `update transactions set state = 'approved', concluded_at = now() where id = $1`,
      [rows[0]?.id],
    )
    await assertFiguresAreRight()
    await Promise.all([addUp(), addUp(), addUp()])
    await assertFiguresAreRight()
    await assertFiguresAreRight('?site=1001', 1001)

    const { rows: left } = await gateway.pool.query(
      'select t.id from transactions t join orders o on o.id = t.order_id join payment_hours_until u using (site_id) where t.created_at >= u.until',
    )
    assert.deepEqual(left, [], 'everything was added up')
  })

  test('years without a payment are passed over at once, and every payment after them counts', async () => {
    await gateway.pool.query('truncate payment_hours')
    await gateway.pool.query(`update payment_hours_until set until = now() - interval '3 years'`)

    let steps = 1
    while (await rollPaymentHours(gateway.pool, new Date(Date.now() + 3_600_000))) steps += 1

    // Three years have 4,380 times six hours. The payments lie within ten days.
    assert.ok(steps < 60, `${steps} steps`)
    await assertFiguresAreRight()
  })

  test('a chart is the same figures point by point, with reasons for what was declined', async () => {
    for (const range of ['24h', '7d', '30d', '12m']) {
      const { body } = await owner.get(`/home/chart?range=${range}`)
      const all = await counted(body.from, '2100-01-01')
      const sum = (what: 'approved' | 'declined' | 'refunded'): number =>
        body.points.reduce((total: number, point: Sums) => total + point[what], 0)

      assert.deepEqual(
        [sum('approved'), sum('declined'), sum('refunded')],
        [all.approved, all.declined, all.refunded],
        range,
      )
      assert.equal(body.declined, all.declined)
    }
    const { body } = await owner.get('/home/chart?range=12m')
    assert.ok(body.declines.length > 0)
    for (const { reason } of body.declines) assert.match(reason, /\w/)
  })

  test('figures are right in a zone whose hours begin within those that are added up', async () => {
    await gateway.pool.query(`update merchants set time_zone = 'Asia/Kathmandu' where id = 1`)
    // One on each side of a midnight there, in one hour of UTC.
    await gateway.pool.query(
      `update transactions t
          set created_at = date_trunc('day', now(), 'UTC') - interval '2 days' + s.n * interval '10 minutes'
                           + interval '18 hours'
         from (select id, row_number() over (order by id) as n from transactions
                where kind = 'sale' and state = 'approved' and merchant_id = 1) s
        where s.id = t.id and s.n < 3`,
    )
    await gateway.pool.query('truncate payment_hours, payment_hours_until')
    while (await rollPaymentHours(gateway.pool, new Date()));
    await assertFiguresAreRight()
    const { body } = await owner.get('/home')
    assert.match(body.periods[0].from, /T18:15:00/)
    const { points } = (await owner.get('/home/chart?range=30d')).body
    for (const [at, point] of points.entries()) {
      const to = points[at + 1]?.from ?? '2100-01-01'
      assert.deepEqual(comparable(point), await counted(point.from, to), point.from)
    }
    await gateway.pool.query(`update merchants set time_zone = 'UTC' where id = 1`)
  })

  test('a site whose clock shows another day is left out of all sites, and its own figures use its day', async () => {
    await gateway.client(1003).sale(payment('4.50'))
    await gateway.pool.query(
      `insert into site_clocks (site_id, site_at, real_at, speed, changed_by) values (1003, now() + interval '40 days', now(), 1, 'test')`,
    )
    await gateway.pool.query(
      `update transactions t set created_at = now() + interval '40 days' - interval '1 minute'
         from orders o where o.id = t.order_id and o.site_id = 1003 and t.amount_minor = 450`,
    )
    const all = await owner.get('/home')
    const site = await owner.get('/home?site=1003')

    assert.deepEqual(
      all.body.leftOut.map(({ id }: { id: string }) => id),
      ['1003'],
    )
    assert.ok(new Date(site.body.now).getTime() > Date.now() + 39 * 86_400_000)
    assert.equal(site.body.periods[2].sums.approved + site.body.periods[1].sums.approved > 0, true)
    await assertListsAddUp(all.body.periods, '&site=unclocked')
    await assertListsAddUp(site.body.periods, '&site=1003')
    await gateway.pool.query('delete from site_clocks')
  })

  test('authorizations about to expire are counted and listed, soonest first, with what is left of them', async () => {
    const client = gateway.client()
    const soon = await client.authorize(payment('30.00'))
    const later = await client.authorize(payment('50.00'))
    const captured = await client.authorize(payment('60.00'))
    await client.capture({ orderId: soon.orderId, amount: '10.00' })
    await client.capture({ orderId: captured.orderId, amount: '60.00' })
    await gateway.pool.query(
      `update orders set expires_at = now() + interval '30 days' where state = 'authorized'`,
    )
    await gateway.pool.query(
      `update orders set expires_at = now() + interval '1 day' where id = any($1)`,
      [[soon.orderId, captured.orderId]],
    )

    // Those of the next three days, to the minute.
    const countAt = async (interval: string): Promise<number> => {
      await gateway.pool.query(
        `update orders set expires_at = now() + $2::interval where id = $1`,
        [soon.orderId, interval],
      )
      return (await owner.get('/home/work')).body.expiring.count
    }
    assert.equal(await countAt('3 days 1 minute'), 0)
    assert.equal(await countAt('2 days 23 hours 59 minutes'), 1)

    const { body: work } = await owner.get('/home/work')
    const { body: list } = await owner.get('/open-authorizations')
    const { body: urgent } = await owner.get('/open-authorizations?soon=true')

    assert.deepEqual(
      [work.expiring.count, work.expiring.amounts],
      [1, [{ currency: 'USD', minor: '2000' }]],
    )
    assert.equal(list.authorizations[0].orderId, soon.orderId)
    assert.equal(list.authorizations[0].leftMinor, '2000')
    const ids = list.authorizations.map(({ orderId }: { orderId: string }) => orderId)
    assert.deepEqual(
      urgent.authorizations.map(({ orderId }: { orderId: string }) => orderId),
      [soon.orderId],
    )
    assert.ok(ids.includes(later.orderId) && !ids.includes(captured.orderId))
  })

  test('the page shows the advices that wait for the bank, and whether its link is up', async () => {
    await untilNoAdviceIsQueued(gateway)
    const { body: before } = await owner.get('/home/work')
    await gateway.stopBank()
    await gateway.client().refund({ orderId: (await anySale()).id, amount: '0.01' })

    const { body } = await owner.get('/home/work')

    assert.deepEqual([before.advices.count, before.links[0].state], [0, 'up'])
    assert.ok(body.advices.count > 0)
    assert.notEqual(body.links[0].state, 'up')
  })

  async function anySale(): Promise<{ id: string }> {
    const { rows } = await gateway.pool.query<{ id: string }>(
      'select id from orders where merchant_id = 1 and site_id = 1001 and captured_minor > refunded_minor + 1 limit 1',
    )
    assert.ok(rows[0])
    return rows[0]
  }

  test('another merchant sees its own figures, and no site of this one', async () => {
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    const { body } = await otherOwner.get('/home/chart?range=12m')

    assert.equal(
      body.points.reduce((sum: number, { approved }: Sums) => sum + approved, 0),
      1,
    )
    assert.equal((await otherOwner.get('/home?site=1001')).status, 404)
    assert.equal(
      (await (await signIn(gateway, await addPortalUser(gateway, 'support'))).get('/home')).status,
      200,
    )
  })
})
