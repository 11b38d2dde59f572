import { createSandboxClock } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createDirectory } from '../../packages/gateway/src/adapters/postgres/merchants/directory.ts'
import { systemClock } from '../../packages/gateway/src/base/clock.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { assertBooksAgree } from '../support/agreeing-books.ts'
import { expiryIn } from '../support/dates.ts'
import { startGatewayNode } from '../support/gateway-node.ts'
import { payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'
import { CARD, enrol, enrolForm, pay, prepare, said, untilCardRanges } from '../support/three-ds.ts'
import { newToken } from '../support/tokens.ts'

const DAY_MS = 86_400_000

suite("a test site's clock", () => {
  let gateway: RunningGateway
  before(async () => {
    gateway = await startRunningGateway({}, undefined, {}, { timeScale: 4 })
    await untilCardRanges(gateway)
  })
  after(() => gateway.stop())

  const orderRow = (id: string): Promise<Record<string, unknown>> =>
    untilRow(
      gateway,
      `order ${id}`,
      'select *, extract(epoch from created_at) as s from orders where id = $1',
      [id],
    )

  test("a test site's clock shows the real time until it is changed, and making none leaves none behind", async () => {
    const shown = await clock(gateway, '')
    assert.equal(shown.status, 200)
    assert.equal(shown.ownClock, false)
    assert.equal(shown.time, shown.realTime)
    assert.equal((await gateway.pool.query('select from site_clocks')).rowCount, 0)
  })

  test('jumps ten years, and what is due there happens as of its own moment, while another site stays', async () => {
    const [here, there] = await Promise.all([
      gateway.client(1001).authorize(payment('10.00')),
      gateway.client(1003).authorize(payment('20.00')),
    ])
    assert.deepEqual([here.status, there.status], ['APPROVED', 'APPROVED'])
    const orderId = String(here.orderId)
    const before = await orderRow(orderId)
    const expiresAt = before['expires_at'] as Date
    const planned = await clock(gateway, 'agenda')
    assert.deepEqual(planned.agenda, [
      { at: expiresAt.toISOString(), what: 'authorization expires', object: `order ${orderId}` },
    ])

    const to = new Date(Date.now() + 3_653 * DAY_MS).toISOString()
    const jumped = await clock(gateway, 'jump', { to })
    assert.equal(jumped.status, 200, JSON.stringify(jumped))
    assert.ok(jumped.time >= to)
    assert.deepEqual(jumped.done, { authorizations: 1 })
    assert.deepEqual((await orderRow(orderId))['released_at'], expiresAt)
    assert.equal((await orderRow(String(there.orderId)))['released_at'], null)
    const other = await clock(gateway, '', {}, 1003)
    assert.equal(other.ownClock, false)
    await untilNoAdviceIsQueued(gateway)
  })

  test('dates payments, orders and their expiry, and leaves the identity of bank messages alone', async () => {
    const shown = await clock(gateway, '')
    const paid = await gateway.client(1001).authorize(payment('11.00', { expiry: expiryIn(19) }))
    assert.equal(paid.status, 'APPROVED')
    const order = await orderRow(String(paid.orderId))
    assert.ok((order['created_at'] as Date).toISOString() >= shown.time)
    assert.ok(Math.abs((order['message_at'] as Date).getTime() - Date.now()) < 60_000)
    const { rows } = await gateway.pool.query<{ concluded_at: Date }>(
      'select concluded_at from transactions where order_id = $1',
      [paid.orderId],
    )
    assert.ok((rows[0]?.concluded_at.toISOString() ?? '') >= shown.time)
  })

  test("a test site's clock lets cards expire", async () => {
    const paid = await gateway.client(1001).authorize(payment('12.00', { expiry: expiryIn(4) }))
    assert.equal(`${paid.status} ${paid.service.code}`, 'DECLINED 624')
    assert.equal(
      (await gateway.client(1003).authorize(payment('12.00', { expiry: expiryIn(4) }))).status,
      'APPROVED',
    )
  })

  test('steps by the calendar, stands still, and goes on', async () => {
    const stopped = await clock(gateway, 'stop')
    assert.equal(stopped.speed, 0)
    const stepped = await clock(gateway, 'step', { by: 'P1M2DT3H' })
    const wanted = new Date(stopped.time)
    wanted.setUTCMonth(wanted.getUTCMonth() + 1)
    // A shorter month has no such day: its last one it is.
    if (wanted.getUTCDate() !== new Date(stopped.time).getUTCDate()) wanted.setUTCDate(0)
    assert.equal(Date.parse(stepped.time), wanted.getTime() + 2 * DAY_MS + 3 * 3_600_000)
    assert.equal((await clock(gateway, '')).time, stepped.time)
    const going = await clock(gateway, 'speed', { speed: 1 })
    assert.equal(going.speed, 1)
  })

  test("a test site's clock lets card tokens grow old, and their security codes before them, at that site only", async () => {
    const [here, there, coded] = await Promise.all([
      newToken(gateway.baseUrl, {}, 1001),
      newToken(gateway.baseUrl, {}, 1003),
      newToken(gateway.baseUrl, { securityCode: '123' }, 1001),
    ])
    await clock(gateway, 'step', { by: 'PT20M' })
    const late = await gateway.client(1001).raw({
      REQUEST_ACTION: 'CCAUTHORIZE',
      TOKEN_GUID: coded.token,
      PMT_EXPIRY: expiryIn(19),
      LI_VALUE_1: '10.00',
      REQUEST_CURRENCY: 'USD',
    })
    const { cvv_code: cvvCode } = await untilRow(
      gateway,
      'the payment with the token',
      'select cvv_code from transactions where id = $1',
      [late['TRANS_ID']],
    )
    assert.equal(cvvCode, '')
    assert.equal((await gateway.pool.query('select from card_token_codes')).rowCount, 0)
    await clock(gateway, 'step', { by: 'P1D' })
    const payWith = (site: 1001 | 1003, token: string) =>
      gateway.client(site).authorize({ cardToken: token, expiry: expiryIn(19), amount: '10.00' })
    assert.equal((await payWith(1001, here.token)).api.code, '401')
    assert.equal((await payWith(1003, there.token)).status, 'APPROVED')
    const erased = await gateway.pool.query(
      'select expires_at from card_tokens where site_id = 1001 and used_at is null and pan_ciphertext is null',
    )
    assert.equal(erased.rowCount, 1)
  })

  test("a test site's clock gives up payments that wait for 3-D Secure, at that site only", async () => {
    await clock(gateway, 'stop')
    const more = { SITE_ID: '1003', MERCH_ACCT_ID: '2003' }
    const here = await enrol(gateway, CARD.challenged)
    const reference = await prepare(gateway, CARD.challenged, more)
    const there = await pay(gateway, enrolForm(CARD.challenged, reference, more))
    assert.match(said(here), /^PENDING/)
    assert.match(said(there), /^PENDING/)
    await clock(gateway, 'step', { by: 'PT1H' })
    const { rows } = await gateway.pool.query(
      `select t.state, a.state as authentication, t.concluded_at = a.expires_at as in_time
         from three_ds_authentications a join transactions t on t.id = a.transaction_id
        where a.acs_url is not null order by a.site_id`,
    )
    assert.deepEqual(rows, [
      { state: 'declined', authentication: 'expired', in_time: true },
      { state: 'pending', authentication: 'challenge', in_time: null },
    ])
  })

  test("a test site's clock runs fast, through what is due", async () => {
    const paid = await gateway.client(1001).authorize(payment('13.00', { expiry: expiryIn(19) }))
    const before = await clock(gateway, 'speed', { speed: 1_000_000 })
    const order = await untilRow(
      gateway,
      'the authorization is released',
      'select released_at, expires_at from orders where id = $1 and released_at is not null',
      [paid.orderId],
    )
    assert.deepEqual(order['released_at'], order['expires_at'])
    const stopped = await clock(gateway, 'stop')
    assert.ok(stopped.time > before.time)
    // Work that was under way at the stop has ended once a later run is over.
    await gateway.pool.query(`update site_clocks set look_at = now() where site_id = 1001`)
    await untilRow(
      gateway,
      'it was looked after once more',
      `select from site_clocks where site_id = 1001 and leased_until is null and look_at > now()`,
    )
    assert.equal((await clock(gateway, '')).time, stopped.time)
  })

  test("a test site's clock goes forward only, and says why", async () => {
    const { time } = await clock(gateway, '')
    const back = await clock(gateway, 'jump', {
      to: new Date(Date.parse(time) - DAY_MS).toISOString(),
    })
    assert.equal(back.status, 409)
    assert.equal(back.error?.code, 'backwards')
    assert.match(back.error?.message ?? '', /goes forward only/)
    assert.equal(back.time, time)
    const reset = await clock(gateway, 'reset')
    assert.equal(`${reset.status} ${reset.error?.code}`, '409 ahead')
  })

  for (const [name, action, members, status, code] of [
    ['a time that is none', 'jump', { to: 'tomorrow' }, 400, 'malformed'],
    ['a time without a zone', 'jump', { to: '2036-01-01T00:00:00' }, 400, 'malformed'],
    [
      'a time past the end of what the bank can be told',
      'jump',
      { to: '2100-01-01T00:00:00Z' },
      400,
      'too_far',
    ],
    ['a step that is none', 'step', { by: '1 day' }, 400, 'malformed'],
    ['a step of nothing', 'step', { by: 'P0D' }, 400, 'malformed'],
    ['a step past the end', 'step', { by: 'P1000Y' }, 400, 'too_far'],
    ['a speed below nothing', 'speed', { speed: -1 }, 400, 'speed_out_of_range'],
    ['a broken speed', 'speed', { speed: 1.5 }, 400, 'speed_out_of_range'],
    ['a speed above all', 'speed', { speed: 1_000_001 }, 400, 'speed_out_of_range'],
    ['an unknown member', 'stop', { at: '2036-01-01T00:00:00Z' }, 400, 'malformed'],
    ['a wait that is too long', 'jump', { to: '2090-01-01T00:00:00Z', wait: 61 }, 400, 'malformed'],
    ['an agenda from nowhere', 'agenda', { after: 'x' }, 400, 'malformed'],
    ['a wrong password', '', { password: 'Wrong-password-1' }, 401, 'credentials_wrong'],
    ['an unknown site', '', { site: 4711 }, 404, 'site_unknown'],
    ["another merchant's site", '', { site: 1002 }, 404, 'site_unknown'],
    ['no site', '', { site: 0 }, 400, 'malformed'],
  ] as const) {
    test(`a test site's clock is refused ${name}`, async () => {
      const { time } = await clock(gateway, '')
      const refused = await clock(gateway, action, members)
      assert.equal(`${refused.status} ${refused.error?.code}`, `${status} ${code}`)
      assert.equal((await clock(gateway, '')).time, time)
    })
  }

  test("a test site's clock is asked by POST only, and a body that is none is refused in words", async () => {
    const get = await fetch(new URL('/sandbox/clock', gateway.baseUrl))
    assert.equal(get.status, 404)
    const post = await fetch(new URL('/sandbox/clock', gateway.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'time?',
    })
    assert.equal(post.status, 400)
    assert.match(await post.text(), /no JSON/)
  })

  test('a test site stays where it is when its clock is moved under a type that any page may send', async () => {
    const { time } = await clock(gateway, '')
    const { REQ_USERNAME: username, REQ_PASSWORD: password } = credentials(1001)
    const body = JSON.stringify({ username, password, site: 1001, by: 'P1D' })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const answer = await fetch(new URL('/sandbox/clock/step', gateway.baseUrl), {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      })
      assert.equal(answer.status, 415, type)
      assert.match(await answer.text(), /"not_json"/)
    }
    assert.equal((await clock(gateway, '')).time, time)
  })

  test('belongs to test mode: the database gives live sites none, and a site that goes live loses it', async () => {
    const client = await gateway.pool.connect()
    try {
      await client.query('begin')
      await client.query(`update sites set mode = 'live' where id = 1001`)
      assert.equal((await client.query('select from site_clocks where site_id = 1001')).rowCount, 0)
      await assert.rejects(
        client.query(
          `insert into site_clocks (site_id, site_at, real_at, changed_by) values (1001, now(), now(), 'x')`,
        ),
        /not in test mode/,
      )
    } finally {
      await client.query('rollback')
      client.release()
    }
    assert.equal((await clock(gateway, '')).ownClock, true)
  })

  test("a test site's clock is known to every node at once, from the first change on", async (t) => {
    const [port, tlsPort] = await freePorts(2)
    const settings = { ...gateway.nodeSettings, PORT: String(port), TLS_PORT: String(tlsPort) }
    const node = await startGatewayNode(settings)
    t.after(() => node.stop())
    const seen = async (): Promise<string> => (await clock(node, 'agenda', {}, 1002)).time
    // So that it remembers the site without a clock.
    await seen()
    const first = await clock(gateway, 'step', { by: 'P1Y' }, 1002)
    assert.equal(first.status, 200)
    assert.ok((await seen()) >= first.time)
    const second = await clock(gateway, 'step', { by: 'P1D' }, 1002)
    assert.ok((await seen()) >= second.time)
    const third = await clock(node, 'step', { by: 'P1D' }, 1002)
    assert.ok((await clock(gateway, 'agenda', {}, 1002)).time >= third.time)
  })

  test("a test site's clock is moved by the client library too, which throws what was refused", async () => {
    const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials(1001)
    const own = createSandboxClock({ baseUrl: gateway.baseUrl, username, password, siteId: 1001 })
    const { time } = await own.stop()
    const stepped = await own.step('P1D')
    assert.equal(Date.parse(stepped.time), Date.parse(time) + DAY_MS)
    await assert.rejects(own.jump(new Date(time)), { name: 'ClockRefusedError', code: 'backwards' })
    assert.ok((await own.agenda({ limit: 1 })).entries.length <= 1)
  })

  test("a test site's clock shows its agenda page by page, each entry once", async () => {
    for (let number = 0; number < 3; number += 1) {
      await gateway.client(1001).authorize(payment('10.00', { expiry: expiryIn(19) }))
    }
    const all = (await clock(gateway, 'agenda', { limit: 500 })).agenda
    assert.ok(all.length >= 3)
    const paged = []
    for (let after: string | null = null; ;) {
      const page = await clock(gateway, 'agenda', {
        limit: 1,
        ...(after === null ? {} : { after }),
      })
      paged.push(...page.agenda)
      after = page.next
      if (after === null) break
    }
    assert.deepEqual(paged, all)
    assert.deepEqual(
      all.map(({ at }) => at),
      all.map(({ at }) => at).toSorted(),
    )
  })

  test('costs sites without one no query, and those with one a single small one', async () => {
    const asked: string[] = []
    const counting = {
      query(text: string | { readonly text: string }, values?: unknown[]) {
        asked.push(typeof text === 'string' ? text : text.text)
        return gateway.pool.query(text as string, values)
      },
    } as unknown as typeof gateway.pool
    const directory = createDirectory(counting, () => 0, 0, systemClock)
    const merchantOf = (id: number): Promise<Record<string, unknown>> =>
      untilRow(gateway, `site ${id}`, 'select merchant_id from sites where id = $1', [id])
    const merchant = BigInt(String((await merchantOf(1001))['merchant_id']))
    const unclocked = await directory.readSite(merchant, 1003n)
    assert.equal(unclocked?.hasOwnClock, false)
    assert.equal(unclocked.clock, systemClock)
    assert.equal(asked.filter((text) => text.includes('from site_clocks')).length, 0)
    const before = asked.length
    assert.equal(directory.recallSite(merchant, 1003n), unclocked)
    assert.equal(asked.length, before)

    await directory.readSite(merchant, 1001n)
    assert.equal(directory.recallSite(merchant, 1001n), undefined)
    asked.length = 0
    const clocked = await directory.readSite(merchant, 1001n)
    assert.equal(clocked?.hasOwnClock, true)
    assert.equal(asked.length, 1)
  })

  test('leaves the books agreeing with the bank, and is gone after the real time has come', async () => {
    await clock(gateway, 'speed', { speed: 1 }, 1003)
    const reset = await clock(gateway, 'reset', {}, 1003)
    assert.equal(reset.status, 200, JSON.stringify(reset))
    assert.equal(reset.ownClock, false)
    assert.ok((await assertBooksAgree(gateway)) > 0)
  })
})
