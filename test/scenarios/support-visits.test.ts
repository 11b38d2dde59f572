import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createSupportVisitStore } from '../../packages/gateway/src/portal/shell/store/support-visit-store.ts'
import { createEndOverVisits } from '../../packages/gateway/src/portal/shell/usecases/support-visits.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { signInOperator, type SignedInOperator } from '../support/console.ts'
import { payment } from '../support/payments.ts'
import { addPortalUser, OTHER_OWNER, signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const VISA = '4111111111111111'
const WANTED = { reason: 'ticket 17: a refund is missing', minutes: 30 }

interface VisitAnswer {
  readonly status: number
  readonly text: string
  // oxlint-disable-next-line no-explicit-any -- looked into as it comes
  readonly body: any
}

suite('a support visit', () => {
  let gateway: RunningGateway
  let url = ''
  let ada: SignedInOperator
  let vera: SignedInOperator
  let owner: SignedInUser
  before(async () => {
    const [port] = await freePorts(1)
    url = `http://127.0.0.1:${port}`
    gateway = await startRunningGateway({ CONSOLE_PORT: String(port) })
    const person = (name: string, role: string) =>
      signInOperator(gateway, url, { email: `${name}@ops.example`, role, name })
    ;[ada, vera, owner] = await Promise.all([
      person('ada', 'admin'),
      person('vera', 'viewer'),
      signIn(gateway),
    ])
  })
  after(() => gateway?.stop())

  /** Calls the portal's API at an address with the cookie and the token of an operator. */
  async function visit(
    method: string,
    path: string,
    by: SignedInOperator = ada,
    at: string = url,
  ): Promise<VisitAnswer> {
    const answer = await fetch(`${at}/portal/api${path}`, {
      method,
      headers: {
        cookie: by.cookie(),
        ...(method === 'GET'
          ? {}
          : {
              'x-csrf-token': String(by.session().csrfToken),
              'content-type': 'application/json',
            }),
      },
      ...(method === 'GET' ? {} : { body: '{}' }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    return { status: answer.status, text, body: isJson ? JSON.parse(text) : null }
  }

  async function begin(merchant = 1): Promise<void> {
    const begun = await ada.send('POST', `/merchants/${merchant}/visits`, WANTED)
    assert.equal(begun.status, 200, begun.text)
  }

  /** The number of the newest entry of the audit log. */
  async function lastEntry(): Promise<string> {
    const { rows } = await gateway.pool.query<{ number: string }>('select number from audit_head')
    return rows[0]?.number ?? ''
  }

  async function openVisit(): Promise<string> {
    const { body } = await owner.get('/support-visits')
    return String(body.find(({ endedAt }: { endedAt: string | null }) => endedAt === null)?.id)
  }

  test('is refused to a viewer, without a reason, with a card number in it, and for more than four hours', async () => {
    const ask = (by: SignedInOperator, wanted: object) =>
      by.send('POST', '/merchants/1/visits', { ...WANTED, ...wanted })
    assert.equal((await ask(vera, {})).body.error.code, 'not_allowed')
    assert.equal((await ask(ada, { reason: 'x' })).body.error.field, 'reason')
    const pasted = await ask(ada, { reason: `card ${VISA}` })
    assert.deepEqual([pasted.status, pasted.body.error.field], [400, 'reason'])
    assert.ok(!pasted.text.includes(VISA))
    assert.equal((await ask(ada, { minutes: 241 })).body.error.field, 'minutes')
    assert.equal((await ask(ada, { minutes: 4 })).body.error.field, 'minutes')
    const missing = await ada.send('POST', '/merchants/999/visits', WANTED)
    assert.equal(missing.status, 404)
    assert.equal((await visit('GET', '/session')).status, 401)
    await assert.rejects(
      gateway.pool.query(
        `insert into support_visits (operator_id, operator_session, merchant_id, reason, expires_at)
         values (1, 1, 1, 'long', now() + interval '5 hours')`,
      ),
      /support_visits_last_four_hours/,
    )
  })

  test('shows the portal of one merchant, and both audit logs, the portal and a mail to the owner say so', async () => {
    await begin()
    const { body } = await visit('GET', '/session')
    assert.deepEqual(
      [body.merchant.id, body.visit.reason, body.portalUser.email],
      ['1', WANTED.reason, 'ada@ops.example'],
    )
    const again = await ada.send('POST', '/merchants/2/visits', WANTED)
    assert.match(again.body.error.message, /visit to Demo \w+ is open/)

    const { rows } = await gateway.pool.query(
      `select actor, object, merchant_id from audit_entries where operation = 'support.visit_begun'`,
    )
    assert.deepEqual(rows, [
      { actor: 'console:ada@ops.example', object: 'merchant 1', merchant_id: '1' },
    ])
    const own = await owner.get('/audit?operation=support.visit_begun')
    assert.equal(own.body.entries[0].details.reason, WANTED.reason)
    const support = await signIn(gateway, await addPortalUser(gateway, 'support'))
    const [seen] = (await support.get('/support-visits')).body
    assert.deepEqual(
      [seen.operator.email, seen.reason, seen.endedAt],
      ['ada@ops.example', WANTED.reason, null],
    )
    const mails = await gateway.pool.query<{ recipient: string; body_text: string }>(
      `select recipient, body_text from mail_messages where kind = 'support_visit'`,
    )
    assert.deepEqual(
      mails.rows.map(({ recipient }) => recipient),
      ['owner@tollgate.test'],
    )
    assert.match(mails.rows[0]?.body_text ?? '', /ada@ops.example.*Reason: ticket 17/s)
    const other = await signIn(gateway, OTHER_OWNER)
    assert.deepEqual((await other.get('/support-visits')).body, [])
  })

  test('writes nothing: every route of the portal that changes something is refused, and so are files', async () => {
    const wrong: string[] = []
    const read: string[] = []
    for (const { method, path, right } of gateway.portalRoutes) {
      const { status, body } = await visit(method, path.replace(/:[^/]+/g, '987654321012345'))
      const found = `${status} ${body?.error?.code}`
      const isRefused = /^403 (read_only|not_allowed)$/.test(found)
      const mustRefuse =
        method !== 'GET' ||
        !(right === null
          ? ['/roles', '/support-visits'].includes(path)
          : right.endsWith('.see') && right !== 'portal_users.see' && right !== 'audit.see') ||
        (path.endsWith('csv') && status !== 404 && status !== 400)
      if (isRefused !== mustRefuse) wrong.push(`${method} ${path}: ${found}`)
      if (method !== 'GET' && found !== '403 read_only') wrong.push(`${method} ${path}: ${found}`)
      if (status === 200) read.push(path)
    }
    assert.deepEqual(wrong, [])
    assert.ok(read.length >= 25, read.join(' '))
    for (const path of ['/session', '/session/code', '/invitation', '/invitation/look']) {
      const answer = await visit('POST', path)
      assert.ok(answer.status === 400 || answer.status === 403 || answer.status === 409, path)
    }
    assert.equal((await visit('DELETE', '/session')).status, 403)
    assert.equal((await ada.send('GET', '/session')).status, 200)
  })

  test('shows an order with its masked card, and no page of it has the number', async () => {
    const { orderId } = await gateway.client().sale(payment('21.00'))
    const order = await visit('GET', `/orders/${orderId}`)
    assert.equal(order.status, 200)
    for (const path of [`/orders/${orderId}`, '/orders', '/transactions', '/customers']) {
      assert.ok(!(await visit('GET', path)).text.includes(VISA), path)
    }
    const theirs = await gateway.client(1002).sale(payment('22.00'))
    assert.equal((await visit('GET', `/orders/${theirs.orderId}`)).status, 404)
  })

  test('belongs to the session that began it, and to the address of the console', async () => {
    assert.equal((await visit('GET', '/session', vera)).status, 401)
    assert.equal((await visit('GET', '/session', ada, gateway.baseUrl)).status, 401)
    const foreign = await fetch(`${url}/portal/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'owner@tollgate.test', password: 'Sandbox-4.14-portal' }),
    })
    assert.equal(foreign.status, 403)
    assert.match(await foreign.text(), /Sign in at the console/)
  })

  test('is ended at once by an owner of the merchant, and by no one of another merchant', async () => {
    const id = await openVisit()
    const other = await signIn(gateway, OTHER_OWNER)
    assert.equal((await other.post(`/support-visits/${id}/end`, {})).status, 404)
    const finance = await signIn(gateway, await addPortalUser(gateway, 'finance'))
    assert.equal((await finance.post(`/support-visits/${id}/end`, {})).status, 403)
    assert.equal((await visit('GET', '/home')).status, 200)
    assert.equal((await owner.post(`/support-visits/${id}/end`, {})).status, 200)
    assert.equal((await visit('GET', '/home')).status, 401)
    assert.equal((await owner.post(`/support-visits/${id}/end`, {})).status, 409)
    const { rows } = await gateway.pool.query(
      `select actor, merchant_id from audit_entries where operation = 'support.visit_ended'`,
    )
    assert.deepEqual(rows, [{ actor: 'portal:owner@tollgate.test', merchant_id: '1' }])
    const [listed] = (await vera.send('GET', '/merchants/1/visits')).body
    assert.equal(listed.endedBy, 'portal:owner@tollgate.test')
  })

  test('is over when its minutes are, when an operator ends it, and when the session ends', async () => {
    const first = await lastEntry()
    await begin()
    await gateway.pool.query(
      `update support_visits set begun_at = now() - interval '1 hour',
              expires_at = now() - interval '1 second' where ended_at is null`,
    )
    assert.equal((await visit('GET', '/home')).status, 401)
    const [over] = (await owner.get('/support-visits')).body
    assert.deepEqual([over.endedAt === null, over.endedBy], [false, ''])

    await begin()
    const id = await openVisit()
    assert.equal((await vera.send('POST', `/visits/${id}/end`)).status, 403)
    assert.equal((await ada.send('POST', `/visits/${id}/end`)).status, 200)
    assert.equal((await visit('GET', '/home')).status, 401)

    await begin(2)
    assert.equal((await visit('GET', '/home')).status, 200)
    await ada.send('DELETE', '/session')
    assert.equal((await visit('GET', '/home')).status, 401)
    const [left] = (await (await signIn(gateway, OTHER_OWNER)).get('/support-visits')).body
    assert.notEqual(left.endedAt, null)

    // Each end has one entry, although three nodes look beside the job of the running gateway.
    const look = createEndOverVisits(createSupportVisitStore(gateway.pool))
    await Promise.all([look(), look(), look()])
    await look()
    const { rows } = await gateway.pool.query<{ merchant_id: string; details: string }>(
      `select merchant_id, details from audit_entries
        where operation = 'support.visit_ended' and actor = 'tollgate' and number > $1
        order by number`,
      [first],
    )
    assert.deepEqual(
      rows.map(({ merchant_id: merchant, details }) => {
        const { operator, over: cause } = JSON.parse(details) as { operator: string; over: string }
        return { merchant, operator, cause }
      }),
      [
        { merchant: '1', operator: 'ada@ops.example', cause: 'time' },
        { merchant: '2', operator: 'ada@ops.example', cause: 'session' },
      ],
    )
    const log = (await owner.get('/audit?operation=support.visit_ended')).text
    assert.match(log, /tollgate/)
  })
})
