import { parse } from 'csv-parse/sync'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { untilMidnightIsFar } from '../support/dates.ts'
import { payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { addPortalUser, signIn, OTHER_OWNER, type SignedInUser } from '../support/portal.ts'
import { fc } from '../support/properties.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

/** Sums of one currency in minor units, as the totals of a list have them. */
interface Sums {
  readonly currency: string
  readonly authorized: string
  readonly voided?: string
  readonly captured: string
  readonly refunded: string
  readonly net: string
  readonly open: number
}

type Step = 'capture' | 'refund' | 'void' | 'captureVoid' | 'close batch'

interface History {
  readonly begins: 'sale' | 'authorize'
  readonly steps: readonly { readonly step: Step; readonly cents: number | null }[]
  /** How many days ago it was, and when its last step came. */
  readonly daysAgo: number
}

const history: fc.Arbitrary<History> = fc.record({
  begins: fc.constantFrom('sale', 'authorize'),
  steps: fc.array(
    fc.record({
      step: fc.constantFrom<Step>(
        'capture',
        'capture',
        'refund',
        'void',
        'captureVoid',
        'close batch',
      ),
      cents: fc.option(fc.integer({ min: 1, max: 6_000 })),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  daysAgo: fc.integer({ min: 0, max: 2 }),
})

const FILTERS = [
  '',
  'time=today',
  'time=yesterday',
  'time=7 days',
  'action=void',
  'action=sale_void',
  'action=capture_void,full_void',
  'action=capture',
  'action=refund',
  'action=sale,authorization',
  'status=approved',
  'status=declined',
  'status=captured,part_refunded',
  'brand=Visa',
  'currency=USD',
  'min=12&max=60',
  'site=1001',
  'account=2001',
  'initiator=customer',
  'user=demo@tollgate.test',
  'q=100.00',
  'q=1111',
]

suite('figures of the portal', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  before(async () => {
    await untilMidnightIsFar()
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
  })
  after(() => gateway?.stop())

  async function totals(list: 'orders' | 'transactions', search: string): Promise<Sums[]> {
    const { status, body, text } = await owner.get(`/${list}/totals?${search}`)
    assert.equal(status, 200, text)
    return body.totals
  }

  /** One currency's sums as text, so that a test compares them at once. */
  async function dollars(list: 'orders' | 'transactions', search: string): Promise<string> {
    const sum = (await totals(list, search)).find(({ currency }) => currency === 'USD')
    return `authorized ${sum?.authorized ?? 0}, captured ${sum?.captured ?? 0}, refunded ${sum?.refunded ?? 0}, net ${sum?.net ?? 0}`
  }

  /** Makes an order and everything in it so many days older. */
  async function move(orderId: string, days: number): Promise<void> {
    for (const [table, key] of [
      ['orders', 'id'],
      ['transactions', 'order_id'],
    ]) {
      await gateway.pool.query(
        `update ${table} set created_at = created_at - make_interval(days => $2) where ${key} = $1`,
        [orderId, days],
      )
    }
  }

  /** The sums of a file's columns, in minor units of dollars. */
  async function sumsOfFile(list: string, search: string, columns: readonly string[]) {
    const { text } = await owner.get(`/${list}/csv?${search}&cols=order,currency,${columns.join()}`)
    const [, ...rows]: string[][] = parse(text)
    return columns.map((_, at) =>
      rows
        .filter(([, currency]) => currency === 'USD')
        .reduce((sum, cells) => sum + BigInt((cells[at + 2] ?? '').replace('.', '')), 0n)
        .toString(),
    )
  }

  test('a void of today leaves the sums of yesterday as they were, and is in those of today', async () => {
    const client = gateway.client()
    const sale = await client.sale(payment('25.00'))
    const held = await client.authorize(payment('8.00'))
    await client.refund({ orderId: (await client.sale(payment('4.00'))).orderId, amount: '1.00' })
    await gateway.pool.query("update orders set created_at = created_at - interval '1 day'")
    await gateway.pool.query("update transactions set created_at = created_at - interval '1 day'")
    const yesterday = 'authorized 3700, captured 2900, refunded 100, net 2800'
    assert.equal(await dollars('transactions', 'time=yesterday'), yesterday)

    await client.void({ orderId: sale.orderId })
    await client.void({ orderId: held.orderId })

    assert.equal(await dollars('transactions', 'time=yesterday'), yesterday)
    assert.equal(
      await dollars('transactions', 'time=today'),
      'authorized -3300, captured -2500, refunded 0, net -2500',
    )
    assert.equal(
      await dollars('transactions', ''),
      'authorized 400, captured 400, refunded 100, net 300',
    )
  })

  test('voids of a sale, of an authorization, of a capture and of both have labels of their own', async () => {
    const client = gateway.client()
    const sale = await client.sale(payment('11.00'))
    await client.void({ orderId: sale.orderId })
    const held = await client.authorize(payment('12.00'))
    await client.void({ orderId: held.orderId })
    const captured = await client.authorize(payment('13.00'))
    await client.capture({ orderId: captured.orderId, amount: '13.00' })
    await client.void({ orderId: captured.orderId })
    const both = await client.authorize(payment('14.00'))
    await client.capture({ orderId: both.orderId, amount: '5.00' })
    await client.void({ orderId: both.orderId })

    const labels = async (order: { readonly orderId: string }): Promise<string | undefined> => {
      const { text } = await owner.get(
        `/transactions/csv?q=order:${order.orderId}&cols=action,authorized,captured,currency`,
      )
      const [, row]: string[][] = parse(text)
      return row?.join()
    }
    assert.equal(await labels(sale), 'Sale void,-11.00,-11.00,USD')
    assert.equal(await labels(held), 'Authorization void,-12.00,0.00,USD')
    assert.equal(await labels(captured), 'Capture void,-13.00,-13.00,USD')
    assert.equal(await labels(both), 'Authorization and capture void,-14.00,-5.00,USD')
    const found = (await owner.get('/orders?action=sale_void')).body.rows
    assert.ok(found.some(({ orderId }: { orderId: string }) => orderId === sale.orderId))
    assert.ok(!found.some(({ orderId }: { orderId: string }) => orderId === held.orderId))
  })

  test('each effect is the change of its order, in any history', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ begins, steps, daysAgo }) => {
        const client = gateway.client()
        const { orderId } = await client[begins](payment('100.00'))
        for (const { step, cents } of steps) {
          if (step === 'close batch') {
            const { body } = await owner.get('/batches?account=2001&state=open')
            await untilNoAdviceIsQueued(gateway)
            await owner.post(`/batches/${body.batches[0].id}/close`)
            continue
          }
          const before = await moneyOf(orderId)
          const amount = cents === null ? '' : (cents / 100).toFixed(2)
          const { transactionId, status } = await client[step]({ orderId, amount })
          if (status !== 'APPROVED') continue
          const after = await moneyOf(orderId)
          const { body } = await owner.get(`/transactions?q=transaction:${transactionId}`)
          const [{ authorized, captured, refunded }] = body.rows
          assert.deepEqual(
            [authorized, captured, refunded].map(BigInt),
            after.map((minor, at) => minor - (before[at] ?? 0n)),
            `${step} ${cents} of order ${orderId}`,
          )
        }
        await move(orderId, daysAgo)
      }),
      { numRuns: 12 },
    )
  })

  /** Authorized less voided, captured and refunded. */
  async function moneyOf(orderId: string): Promise<bigint[]> {
    const { rows } = await gateway.pool.query<Record<string, string>>(
      `select authorized_minor - voided_minor as held, captured_minor as captured, refunded_minor as refunded
         from orders where id = $1`,
      [orderId],
    )
    return ['held', 'captured', 'refunded'].map((name) => BigInt(rows[0]?.[name] ?? 0))
  }

  test('for every filter the totals of a list are the sums of its file, to the cent', async () => {
    for (const filter of FILTERS) {
      for (const list of ['orders', 'transactions'] as const) {
        const columns = ['authorized', 'captured', 'refunded'] as const
        const [sum] = (await totals(list, filter)).filter(({ currency }) => currency === 'USD')
        assert.deepEqual(
          await sumsOfFile(list, filter, columns),
          columns.map((name) => sum?.[name] ?? '0'),
          `${list} ${filter}`,
        )
        assert.equal(BigInt(sum?.net ?? 0), BigInt(sum?.captured ?? 0) - BigInt(sum?.refunded ?? 0))
      }
    }
  })

  test('orders and their transactions come to the same sums when all of their time is in the list', async () => {
    const [ofOrders] = await totals('orders', 'currency=USD')
    const [ofTransactions] = await totals('transactions', 'currency=USD')

    assert.ok(ofOrders && ofTransactions)
    assert.equal(
      BigInt(ofOrders.authorized) - BigInt(ofOrders.voided ?? 0),
      BigInt(ofTransactions.authorized),
    )
    assert.deepEqual(
      [ofOrders.captured, ofOrders.refunded, ofOrders.net],
      [ofTransactions.captured, ofTransactions.refunded, ofTransactions.net],
    )
  })

  test('the home page and every batch show sums of the same transactions', async () => {
    // The histories were moved into the past after the job had passed it.
    await gateway.pool.query('truncate payment_hours, payment_hours_until')
    const { periods } = (await owner.get('/home')).body
    const amountOf = (amounts: readonly { currency: string; minor: string }[]): string =>
      amounts.find(({ currency }) => currency === 'USD')?.minor ?? '0'
    for (const [at, time] of [
      [0, 'today'],
      [1, 'yesterday'],
    ] as const) {
      const [begun] = await totals('transactions', `time=${time}&action=sale,authorization,renewal`)
      const [all] = await totals('transactions', `time=${time}`)
      assert.equal(amountOf(periods[at].sums.approvedAmounts), begun?.authorized ?? '0', time)
      assert.equal(amountOf(periods[at].sums.refundedAmounts), all?.refunded ?? '0', time)
    }

    const { batches } = (await owner.get('/batches?account=2001')).body
    assert.ok(batches.length > 1, 'no batch was closed in any history')
    for (const { id, sums } of batches) {
      const net = sums.reduce(
        (sum: bigint, { action, amountMinor, voidedMinor }: Record<string, string>) =>
          action === 'refund'
            ? sum - BigInt(amountMinor ?? 0)
            : sum + BigInt(amountMinor ?? 0) - BigInt(voidedMinor ?? 0),
        0n,
      )
      const [listed] = await totals('transactions', `batch=${id}`)
      assert.equal(listed?.net ?? '0', net.toString(), `batch ${id}`)
    }
  })

  test('a payment that is still open is counted as open, so that its sums are not taken for final', async () => {
    const { transactionId } = await gateway.client().sale(payment('3.00'))
    const [before] = await totals('transactions', 'currency=USD')
    await gateway.pool.query(
      `update transactions set state = 'pending', concluded_at = null where id = $1`,
      [transactionId],
    )
    const [meanwhile] = await totals('transactions', 'currency=USD')
    await gateway.pool.query(
      `update transactions set state = 'approved', concluded_at = now() where id = $1`,
      [transactionId],
    )

    assert.deepEqual([before?.open, meanwhile?.open], [0, 1])
    assert.deepEqual(await totals('transactions', 'currency=USD'), [before])
  })

  /** As the page does it, from the zone that the session has. */
  async function chooseZone(timeZone: string, user = owner) {
    const { merchant } = (await owner.get('/session')).body
    return user.put('/settings/merchant/time-zone', { timeZone, seen: merchant.timeZone })
  }

  test('owners choose the time zone of the merchant, and the audit log has both zones', async () => {
    const support = await signIn(gateway, await addPortalUser(gateway, 'support'))

    assert.equal((await owner.get('/session')).body.merchant.timeZone, 'UTC')
    assert.equal((await chooseZone('Europe/Berlin', support)).status, 403)
    for (const unknown of ['Mars/Olympus', '+01:00', 'EST5EDT4', 'europe/berlin']) {
      const { status, body } = await chooseZone(unknown)
      assert.deepEqual([status, body.error.field], [400, 'timeZone'], unknown)
    }
    assert.equal((await chooseZone('Europe/Berlin')).status, 200)
    const stale = { timeZone: 'Asia/Tokyo', seen: 'UTC' }
    assert.equal((await owner.put('/settings/merchant/time-zone', stale)).status, 409)

    assert.equal((await owner.get('/session')).body.merchant.timeZone, 'Europe/Berlin')
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    assert.equal(otherOwner.session.merchant.timeZone, 'UTC')
    const { rows } = await gateway.pool.query(
      `select actor, object, details::json from audit_entries where operation = 'merchant.time_zone_set'`,
    )
    assert.deepEqual(rows, [
      {
        actor: 'portal:owner@tollgate.test',
        object: 'merchant 1',
        details: { before: 'UTC', after: 'Europe/Berlin' },
      },
    ])
    await assert.rejects(
      gateway.pool.query(`update merchants set time_zone = 'Mars/Olympus'`),
      /time zone/,
    )
  })

  test('a change of the zone changes no batch, and the days and times of lists and files follow it', async () => {
    const batch = async () => (await owner.get('/batches?account=2001&state=closed')).body.batches
    const closed = await batch()
    await gateway.pool.query(`update orders set created_at = '2026-01-01'`)
    // Berlin has 23 hours on 29 March: from 23:00 UTC of the day before until 22:00 UTC.
    const moments = [
      '2026-03-28T22:59:59.999Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T21:59:59.999Z',
      '2026-03-29T22:00:00.000Z',
    ]
    const orders: string[] = []
    for (const at of moments) {
      const { orderId } = await gateway.client().sale(payment('5.00'))
      orders.push(orderId)
      await gateway.pool.query('update orders set created_at = $2 where id = $1', [orderId, at])
    }
    const day = 'from=2026-03-29&to=2026-03-29&sort=oldest'
    const idsOf = async () =>
      (await owner.get(`/orders?${day}`)).body.rows.map(
        ({ orderId }: { orderId: string }) => orderId,
      )

    assert.deepEqual(await idsOf(), orders.slice(1, 3))
    const { text } = await owner.get(`/orders/csv?${day}&cols=at,order`)
    assert.deepEqual(parse(text).slice(1), [
      ['2026-03-29T00:00:00.000+01:00', orders[1]],
      ['2026-03-29T23:59:59.999+02:00', orders[2]],
    ])
    await chooseZone('America/Los_Angeles')
    assert.deepEqual(await idsOf(), orders.slice(2))
    const file = await owner.get(`/batches/${closed[0].id}/transactions.csv`)
    assert.match(file.text.split('\r\n')[1] ?? '', /-0[78]:00"$/)
    await chooseZone('UTC')
    assert.deepEqual(await idsOf(), orders.slice(2))
    assert.deepEqual(await batch(), closed)
  })
})
