import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openOperator, Secret, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { auditedAsDone } from '../support/audit.ts'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { payment } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'
import {
  addReceiver,
  caughtBy,
  sandboxWebhooks,
  untilCaught,
  type AddedReceiver,
} from '../support/webhook-catches.ts'

const TYPES = ['authorization.approved', 'capture.created', 'capture.confirmed']

let gateway: RunningGateway
let operator: Operator
before(async () => {
  gateway = await startRunningGateway()
  operator = await openOperator({
    databaseUrl: new Secret(gateway.databaseUrl),
    vaultKey: gateway.vaultKey,
    mode: 'sandbox',
  })
})
after(async () => {
  await operator?.close()
  await gateway?.stop()
})

/** A receiver whose events meet a fault. */
async function faulty(
  types: readonly string[],
  ...faults: readonly object[]
): Promise<AddedReceiver> {
  const added = await addReceiver(gateway, types)
  const { endpoint } = added
  const { body, status } = await sandboxWebhooks(gateway, 'faults', { endpoint, faults })
  assert.equal(status, 200, JSON.stringify(body))
  return added
}

async function remove({ receiver }: AddedReceiver): Promise<void> {
  assert.equal((await sandboxWebhooks(gateway, 'remove', { receiver })).status, 200)
}

/** The deliveries of an endpoint with the faults of their attempts, the oldest first. */
async function log({ endpoint }: AddedReceiver): Promise<readonly unknown[]> {
  const read = (await operator.webhooks.readLog(BigInt(endpoint), null, 20)) ?? []
  return read
    .toReversed()
    .map(({ log: attempts, state, type }) => [
      type,
      state,
      attempts.toReversed().map(({ played, status }) => [played, status]),
    ])
}

/** The log once nothing of an endpoint is pending. */
function logOfAll(added: AddedReceiver, count: number): Promise<readonly unknown[]> {
  return eventually('all deliveries are concluded', async () => {
    const endpoint = BigInt(added.endpoint)
    const read = (await operator.webhooks.readLog(endpoint, null, 20)) ?? []
    const isDone = read.length === count && read.every(({ state }) => state !== 'pending')
    return isDone ? log(added) : null
  })
}

const sendTest = (added: AddedReceiver) => operator.webhooks.test(BigInt(added.endpoint))

suite('faults of deliveries in the sandbox', () => {
  test('an event is doubled under one id, and only the next one', async () => {
    const added = await faulty(['batch.'], { kind: 'double', count: 1 })
    await sendTest(added)
    const [first, second] = await untilCaught(gateway, added.receiver, 2)
    assert.equal(first?.event, second?.event)
    await logOfAll(added, 1)
    await sendTest(added)
    assert.equal((await untilCaught(gateway, added.receiver, 3)).length, 3)
    assert.deepEqual(await logOfAll(added, 2), [
      [
        'endpoint.tested',
        'delivered',
        [
          ['double', 204],
          ['', 204],
        ],
      ],
      ['endpoint.tested', 'delivered', [['', 204]]],
    ])
    await remove(added)
  })

  test('a lost event is reported as delivered and never arrives, and sent again it does', async () => {
    const added = await faulty(['batch.'], { kind: 'lose', count: 1 })
    await sendTest(added)
    assert.deepEqual(await logOfAll(added, 1), [['endpoint.tested', 'delivered', [['lose', null]]]])
    assert.deepEqual(await caughtBy(gateway, added.receiver), [])
    const all = { eventId: null, isFailedOnly: false, since: null }
    assert.ok((await operator.webhooks.sendAgain(BigInt(added.endpoint), all)).ok)
    assert.equal((await untilCaught(gateway, added.receiver, 1)).length, 1)
    await remove(added)
  })

  test('an event is signed with another secret or for an old time, and its retry is good', async () => {
    const added = await faulty(['batch.'], { kind: 'forge', count: 1 }, { kind: 'stale', count: 1 })
    const { receiver } = added
    await sandboxWebhooks(gateway, 'answer', { receiver, status: 401, count: 1 })
    await clock(gateway, 'stop')
    await sendTest(added)
    await untilCaught(gateway, receiver, 1)
    await eventually('the first attempt is written', async () =>
      JSON.stringify(await log(added)).includes('401') ? true : null,
    )
    await clock(gateway, 'step', { by: 'PT10S' })
    await untilCaught(gateway, receiver, 2)
    await sendTest(added)
    const caught = await untilCaught(gateway, receiver, 3)
    assert.deepEqual(
      caught.map(({ signature }) => signature),
      ['wrong', 'current', 'too_old'],
    )
    await clock(gateway, 'reset')
    await remove(added)
  })

  test('a delay holds an event and those of its object behind it until the clock of the site comes there', async () => {
    const added = await faulty(TYPES, { kind: 'delay', type: 'authorization.', seconds: 3_600 })
    await clock(gateway, 'stop')
    const { orderId } = await gateway.client().authorize(payment('12.50'))
    await eventually('the event is held back', async () =>
      JSON.stringify(await log(added)).includes('delay') ? true : null,
    )
    await gateway.client().capture({ orderId: orderId ?? '', amount: '12.50' })
    await clock(gateway, 'step', { by: 'PT59M' })
    assert.deepEqual(await caughtBy(gateway, added.receiver), [])
    await clock(gateway, 'step', { by: 'PT2M' })
    const caught = await untilCaught(gateway, added.receiver, 2)
    assert.deepEqual(
      caught.slice(0, 2).map(({ type }) => type),
      ['authorization.approved', 'capture.created'],
    )
    await clock(gateway, 'reset')
    await remove(added)
  })

  test('two events of one order change places, and no other event does', async () => {
    const added = await faulty(TYPES, { kind: 'reorder', type: 'authorization.', seconds: 3_600 })
    const [one, other] = await Promise.all(
      [1, 2].map(async () => (await gateway.client().authorize(payment('12.50'))).orderId ?? ''),
    )
    await eventually('both events are held back', async () =>
      JSON.stringify(await log(added)).split('reorder').length === 3 ? true : null,
    )
    await gateway.client().capture({ orderId: one ?? '', amount: '12.50' })
    await eventually('the order has all its events', async () => {
      const caught = await caughtBy(gateway, added.receiver)
      return caught.length >= 3 ? true : null
    })
    const caught = await caughtBy(gateway, added.receiver)
    assert.deepEqual(
      caught.map(({ type }) => type),
      ['capture.created', 'authorization.approved', 'capture.confirmed'],
    )
    assert.ok(caught.every(({ body }) => !body.includes(`"id":"${other}"`)))
    const sequence = (await eventsOf(gateway, `order ${one}`)).map(({ id }) => id)
    assert.deepEqual(
      caught.map(({ event }) => sequence.indexOf(event)),
      [1, 0, 2],
    )
    await remove(added)
  })

  test('an event without a next one goes when its time is over', async () => {
    const added = await faulty(['batch.'], { kind: 'reorder', seconds: 60 })
    await clock(gateway, 'stop')
    await sendTest(added)
    await eventually('the event is held back', async () =>
      JSON.stringify(await log(added)).includes('reorder') ? true : null,
    )
    await clock(gateway, 'step', { by: 'PT61S' })
    assert.equal((await untilCaught(gateway, added.receiver, 1)).length, 1)
    await clock(gateway, 'reset')
    await remove(added)
  })

  test('faults are listed with the events that are left, and are replaced as a whole', async () => {
    const added = await faulty(['batch.'], { kind: 'double', type: 'endpoint.', count: 3 })
    const { endpoint, url } = added
    await sendTest(added)
    await untilCaught(gateway, added.receiver, 2)
    type Listed = { readonly endpoints: readonly object[] }
    const { body } = await sandboxWebhooks<Listed>(gateway, '')
    assert.deepEqual(body.endpoints.at(-1), {
      endpoint,
      url,
      faults: [{ kind: 'double', type: 'endpoint.', share: 100, seconds: 60, count: 2 }],
    })
    const cleared = await sandboxWebhooks<{ faults: readonly object[] }>(gateway, 'faults', {
      endpoint,
      faults: [],
    })
    assert.deepEqual(cleared.body.faults, [])
    assert.deepEqual(await auditedAsDone(gateway.pool, ['site.webhook_faults_set']), [
      'site.webhook_faults_set',
    ])
    await remove(added)
  })

  test('wrong faults, and endpoints of others, are refused with a sentence', async () => {
    const added = await addReceiver(gateway, ['batch.'])
    const { endpoint } = added
    for (const [faults, field] of [
      [[{ kind: 'explode' }], 'kind'],
      [[{ kind: 'lose', share: 0 }], 'faults'],
      [[{ kind: 'lose', type: 'no.such' }], 'faults'],
      [[{ kind: 'lose', much: 1 }], 'much'],
      [[7], 'faults'],
      ['lose', 'faults'],
    ] as const) {
      const { body, status } = await sandboxWebhooks(gateway, 'faults', { endpoint, faults })
      assert.deepEqual([status, body.error?.field], [400, field], JSON.stringify(faults))
    }
    const other = await sandboxWebhooks(gateway, 'faults', { endpoint, faults: [] }, 1002)
    assert.deepEqual([other.status, other.body.error?.code], [404, 'not_found'])
    await remove(added)
  })
})
