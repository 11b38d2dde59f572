import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  DELIVERY_FIELDS,
  ENDPOINT_FIELDS,
} from '../../packages/gateway/src/http/api/webhook-objects.ts'
import { basicLogin } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { payment, untilRow, VISA } from '../support/payments.ts'
import { plantDelivery, plantEndpoint } from '../support/planted-webhooks.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { askApi } from '../support/webhook-api.ts'
import {
  answering,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts'

const ENDPOINTS = 'webhook-endpoints'
const DELIVERIES = 'webhook-deliveries'
const OTHER_SITE = 1002 as const

suite('the endpoint API', () => {
  let gateway: RunningGateway
  let receiver: WebhookReceiver
  before(async () => {
    gateway = await startRunningGateway()
    receiver = await startWebhookReceiver()
  })
  after(async () => {
    await gateway?.stop()
    await receiver?.stop()
  })

  type Asked = Parameters<typeof askApi> extends [unknown, ...infer Rest] ? Rest : never
  const ask = (...asked: Asked) => askApi(gateway, ...asked)
  const add = async (path: string, types: readonly string[]) =>
    (await ask('POST', ENDPOINTS, { site_id: '1001', url: receiver.url(path), types })).body

  test('a program adds an endpoint, and the log has what its server received', async () => {
    const draft = { site_id: '1001', url: receiver.url('/made'), types: ['authorization.'] }
    const made = await ask('POST', ENDPOINTS, draft)
    assert.equal(made.status, 201)
    const { id, secret, ...endpoint } = made.body
    assert.equal(made.headers.get('location'), `/api/v1/${ENDPOINTS}/${id}`)
    assert.deepEqual(Object.keys({ id, ...endpoint }), Object.keys(ENDPOINT_FIELDS))
    const read = await ask('GET', `${ENDPOINTS}/${id}`)
    assert.deepEqual(read.body, { id, ...endpoint })
    assert.deepEqual((await ask('GET', ENDPOINTS)).body, { webhook_endpoints: [read.body] })

    await gateway.client().authorize(payment('12.50'))
    const [received] = await receiver.until('/made', 1)
    new Webhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>)
    const delivered = await eventually('the delivery is in the log', async () => {
      const query = `${DELIVERIES}?endpoint_id=${id}&state=delivered&type=authorization.`
      return (await ask('GET', query)).body.webhook_deliveries[0] ?? null
    })
    assert.deepEqual(leavesOf(delivered), Object.keys(DELIVERY_FIELDS))
    const { body: whole } = await ask('GET', `${DELIVERIES}/${delivered.id}`)
    assert.deepEqual(whole.event, received?.event)
    assert.equal(
      whole.log[0].request_headers['webhook-signature'],
      received?.headers['webhook-signature'],
    )
    const audited = await untilRow(
      gateway,
      'the audit entry',
      `select actor from audit_entries where operation = 'site.webhook_added'`,
    )
    assert.equal(audited['actor'], 'api:demo@tollgate.test')
    assert.equal((await ask('DELETE', `${ENDPOINTS}/${id}`)).status, 204)
    assert.equal((await ask('GET', `${ENDPOINTS}/${id}`)).status, 404)
  })

  test('a repeated addition is a conflict that names the endpoint, and adds none', async () => {
    const draft = { site_id: '1001', url: receiver.url('/twice'), types: ['batch.', 'payout.'] }
    const [one, two] = await Promise.all([
      ask('POST', ENDPOINTS, draft),
      ask('POST', ENDPOINTS, draft),
    ])
    const [made, refused] = one.status === 201 ? [one, two] : [two, one]
    assert.deepEqual([made.status, refused.status], [201, 409])
    assert.match(refused.body.detail, new RegExp(`^Endpoint ${made.body.id} `))
    assert.equal(refused.body.type, '/docs/integrators/problems#conflict')
    const other = await add('/twice', ['batch.'])
    const types = ['payout.', 'batch.']
    assert.equal((await ask('PATCH', `${ENDPOINTS}/${other.id}`, { types })).status, 409)
    assert.equal((await ask('PATCH', `${ENDPOINTS}/${made.body.id}`, { types })).status, 200)
    for (const { id } of [made.body, other]) await ask('DELETE', `${ENDPOINTS}/${id}`)
  })

  test('a change keeps what it leaves out, and pause and resume can be repeated', async () => {
    const { id, url } = await add('/changed', ['batch.'])
    const path = `${ENDPOINTS}/${id}`
    const changed = await ask('PATCH', path, { types: ['authorization.'] })
    assert.deepEqual([changed.body.url, changed.body.types], [url, ['authorization.']])
    const paused = [await ask('POST', `${path}/pause`), await ask('POST', `${path}/pause`, {})]
    assert.deepEqual(
      paused.map(({ body, status }) => [status, body.state, body.reason]),
      [
        [200, 'paused', 'requested'],
        [200, 'paused', 'requested'],
      ],
    )
    assert.equal((await ask('POST', `${path}/resume`)).body.state, 'enabled')
    assert.equal((await ask('POST', `${path}/test`)).status, 200)
    const [tested] = await receiver.until('/changed', 1)
    assert.deepEqual([tested?.event.type, tested?.event.origin], ['endpoint.tested', 'API'])
    await ask('DELETE', path)
  })

  test('a new secret is answered once, and a third is a conflict until the older is removed', async () => {
    const { id, secret } = await add('/rotated', ['batch.'])
    const path = `${ENDPOINTS}/${id}/secret`
    const rotated = await ask('POST', path)
    assert.match(rotated.body.secret, /^whsec_/)
    assert.notEqual(rotated.body.secret, secret)
    assert.equal(rotated.body.secrets_created_at.length, 2)
    assert.equal((await ask('POST', path)).status, 409)
    const removed = await ask('DELETE', path)
    assert.deepEqual([removed.status, removed.body.secrets_created_at.length], [200, 1])
    assert.equal(removed.body.secret, undefined)
    await ask('DELETE', `${ENDPOINTS}/${id}`)
  })

  test('failed deliveries are queued again one by one, and all since a time', async () => {
    receiver.behave('/again', answering(200))
    const { id } = await add('/again', ['authorization.'])
    await gateway.client().authorize(payment('12.50'))
    await receiver.until('/again', 1)
    await eventually('the delivery is written', async () => {
      const written = await gateway.pool.query(
        `update webhook_deliveries set state = 'failed' where endpoint_id = $1 and state = 'delivered'`,
        [id],
      )
      return written.rowCount === 1 || null
    })
    const path = `${ENDPOINTS}/${id}/resend`
    const queued = async (...asked: Asked) => (await ask(...asked)).body.queued
    assert.equal(await queued('POST', path, { since: '2099-01-01T00:00:00Z' }), 0)
    assert.equal(await queued('POST', path, { since: '2026-01-01T00:00:00Z' }), 1)
    await receiver.until('/again', 2)
    const [delivery] = await eventually('it is delivered again', async () => {
      const query = `${DELIVERIES}?endpoint_id=${id}&state=delivered`
      const { webhook_deliveries: found } = (await ask('GET', query)).body
      return found.length > 0 ? found : null
    })
    assert.equal(await queued('POST', `${DELIVERIES}/${delivery.id}/resend`), 1)
    const received = await receiver.until('/again', 3)
    assert.equal(new Set(received.map(({ event }) => event.id)).size, 1)
    await ask('DELETE', `${ENDPOINTS}/${id}`)
  })

  test('the log is read page by page to its end, and ends where it began', async () => {
    const id = await plantEndpoint(gateway.pool, 'enabled')
    await gateway.pool.query(
      `insert into webhook_deliveries (merchant_id, endpoint_id, day, position, event_id, type,
         object, object_id, state, due_at, ended_at)
       select 1, $1, current_date, 1000000 + n, 'evt_' || n, 'batch.closed', 'batch', n, 'failed',
              now(), now() from generate_series(1, 5) n`,
      [id],
    )
    const from = async (after: string): Promise<string[]> => {
      const page = await ask('GET', `${DELIVERIES}?endpoint_id=${id}&limit=2&after=${after}`)
      const { next_cursor: next, webhook_deliveries: rows } = page.body
      const ids = rows.map((row: { event_id: string }) => row.event_id)
      return next === null ? ids : [...ids, ...(await from(next))]
    }
    const seen = await from('')
    assert.deepEqual(seen, ['evt_5', 'evt_4', 'evt_3', 'evt_2', 'evt_1'])
    await ask('DELETE', `${ENDPOINTS}/${id}`)
  })

  test('wrong requests are answered as problems that name the parameter, without a card number', async () => {
    const good = { site_id: '1001', url: receiver.url('/wrong'), types: [] }
    const refused = async (...asked: Asked) => {
      const { body, status, type } = await ask(...asked)
      assert.match(type, /^application\/problem\+json/)
      assert.ok(!JSON.stringify(body).includes(VISA))
      return [status, body.type.split('#')[1], body.parameter]
    }
    const answers = [
      await refused('POST', ENDPOINTS, { ...good, url: 'http://10.0.0.1/' }),
      await refused('POST', ENDPOINTS, { ...good, types: ['sales.'] }),
      await refused('POST', ENDPOINTS, { ...good, types: 'payment.' }),
      await refused('POST', ENDPOINTS, { ...good, site_id: String(OTHER_SITE) }),
      await refused('POST', ENDPOINTS, { ...good, secret: VISA }),
      await refused('POST', ENDPOINTS, { ...good, [VISA]: 1 }),
      await refused('POST', ENDPOINTS, { site_id: '1001' }),
      await refused('POST', ENDPOINTS, '[1]'),
      await refused('POST', ENDPOINTS, '{"url":'),
      await refused('PUT', ENDPOINTS, good),
      await refused('GET', `${DELIVERIES}?state=lost`),
      await refused('GET', `${DELIVERIES}?from=2026-02-30`),
      await refused('GET', `${DELIVERIES}?after=x`),
      await refused('GET', `${ENDPOINTS}?limit=1`),
      await refused('GET', `${ENDPOINTS}/0x10`),
    ]
    assert.deepEqual(answers.slice(0, 5), [
      [400, 'parameter-invalid', 'url'],
      [400, 'parameter-invalid', 'types'],
      [400, 'parameter-invalid', 'types'],
      [400, 'parameter-invalid', 'site_id'],
      [400, 'parameter-invalid', 'secret'],
    ])
    assert.deepEqual(
      answers
        .slice(6)
        .map(([status, name, parameter]) => `${status} ${name} ${parameter ?? ''}`.trim()),
      [
        '400 parameter-invalid url',
        '400 parameter-invalid',
        '400 parameter-invalid',
        '405 method-not-allowed',
        '400 parameter-invalid state',
        '400 parameter-invalid from',
        '400 cursor-invalid after',
        '400 parameter-invalid limit',
        '404 not-found',
      ],
    )
    assert.deepEqual((await ask('GET', ENDPOINTS)).body.webhook_endpoints, [])
  })

  test("another merchant's endpoints and deliveries do not exist for a program", async () => {
    const id = await plantEndpoint(gateway.pool, 'paused', ['current', 'previous'])
    const delivery = await plantDelivery(gateway.pool, id)
    const login = basicLogin(OTHER_SITE)
    const asked: readonly Asked[] = [
      ['GET', `${ENDPOINTS}/${id}`],
      ['PATCH', `${ENDPOINTS}/${id}`, { types: [] }],
      ['DELETE', `${ENDPOINTS}/${id}`],
      ['POST', `${ENDPOINTS}/${id}/secret`],
      ['DELETE', `${ENDPOINTS}/${id}/secret`],
      ['POST', `${ENDPOINTS}/${id}/pause`],
      ['POST', `${ENDPOINTS}/${id}/resume`],
      ['POST', `${ENDPOINTS}/${id}/test`],
      ['POST', `${ENDPOINTS}/${id}/resend`],
      ['GET', `${DELIVERIES}/${delivery}`],
      ['POST', `${DELIVERIES}/${delivery}/resend`],
    ]
    for (const [method, path, body] of asked) {
      assert.equal((await ask(method, path, body, login)).status, 404, `${method} ${path}`)
      const mine = await ask(method, path.replace(`/${id}`, '/987654321'), body, login)
      assert.equal(mine.status, 404)
    }
    assert.deepEqual((await ask('GET', ENDPOINTS, undefined, login)).body.webhook_endpoints, [])
    assert.deepEqual((await ask('GET', DELIVERIES, undefined, login)).body.webhook_deliveries, [])
    assert.equal((await ask('GET', `${ENDPOINTS}/${id}`)).body.state, 'paused')
    await ask('DELETE', `${ENDPOINTS}/${id}`)
  })

  test('an API user without the right to read events is refused, and the log has the request', async () => {
    await gateway.pool.query(
      `update api_users set reads_api = false where username = 'other@tollgate.test'`,
    )
    const login = basicLogin(OTHER_SITE)
    const refused = await eventually('the right is gone', async () => {
      const answer = await ask('POST', ENDPOINTS, {}, login)
      return answer.status === 403 ? answer : null
    })
    assert.equal(refused.body.type, '/docs/integrators/problems#right-missing')
    await untilRow(
      gateway,
      'the request is in the log',
      `select 1 from requests where action = 'POST_WEBHOOK_ENDPOINTS' and api_code = 'right-missing'`,
    )
  })
})

/** The names of an object's values, those of an object in it with its name before. */
function leavesOf(object: Record<string, unknown>): string[] {
  return Object.entries(object).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.keys(value).map((inner) => `${name}.${inner}`)
      : [name],
  )
}
