import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { eventInvariants } from '../../packages/gateway/src/adapters/postgres/books/invariants/event-invariants.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { closeAnsweredBatch, untilBatchEnded } from '../support/batches.ts'
import {
  assertSchema,
  basicLogin,
  eventsOf,
  readFeed,
  readWholeFeed,
  untilNumbered,
  type FeedEvent,
} from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { startGatewayNode } from '../support/gateway-node.ts'
import { ask } from '../support/memberships.ts'
import { payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { signIn } from '../support/portal.ts'
import { startMembership, untilCharged } from '../support/renewals.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '2000', REQUEST_RATE_LIMIT: '0' })
})
after(() => gateway?.stop())

async function typesOf(object: string): Promise<string[]> {
  const events = await eventsOf(gateway, object)
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, at) => at + 1),
  )
  for (const event of events) assertSchema(event)
  return events.map(({ type }) => type)
}

/** The API user of the requests, as events name it. */
async function apiUser(): Promise<string> {
  const { rows } = await gateway.pool.query<{ id: string }>(
    'select id from api_users where username = $1',
    [credentials(1001).REQ_USERNAME],
  )
  return `api_user ${rows[0]?.id}`
}

suite('events of orders', () => {
  test('a sale is reported with the ids and references of the shop, and nothing of the card but its last digits', async () => {
    const { orderId, transactionId } = await gateway
      .client()
      .sale(payment('12.50', { orderReference: 'Café-7', customer: { reference: 'C-7' } }))

    await untilNoAdviceIsQueued(gateway)
    const [event, ...more] = await eventsOf(gateway, `order ${orderId}`)
    assert.equal(event?.type, 'payment.approved')
    // The bank's acknowledgement of its capture has no event.
    assert.deepEqual(more, [])
    const { data } = event
    assert.deepEqual(
      [event.merchant_id, event.site_id, event.mode, event.origin, event.sequence],
      ['1', '1001', 'test', 'API', 1],
    )
    assert.deepEqual(
      [data['po_id'], data['trans_id'], data['amount'], data['currency'], data['status']],
      [String(orderId), String(transactionId), '12.50', 'USD', 'APPROVED'],
    )
    assert.equal(data['xtl_order_id'], 'Café-7')
    assert.deepEqual(Object.keys(data['card'] as object), [
      'brand',
      'last4',
      'pmt_id',
      'pmt_id_xtl',
    ])
    assert.doesNotMatch(JSON.stringify(event), /4111111111111111|122040|2040/)
  })

  for (const [name, amount, type] of [
    ['declines', '6.35', 'payment.declined'],
    ['leaves without an answer', '9101.01', 'payment.failed'],
  ] as const) {
    test(`a sale that the bank ${name} is reported once, as ${type}`, async () => {
      const { orderId } = await gateway.client().sale(payment(amount))
      await untilNoAdviceIsQueued(gateway)

      const types = await typesOf(`order ${orderId}`)
      assert.deepEqual(types, type === 'payment.failed' ? [type, 'reversal.confirmed'] : [type])
    })
  }

  test('captures, voids and refunds of an order are reported with its sums, and with the answer of the bank', async () => {
    const shop = gateway.client()
    const { orderId } = await shop.authorize(payment('20.00'))
    await shop.capture({ orderId, amount: '12.00' })
    await shop.refund({ orderId, amount: '2.00' })
    await shop.void({ orderId })
    await untilNoAdviceIsQueued(gateway)

    const events = await eventsOf(gateway, `order ${orderId}`)
    const of = (isOne: (type: string) => boolean): string[] =>
      events.filter(({ type }) => isOne(type)).map(({ type }) => type)
    assert.deepEqual(
      of((type) => !type.includes('confirmed')),
      ['authorization.approved', 'capture.created', 'refund.created', 'authorization.voided'],
    )
    assert.deepEqual(of((type) => type.includes('confirmed')).toSorted(), [
      'capture.confirmed',
      'refund.confirmed',
      'reversal.confirmed',
    ])
    const voided = events.find(({ type }) => type === 'authorization.voided')
    assert.deepEqual(voided?.data['order'], {
      authorized: '20.00',
      captured: '12.00',
      voided: '8.00',
      refunded: '2.00',
      remaining: '0.00',
    })
    assert.equal(voided?.data['amount'], '8.00')
    const users = events
      .filter(({ type }) => type.endsWith('created'))
      .map(({ actor }) => actor && `${actor.type} ${actor.id}`)
    assert.deepEqual(users, [await apiUser(), await apiUser()])
    for (const event of events) assertSchema(event)
  })

  test('a void of a capture is reported', async () => {
    const shop = gateway.client()
    const { orderId } = await shop.authorize(payment('5.00'))
    await shop.capture({ orderId, amount: '5.00' })
    await shop.captureVoid({ orderId })

    assert.ok((await typesOf(`order ${orderId}`)).includes('capture.voided'))
  })

  test('an authorization at a site with a clock of its own is announced a day before it expires, and then reported as expired', async () => {
    const site = 1003
    await clock(gateway, 'stop', {}, site)
    const { orderId } = await gateway.client(site).authorize(payment('70.00'))

    await clock(gateway, 'step', { by: 'P10D' }, site)

    await eventually('the authorization has expired', async () => {
      const { rowCount } = await gateway.pool.query(
        'select from orders where id = $1 and released_at is not null',
        [orderId],
      )
      return rowCount === 1
    })
    const events = await eventsOf(gateway, `order ${orderId}`)
    const [approved, expiring, expired] = events
    assert.deepEqual(
      [approved?.type, expiring?.type, expired?.type],
      ['authorization.approved', 'authorization.expiring', 'authorization.expired'],
    )
    const [atApproval, atWarning, atEnd] = [approved, expiring, expired].map((event) =>
      Date.parse(event?.timestamp ?? ''),
    )
    assert.equal((atEnd ?? 0) - (atWarning ?? 0), 86_400_000)
    assert.equal(expired?.data['expires_at'], expired?.timestamp)
    assert.ok((atWarning ?? 0) > (atApproval ?? 0))
    for (const event of events) assertSchema(event)
  })
})

suite('events of memberships', () => {
  async function cancel(id: string, type: string): Promise<void> {
    const answer = await ask(gateway, {
      REQUEST_ACTION: 'SUB_CANCEL',
      REQUEST_REF_MBSHP_ID: id,
      SUB_CANCEL_TYPE: type,
    })
    assert.equal(answer['API_RESPONSE'], '0', JSON.stringify(answer))
  }

  test('a membership that renews is reported as started and renewed, with the order of the renewal', async () => {
    const membership = await startMembership(gateway)
    const [charge] = await untilCharged(gateway, membership.id)

    const events = await eventually('the renewal is reported', async () => {
      const seen = await eventsOf(gateway, `membership ${membership.id}`)
      return seen.length >= 2 && seen
    })
    assert.deepEqual(
      events.map(({ type, origin }) => `${type} ${origin}`),
      ['membership.began API', 'membership.renewed REBILL'],
    )
    assert.equal(events[1]?.data['po_id'], charge?.order_id)
    for (const event of events) assertSchema(event)
  })

  test('a failed renewal, the wait for a retry and a cancellation are reported', async () => {
    const membership = await startMembership(gateway, { dueAt: new Date('2090-01-01') })
    await gateway.pool.query(
      'update memberships set price_minor = 635, next_at = now() where id = $1',
      [membership.id],
    )
    await untilCharged(gateway, membership.id)
    await cancel(membership.id, '1')

    assert.deepEqual(await typesOf(`membership ${membership.id}`), [
      'membership.began',
      'membership.renewal_declined',
      'membership.past_due',
      'membership.cancelled',
    ])
  })

  test('a planned end and another product are reported as such, and a repeat is not reported again', async () => {
    const membership = await startMembership(gateway, { dueAt: new Date('2090-01-01') })
    const other = await startMembership(gateway, { dueAt: new Date('2090-01-01') })
    const { rows } = await gateway.pool.query<{ product: string }>(
      'select product from memberships where id = $1',
      [other.id],
    )
    const updated = await ask(gateway, {
      REQUEST_ACTION: 'SUB_UPDATE',
      REQUEST_REF_MBSHP_ID: membership.id,
      SUB_UPDATE_PROD_ID: rows[0]?.product ?? '',
    })
    assert.equal(updated['API_RESPONSE'], '0', JSON.stringify(updated))
    await cancel(membership.id, '2')
    await cancel(membership.id, '2')

    assert.deepEqual(await typesOf(`membership ${membership.id}`), [
      'membership.began',
      'membership.product_changed',
      'membership.cancel_scheduled',
    ])
    const [, changed] = await eventsOf(gateway, `membership ${membership.id}`)
    assert.equal(changed?.actor && `${changed.actor.type} ${changed.actor.id}`, await apiUser())
  })
})

test('a closed batch is reported with its sums, and once the bank agrees', async () => {
  const owner = await signIn(gateway)
  await gateway.client().sale(payment('3.00'))
  const batch = await closeAnsweredBatch(gateway, owner)
  await untilBatchEnded(gateway, batch)

  assert.deepEqual(await typesOf(`batch ${batch}`), ['batch.closed', 'batch.agreed'])
})

suite('the feed', () => {
  test('an answer has events in JSON, a cursor and a mark of more, and the next page goes on behind it', async () => {
    await gateway.client().sale(payment('1.00'))
    await gateway.client().sale(payment('2.00'))
    await untilNumbered(gateway)

    const first = await readFeed(gateway, { limit: '1' })
    const second = await readFeed(gateway, { limit: '1', after: first.cursor })

    assert.deepEqual(
      [first.status, first.type, first.has_more],
      [200, 'application/json; charset=utf-8', true],
    )
    assert.notEqual(first.events[0]?.id, second.events[0]?.id)
  })

  test('a request that waits is answered as soon as there is an event', async () => {
    const { cursor } = await readWholeFeed(gateway)
    const waiting = readFeed(gateway, { after: cursor, wait: '30' })
    const { orderId } = await gateway.client().sale(payment('4.00'))

    const { events } = await waiting
    assert.equal(events[0]?.object.id, String(orderId))
  })

  test('a wait without an event ends with an empty answer and a cursor', async () => {
    await untilNoAdviceIsQueued(gateway)
    await untilNumbered(gateway)
    const { cursor } = await readWholeFeed(gateway)

    const answer = await readFeed(gateway, { after: cursor, wait: '1', types: 'site.changed' })
    assert.equal(answer.status, 400)
    const same = await readFeed(gateway, { after: cursor, wait: '1' })
    assert.deepEqual([same.status, same.events, same.has_more], [200, [], false])
  })

  test('types and site narrow the feed, and the cursor goes with them', async () => {
    await gateway.client().sale(payment('6.35'))
    await untilNumbered(gateway)
    const filter = { types: 'payment.declined,batch.', site_id: '1001' }

    const { cursor, events } = await readFeed(gateway, filter)
    assert.ok(events.length > 0)
    assert.ok(events.every(({ type }) => type === 'payment.declined'))
    const changed = await readFeed(gateway, { after: cursor })
    assert.deepEqual(
      [changed.status, changed.problem['type']],
      [400, '/docs/integrators/problems#filter-changed'],
    )
  })

  test('the events of another merchant do not exist', async () => {
    const { events } = await readWholeFeed(gateway, '', basicLogin(1002))
    assert.deepEqual(
      events.filter(({ merchant_id: merchant }) => merchant === '1'),
      [],
    )
  })

  for (const [why, login, status, name] of [
    ['without a login', null, 401, 'unauthenticated'],
    [
      'with a wrong password',
      `Basic ${Buffer.from('demo@tollgate.test:wrong').toString('base64')}`,
      401,
      'unauthenticated',
    ],
  ] as const) {
    test(`a request ${why} is refused with a problem document`, async () => {
      const answer = await readFeed(gateway, {}, login)
      assert.deepEqual(
        [answer.status, answer.type, answer.problem['type'], answer.problem['status']],
        [
          status,
          'application/problem+json; charset=utf-8',
          `/docs/integrators/problems#${name}`,
          status,
        ],
      )
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic /)
    })
  }

  test('an API user without the right is refused, and let in within seconds of getting it', async () => {
    const set = (on: boolean) =>
      gateway.pool.query('update api_users set reads_api = $1 where username = $2', [
        on,
        'other@tollgate.test',
      ])
    await set(false)
    const refused = await eventually('the right is gone', async () => {
      const answer = await readFeed(gateway, {}, basicLogin(1002))
      return answer.status === 403 && answer
    })
    assert.equal(refused.problem['type'], '/docs/integrators/problems#right-missing')
    await set(true)
    await eventually('the right is there', async () => {
      const { status } = await readFeed(gateway, {}, basicLogin(1002))
      return status === 200
    })
  })

  for (const [parameters, parameter] of [
    [{ limit: '0' }, 'limit'],
    [{ wait: '56' }, 'wait'],
    [{ types: 'payment.refused' }, 'types'],
    [{ site_id: 'x' }, 'site_id'],
    [{ colour: 'red' }, 'colour'],
  ] as const) {
    test(`the parameter ${parameter} is refused by its name`, async () => {
      const { problem, status } = await readFeed(gateway, parameters)
      assert.deepEqual([status, problem['parameter']], [400, parameter])
    })
  }

  test('a cursor that no feed gave is refused', async () => {
    const { problem, status } = await readFeed(gateway, { after: 'nonsense' })
    assert.deepEqual([status, problem['type']], [400, '/docs/integrators/problems#cursor-invalid'])
  })

  test('a request is in the request log of its merchant', async () => {
    await readFeed(gateway, { limit: '7' })
    await eventually('the request is logged', async () => {
      const { rowCount } = await gateway.pool.query(
        `select from requests where action = 'GET_EVENTS' and parameters ->> 'limit' = '7'
            and merchant_id = 1 and username = 'demo@tollgate.test' and http_status = 200`,
      )
      return rowCount === 1
    })
  })
})

test('a reader gets every event once and in the sequence of each object while two gateways write', async () => {
  const [port = 0, tlsPort = 0] = await freePorts(2)
  const node = await startGatewayNode({
    ...gateway.nodeSettings,
    PORT: String(port),
    TLS_PORT: String(tlsPort),
    TOLLGATE_RUN_JOBS: '1',
  })
  try {
    const start = (await readWholeFeed(gateway)).cursor
    const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
    const other = createSingleRequestClient({
      baseUrl: node.baseUrl,
      username,
      password,
      siteId: 1001,
    })
    const trade = async (shop: typeof other): Promise<void> => {
      for (let round = 0; round < 8; round += 1) {
        const { orderId } = await shop.authorize(payment('9.00'))
        await shop.capture({ orderId, amount: '4.00' })
        await shop.refund({ orderId, amount: '1.00' })
      }
    }
    let isTrading = true
    const trading = Promise.all(
      Array.from({ length: 8 }, (_, at) => trade(at % 2 === 0 ? other : gateway.client())),
    ).finally(() => (isTrading = false))
    const read: FeedEvent[] = []
    let cursor = start
    const readOn = async (at: Pick<RunningGateway, 'baseUrl'>): Promise<void> => {
      const page = await readFeed(at, { after: cursor, limit: '20', wait: '1' })
      assert.equal(page.status, 200, JSON.stringify(page.problem))
      read.push(...page.events)
      cursor = page.cursor
    }
    while (isTrading) await readOn(read.length % 2 === 0 ? gateway : node)
    await trading
    await untilNoAdviceIsQueued(gateway)
    await untilNumbered(gateway)
    read.push(...(await readWholeFeed(gateway, cursor)).events)

    const { events } = await readWholeFeed(gateway, start)
    assert.deepEqual(
      read.map(({ id }) => id),
      events.map(({ id }) => id),
    )
    assert.equal(new Set(read.map(({ id }) => id)).size, read.length)
    assert.equal(read.filter(({ type }) => type === 'refund.created').length, 64)
    const counted = new Map<string, number>()
    for (const { object, sequence } of read) {
      const before = counted.get(object.id) ?? 0
      assert.equal(sequence, before + 1, `the events of order ${object.id} are out of sequence`)
      counted.set(object.id, sequence)
    }
  } finally {
    await node.stop()
  }
})

test('every transaction of all of this has exactly one event, and no position is missing', async () => {
  await untilNumbered(gateway)
  for (const { name, sql } of eventInvariants) {
    const { rows } = await gateway.pool.query(sql)
    assert.deepEqual(rows, [], name)
  }
  const { events } = await readWholeFeed(gateway)
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length)
})

test('an event that is missing, and one that is there twice, break the rule of verify', async () => {
  const { sql } = eventInvariants[0] ?? { sql: '' }
  const client = await gateway.pool.connect()
  try {
    await client.query('begin; alter table events disable trigger user')
    const { rows } = await client.query<{ partition: string; transaction_id: string }>(
      `select tableoid::regclass::text as partition, transaction_id from events
        where type = 'payment.approved' limit 1`,
    )
    const [event] = rows
    await client.query(`alter table ${event?.partition} disable trigger user`)
    await client.query(
      `update events set transaction_id = 1 where type = 'payment.approved' and transaction_id = $1`,
      [event?.transaction_id],
    )
    const broken = await client.query<{ transaction_id: string; events: number }>(sql)
    assert.deepEqual(
      broken.rows.map((row) => [row.transaction_id, row.events]),
      [[event?.transaction_id, 0]],
    )
  } finally {
    await client.query('rollback')
    client.release()
  }
})
