import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { fieldText, LIST_FIELDS } from '../../packages/gateway/src/http/api/list-fields.ts'
import type { ListObject } from '../../packages/gateway/src/http/api/list-objects.ts'
import { LIST_NAMES } from '../../packages/gateway/src/http/api/query-service.ts'
import { openAnswerSwallower } from '../support/answer-swallower.ts'
import { closeAnsweredBatch, untilBatchEnded } from '../support/batches.ts'
import { dayIn, openNoticeSender } from '../support/disputes.ts'
import { basicLogin } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import {
  linesOf,
  readList,
  readWholeList,
  type ListAnswer,
  type ListRow,
} from '../support/lists.ts'
import { newReference, payment, VISA } from '../support/payments.ts'
import { signIn } from '../support/portal.ts'
import { startMembership } from '../support/renewals.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

/** Nothing renews during the test. */
const TOMORROW = new Date(Date.now() + 86_400_000)

/** How far the clock of the gateway is behind. */
let behindMs = 2 * 3_600_000
const clock = { now: () => new Date(Date.now() - behindMs) }

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway({}, undefined, {}, null, clock)
})
after(() => gateway?.stop())

const idsOf = (rows: readonly ListRow[], name = 'po_id'): unknown[] => rows.map((row) => row[name])

/** Orders by SQL: rows alone, so many that a list has several pieces. */
async function plantOrders(count: number, reference: string): Promise<void> {
  const { orderId } = await gateway.client().sale(payment('1.00'))
  await gateway.pool.query(
    `insert into orders (id, merchant_id, site_id, merchant_account_id, mode, customer_id,
       payment_method_id, kind, state, currency, reference, requested_minor, message_number,
       message_at, entry_mode, created_at)
     select 900000000 + (select count(*) from orders) * 1000000 + n, merchant_id, site_id,
            merchant_account_id, mode, customer_id, payment_method_id, kind, 'declined', currency,
            $2, 100 + n, message_number, message_at, entry_mode,
            created_at - interval '1 day' + (n / 7) * interval '1 millisecond'
       from orders, generate_series(1, $3) n where id = $1`,
    [orderId, reference, count],
  )
}

test('an order and its transactions are listed with their references, and the order is read by its id', async () => {
  const reference = newReference()
  const client = gateway.client()
  const { orderId, customerId } = await client.authorize(
    payment('30.00', { orderReference: reference }),
  )
  await client.capture({ orderId, amount: '20.00' })
  await client.refund({ orderId, amount: '5.00' })

  const { rows, next } = await readList(gateway, 'orders', { xtl_order_id: reference })
  assert.equal(next, null)
  assert.equal(rows.length, 1)
  const { created_at: createdAt, card, ...order } = rows[0] ?? {}
  assert.match(String(createdAt), /^\d{4}-.*Z$/)
  assert.deepEqual(Object.keys(card as object), ['brand', 'last4', 'pmt_id', 'pmt_id_xtl'])
  assert.deepEqual(
    [order['po_id'], order['status'], order['requested_amount'], order['captured']],
    [String(orderId), 'APPROVED', '30.00', '20.00'],
  )
  assert.deepEqual([order['refunded'], order['remaining']], ['5.00', '10.00'])
  assert.equal(order['cust_id'], String(customerId))

  const steps = await readList(gateway, 'transactions', { po_id: String(orderId) })
  assert.deepEqual(
    steps.rows.map((row) => [row['action'], row['amount'], row['status'], row['xtl_order_id']]),
    [
      ['authorization', '30.00', 'APPROVED', reference],
      ['capture', '20.00', 'APPROVED', reference],
      ['refund', '5.00', 'APPROVED', reference],
    ],
  )
  const { body } = await readList(gateway, `orders/${orderId}`)
  assert.equal(body['po_id'], String(orderId))
  assert.deepEqual(body['transactions'], steps.rows)
})

test('every list has the fields of its documentation, and an object has the same', async () => {
  const owner = await signIn(gateway)
  const { orderId } = await gateway.client().sale(payment('80.00'))
  await startMembership(gateway, { dueAt: TOMORROW })
  await untilBatchEnded(gateway, await closeAnsweredBatch(gateway, owner))
  const sender = await openNoticeSender(gateway)
  await sender.send(String(orderId), {
    kind: 'dispute_opened',
    stage: 'chargeback',
    reason: '10.4',
    respond_by: dayIn(20),
  })
  await plantPayout()
  const keys = {
    orders: 'po_id',
    transactions: 'trans_id',
    memberships: 'mbshp_id',
    customers: 'cust_id',
    batches: 'batch_id',
    payouts: 'payout_id',
    disputes: 'dispute_id',
  } as const
  for (const list of LIST_NAMES) {
    const { rows } = await readList(gateway, list)
    const [row] = rows
    assert.ok(row, `${list} is empty`)
    assert.deepEqual(pathsOf(row), Object.keys(LIST_FIELDS[list]), list)
    const { body, status } = await readList(gateway, `${list}/${String(row[keys[list]])}`)
    assert.equal(status, 200)
    assert.deepEqual({ ...row, transactions: null }, { ...body, transactions: null })
  }
})

/** The names of fields; those of a part of an object have a full stop. */
function pathsOf(row: ListRow): string[] {
  return Object.entries(row).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.keys(value).map((part) => `${name}.${part}`)
      : [name],
  )
}

async function plantPayout(): Promise<void> {
  await gateway.pool.query(
    `with f as (
       insert into settlement_files (source_id, merchant_id, seq, file_id, state, business_date,
         value_date, zone, created_at, prev_sha256, content_sha256, bytes_sha256, lines, by_kind,
         opening_minor, gross_minor, fees_minor, net_minor, closing_minor, staged_by, booked_by,
         booked_at)
       select id, merchant_id, 1, gen_random_uuid(), 'booked', '2026-11-01', '2026-11-02', 'UTC',
              now(), repeat('0', 64), repeat('1', 64), repeat('2', 64), 1, '{}', 0, 0, 0, 0, 0,
              'test', 'test', now()
         from settlement_sources where merchant_id = 1 limit 1
       returning id, source_id, merchant_id)
     insert into settlement_payouts (source_id, merchant_id, file_id, n, payout, trace, currency,
       carried_minor, gross_minor, refunds_minor, chargebacks_minor, fees_minor, reserve_minor,
       other_minor, left_minor, net_minor, value_date, arrives)
     select source_id, merchant_id, id, 1, 'payout-1', 'trace-1', 'USD', 0, 1000, -200, 0, -50, 0,
            0, 0, 750, '2026-11-02', '2026-11-03' from f`,
  )
}

suite('filters', () => {
  test('of state, amount, currency, site and time narrow the list to what fits all of them', async () => {
    const customer = newReference()
    const of = (amount: string) =>
      gateway.client().sale(payment(amount, { customer: { reference: customer } }))
    const cheap = await of('11.00')
    const dear = await of('12.00')
    const declined = await of('6.35')
    const mine = { xtl_cust_id: customer }
    const found = async (parameters: Readonly<Record<string, string>>, list = 'orders') =>
      idsOf(await readWholeList(gateway, list, { ...mine, ...parameters }))

    const all = [cheap, dear, declined].map(({ orderId }) => String(orderId))
    assert.deepEqual(await found({}), all)
    assert.deepEqual(await found({ status: 'DECLINED' }), all.slice(2))
    assert.deepEqual(await found({ currency: 'USD', amount: '12' }), all.slice(1, 2))
    const range = { currency: 'USD', amount_min: '11', amount_max: '11.99' }
    assert.deepEqual(await found(range), all.slice(0, 1))
    assert.deepEqual(await found({ currency: 'EUR' }), [])
    assert.deepEqual(await found({ site_id: '1003' }), [])
    assert.deepEqual(await found({ mode: 'live' }), [])
    assert.deepEqual(await found({ to: '2026-01-01' }), [])
    assert.deepEqual(await found({ from: '2026-01-01T00:00:00+02:00' }), all)
    assert.deepEqual(await found({ action: 'sale', origin: 'API' }, 'transactions'), all)
  })

  test('of a membership find the order that began it, and a batch has its transactions', async () => {
    const { firstOrderId, id } = await startMembership(gateway, { dueAt: TOMORROW })
    assert.deepEqual(idsOf(await readWholeList(gateway, 'orders', { mbshp_id: id })), [
      firstOrderId,
    ])
    const [row] = await readWholeList(gateway, 'transactions', { po_id: firstOrderId })
    const batch = String(row?.['batch_id'])
    const inBatch = await readWholeList(gateway, 'transactions', { batch_id: batch, limit: '1' })
    assert.ok(idsOf(inBatch).includes(firstOrderId))
    assert.ok(inBatch.every((each) => each['batch_id'] === batch))
  })

  for (const [path, parameters, parameter, detail] of [
    ['orders', { colour: 'red' }, 'colour', /It has: from, to, after, limit, .*xtl_order_id/],
    ['orders', { status: 'GONE' }, 'status', /APPROVED/],
    ['orders', { amount: '5' }, 'currency', /needs its currency/],
    ['orders', { amount: '5.001', currency: 'USD' }, 'amount', /USD/],
    ['orders', { from: 'yesterday' }, 'from', /2026-11-24/],
    ['orders', { from: '2026-11-31' }, 'from', /2026-11-24/],
    ['orders', { from: '2026-11-02', to: '2026-11-01' }, 'to', /later/],
    ['orders', { limit: '1001' }, 'limit', /1000/],
    ['orders', { format: 'xml' }, 'format', /jsonl/],
    ['batches', { site_id: '1001' }, 'site_id', /batches has no such parameter/],
  ] as const) {
    test(`${path} refuses ${JSON.stringify(parameters)} with the name of the parameter`, async () => {
      const { body, status } = await readList(gateway, path, parameters)
      assert.deepEqual(
        [status, body['type'], body['parameter']],
        [400, '/docs/integrators/problems#parameter-invalid', parameter],
      )
      assert.match(String(body['detail']), detail)
    })
  }

  test('a card number that was sent as a parameter is in no answer', async () => {
    const { status, text } = await readList(gateway, 'orders', { [VISA]: '1' })
    assert.equal(status, 400)
    assert.ok(!text.includes(VISA))
  })
})

suite('pages', () => {
  test('have every row once and nothing that came after the first page while rows come in', async () => {
    const reference = newReference()
    await plantOrders(50, reference)
    const first = await readList(gateway, 'orders', { xtl_order_id: reference, limit: '7' })
    assert.ok(first.completeUntil !== null)
    const follow = async ({ headers, rows }: ListAnswer): Promise<readonly ListRow[]> => {
      const [, path] = /^<\/api\/v1\/(.*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
      if (path === undefined) return rows
      await gateway.client().sale(payment('2.00', { orderReference: reference }))
      const { searchParams } = new URL(path, 'http://page/')
      const next = await readList(gateway, 'orders', Object.fromEntries(searchParams))
      assert.equal(next.completeUntil, first.completeUntil)
      return [...rows, ...(await follow(next))]
    }
    const seen = await follow(first)
    assert.equal(seen.length, 50)
    assert.equal(new Set(idsOf(seen)).size, 50)
    assert.deepEqual(
      seen.map((row) => String(row['created_at'])),
      seen.map((row) => String(row['created_at'])).toSorted(),
    )
  })

  test('of a filter that no index serves go on over all rows', async () => {
    const reference = newReference()
    await plantOrders(1_200, reference)
    const parameters = { currency: 'USD', amount_min: '1.50', amount_max: '2.49', limit: '30' }
    const rows = await readWholeList(gateway, 'orders', { ...parameters, xtl_order_id: reference })
    assert.equal(rows.length, 100)
    assert.equal(new Set(idsOf(rows)).size, 100)
  })

  test('a cursor with another filter or another list is refused, and so is a text that is none', async () => {
    await gateway.client().sale(payment('1.00'))
    await gateway.client().sale(payment('1.00'))
    const { next } = await readList(gateway, 'orders', { limit: '1' })
    const type = async (list: string, parameters: Readonly<Record<string, string>>) => {
      const { body, status } = await readList(gateway, list, parameters)
      return [status, String(body['type']).replace(/.*#/, '')]
    }
    const after = next ?? ''
    assert.deepEqual(await type('orders', { after, mode: 'test' }), [400, 'filter-changed'])
    assert.deepEqual(await type('transactions', { after }), [400, 'filter-changed'])
    assert.deepEqual(await type('orders', { after: 'nonsense' }), [400, 'cursor-invalid'])
    const other = await readList(gateway, 'orders', { after }, { login: basicLogin(1002) })
    assert.equal(other.status, 400)
  })

  test('are complete until a minute before the oldest open transaction of the database', async () => {
    const client = await gateway.pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query<{ at: Date }>(
        'select now() as at, pg_current_xact_id() as written',
      )
      const sent = (rows[0]?.at.getTime() ?? 0) - behindMs
      const until = await eventually('the transaction has been open for a while', async () => {
        const { completeUntil } = await readList(gateway, 'orders', { limit: '1' })
        return clock.now().getTime() > sent + 200 && Date.parse(String(completeUntil))
      })
      assert.ok(until <= sent - 60_000 + 20, `${until} is after ${sent - 60_000}`)
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})

suite('files', () => {
  test('of JSON Lines have every row and an end, and one that was cut is resumed by its last cursor', async () => {
    const reference = newReference()
    await plantOrders(2_500, reference)
    const parameters = { from: '2026-01-01', mode: 'test', xtl_order_id: reference }
    const whole = await readList(gateway, 'orders', parameters, {
      accept: 'application/x-ndjson',
    })
    assert.match(whole.type, /^application\/x-ndjson/)
    const lines = linesOf(whole.text)
    const end = lines.pop()
    assert.deepEqual([end?.['end'], end?.['rows'], end?.['cursor']], [true, 2_500, null])

    // A cut in the middle of a line: what is behind the last line end does not count.
    const cut = linesOf(whole.text.slice(0, Math.floor(whole.text.length * 0.6)))
    assert.ok(cut.every((line) => line['end'] === undefined))
    await gateway.client().sale(payment('1.00', { orderReference: reference }))
    const rest = await readList(gateway, 'orders', {
      ...parameters,
      format: 'jsonl',
      after: String(cut.at(-1)?.['cursor']),
    })
    const resumed = linesOf(rest.text)
    assert.equal(resumed.pop()?.['rows'], 2_500 - cut.length)
    assert.deepEqual(idsOf([...cut, ...resumed]), idsOf(lines))
  })

  test('of CSV have the fields of the list, no formulas, and a count on request', async () => {
    const reference = `=${newReference()}`
    await plantOrders(3, reference)
    const parameters = { xtl_order_id: reference, format: 'csv', count: 'true', limit: '2' }
    const { text, type } = await readList(gateway, 'orders', parameters)
    assert.match(type, /^text\/csv/)
    const [head = '', first = '', , last = ''] = text.split('\r\n')
    const names = Object.keys(LIST_FIELDS.orders)
    assert.equal(head, [...names, 'cursor'].map((name) => `"${name}"`).join(','))
    assert.ok(first.includes(`,"'${reference}",`), first)
    assert.match(last, /^"end","2",.*,"[\w-]+"$/)
    const [row] = (await readList(gateway, 'orders', { xtl_order_id: reference })).rows
    const cells = names.map((name) => fieldText(row as ListObject, name))
    assert.ok(first.startsWith(`"${cells[0]}","${cells[1]}","${cells[2]}"`), first)
  })

  test('that are sent at once are bounded for a user, and a client that goes leaves its place', async () => {
    await plantOrders(40_000, newReference())
    const url = new URL('/api/v1/orders?format=jsonl', gateway.baseUrl)
    const headers = { authorization: basicLogin() }
    // These bodies are not read, so that the files stay open.
    const open = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const gone = new AbortController()
        // A response without a holder would be cancelled.
        return { gone, response: await fetch(url, { headers, signal: gone.signal }) }
      }),
    )
    assert.deepEqual(
      open.map(({ response }) => response.status),
      [200, 200, 200, 200],
    )
    const { body, status } = await readList(gateway, 'orders', { format: 'csv' })
    assert.deepEqual([status, body['type']], [429, '/docs/integrators/problems#too-many-files'])
    for (const { gone } of open) gone.abort()
    await eventually('another file is sent', async () => {
      const answer = await readList(gateway, 'orders', { format: 'csv', limit: '1' })
      return answer.status === 200
    })
  })
})

suite('access', () => {
  test('orders, transactions and customers of another merchant do not exist', async () => {
    const { customerId, orderId, transactionId } = await gateway.client().sale(payment('3.00'))
    const login = basicLogin(1002)
    for (const path of [
      `orders/${orderId}`,
      `transactions/${transactionId}`,
      `customers/${customerId}`,
    ]) {
      assert.equal((await readList(gateway, path)).status, 200)
      const { body, status } = await readList(gateway, path, {}, { login })
      const unknown = await readList(gateway, 'orders/1', {}, { login })
      assert.equal(status, 404)
      assert.deepEqual({ ...body, req_id: '' }, { ...unknown.body, req_id: '' })
    }
    for (const list of LIST_NAMES) {
      const table = list === 'payouts' ? 'settlement_payouts' : list
      const own = await gateway.pool.query(`select from ${table} where merchant_id = 2`)
      const { rows } = await readList(gateway, list, {}, { login })
      assert.equal(rows.length, own.rowCount, list)
    }
    const { rows } = await readList(gateway, 'orders', { cust_id: String(customerId) }, { login })
    assert.deepEqual(rows, [])
  })

  test('a list needs a login, and each request is in the request log under its name', async () => {
    const { body, status } = await readList(gateway, 'payouts', {}, { login: 'none' })
    assert.deepEqual([status, body['type']], [401, '/docs/integrators/problems#unauthenticated'])
    await readList(gateway, 'payouts', { limit: '9' })
    await eventually('the request is logged', async () => {
      const { rowCount } = await gateway.pool.query(
        `select from requests where action = 'GET_PAYOUTS' and parameters ->> 'limit' = '9'
            and merchant_id = 1 and username = 'demo@tollgate.test' and http_status = 200`,
      )
      return rowCount === 1
    })
  })

  test('other methods are refused', async () => {
    const response = await fetch(new URL('/api/v1/orders', gateway.baseUrl), {
      method: 'DELETE',
      headers: { authorization: basicLogin() },
    })
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET'])
  })
})

suite('the nightly reconciliation of the documentation', () => {
  const page = readFileSync('docs/integrators/reconciliation.md', 'utf8')
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-reconcile-'))
  const file = join(folder, 'shop.json')
  let period: readonly string[] = []
  let expected: readonly string[] = []
  after(() => rmSync(folder, { recursive: true, force: true }))

  const program = (language: string, name: string): string => {
    const [, text] = new RegExp(`\n\`\`\`${language}\n(.*?)\n\`\`\``, 's').exec(page) ?? []
    assert.ok(text, `the page has no program in ${language}`)
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const run = async (command: string, path: string): Promise<string[]> => {
    const { REQ_PASSWORD: password = '', REQ_USERNAME: username = '' } = credentials()
    const args = [path, gateway.baseUrl, username, password, ...period, file]
    const { stdout } = await promisify(execFile)(command, args)
    return stdout.trimEnd().split('\n')
  }

  /** A shop's day: a lost answer, a doubled order, a refund by staff, and a payment that never was. */
  before(async () => {
    const begin = clock.now()
    const names = Object.fromEntries(
      ['good', 'lost', 'double', 'staff', 'back'].map((name) => [
        name,
        `${name}-${newReference()}`,
      ]),
    ) as Record<'good' | 'lost' | 'double' | 'staff' | 'back', string>
    const sell = (orderReference: string, amount: string) =>
      gateway.client().sale(payment(amount, { orderReference }))
    await sell(names.good, '10.00')
    const swallower = await openAnswerSwallower(gateway.baseUrl)
    const { REQ_PASSWORD: password = '', REQ_USERNAME: username = '' } = credentials()
    const cut = { baseUrl: swallower.baseUrl, username, password, siteId: 1001 }
    swallower.swallow('CCAUTHCAP')
    await assert.rejects(
      createSingleRequestClient(cut).sale(payment('12.50', { orderReference: names.lost })),
    )
    await swallower.close()
    const lost = await readList(gateway, 'orders', { xtl_order_id: names.lost })
    const doubled = [await sell(names.double, '20.00'), await sell(names.double, '20.00')]
    const staff = await sell(names.staff, '30.00')
    const owner = await signIn(gateway)
    const refund = await owner.post(`/orders/${staff.orderId}/refunds`, {
      key: `refund-of-staff-${names.staff}`,
      amount: '3.00',
      seen: {
        authorizedMinor: '3000',
        capturedMinor: '3000',
        voidedMinor: '0',
        refundedMinor: '0',
      },
    })
    assert.equal(refund.status, 200, refund.text)
    const back = await sell(names.back, '40.00')
    await gateway.client().refund({ orderId: back.orderId, amount: '15.00' })
    await sell('declined-here', '6.35')
    period = [begin.toISOString(), new Date(clock.now().getTime() + 1).toISOString()]
    const charge = (reference: string, amount: string) => ({ reference, kind: 'charge', amount })
    writeFileSync(
      file,
      JSON.stringify([
        charge(names.good, '10.00'),
        charge(names.double, '20.00'),
        charge(names.staff, '30.00'),
        charge(names.back, '40.00'),
        { reference: names.back, kind: 'refund', amount: '15.00' },
        charge('declined-here', '6.35'),
      ]),
    )
    const orders = doubled.map(({ orderId }) => orderId).join(',')
    expected = [
      `unknown to the shop: charge ${names.lost}: 12.50 USD, orders ${String(lost.rows[0]?.['po_id'])}, API`,
      `charged twice: charge ${names.double}: 40.00 USD, orders ${orders}, API`,
      `unknown to the shop: refund ${names.staff}: 3.00 USD, orders ${staff.orderId}, PORTAL`,
      'unknown to the gateway: charge declined-here',
    ]
  })

  const programs = [
    ['python', 'python3', 'reconcile.py'],
    ['js', process.execPath, 'reconcile.mjs'],
  ] as const
  const skip = (command: string): string | false =>
    spawnSync(command, ['--version']).status === 0 ? false : `${command} is not on this machine`

  for (const [language, command, name] of programs) {
    test(
      `in ${language} refuses a period that is not complete yet`,
      { skip: skip(command) },
      async () => {
        await assert.rejects(run(command, program(language, name)), /Too early/)
      },
    )
  }

  for (const [language, command, name] of programs) {
    test(
      `in ${language} reports lost answers, doubled orders and refunds by staff, and nothing else`,
      { skip: skip(command) },
      async () => {
        behindMs = 0
        assert.deepEqual(await run(command, program(language, name)), expected)
      },
    )
  }
})
