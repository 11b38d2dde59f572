import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { untilSeen } from '../support/eventually.ts'
import { EXPIRY, VISA } from '../support/payments.ts'
import { addPortalUser, OWNER, signIn } from '../support/portal.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

suite('sessions of the portal', () => {
  let gateway: RunningGateway
  before(async () => {
    gateway = await startRunningGateway()
  })
  after(() => gateway?.stop())

  /** Operation and result of the newest entry of the audit log. */
  async function auditedLast(): Promise<string> {
    const { rows } = await gateway.pool.query<{ operation: string; result: string }>(
      'select operation, result from audit_entries order by number desc limit 1',
    )
    return `${rows[0]?.operation} ${rows[0]?.result}`
  }

  test('the owner of the demo merchant signs in, and sees the sites of that merchant alone', async () => {
    const owner = await signIn(gateway)

    const { status, body } = await owner.get('/session')
    assert.equal(status, 200)
    assert.equal(body.portalUser.email, OWNER.email)
    assert.deepEqual(
      body.sites.map(({ id }: { id: string }) => id),
      ['1001', '1003'],
    )
    assert.ok(body.rights.includes('sites.go_live'))
  })

  test('a role without a right is not given it', async () => {
    const support = await signIn(gateway, await addPortalUser(gateway, 'support'))

    assert.ok(support.session.rights.includes('orders.refund'))
    assert.ok(!support.session.rights.includes('orders.capture'))
  })

  test('a wrong password and an unknown address are refused alike', async () => {
    const answers = await Promise.all(
      [
        { ...OWNER, password: 'wrong' },
        { email: 'nobody@tollgate.test', password: 'wrong' },
      ].map(async (portalUser) => {
        const response = await fetch(new URL('/portal/api/session', gateway.baseUrl), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(portalUser),
        })
        return [response.status, await response.text(), response.headers.get('set-cookie')]
      }),
    )

    assert.equal(answers[0]?.[0], 401)
    assert.deepEqual(answers[0], answers[1])
    // No sign-in waits for its entry.
    await untilSeen(
      'the failed sign-in is in the audit log',
      auditedLast,
      (last) => last === 'portal_user.sign_in_failed refused',
    )
  })

  test('a session is invalid after its sign-out', async () => {
    const owner = await signIn(gateway)

    await owner.remove('/session')

    assert.equal((await owner.get('/session')).status, 401)
    assert.equal(await auditedLast(), 'portal_user.signed_out done')
  })

  test('a change is refused without the token of its session, and from foreign pages', async () => {
    const owner = await signIn(gateway)
    const end = (headers: Record<string, string>) =>
      fetch(new URL('/portal/api/session', gateway.baseUrl), {
        method: 'DELETE',
        headers: { cookie: owner.cookie, ...headers },
      })

    assert.equal((await end({})).status, 403)
    assert.equal(
      (await end({ 'x-csrf-token': owner.session.csrfToken, 'sec-fetch-site': 'cross-site' }))
        .status,
      403,
    )
    assert.equal((await owner.get('/session')).status, 200)
  })

  /** The status of a request, written byte by byte: `fetch` chooses the Host header itself. */
  async function statusOf(path: string, lines: readonly string[], body: string): Promise<string> {
    const { hostname, port } = new URL(gateway.baseUrl)
    const socket = connect(Number(port), hostname)
    const head = [`POST ${path} HTTP/1.1`, ...lines, `Content-Length: ${body.length}`]
    socket.write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
    return (await text(socket)).slice('HTTP/1.1 '.length).slice(0, 3)
  }

  const { REQ_USERNAME: username, REQ_PASSWORD: password } = credentials(1001)
  const FORM_LINE = 'Content-Type: application/x-www-form-urlencoded'
  const JSON_LINE = 'Content-Type: application/json'
  const sale = new URLSearchParams({
    ...credentials(1001),
    REQUEST_ACTION: 'CCAUTHCAP',
    PMT_NUMB: VISA,
    PMT_EXPIRY: EXPIRY,
    XTL_ORDER_ID: 'from-a-foreign-page',
    LI_VALUE_1: '1.00',
  }).toString()
  const step = JSON.stringify({ username, password, site: 1001, by: 'P1D' })

  for (const [address, type, body, right] of [
    ['/portal/api/session', JSON_LINE, JSON.stringify(OWNER), '200'],
    ['/payment/3dsrequest.cfm', FORM_LINE, sale, '200'],
    ['/sandbox/clock', JSON_LINE, step.replace(',"by":"P1D"', ''), '200'],
    ['/sandbox/clock/step', JSON_LINE, step, null],
    ['/payment/pmt_service.cfm', FORM_LINE, sale, null],
  ] as const) {
    test(`${address} is refused to a host that is not served, and to pages of other origins`, async () => {
      const { host } = new URL(gateway.baseUrl)
      const ask = (...lines: readonly string[]) => statusOf(address, [...lines, type], body)
      const rebound = host.replace('127.0.0.1', 'evil.test')
      assert.equal(await ask(`Host: ${rebound}`, `Origin: http://${rebound}`), '421')
      assert.equal(await ask(`Host: ${host}`, `Host: ${host}`), '400')
      assert.equal(await ask(`Host: ${host}`, 'Origin: http://evil.test'), '403')
      assert.equal(await ask(`Host: ${host}`, 'Origin: null'), '403')
      assert.equal(await ask(`Host: ${host}`, 'Sec-Fetch-Site: cross-site'), '403')
      if (right !== null) assert.equal(await ask(`Host: ${host}`), right)
    })
  }

  test('a refused page has moved no clock and taken no payment', async () => {
    const { rows } = await gateway.pool.query(
      `select 'clock' from site_clocks union all
       select 'order' from orders where reference = 'from-a-foreign-page'`,
    )
    assert.deepEqual(rows, [])
  })
})
