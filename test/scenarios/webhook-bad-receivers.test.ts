import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openOperator, Secret, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { eventsOf, type FeedEvent } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { payment } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'
import {
  accept,
  answering,
  startWebhookReceiver,
  type Behaviour,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts'

const SITE = 1001n
const TYPES = ['authorization.', 'capture.']
const ORDERS = 4
/** Each order has an approval, a capture, and its confirmation. */
const EVENTS = ORDERS * 3

/** Bad for the first requests, good afterwards. */
const atFirst =
  (count: number, bad: Behaviour): Behaviour =>
  (response, received, number) =>
    (number <= count ? bad : accept)(response, received, number)

/** Sends a byte now and then, and no end. */
const trickle: Behaviour = (response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('.'), 200)
  response.once('close', () => clearInterval(timer))
}

/** Answers late, within the limit. */
const slow: Behaviour = (response) => {
  const timer = setTimeout(() => response.writeHead(200).end(), 2_000)
  response.once('close', () => clearTimeout(timer))
}

const BAD: Readonly<Record<string, Behaviour>> = {
  '/hangs': atFirst(2, () => undefined),
  '/trickles': atFirst(2, trickle),
  '/redirects': atFirst(6, answering(302, { location: '/redirected' })),
  '/closes': atFirst(6, (response) => void response.destroy()),
  '/slow': slow,
  '/down': answering(500),
}

let gateway: RunningGateway
let operator: Operator
let receiver: WebhookReceiver
before(async () => {
  gateway = await startRunningGateway()
  receiver = await startWebhookReceiver()
  operator = await openOperator({
    databaseUrl: new Secret(gateway.databaseUrl),
    vaultKey: gateway.vaultKey,
    mode: 'sandbox',
  })
})
after(async () => {
  await operator?.close()
  await gateway?.stop()
  await receiver?.stop()
})

async function endpointAt(path: string, types: readonly string[]): Promise<bigint> {
  const added = await operator.webhooks.add(SITE, { url: receiver.url(path), types })
  assert.ok(added.ok)
  return added.id
}

/** Waits until no attempt is under way, and none is due by the clock of the site. */
async function settled(): Promise<void> {
  await eventually('no attempt is due', async () => {
    const { rows } = await gateway.pool.query(
      `select from webhook_deliveries d
         join webhook_endpoints e on e.id = d.endpoint_id
        cross join (select site_time($1, now()) as now) t
        where d.state = 'pending'
          and (d.leased_until > now()
               or (e.wait_until is null or e.wait_until <= t.now)
                  and (e.state = 'paused' or d.due_at <= t.now)
                  and not exists (select from webhook_deliveries x
                                   where x.endpoint_id = d.endpoint_id and x.object = d.object
                                     and x.object_id = d.object_id and x.state = 'pending'
                                     and x.position < d.position))`,
      [SITE],
    )
    return rows.length === 0 || null
  })
}

async function step(by: string): Promise<void> {
  await clock(gateway, 'step', { by })
  await settled()
}

/** Steps until every delivery of these endpoints arrived. */
async function untilAllArrived(ids: readonly bigint[], by: string, most: number): Promise<void> {
  for (let steps = 0; steps < most; steps += 1) {
    const listed = await operator.webhooks.list(SITE)
    const left = listed.filter(({ id, pending }) => ids.includes(id) && pending > 0)
    if (left.length === 0) return
    await step(by)
  }
  assert.fail('deliveries are still pending')
}

/** The events of the orders, as the feed has them. */
async function feedOf(orders: readonly string[]): Promise<readonly FeedEvent[]> {
  const all = await Promise.all(orders.map((id) => eventsOf(gateway, `order ${id}`)))
  return all.flat().filter(({ type }) => TYPES.some((prefix) => type.startsWith(prefix)))
}

/** Each event arrived, those of an order in their sequence, and the log has every request. */
async function assertComplete(path: string, id: bigint, feed: readonly FeedEvent[]): Promise<void> {
  const arrived = receiver.received(path)
  const first = [...new Map(arrived.map(({ event }) => [event.id, event])).values()]
  for (const order of new Set(feed.map(({ object }) => object.id))) {
    const of = (events: readonly FeedEvent[]) =>
      events.filter(({ object }) => object.id === order).map(({ id: event }) => event)
    assert.deepEqual(of(first), of(feed), `${path} ${order}`)
    // A retry of an earlier event never comes behind a later one.
    const sequence = arrived.map(({ event }) => event).filter(({ object }) => object.id === order)
    const numbers = sequence.map((event) => event.sequence)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
      `${path} ${order}`,
    )
  }
  const log = (await operator.webhooks.readLog(id, null, 100)) ?? []
  assert.equal(log.length, feed.length, path)
  for (const { eventId, log: attempts, state } of log) {
    const requests = arrived.filter(({ event }) => event.id === eventId).length
    assert.deepEqual([state, attempts.length], ['delivered', requests], `${path} ${eventId}`)
    const [last, ...failed] = attempts
    assert.ok(last?.status !== null && last?.fault === '', path)
    assert.ok(
      failed.every(({ fault }) => fault !== ''),
      path,
    )
  }
}

suite('receivers of webhooks that misbehave', () => {
  test('every event arrives in the end as the log says, and a bad endpoint delays no other one', async () => {
    for (const [path, behaviour] of Object.entries(BAD)) receiver.behave(path, behaviour)
    const good = await endpointAt('/good', [...TYPES, 'endpoint.'])
    const bad = new Map<string, bigint>()
    for (const path of Object.keys(BAD)) bad.set(path, await endpointAt(path, TYPES))
    await clock(gateway, 'stop')
    const orders = await Promise.all(
      Array.from({ length: ORDERS }, async () => {
        const { orderId } = await gateway.client().authorize(payment('12.50'))
        await gateway.client().capture({ orderId: orderId ?? '', amount: '12.50' })
        return orderId ?? ''
      }),
    )

    // The clock stands still, so that nothing was repeated yet.
    await receiver.until('/good', EVENTS)
    const down = bad.get('/down') ?? 0n
    assert.equal((await operator.webhooks.readLog(down, 'pending', 100))?.length, EVENTS)
    await settled()

    // An order has its ninth attempt 28 h to 32 h after its first. No earlier one is sure to come a
    // day or more after the endpoint began to fail.
    for (let hours = 2; hours <= 32; hours += 2) await step('PT2H')
    const read = async () => (await operator.webhooks.list(SITE)).find(({ id }) => id === down)
    const { failures = 0, pending, reason, state } = (await read()) ?? {}
    assert.deepEqual([state, reason, pending], ['paused', 'failing', EVENTS])
    assert.ok(failures >= 20)
    const others = [...bad.values()].filter((id) => id !== down)
    await untilAllArrived(others, 'PT2H', 10)

    receiver.behave('/down', accept)
    await untilAllArrived([down], 'PT2H', 10)
    assert.equal((await read())?.state, 'enabled')

    const feed = await feedOf(orders)
    assert.equal(feed.length, EVENTS)
    for (const [path, id] of bad) await assertComplete(path, id, feed)
    const seen = await receiver.until('/good', EVENTS + 2)
    assert.deepEqual(
      seen.slice(EVENTS).map(({ event }) => [event.type, event.object.id]),
      [
        ['endpoint.paused', down.toString()],
        ['endpoint.resumed', down.toString()],
      ],
    )
    assert.deepEqual(receiver.received('/redirected'), [])
    assert.equal(new Set(seen.map(({ event }) => event.id)).size, EVENTS + 2)
    assert.equal((await operator.webhooks.readLog(good, 'failed', 9))?.length, 0)
  })

  test('the log has the fault of each bad answer', async () => {
    const faults = async (path: string): Promise<ReadonlySet<string>> => {
      const listed = await operator.webhooks.list(SITE)
      const { id = 0n } = listed.find(({ url }) => url === receiver.url(path)) ?? {}
      const log = (await operator.webhooks.readLog(id, null, 100)) ?? []
      return new Set(log.flatMap(({ log: attempts }) => attempts.map(({ fault }) => fault)))
    }
    const [late, good] = ['No whole answer within 15 s.', '']
    assert.deepEqual(await faults('/hangs'), new Set([good, late]))
    assert.deepEqual(await faults('/trickles'), new Set([good, late]))
    assert.deepEqual(await faults('/redirects'), new Set([good, 'The endpoint answered 302.']))
    assert.deepEqual(await faults('/down'), new Set([good, 'The endpoint answered 500.']))
    assert.deepEqual(await faults('/slow'), new Set([good]))
    for (const fault of await faults('/closes'))
      assert.match(fault, /^$|^The exchange failed: (ECONNRESET|EPIPE)\.$/)
  })
})
