import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { verifyEvent } from '../../packages/client/src/index.ts'
import { openOperator, Secret, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
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

const ask = <Body extends object>(
  action: string,
  members: Readonly<Record<string, unknown>> = {},
  site: 1001 | 1002 | 1003 = 1001,
) => sandboxWebhooks<Body>(gateway, action, members, site)

const remove = async ({ receiver }: AddedReceiver): Promise<void> => {
  assert.equal((await ask('remove', { receiver })).status, 200)
}

/** The newest attempts of an endpoint, once its newest delivery has so many. */
function attempts({ endpoint }: AddedReceiver, count: number) {
  return eventually(`${count} attempts are written`, async () => {
    const log = await operator.webhooks.readLog(BigInt(endpoint), null, 1)
    return (log?.[0]?.log.length ?? 0) >= count ? log?.[0]?.log : null
  })
}

suite("the sandbox's own receiver of webhooks", () => {
  test('a payment is caught with its signature, and its body is the event of the feed', async () => {
    const added = await addReceiver(gateway, ['authorization.'])
    const { orderId } = await gateway.client().authorize(payment('12.50'))
    const [caught] = await untilCaught(gateway, added.receiver, 1)
    const [event] = await eventsOf(gateway, `order ${orderId}`)
    assert.deepEqual(JSON.parse(caught?.body ?? ''), event)
    const { answer, event: id, signature, type } = caught ?? {}
    assert.deepEqual(
      { answer, id, signature, type },
      {
        answer: { manner: 'answer', status: 204 },
        id: event?.id,
        signature: 'current',
        type: 'authorization.approved',
      },
    )
    assert.ok(verifyEvent(caught?.body ?? '', caught?.headers ?? {}, [added.secret]))
    await remove(added)
  })

  test('the verdict names the secret that signed, and a request without a signature', async () => {
    const added = await addReceiver(gateway, ['batch.'])
    const endpoint = BigInt(added.endpoint)
    assert.ok((await operator.webhooks.rotate(endpoint)).ok)
    await operator.webhooks.test(endpoint)
    const [both] = await untilCaught(gateway, added.receiver, 1)
    const signatures = both?.headers['webhook-signature']?.split(' ') ?? []
    assert.equal(signatures.length, 2)
    const again = async (changes: Readonly<Record<string, string>>): Promise<string> => {
      const { 'webhook-id': id = '', 'webhook-timestamp': at = '' } = both?.headers ?? {}
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': at,
        'webhook-signature': signatures.join(' '),
        ...changes,
      }
      const count = (await caughtBy(gateway, added.receiver)).length
      await fetch(added.url, { method: 'POST', headers, body: both?.body ?? '' })
      return (await untilCaught(gateway, added.receiver, count + 1)).at(-1)?.signature ?? ''
    }
    assert.equal(both?.signature, 'current')
    assert.equal(await again({ 'webhook-signature': signatures[1] ?? '' }), 'previous')
    assert.equal(await again({ 'webhook-id': 'evt_other' }), 'wrong')
    await fetch(added.url, { method: 'POST', body: '{}' })
    assert.equal((await caughtBy(gateway, added.receiver)).at(-1)?.signature, 'missing')
    await remove(added)
  })

  test('a receiver answers badly for as many requests as it is asked to, and retries follow the clock of the site', async () => {
    const added = await addReceiver(gateway, ['batch.'])
    const { receiver } = added
    const plan = { receiver, status: 429, retryAfter: 120, count: 2 }
    assert.equal((await ask('answer', plan)).status, 200)
    await clock(gateway, 'stop')
    await operator.webhooks.test(BigInt(added.endpoint))
    assert.equal((await attempts(added, 1))[0]?.status, 429)
    await clock(gateway, 'step', { by: 'PT3M' })
    await attempts(added, 2)
    await clock(gateway, 'step', { by: 'PT3M' })
    const log = await attempts(added, 3)
    assert.deepEqual(
      log.map(({ status }) => status),
      [204, 429, 429],
    )
    const [first, second, third] = await untilCaught(gateway, receiver, 3)
    assert.equal(second?.event, first?.event)
    assert.equal(Date.parse(third?.siteTime ?? '') - Date.parse(first?.siteTime ?? ''), 360_000)
    await clock(gateway, 'reset')
    await remove(added)
  })

  test('a receiver that closes at once, or never answers, leaves the failure in the delivery log', async () => {
    const cases = [
      ['close', /^The exchange failed: (ECONNRESET|EPIPE)\.$/],
      ['hang', /^No whole answer within 15 s\.$/],
      ['trickle', /^No whole answer within 15 s\.$/],
    ] as const
    await Promise.all(
      cases.map(async ([manner, fault]) => {
        const added = await addReceiver(gateway, ['batch.'])
        await ask('answer', { receiver: added.receiver, manner })
        await operator.webhooks.test(BigInt(added.endpoint))
        const [attempt] = await attempts(added, 1)
        assert.deepEqual([attempt?.status, fault.test(attempt?.fault ?? '')], [null, true], manner)
        await remove(added)
      }),
    )
  })

  test('card numbers and logins of a caught request are not kept', async () => {
    const added = await addReceiver(gateway, ['batch.'])
    const number = '4111111111111111'
    await fetch(`${added.url}?card=${number}`, {
      method: 'POST',
      headers: { authorization: 'Basic c2VjcmV0', 'x-card': number, 'webhook-id': number },
      body: JSON.stringify({ type: number, pan: number }),
    })
    const { rows } = await gateway.pool.query<{ text: string }>(
      'select caught_webhooks::text as text from caught_webhooks where receiver_id = $1',
      [added.receiver],
    )
    assert.equal(rows.length, 1)
    assert.doesNotMatch(rows[0]?.text ?? '', /4111111111111111|c2VjcmV0/)
    assert.ok(!gateway.logged().includes(number))
    await remove(added)
  })

  test('another merchant sees and changes no receiver, and an unknown id catches nothing', async () => {
    const added = await addReceiver(gateway, ['batch.'])
    const { receiver } = added
    for (const [action, members] of [
      ['remove', { receiver }],
      ['answer', { receiver, status: 500 }],
    ] as const) {
      const refused = await ask(action, members, 1002)
      assert.deepEqual([refused.status, refused.body.error?.code], [404, 'not_found'])
    }
    const other = await ask<{ receivers: readonly object[] }>('', {}, 1002)
    assert.deepEqual(other.body.receivers, [])
    const seen = await ask<{ caught: readonly object[] }>('caught', { receiver }, 1002)
    assert.deepEqual(seen.body.caught, [])
    const unknown = `${added.url.slice(0, -1)}${added.url.endsWith('A') ? 'B' : 'A'}`
    assert.equal((await fetch(unknown, { method: 'POST', body: '{}' })).status, 404)
    await remove(added)
    assert.equal((await fetch(added.url, { method: 'POST', body: '{}' })).status, 404)
  })

  test('wrong members, wrong passwords and bodies that are too long are refused with a sentence', async () => {
    const added = await addReceiver(gateway, ['batch.'])
    const { receiver } = added
    for (const [action, members, status, field] of [
      ['add', { types: ['no.such'] }, 400, 'types'],
      ['add', { types: 'all' }, 400, 'types'],
      ['answer', { receiver, status: 600 }, 400, 'status'],
      ['answer', { receiver, delay: 31 }, 400, 'delay'],
      ['answer', { receiver, count: 0 }, 400, 'count'],
      ['answer', { receiver, manner: 'shout' }, 400, 'manner'],
      ['caught', { limit: 0 }, 400, 'limit'],
      ['caught', { other: 1 }, 400, 'other'],
      ['', { password: 'wrong' }, 401, undefined],
    ] as const) {
      const refused = await ask(action, members)
      assert.deepEqual([refused.status, refused.body.error?.field], [status, field], action)
      assert.match(refused.body.error?.message ?? '', /\.$/)
    }
    const long = await fetch(added.url, { method: 'POST', body: 'x'.repeat(65_537) })
    assert.equal(long.status, 413)
    assert.equal((await caughtBy(gateway, receiver)).length, 0)
    await remove(added)
  })

  test('a site keeps its newest 200 requests, which are read in pages', async () => {
    const added = await addReceiver(gateway, ['batch.'])
    await gateway.pool.query(
      `insert into caught_webhooks (receiver_id, site_id, at, site_at, event_id, event_type, verdict,
                                    headers, body, body_bytes, manner, status)
       select $1, 1001, now(), now(), 'evt_' || n, '', 'missing', '[]', '', 0, 'answer', 204
         from generate_series(1, 205) n`,
      [added.receiver],
    )
    await fetch(added.url, { method: 'POST', body: '{}' })
    const { rows } = await gateway.pool.query<{ count: number }>(
      'select count(*)::int as count from caught_webhooks where site_id = 1001',
    )
    assert.equal(rows[0]?.count, 200)
    type Page = { caught: readonly { event: string }[]; next: string | null }
    const first = await ask<Page>('caught', { limit: 2 })
    const second = await ask<Page>('caught', { limit: 2, before: first.body.next })
    assert.deepEqual(
      [...first.body.caught, ...second.body.caught].map(({ event }) => event),
      ['', 'evt_205', 'evt_204', 'evt_203'],
    )
    await remove(added)
  })

  test('the audit log has each operation under the name of the API user, without a secret', async () => {
    const added = await addReceiver(gateway, ['batch.'])
    await ask('answer', { receiver: added.receiver, status: 500 })
    await remove(added)
    const { rows } = await gateway.pool.query<{ operation: string; actor: string }>(
      `select operation, actor from audit_entries where operation like 'site.webhook_%'
        order by number desc limit 3`,
    )
    const actor = 'api:demo@tollgate.test'
    assert.deepEqual(rows.toReversed(), [
      { operation: 'site.webhook_added', actor },
      { operation: 'site.webhook_receiver_set', actor },
      { operation: 'site.webhook_removed', actor },
    ])
    assert.ok(!gateway.logged().includes('whsec_'))
    assert.ok(!gateway.logged().includes(added.receiver))
  })
})
