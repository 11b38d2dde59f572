import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../support/eventually.ts'
import { payment } from '../support/payments.ts'
import { addPortalUser, signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'
import {
  answering,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts'

const ENDPOINTS = '/settings/webhooks'
const DELIVERIES = '/settings/webhook-deliveries'

suite('webhooks in the portal', () => {
  let gateway: RunningGateway
  let receiver: WebhookReceiver
  let developer: SignedInUser
  let email = ''
  before(async () => {
    gateway = await startRunningGateway()
    receiver = await startWebhookReceiver()
    const added = await addPortalUser(gateway, 'developer')
    email = added.email
    developer = await signIn(gateway, added)
  })
  after(async () => {
    await gateway?.stop()
    await receiver?.stop()
  })

  const add = (path: string, types: readonly string[]) =>
    developer.post(ENDPOINTS, { siteId: '1001', url: receiver.url(path), types })

  const authorize = async (): Promise<string> =>
    String((await gateway.client().authorize(payment('12.50'))).orderId)

  /** The deliveries of an endpoint, once one has the state. */
  const untilListed = (endpoint: string, state: string) =>
    eventually(`endpoint ${endpoint} has a delivery that is ${state}`, async () => {
      const path = `${DELIVERIES}?endpoint=${endpoint}&state=${state}`
      const { deliveries } = (await developer.get(path)).body
      return deliveries.length > 0 ? deliveries : null
    })

  test('a developer adds an endpoint, and the log has the request as the program received it', async () => {
    const added = await add('/logged', ['authorization.'])
    assert.equal(added.status, 200)
    const { id, secret } = added.body
    const orderId = await authorize()

    const [received] = await receiver.until('/logged', 1)
    const headers = received?.headers as Record<string, string>
    new Webhook(secret).verify(received?.body ?? '', headers)
    const [listed] = await untilListed(id, 'delivered')
    assert.deepEqual(
      [listed.type, listed.object, listed.last.status],
      ['authorization.approved', { type: 'order', id: orderId }, 204],
    )
    const { body: delivery } = await developer.get(`${DELIVERIES}/${listed.id}`)
    assert.equal(delivery.body, received?.body)
    const [attempt] = delivery.log
    assert.ok(attempt.headers.length >= 6)
    for (const [name, value] of attempt.headers) assert.equal(value, headers[name], name)
    assert.ok(attempt.headers.some(([name]: [string]) => name === 'webhook-signature'))
    assert.ok(!JSON.stringify([delivery, await developer.get(ENDPOINTS)]).includes(secret))

    const { rows } = await gateway.pool.query(
      `select actor, details::jsonb->>'endpoint' as endpoint from audit_entries
        where operation = 'site.webhook_added'`,
    )
    assert.deepEqual(rows, [{ actor: `portal:${email}`, endpoint: id }])
    await developer.remove(`${ENDPOINTS}/${id}`)
  })

  test('an address inside of the network and an unknown type are refused at their fields', async () => {
    const wrong = { siteId: '1001', types: [], url: 'https://169.254.169.254/latest' }
    const refused = [
      await developer.post(ENDPOINTS, wrong),
      await developer.post(ENDPOINTS, { ...wrong, url: receiver.url('/'), types: ['sales.'] }),
    ]
    assert.deepEqual(
      refused.map(({ body, status }) => [status, body.error.field]),
      [
        [400, 'url'],
        [400, 'types'],
      ],
    )
    assert.match(refused[0]?.body.error.message, /metadata service/)
    const foreign = await developer.post(ENDPOINTS, { ...wrong, siteId: '1002' })
    assert.equal(foreign.status, 404)
    assert.deepEqual((await developer.get(ENDPOINTS)).body.endpoints, [])
  })

  test('a secret is rotated in two steps, and a third one is refused meanwhile', async () => {
    const { id } = (await add('/rotated', ['batch.'])).body
    const path = `${ENDPOINTS}/${id}/secrets`
    const rotated = await developer.post(path, {})
    assert.match(rotated.body.secret, /^whsec_/)
    const third = await developer.post(path, {})
    assert.deepEqual([third.status, third.body.error.code], [409, 'conflict'])
    assert.equal((await developer.remove(`${path}/previous`)).status, 200)
    assert.equal((await developer.remove(`${path}/previous`)).status, 409)
    await developer.remove(`${ENDPOINTS}/${id}`)
  })

  test('an edit keeps what it leaves out, and a paused endpoint gets its events once it is resumed', async () => {
    const { id } = (await add('/edited', ['batch.'])).body
    await developer.put(`${ENDPOINTS}/${id}`, { types: ['authorization.'] })
    const own = async () =>
      (await developer.get(ENDPOINTS)).body.endpoints.find((each: { id: string }) => each.id === id)
    assert.deepEqual((await own()).url, receiver.url('/edited'))
    await developer.post(`${ENDPOINTS}/${id}/pause`, {})
    assert.deepEqual([(await own()).state, (await own()).reason], ['paused', 'requested'])
    await authorize()
    assert.deepEqual(receiver.received('/edited'), [])
    await developer.post(`${ENDPOINTS}/${id}/resume`, {})
    await receiver.until('/edited', 1)
    await developer.remove(`${ENDPOINTS}/${id}`)
  })

  test('failed deliveries are sent again one by one and all since a time, and others are not', async () => {
    receiver.behave('/failing', answering(500))
    const { id } = (await add('/failing', ['authorization.'])).body
    await clock(gateway, 'stop')
    await authorize()
    await authorize()
    await receiver.until('/failing', 2)
    // As if each had its last attempt behind it.
    await eventually('both attempts are written', async () => {
      const written = await gateway.pool.query(
        `update webhook_deliveries set state = 'failed', attempts = 12, ended_at = now()
          where endpoint_id = $1 and attempts = 1
            and 2 = (select count(*) from webhook_deliveries where endpoint_id = $1 and attempts = 1)`,
        [id],
      )
      return written.rowCount === 2 || null
    })
    const [first, second] = await untilListed(id, 'failed')
    receiver.behave('/failing', answering(200))

    const one = await developer.post(`${DELIVERIES}/${first.id}/send-again`, {})
    assert.equal(one.body.count, 1)
    await untilListed(id, 'delivered')
    const later = new Date(Date.parse(second.createdAt) + 60_000).toISOString()
    const path = `${ENDPOINTS}/${id}/send-again`
    assert.equal((await developer.post(path, { since: later })).body.count, 0)
    assert.equal((await developer.post(path, { since: second.createdAt })).body.count, 1)
    const received = await receiver.until('/failing', 4)
    assert.deepEqual(
      received.slice(2).map(({ event }) => event.id),
      [first.eventId, second.eventId],
    )
    await clock(gateway, 'reset')
    await developer.remove(`${ENDPOINTS}/${id}`)
  })

  test('the log goes on behind its last row, and its filters leave the others out', async () => {
    const [one, other] = [(await add('/a', [])).body.id, (await add('/b', [])).body.id]
    await gateway.pool.query(
      `insert into webhook_deliveries (merchant_id, endpoint_id, day, position, event_id, type,
         object, object_id, state, due_at, ended_at)
       select 1, e.id, current_date, 1000000 + n, 'evt_' || n,
              case n % 2 when 0 then 'batch.closed' else 'payment.approved' end, 'order', n,
              'failed', now(), now()
         from generate_series(1, 30) n, unnest($1::bigint[]) as e (id)`,
      [[one, other]],
    )
    const first = (await developer.get(`${DELIVERIES}?state=failed`)).body
    assert.equal(first.deliveries.length, 50)
    const rest = (await developer.get(`${DELIVERIES}?state=failed&after=${first.next}`)).body
    assert.deepEqual([rest.deliveries.length, rest.next], [10, null])
    const ids = [...first.deliveries, ...rest.deliveries].map(({ id }: { id: string }) => id)
    assert.equal(new Set(ids).size, 60)
    const count = async (query: string): Promise<number> =>
      (await developer.get(`${DELIVERIES}?state=failed&${query}`)).body.deliveries.length
    assert.deepEqual(
      [
        await count(`endpoint=${one}`),
        await count(`endpoint=${one}&type=batch.`),
        await count('type=batch.closed'),
        await count('event=evt_7'),
        await count('site=1002'),
      ],
      [30, 15, 30, 2, 0],
    )
    await developer.remove(`${ENDPOINTS}/${one}`)
    await developer.remove(`${ENDPOINTS}/${other}`)
  })
})
