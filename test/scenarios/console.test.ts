import { CONSOLE_ROLES, type ConsoleRole } from '@tollgate/portal-contract/console-rights'
import * as table from '@tollgate/portal-contract/routes/console'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { readVersion } from '../../packages/tollgate/src/version.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { expireRequests, linkFiles, openedLinkKey } from '../support/console-links.ts'
import {
  codeOf,
  consoleCaller,
  enrol,
  goLive,
  operatorsCommand,
  signInOperator,
  tokenOf,
  type SignedInOperator,
} from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { payment, VISA } from '../support/payments.ts'
import { OWNER } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { cardForm } from '../support/three-ds.ts'

suite('the console of operators', () => {
  let gateway: RunningGateway
  let url = ''
  let olga: SignedInOperator
  let otto: SignedInOperator
  let ada: SignedInOperator
  let vera: SignedInOperator
  before(async () => {
    const [port] = await freePorts(1)
    url = `http://127.0.0.1:${port}`
    gateway = await startRunningGateway({ CONSOLE_PORT: String(port) })
    const join = (email: string, role: string, name: string) =>
      signInOperator(gateway, url, { email, role, name })
    olga = await join('olga@ops.example', 'owner', 'Olga Owner')
    otto = await join('otto@ops.example', 'owner', 'Otto Owner')
    ada = await join('ada@ops.example', 'admin', 'Ada Admin')
    vera = await join('vera@ops.example', 'viewer', 'Vera Viewer')
  })
  after(() => gateway?.stop())

  const entriesOf = async (operation: string) => {
    const { rows } = await gateway.pool.query(
      `select actor, operation, object, merchant_id, result from audit_entries
        where operation = $1 order by number`,
      [operation],
    )
    return rows
  }
  test('the address of payments has no console, and that of the console has nothing else', async () => {
    const statusOf = async (address: string): Promise<number> =>
      (await fetch(address, { redirect: 'manual' })).status
    for (const path of ['/console', '/console/api/session']) {
      assert.equal(await statusOf(`${gateway.baseUrl}${path}`), 404, path)
    }
    for (const path of ['/payment/pmt_service.cfm', '/api/v1/events']) {
      assert.equal(await statusOf(`${url}${path}`), 404, path)
    }
    // The portal of a support visit.
    assert.equal(await statusOf(`${url}/portal/api/session`), 401)
    assert.equal(await statusOf(`${url}/health/ready`), 200)
    assert.equal(await statusOf(`${url}/console/api/session`), 401)
    assert.equal(
      (await fetch(`${url}/`, { redirect: 'manual' })).headers.get('location'),
      '/console/',
    )
  })

  test('without a second factor an operator reaches only its set-up, in a sandbox too', async () => {
    const invited = await operatorsCommand(gateway, url, 'invite new@ops.example owner New Owner')
    const caller = consoleCaller(url)
    const given = { name: 'New Owner', newPassword: 'Quartz-jumps-vexed-8431' }
    const token = tokenOf(invited.out)
    assert.equal((await caller.send('POST', '/invitation', { token, ...given })).status, 200)
    assert.equal(caller.session().next, 'second_factor')
    for (const path of ['/merchants', '/operators', '/requests']) {
      assert.equal((await caller.send('GET', path)).body.error.code, 'unfinished', path)
    }
    await enrol(caller)
    assert.equal((await caller.send('GET', '/merchants')).status, 200)
    const again = { token, ...given }
    assert.equal((await consoleCaller(url).send('POST', '/invitation', again)).status, 404)
  })

  test('a sign-in takes password and code, and a code counts once', async () => {
    const caller = consoleCaller(url)
    const { email, password, secret } = vera
    const wrong = await caller.send('POST', '/session', { email, password: 'Wrong-9-password' })
    const unknown = await caller.send('POST', '/session', { email: 'x@ops.example', password })
    assert.deepEqual([wrong.status, wrong.text], [unknown.status, unknown.text])
    const { email: ofPortal, password: theirs } = OWNER
    const portalUser = { email: ofPortal, password: theirs }
    assert.equal((await caller.send('POST', '/session', portalUser)).status, 401)

    assert.equal((await caller.send('POST', '/session', { email, password })).status, 200)
    assert.equal(caller.session().next, 'code')
    assert.equal((await caller.send('GET', '/merchants')).body.error.code, 'unfinished')
    const code = codeOf(secret, 1)
    assert.equal((await caller.send('POST', '/session/code', { code })).status, 200)
    assert.equal((await caller.send('GET', '/merchants')).status, 200)
    const second = consoleCaller(url)
    await second.send('POST', '/session', { email, password })
    assert.equal(
      (await second.send('POST', '/session/code', { code })).body.error.code,
      'wrong_code',
    )

    assert.equal((await caller.send('DELETE', '/session')).status, 200)
    assert.equal((await caller.send('GET', '/merchants')).status, 401)
    const [failed] = await entriesOf('operator.sign_in_failed')
    assert.deepEqual([failed.actor, failed.result], [`console:${email}`, 'refused'])
    assert.deepEqual((await entriesOf('operator.signed_out')).at(-1).object, `operator ${email}`)
  })

  test('a session ends after 15 idle minutes, after 12 hours, and 10 minutes after a mere password', async () => {
    const caller = consoleCaller(url)
    const { email, password, secret } = otto
    await caller.send('POST', '/session', { email, password })
    const setBack = (column: string, minutes: number) =>
      gateway.pool.query(
        `update operator_sessions set ${column} = now() - make_interval(mins => $1)
          where id = (select max(id) from operator_sessions)`,
        [minutes],
      )
    const statusAfter = async (column: string, minutes: number) => {
      await setBack(column, minutes)
      return (await caller.send('GET', '/session')).status
    }
    assert.equal(await statusAfter('started_at', 9), 200)
    assert.equal(await statusAfter('started_at', 11), 401)
    await setBack('started_at', 0)
    const code = codeOf(secret, 1)
    assert.equal((await caller.send('POST', '/session/code', { code })).status, 200)
    assert.equal(await statusAfter('last_seen_at', 14), 200)
    assert.equal(await statusAfter('last_seen_at', 16), 401)
    await setBack('last_seen_at', 0)
    assert.equal(await statusAfter('started_at', 719), 200)
    assert.equal(await statusAfter('started_at', 721), 401)
  })

  test('a change needs the token of its session, and pages of other origins are refused', async () => {
    const stranger = await fetch(`${url}/console/api/session`, {
      headers: { origin: gateway.baseUrl },
    })
    assert.equal(stranger.status, 403)
    const caller = consoleCaller(url)
    const { email, password } = ada
    const signedIn = await fetch(`${url}/console/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    const [cookie = ''] = (signedIn.headers.getSetCookie()[0] ?? '').split(';')
    assert.match(cookie, /^tollgate_console=/)
    const without = await fetch(`${url}/console/api/session`, {
      method: 'DELETE',
      headers: { cookie },
    })
    assert.equal(without.status, 403)
    assert.equal((await caller.send('GET', '/session')).status, 401)
  })

  test('each route lets in the roles that have its right, and refuses the others', async () => {
    const routes = [
      table.consoleMerchants,
      table.consoleFees,
      table.consoleFeatures,
      table.consoleOperators,
      table.consoleRequests,
      table.consoleHealth,
      table.consoleLinks,
    ].flatMap((part) => Object.values(part))
    const by: Record<ConsoleRole, SignedInOperator> = { owner: olga, admin: ada, viewer: vera }
    const again = consoleCaller(url)
    await again.send('POST', '/session', { email: vera.email, password: vera.password })
    const { error } = (await again.send('GET', '/merchants')).body
    assert.equal(error.code, 'unfinished')
    for (const { method, path, right } of routes) {
      for (const [role, { rights }] of Object.entries(CONSOLE_ROLES)) {
        const answer = await by[role as ConsoleRole].send(method, path.replace(':id', '999999'))
        const isRefused = answer.body?.error?.code === 'not_allowed'
        const may = right === null || (rights as readonly string[]).includes(right)
        assert.equal(isRefused, !may, `${role} ${method} ${path}: ${answer.text}`)
      }
    }
  })

  test('an admin disables a merchant in test mode at once, and the log names the operator', async () => {
    const disabled = await ada.send('POST', '/merchants/2/disable', { reason: 'stolen cards' })
    assert.deepEqual([disabled.status, disabled.body], [200, { done: true }], disabled.text)
    const shown = await vera.send('GET', '/merchants/2')
    assert.equal(shown.body.disabled.by, `console:${ada.email}`)
    assert.equal(shown.body.disabled.reason, 'stolen cards')
    const [entry] = await entriesOf('merchant.disabled')
    assert.deepEqual([entry.actor, entry.object], [`console:${ada.email}`, 'merchant 2'])
    const repeated = await olga.send('POST', '/merchants/2/disable', { reason: 'again' })
    assert.equal(repeated.status, 409)
    assert.deepEqual((await ada.send('POST', '/merchants/2/enable')).body, { done: true })
    assert.equal((await entriesOf('merchant.enabled'))[0].actor, `console:${ada.email}`)
  })

  test('a merchant with a live site is disabled by two operators, and not by one with two sessions', async () => {
    await goLive(gateway)
    const asked = await ada.send('POST', '/merchants/2/disable', { reason: 'chargebacks' })
    assert.deepEqual([asked.status, asked.body], [200, { done: false }], asked.text)
    const twice = await olga.send('POST', '/merchants/2/disable', { reason: 'chargebacks' })
    assert.match(twice.body.error.message, /already is an open request/)
    const merchant = (await vera.send('GET', '/merchants/2')).body
    assert.equal(merchant.disabled, null)
    const [request] = merchant.requests
    assert.equal(request.sentence, 'Disable merchant 2 (Other Shop)')

    const own = await ada.send('POST', `/requests/${request.id}/approve`)
    assert.match(own.body.error.message, /You made this request/)
    assert.match(
      (await vera.send('POST', `/requests/${request.id}/approve`)).body.error.message,
      /no longer allows this/,
    )
    const approved = await otto.send('POST', `/requests/${request.id}/approve`)
    assert.deepEqual([approved.status, approved.body], [200, { link: null }], approved.text)
    const after = (await vera.send('GET', '/merchants/2')).body
    assert.equal(after.disabled.by, `console:${otto.email}`)
    assert.deepEqual(after.requests, [])
    const [first] = await entriesOf('operator.change_requested')
    const [second] = await entriesOf('operator.change_approved')
    assert.deepEqual([first.actor, second.actor], [`console:${ada.email}`, `console:${otto.email}`])
    assert.equal((await ada.send('POST', `/requests/${request.id}/approve`)).status, 409)
    assert.equal((await ada.send('POST', '/merchants/2/enable')).status, 200)
  })

  test('the database refuses a request that the same operator, or the same session, decided', async () => {
    const { rows } = await gateway.pool.query<{ id: string }>(
      `select id from operator_requests where state = 'approved' limit 1`,
    )
    await assert.rejects(
      gateway.pool.query('update operator_requests set decided_by = asked_by where id = $1', [
        rows[0]?.id,
      ]),
      /operator_requests_need_two_operators/,
    )
    await assert.rejects(
      gateway.pool.query(
        'update operator_requests set decided_session = asked_session where id = $1',
        [rows[0]?.id],
      ),
      /operator_requests_need_two_operators/,
    )
  })

  test('a limit of a live account is lowered at once, and raised by two operators', async () => {
    const set = (by: SignedInOperator, typed: string, day = '', reason = 'season') =>
      by.send('PUT', '/accounts/3002/limits', { currency: 'EUR', payment: typed, day, reason })
    assert.deepEqual((await set(ada, '500', '9000')).body, { done: true })
    assert.deepEqual((await set(ada, '400', '9000')).body, { done: true })
    assert.equal((await set(ada, 'much')).body.error.field, 'payment')
    const pasted = await set(ada, '400.01', '9000', `card ${VISA}`)
    assert.deepEqual([pasted.status, pasted.body.error.field], [400, 'reason'])
    assert.ok(!JSON.stringify((await olga.send('GET', '/requests')).body).includes(VISA))
    assert.deepEqual((await set(ada, '400.01', '9000')).body, { done: false })
    const limitsNow = async () => {
      const { accounts } = (await vera.send('GET', '/merchants/2')).body
      return accounts.find(({ id }: { id: string }) => id === '3002').limits[0].paymentMinor
    }
    assert.equal(await limitsNow(), '40000')
    const [request] = (await olga.send('GET', '/requests')).body
    assert.match(request.sentence, /400.01 EUR for one payment and 9000.00 EUR for a day$/)
    assert.equal((await olga.send('POST', `/requests/${request.id}/approve`)).status, 200)
    assert.equal(await limitsNow(), '40001')

    await set(ada, '', '9000')
    const [open] = (await olga.send('GET', '/requests')).body
    await set(ada, '300', '9000')
    const late = await olga.send('POST', `/requests/${open.id}/approve`)
    assert.equal(late.body.error.code, 'changed_meanwhile', late.text)
    assert.equal(await limitsNow(), '30000')

    await set(ada, '350', '9000')
    const [refusable] = (await olga.send('GET', '/requests')).body
    assert.equal((await ada.send('POST', `/requests/${refusable.id}/refuse`)).status, 403)
    assert.equal((await olga.send('POST', `/requests/${refusable.id}/refuse`)).status, 200)
    await set(ada, '351', '9000')
    const [own] = (await olga.send('GET', '/requests')).body
    assert.equal((await olga.send('POST', `/requests/${own.id}/withdraw`)).status, 403)
    assert.equal((await ada.send('POST', `/requests/${own.id}/withdraw`)).status, 200)
    assert.equal((await entriesOf('operator.change_refused')).length, 1)
    assert.equal((await entriesOf('operator.change_withdrawn')).length, 1)
  })

  test('a country that a live account refused is let in by two operators', async () => {
    const set = (rule: string, codes: string, reason = 'season') =>
      ada.send('PUT', '/accounts/3002/countries', { rule, codes, reason })
    const countriesNow = async () => {
      const { accounts } = (await vera.send('GET', '/merchants/2')).body
      return accounts.find(({ id }: { id: string }) => id === '3002').countries
    }
    assert.deepEqual((await set('allow', 'DE AT')).body, { done: true })
    assert.deepEqual((await set('allow', 'DE')).body, { done: true })
    assert.equal(await countriesNow(), 'only DE')
    for (const typed of [VISA, 'Germany', '']) {
      const { status, body, text } = await set('allow', typed)
      assert.deepEqual([status, body.error.field], [400, 'codes'], text)
      assert.ok(!text.includes(VISA))
    }
    assert.deepEqual((await set('allow', 'DE, CH')).body, { done: false })
    const [request] = (await olga.send('GET', '/requests')).body
    assert.equal(request.sentence, 'Let account 3002 take the billing countries: only CH, DE')
    assert.equal((await olga.send('POST', `/requests/${request.id}/approve`)).status, 200)
    assert.equal(await countriesNow(), 'only CH, DE')

    assert.deepEqual((await set('any', '')).body, { done: false })
    const [open] = (await olga.send('GET', '/requests')).body
    await set('allow', 'CH')
    const late = await olga.send('POST', `/requests/${open.id}/approve`)
    assert.equal(late.body.error.code, 'changed_meanwhile', late.text)
    const test = { rule: 'any', codes: '', reason: '' }
    await ada.send('PUT', '/accounts/2002/countries', { ...test, rule: 'refuse', codes: 'US' })
    assert.deepEqual((await ada.send('PUT', '/accounts/2002/countries', test)).body, {
      done: true,
    })
  })

  test('demands of a live account are tightened at once, and relaxed by two operators', async () => {
    const set = (brands: readonly string[], requiredFields: readonly string[], account = '3002') =>
      ada.send('PUT', `/accounts/${account}/demands`, {
        brands,
        requiredFields,
        reason: 'contract',
      })
    const demandsNow = async () => {
      const { accounts } = (await vera.send('GET', '/merchants/2')).body
      const found = accounts.find(({ id }: { id: string }) => id === '3002')
      return [found.brands, found.requiredFields]
    }
    const tightened = await set(['Mastercard', 'Visa'], ['email'])
    assert.deepEqual(tightened.body, { done: true }, tightened.text)
    assert.deepEqual(await demandsNow(), [['Visa', 'Mastercard'], ['email']])
    for (const typed of [VISA, 'visa']) {
      const { status, text } = await set([typed], [])
      assert.equal(status, 400, text)
      assert.ok(!text.includes(VISA))
    }
    assert.equal((await vera.send('PUT', '/accounts/3002/demands', {})).status, 403)

    assert.deepEqual((await set(['Visa', 'Mastercard'], [])).body, { done: false })
    const [request] = (await olga.send('GET', '/requests')).body
    assert.equal(
      request.sentence,
      'Set the demands of account 3002 to brands Visa, Mastercard; required no fields',
    )
    assert.equal((await ada.send('POST', `/requests/${request.id}/approve`)).status, 403)
    assert.deepEqual((await demandsNow())[1], ['email'])
    assert.equal((await olga.send('POST', `/requests/${request.id}/approve`)).status, 200)
    assert.deepEqual(await demandsNow(), [['Visa', 'Mastercard'], []])

    assert.deepEqual((await set([], [])).body, { done: false })
    const [open] = (await olga.send('GET', '/requests')).body
    await set(['Visa'], [])
    const late = await olga.send('POST', `/requests/${open.id}/approve`)
    assert.equal(late.body.error.code, 'changed_meanwhile', late.text)
    assert.deepEqual((await set(['Visa'], [], '2002')).body, { done: true })
    assert.deepEqual((await set([], [], '2002')).body, { done: true })
    const entries = await entriesOf('account.demands_set')
    assert.deepEqual(
      entries.map(({ actor }: { actor: string }) => actor),
      [ada, olga, ada, ada, ada].map(({ email }) => `console:${email}`),
    )
  })

  const accountOf = async (id: string) => {
    const { accounts } = (await vera.send('GET', '/merchants/2')).body
    return accounts.find((account: { id: string }) => account.id === id)
  }
  /** Approves the newest request as the other owner; gives its sentence. */
  const approve = async (): Promise<string> => {
    const [request] = (await olga.send('GET', '/requests')).body
    const approved = await olga.send('POST', `/requests/${request.id}/approve`)
    assert.equal(approved.status, 200, approved.text)
    return request.sentence
  }

  test('3-D Secure of a live account is set at once, and taken away or altered by two operators', async () => {
    const set = (requestorId: string, requestorUrl: string) =>
      ada.send('PUT', '/accounts/3002/three-ds', { requestorId, requestorUrl, reason: 'contract' })
    assert.match(
      (await set('SHOP-1', 'http://shop.example')).body.error.message,
      /requestorUrl is "http:\/\/shop\.example"; it must be an absolute https address/,
    )
    for (const typed of [
      await set(VISA, 'https://shop.example'),
      await set('1', `https://${VISA}`),
    ]) {
      assert.equal(typed.status, 400)
      assert.ok(!typed.text.includes(VISA), typed.text)
    }
    assert.equal((await accountOf('3002')).threeDs, null)
    assert.deepEqual((await set('SHOP-1', 'https://shop.example')).body, { done: true })
    assert.equal((await set('SHOP-1', 'https://shop.example')).status, 409)
    assert.deepEqual((await set('SHOP-2', 'https://shop.example')).body, { done: false })
    assert.equal(
      await approve(),
      'Set 3-D Secure of account 3002 to SHOP-2 at https://shop.example',
    )
    assert.equal((await accountOf('3002')).threeDs.requestorId, 'SHOP-2')
    assert.deepEqual((await set('', '')).body, { done: false })
    assert.equal(await approve(), 'Set 3-D Secure of account 3002 to off')
    assert.equal((await accountOf('3002')).threeDs, null)
    const entries = await entriesOf('account.three_ds_set')
    assert.deepEqual(
      entries.map(({ actor, object }: { actor: string; object: string }) => `${actor} ${object}`),
      [ada, olga, olga].map(({ email }) => `console:${email} account 3002`),
    )
  })

  const POLICY = {
    required: false,
    whenUnavailable: 'authorize',
    paResRequired: false,
    challengePreference: null,
    returnHosts: [],
  }
  const setPolicy = (site: number, changes: object, seen: object = POLICY) => {
    const body = { policy: { ...POLICY, ...changes }, seen, reason: 'fraud' }
    return ada.send('PUT', `/sites/${site}/three-ds`, body)
  }

  test('a site that an operator has require 3-D Secure declines a payment without browser data', async () => {
    const pay = async () => {
      const asked = { REQUEST_ENROLLMENT: '1', P3DS_RETURN_URL: 'http://shop.test/back' }
      const answer = await gateway.client().raw(cardForm(VISA, asked))
      return answer['SERVICE_RESPONSE']
    }
    assert.equal(await pay(), 100)
    assert.deepEqual((await setPolicy(1001, { required: true })).body, { done: true })
    await eventually('a declined payment', async () => (await pay()) === 670)
    const stale = await setPolicy(1001, { paResRequired: true })
    assert.equal(stale.body.error.code, 'changed_meanwhile', stale.text)
    const shown = { ...POLICY, required: true }
    assert.deepEqual((await setPolicy(1001, {}, shown)).body, { done: true })
    await eventually('an approved payment', async () => (await pay()) === 100)
    for (const host of ['Shop.example', VISA]) {
      const wrong = await setPolicy(1001, { returnHosts: [host] })
      assert.equal(wrong.status, 400)
      assert.ok(!wrong.text.includes(VISA))
    }
    assert.equal((await setPolicy(999, {})).status, 404)
    const [entry] = await entriesOf('site.three_ds_set')
    assert.deepEqual([entry.actor, entry.object], [`console:${ada.email}`, 'site 1001'])
  })

  test('3-D Secure of a live site is relaxed by two operators only, unless it changed', async () => {
    const tight = { whenUnavailable: 'decline', returnHosts: ['shop.example'] }
    assert.deepEqual((await setPolicy(1002, tight)).body, { done: true })
    const shown = { ...POLICY, ...tight }
    const relaxed = { ...tight, returnHosts: [] }
    assert.deepEqual((await setPolicy(1002, relaxed, shown)).body, { done: false })
    const { requests } = (await vera.send('GET', '/merchants/2')).body
    assert.equal(requests.length, 1)
    assert.match(await approve(), /^Set 3-D Secure of site 1002 to .*; return hosts any$/)

    const { sites } = (await vera.send('GET', '/merchants/2')).body
    assert.deepEqual(sites[0].threeDs, { ...POLICY, ...relaxed })
    await setPolicy(1002, {}, { ...POLICY, ...relaxed })
    const [open] = (await olga.send('GET', '/requests')).body
    await setPolicy(1002, { ...relaxed, required: true }, { ...POLICY, ...relaxed })
    const late = await olga.send('POST', `/requests/${open.id}/approve`)
    assert.equal(late.body.error.code, 'changed_meanwhile', late.text)
  })

  test('an account takes unreferenced credits once an operator allows it, and two for a live one', async () => {
    const set = (account: number, allowed: boolean) =>
      ada.send('PUT', `/accounts/${account}/unreferenced-credits`, { allowed, reason: 'payouts' })
    const credit = async () => {
      const form = { REQUEST_ACTION: 'CCCREDIT', FORCE_CREDIT: '1', PMT_NUMB: VISA }
      const rest = { PMT_EXPIRY: '122040', LI_VALUE_1: '10', REQUEST_RESPONSE_FORMAT: 'JSON' }
      return (await gateway.client().raw({ ...form, ...rest }))['TRANS_STATUS_NAME']
    }
    assert.notEqual(await credit(), 'APPROVED')
    assert.deepEqual((await set(2001, true)).body, { done: true })
    assert.equal((await set(2001, true)).status, 409)
    await eventually('an approved credit', async () => (await credit()) === 'APPROVED')
    assert.deepEqual((await set(2001, false)).body, { done: true })

    assert.deepEqual((await set(3002, true)).body, { done: false })
    assert.equal((await accountOf('3002')).unreferencedCredits, false)
    assert.equal(await approve(), 'Let account 3002 take unreferenced credits')
    assert.equal((await accountOf('3002')).unreferencedCredits, true)
    assert.deepEqual((await set(3002, false)).body, { done: true })
    const entries = await entriesOf('account.unreferenced_credits_set')
    assert.equal(entries.at(-2).actor, `console:${olga.email}`)
  })

  test('details of an account are changed at once, those of a live one by two operators', async () => {
    const shop = { categoryCode: '5812', name: 'Day Shop', city: 'Bonn', country: 'DE' }
    const set = (id: string, more: object) =>
      ada.send('PUT', `/accounts/${id}/details`, { ...shop, reason: 'moved', ...more })
    const pay = async () =>
      (await gateway.client().raw({ ...cardForm(VISA, {}), REQUEST_CURRENCY: 'EUR' }))[
        'API_RESPONSE'
      ]
    assert.equal(await pay(), '0')
    assert.deepEqual((await set('2001', { currencies: ['USD', 'USD'] })).body, { done: true })
    assert.equal((await set('2001', { currencies: ['USD'] })).status, 409)
    await eventually('a refused currency', async () => (await pay()) !== '0')
    for (const [field, text] of [
      ['country', 'Germany'],
      ['categoryCode', VISA],
    ] as const) {
      const wrong = await set('2001', { currencies: ['USD'], [field]: text })
      assert.equal(wrong.status, 400, wrong.text)
      assert.ok(!wrong.text.includes(VISA))
    }
    const orphans = await set('2001', { currencies: ['EUR'] })
    assert.match(orphans.body.error.message, /^USD is the default currency of a site/)
    await gateway.pool.query(
      `insert into fee_plans (merchant_id, starts_on, prices, actor)
       select 1, '2020-01-01', $1, 'test'`,
      [
        {
          rates: [{ kind: 'sale', brand: null, millionths: '0', fixed: { USD: '10' } }],
          monthly: {},
        },
      ],
    )
    const unpriced = await set('2001', { currencies: ['USD', 'EUR'] })
    assert.match(
      unpriced.body.error.message,
      /starts on 2020-01-01 has fixed parts, but none in EUR/,
    )
    await gateway.pool.query(`delete from fee_plans where starts_on = '2020-01-01'`)
    const all = ['USD', 'EUR', 'GBP', 'JPY', 'KWD']
    assert.deepEqual((await set('2001', { currencies: all })).body, { done: true })
    await eventually('a payment in EUR', async () => (await pay()) === '0')

    const { currencies } = await accountOf('3002')
    assert.deepEqual((await set('3002', { currencies })).body, { done: false })
    assert.notEqual((await accountOf('3002')).city, 'Bonn')
    assert.match(await approve(), /^Set account 3002 to Day Shop, Bonn, DE; category 5812; /)
    assert.equal((await accountOf('3002')).city, 'Bonn')
    const entry = (await entriesOf('account.details_set')).at(-1)
    assert.deepEqual([entry.actor, entry.object], [`console:${olga.email}`, 'account 3002'])
  })

  const feesOf = async (id: string) => (await vera.send('GET', `/merchants/${id}/fees`)).body
  const tomorrowOf = async (id: string): Promise<string> => {
    const day = new Date(`${(await feesOf(id)).today}T00:00:00Z`)
    return new Date(day.getTime() + 24 * 60 * 60 * 1_000).toISOString().slice(0, 10)
  }
  const planFile = (merchantId: number, startsOn: string, percent: string, more: object = {}) =>
    JSON.stringify({ merchantId, startsOn, rates: [{ kind: 'sale', percent }], ...more })

  test('an admin previews and sets a plan of fees by the file of the command, with its sentences', async () => {
    const startsOn = await tomorrowOf('1')
    const preview = (plan: string, amount = '45.50') =>
      ada.send('POST', '/merchants/1/fees/preview', { plan, amount, currency: 'USD' })
    const put = (plan: string) => ada.send('PUT', '/merchants/1/fees', { plan, reason: '' })
    const { today } = await feesOf('1')
    for (const [plan, fault] of [
      ['{', /The file is not JSON/],
      [planFile(1, today, '1'), /A plan starts tomorrow or later/],
      [planFile(1, startsOn, '1,4'), /rates\.0\.percent is "1,4"; it must be a percentage/],
      [planFile(1, startsOn, '1', { monthly: { XXY: '1' } }), /monthly\.XXY is not a currency/],
      [planFile(2, startsOn, '1'), /The plan is for merchant 2; expected merchant 1/],
    ] as const) {
      assert.match((await preview(plan)).body.faults.join(' '), fault)
      assert.match((await put(plan)).body.error.message, fault)
    }
    const escaped = VISA.replace('4', '\\u0034')
    for (const typed of [VISA, planFile(1, startsOn, VISA), `{"startsOn":"${escaped}"}`]) {
      const [judged, stored] = [await preview(typed), await put(typed)]
      assert.equal(stored.status, 400)
      assert.match(judged.text + stored.text, /12 digits in a row.*12 digits in a row/)
      assert.ok(!`${judged.text}${stored.text}`.includes(VISA), judged.text)
    }
    assert.match((await preview(planFile(1, startsOn, '1'), '0')).text, /no valid amount/)
    assert.deepEqual((await feesOf('1')).plans, [])

    const first = planFile(1, startsOn, '1')
    assert.deepEqual((await put(first)).body, { done: true })
    const shown = (await preview(planFile(1, startsOn, '1.4'))).body
    assert.deepEqual(shown.samples[0], {
      kind: 'sale',
      brand: null,
      feeMinor: '64',
      beforeMinor: '46',
    })
    const [plan] = (await feesOf('1')).plans
    assert.deepEqual(
      [plan.startsOn, plan.state, plan.by],
      [startsOn, 'planned', `console:${ada.email}`],
    )
    assert.deepEqual(plan.rates, [{ kind: 'sale', brand: null, percent: '1', fixed: {} }])
    const [entry] = await entriesOf('fees.plan_put')
    assert.deepEqual(
      [entry.actor, entry.object, entry.merchant_id],
      [`console:${ada.email}`, 'merchant 1', '1'],
    )
    assert.equal((await vera.send('PUT', '/merchants/1/fees', {})).status, 403)
    assert.equal((await vera.send('GET', '/merchants/999/fees')).status, 404)
    assert.equal((await preview(first)).body.faults.length, 0)
  })

  test('a plan of fees of a merchant with a live site is set by two operators, unless the plans changed', async () => {
    const startsOn = await tomorrowOf('2')
    const put = (percent: string) =>
      ada.send('PUT', '/merchants/2/fees', {
        plan: planFile(2, startsOn, percent),
        reason: 'offer',
      })
    assert.deepEqual((await put('2.5')).body, { done: false })
    assert.deepEqual((await feesOf('2')).plans, [])
    const [request] = (await feesOf('2')).requests
    assert.equal(
      request.sentence,
      `Set the fees of merchant 2 (Other Shop) from ${startsOn}: sale: 2.5 %`,
    )
    assert.match((await put('3')).body.error.message, /already is an open request/)
    // A plan that waits does not keep the merchant from being disabled.
    assert.deepEqual(
      (await ada.send('POST', '/merchants/2/disable', { reason: 'stolen cards' })).body,
      { done: false },
    )
    const disable = (await olga.send('GET', '/requests')).body[0]
    assert.equal((await ada.send('POST', `/requests/${disable.id}/withdraw`)).status, 200)

    assert.equal((await ada.send('POST', `/requests/${request.id}/approve`)).status, 403)
    assert.equal((await olga.send('POST', `/requests/${request.id}/approve`)).status, 200)
    const [plan] = (await feesOf('2')).plans
    assert.deepEqual([plan.rates[0].percent, plan.by], ['2.5', `console:${olga.email}`])

    await put('1')
    const [open] = (await feesOf('2')).requests
    await gateway.pool.query(`update fee_plans set prices = $1 where merchant_id = 2`, [
      { rates: [], monthly: {} },
    ])
    const late = await olga.send('POST', `/requests/${open.id}/approve`)
    assert.equal(late.body.error.code, 'changed_meanwhile', late.text)
  })

  const ACCOUNT = {
    mode: 'test',
    link: null,
    processorName: 'The bundled bank',
    acquirerId: '414000',
    acquirerMerchantId: 'NEW2001',
    categoryCode: '5999',
    name: 'New Shop',
    city: 'Berlin',
    country: 'DE',
    currencies: ['EUR'],
  }

  test('an admin creates and renames a merchant, a site and an account, and the log names them', async () => {
    const make = async (path: string, body: object): Promise<string> => {
      const made = await ada.send('POST', path, body)
      assert.equal(made.status, 200, made.text)
      return made.body.id
    }
    const merchant = await make('/merchants', { name: 'New Shop', timeZone: 'Europe/Berlin' })
    const at = `/merchants/${merchant}`
    const site = await make(`${at}/sites`, { name: 'new.example', defaultCurrency: 'EUR' })
    const account = await make(`${at}/accounts`, { ...ACCOUNT, sites: [site] })
    for (const [path, name] of [
      [at, 'Newer Shop'],
      [`/sites/${site}`, 'newer.example'],
      [`/accounts/${account}`, 'Newer Bank'],
    ]) {
      const renamed = await ada.send('PUT', `${path}/name`, { name })
      assert.deepEqual([renamed.status, renamed.body], [200, {}], renamed.text)
    }
    const { body } = await vera.send('GET', at)
    assert.deepEqual([body.name, body.timeZone], ['Newer Shop', 'Europe/Berlin'])
    assert.deepEqual([body.sites[0].name, body.sites[0].mode], ['newer.example', 'test'])
    const [shown] = body.accounts
    assert.deepEqual([shown.processorName, shown.sites], ['Newer Bank', [site]])
    assert.deepEqual([shown.brands, shown.requiredFields], [null, []])
    for (const [operation, object] of [
      ['merchant.created', `merchant ${merchant}`],
      ['merchant.renamed', `merchant ${merchant}`],
      ['site.created', `site ${site}`],
      ['site.settings_set', `site ${site}`],
      ['account.put', `account ${account}`],
    ] as const) {
      const entry = (await entriesOf(operation)).at(-1)
      assert.deepEqual(
        [entry.actor, entry.object, entry.merchant_id],
        [`console:${ada.email}`, object, merchant],
      )
    }
  })

  test('a card number in any field of a creation is refused, and not repeated', async () => {
    const site = { name: 'a.example', defaultCurrency: 'EUR' }
    const merchant = { name: 'A Shop', timeZone: 'UTC' }
    const person = { name: 'Ann', email: 'ann@shop.example' }
    const { currencies: _list, mode: _mode, ...texts } = ACCOUNT
    const empty = (await ada.send('POST', '/merchants', merchant)).body.id
    const tries: (readonly [path: string, body: object])[] = [
      ...Object.keys(merchant).map((key) => ['/merchants', { ...merchant, [key]: VISA }] as const),
      ...Object.keys(site).map((key) => ['/merchants/2/sites', { ...site, [key]: VISA }] as const),
      ...[...Object.keys(texts), 'currencies', 'sites'].map((key) => {
        const value = key === 'currencies' || key === 'sites' ? [VISA] : VISA
        return ['/merchants/2/accounts', { ...ACCOUNT, sites: [], [key]: value }] as const
      }),
      ...Object.keys(person).map(
        (key) => [`/merchants/${empty}/portal-users`, { ...person, [key]: VISA }] as const,
      ),
    ]
    const before = await entriesOf('account.put')
    for (const [path, body] of tries) {
      const { status, text } = await ada.send('POST', path, body)
      assert.equal(status, 400, `${path} ${JSON.stringify(body)}: ${text}`)
      assert.ok(!text.includes(VISA), text)
    }
    for (const path of ['/merchants/2', '/sites/1002', '/accounts/2002']) {
      const { status, text } = await ada.send('PUT', `${path}/name`, { name: `Shop ${VISA}` })
      assert.equal(status, 400, text)
      assert.ok(!text.includes(VISA), text)
    }
    assert.deepEqual(await entriesOf('account.put'), before)
  })

  test('a live account is not created by one operator where a live site would use it', async () => {
    const live = { ...ACCOUNT, mode: 'live', link: 'live', acquirerId: null, sites: [] }
    const refused = await ada.send('POST', '/merchants/2/accounts', live)
    assert.equal(refused.status, 409, refused.text)
    assert.match(refused.body.error.message, /site in live mode/)
    const wrong = await ada.send('POST', '/merchants/1/accounts', { ...live, link: 'none' })
    assert.match(wrong.body.error.message, /there is none of that name/)
    assert.equal((await ada.send('POST', '/merchants/1/accounts', live)).status, 200)
    assert.equal((await ada.send('POST', '/merchants/999/accounts', live)).status, 404)
    const [link] = (await vera.send('GET', '/links')).body
    assert.deepEqual([link.name, link.mode, link.tls], ['live', 'live', 'off'])
    assert.deepEqual(link.addresses, ['127.0.0.1:1'])
  })

  test('the first portal user of a merchant is invited once, as its owner', async () => {
    const { body } = await ada.send('POST', '/merchants', { name: 'Empty', timeZone: 'UTC' })
    const invite = (id: string, email: string) =>
      ada.send('POST', `/merchants/${id}/portal-users`, { email, name: 'Anna Berg' })
    const invited = await invite(body.id, 'Anna@empty.example')
    assert.equal(invited.status, 200, invited.text)
    const [, token] = invited.body.link.address.split('/portal/invitation#')
    const looked = await fetch(`${gateway.baseUrl}/portal/api/invitation/look`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    assert.equal(looked.status, 200)
    const { rows } = await gateway.pool.query(
      'select email, role from portal_users where merchant_id = $1',
      [body.id],
    )
    assert.deepEqual(rows, [{ email: 'anna@empty.example', role: 'owner' }])
    const entry = (await entriesOf('portal_user.invited')).at(-1)
    assert.deepEqual([entry.actor, entry.merchant_id], [`console:${ada.email}`, body.id])
    assert.match((await invite(body.id, 'eve@empty.example')).body.error.message, /has a portal/)

    assert.equal((await invite('999', 'eve@empty.example')).status, 404)
  })

  test('the health has what waits and differs, links, certificates, nodes and the schema', async () => {
    const { orderId } = await gateway.client().authorize(payment('9.00'))
    await gateway.stopBank()
    await gateway.client().capture({ orderId, amount: '9' })
    const { body } = await vera.send('GET', '/health')
    const kinds = body.waiting.map(({ what }: { what: string }) => what)
    assert.equal(new Set(kinds).size, 6)
    const [advices] = body.waiting
    assert.deepEqual([advices.what, advices.count], ['Advices to banks', 1])
    const [merchant] = body.merchants
    assert.deepEqual([merchant.id, merchant.queuedAdvices], ['1', 1])
    assert.equal(merchant.oldestAdviceAt, advices.oldestAt)
    const [link] = body.links
    assert.deepEqual([link.name, link.mode], ['live', 'live'])
    assert.equal(body.nodes.length, 1)
    const [{ tollgate, node, startedAt }] = body.nodes
    assert.deepEqual([tollgate, node], [readVersion(), process.versions.node])
    assert.notEqual(startedAt, null)
    assert.ok(body.schema >= 59)
    assert.notEqual(body.dataKeySince, null)
  })

  test('a request expires after 24 hours', async () => {
    await ada.send('POST', '/merchants/2/disable', { reason: 'too late' })
    const [request] = (await olga.send('GET', '/requests')).body
    await gateway.pool.query(
      `update operator_requests set expires_at = now() - interval '1 second' where id = $1`,
      [request.id],
    )
    assert.match(
      (await olga.send('POST', `/requests/${request.id}/approve`)).body.error.message,
      /expired after 24 hours/,
    )
    assert.equal((await vera.send('GET', '/merchants/2')).body.disabled, null)
  })

  test('an owner invites viewers, and a second owner confirms a role and a reset', async () => {
    const wanted = { email: 'Nora@ops.example', name: 'Nora New' }
    assert.equal((await ada.send('POST', '/operators', wanted)).status, 403)
    const invited = await olga.send('POST', '/operators', wanted)
    assert.equal(invited.status, 200, invited.text)
    assert.ok(invited.body.link.address.startsWith(`${url}/console/invitation#`))
    const listed = (await vera.send('GET', '/operators')).body
    const nora = listed.find(({ email }: { email: string }) => email === 'nora@ops.example')
    assert.deepEqual([nora.role, nora.state], ['viewer', 'invited'])
    const again = (await olga.send('POST', `/operators/${nora.id}/reset`)).body
    assert.equal(again.done, true)

    const caller = consoleCaller(url)
    const token = tokenOf(again.link.address)
    const given = { token, name: 'Nora New', newPassword: 'Quartz-jumps-vexed-8432' }
    assert.equal((await caller.send('POST', '/invitation', given)).status, 200)
    await enrol(caller)
    const role = await olga.send('PUT', `/operators/${nora.id}/role`, { role: 'admin' })
    assert.deepEqual(role.body, { done: false })
    const [ask] = (await otto.send('GET', '/requests')).body
    assert.equal(ask.sentence, 'Give nora@ops.example the role Admin')
    assert.equal((await otto.send('POST', `/requests/${ask.id}/approve`)).status, 200)

    // The creator of the link could have opened it, and must not confirm their own request.
    await olga.send('POST', '/merchants/2/disable', { reason: 'fresh link' })
    const [open] = (await otto.send('GET', '/requests')).body
    const fresh = await caller.send('POST', `/requests/${open.id}/approve`)
    assert.match(fresh.body.error.message, /created within the last 24 hours/)
    await olga.send('POST', `/requests/${open.id}/withdraw`)

    assert.equal((await olga.send('POST', `/operators/${nora.id}/reset`)).body.done, false)
    const [reset] = (await otto.send('GET', '/requests')).body
    const approved = await otto.send('POST', `/requests/${reset.id}/approve`)
    assert.ok(approved.body.link.address.startsWith(`${url}/console/invitation#`), approved.text)
    assert.equal((await caller.send('GET', '/merchants')).status, 401)
    assert.equal((await entriesOf('operator.reset'))[0].actor, `console:${otto.email}`)
    const self = (await olga.send('GET', '/operators')).body.find(
      ({ email }: { email: string }) => email === olga.email,
    )
    assert.equal(
      (await olga.send('PUT', `/operators/${self.id}/active`, { active: false })).status,
      403,
    )
  })

  test('an operator changes their password, and guesses of it are counted', async () => {
    const { password } = otto
    const change = { password: 'Wrong-9-password', newPassword: 'Bramble-kite-8431' }
    assert.equal((await otto.send('PUT', '/account/password', change)).status, 400)
    const common = { password, newPassword: 'Operator-console1' }
    assert.equal((await otto.send('PUT', '/account/password', common)).status, 400)
    const good = { password, newPassword: 'Bramble-kite-zone-8431' }
    assert.equal((await otto.send('PUT', '/account/password', good)).status, 200)
    assert.equal((await entriesOf('operator.password_changed'))[0].actor, `console:${otto.email}`)

    const guesser = consoleCaller(url)
    for (let guess = 0; guess < 10; guess += 1) {
      const wrong = { email: ada.email, password: `Wrong-9-password${guess}` }
      assert.equal((await guesser.send('POST', '/session', wrong)).status, 401)
    }
    const { email, password: right } = ada
    assert.equal((await guesser.send('POST', '/session', { email, password: right })).status, 429)
    // The log gets locks after their answers.
    const locked = await eventually(
      'the lock is in the audit log',
      async () => (await entriesOf('operator.locked'))[0] ?? null,
    )
    assert.equal(locked.actor, `console:${email}`)

    const metrics = await gateway.metrics()
    assert.match(metrics, /^tollgate_sign_ins_failed_total\{kind="operator"\} 1\d$/m)
    assert.match(metrics, /^tollgate_sign_ins_locked_total\{kind="operator"\} 1$/m)
    assert.match(
      metrics,
      /^tollgate_portal_requests_total\{place="console",result="refused"\} \d\d+$/m,
    )
    assert.ok(!metrics.includes(email), 'a metric names an operator')
  })

  test('a recovery code replaces the code of the app once', async () => {
    const { body: begun } = await vera.send('POST', '/account/second-factor/begin')
    const factor = { sealed: begun.sealed, code: codeOf(begun.secret), password: vera.password }
    const set = await vera.send('POST', '/account/second-factor', factor)
    const [code] = set.body.recoveryCodes
    const caller = consoleCaller(url)
    const { email, password } = vera
    await caller.send('POST', '/session', { email, password })
    assert.equal((await caller.send('POST', '/session/code', { code })).status, 200)
    assert.equal((await entriesOf('operator.recovery_code_used'))[0].object, `operator ${email}`)
  })

  test('a test link is put at once by the file of the command, with its sentences and no key', async () => {
    const { sent, key } = await linkFiles({ name: 'console-test', mode: 'test' })
    const look = async (body: object) => (await ada.send('POST', '/links/preview', body)).body
    const { faults } = await look({ ...sent, pem: sent.pem.slice(0, 2) })
    assert.deepEqual(faults, [
      'tls.keyFile is client.key, which is not among the chosen files; choose it too.',
    ])
    const [inFile] = (await look({ file: key, pem: [] })).faults
    assert.match(inFile, /^The file has a private key in it/)
    const preview = await look(sent)
    const { changes, isNew, needsSecond } = preview.link
    assert.deepEqual([isNew, needsSecond], [true, false])
    const certificate = changes.find(({ what }: { what: string }) => what === 'client certificate')
    assert.match(certificate.after, /^CN=gateway, ends \d{4}-\d\d-\d\d, SHA-256 [\dA-F:]{95}$/)

    const put = await ada.send('PUT', '/links', { ...sent, reason: '' })
    assert.deepEqual(put.body, { done: true }, put.text)
    const again = { ...sent, file: sent.file.replace('127.0.0.1:2', '127.0.0.1:3') }
    assert.deepEqual((await look(again)).link.changes, [
      { what: 'addresses', before: '127.0.0.1:2', after: '127.0.0.1:3' },
    ])
    assert.equal((await vera.send('PUT', '/links', { ...sent, reason: '' })).status, 403)
    assert.deepEqual(
      (await entriesOf('link.put')).map(({ actor, object }) => [actor, object]),
      [[`console:${ada.email}`, 'link console-test']],
    )
  })

  test('a live link is put by two operators, its request holds the key sealed, and forgets it', async () => {
    const { sent, key } = await linkFiles({ name: 'live', mode: 'live' })
    const ask = async () => {
      const put = await ada.send('PUT', '/links', { ...sent, reason: 'new certificate' })
      assert.deepEqual(put.body, { done: false }, put.text)
      return (await olga.send('GET', '/requests')).body[0]
    }
    const sealedKeys = async (id: string) => {
      const { rows } = await gateway.pool.query<{ text: string; sealed: Buffer | null }>(
        `select to_json(r)::text as text, link_key_ciphertext as sealed
           from operator_requests r where id = $1`,
        [id],
      )
      for (const { sealed, text } of rows) {
        assert.ok(!text.includes('PRIVATE KEY'), text)
        assert.ok(sealed === null || !sealed.includes(key.slice(30, 60)))
      }
      return rows.map(({ sealed }) => sealed !== null)
    }
    const storedAddress = async () => {
      const links = (await vera.send('GET', '/links')).body
      return links.find(({ name }: { name: string }) => name === 'live').addresses
    }
    const first = await ask()
    assert.match(
      first.sentence,
      /^Change link live: addresses 127\.0\.0\.1:2 \(was 127\.0\.0\.1:1\); .*client certificate CN=gateway, ends/,
    )
    assert.ok(!JSON.stringify(first).includes('PRIVATE KEY'))
    assert.deepEqual(await sealedKeys(first.id), [true])
    assert.equal((await ada.send('POST', `/requests/${first.id}/approve`)).status, 403)
    assert.equal((await olga.send('POST', `/requests/${first.id}/refuse`)).status, 200)
    assert.deepEqual(await sealedKeys(first.id), [false])
    assert.deepEqual(await storedAddress(), ['127.0.0.1:1'])

    const expired = await ask()
    await gateway.pool.query(
      `update operator_requests set expires_at = now() - interval '1 second' where id = $1`,
      [expired.id],
    )
    assert.equal((await olga.send('POST', `/requests/${expired.id}/approve`)).status, 409)
    assert.deepEqual(await sealedKeys(expired.id), [false])

    const forgotten = await ask()
    await gateway.pool.query(
      `update operator_requests set expires_at = now() - interval '1 second' where id = $1`,
      [forgotten.id],
    )
    await expireRequests(gateway)
    assert.deepEqual(await sealedKeys(forgotten.id), [false])

    const stale = await ask()
    await gateway.pool.query(
      `update processor_links set revision = revision + 1 where name = 'live'`,
    )
    const late = await olga.send('POST', `/requests/${stale.id}/approve`)
    assert.equal(late.body.error.code, 'changed_meanwhile', late.text)
    assert.deepEqual(await sealedKeys(stale.id), [false])

    const { id } = await ask()
    await approve()
    assert.deepEqual([await sealedKeys(id), await storedAddress()], [[false], ['127.0.0.1:2']])
    const { rows } = await gateway.pool.query<{ sealed: Buffer }>(
      `select tls_key_ciphertext as sealed from processor_links where name = 'live'`,
    )
    const opened = await openedLinkKey(gateway, 'live', rows[0]?.sealed ?? Buffer.alloc(0))
    assert.equal(opened, key)
    const [entry] = (await entriesOf('link.put')).slice(-1)
    assert.deepEqual([entry?.actor, entry?.object], [`console:${olga.email}`, 'link live'])
  })

  test('the commands list, change, disable and enable operators alone, and the log names them', async () => {
    const run = (line: string) => operatorsCommand(gateway, url, line)
    assert.match(
      (await run('')).out,
      /^vera@ops.example: Vera Viewer, viewer, active, second factor on/m,
    )
    assert.equal((await run(`role ${vera.email} admin`)).code, 0)
    assert.match((await run(`role ${vera.email} king`)).err, /There are: owner, admin, viewer/)
    assert.equal((await run(`disable ${vera.email}`)).code, 0)
    assert.equal((await vera.send('GET', '/merchants')).status, 401)
    assert.match((await run(`disable ${vera.email}`)).err, /already disabled/)
    assert.match((await run(`reset ${vera.email}`)).err, /Enable the operator first/)
    assert.equal((await run(`enable ${vera.email}`)).code, 0)
    const reset = await run(`reset ${vera.email}`)
    assert.match(reset.out, new RegExp(`^${url}/console/invitation#[\\w-]{43}$`, 'm'))
    assert.match((await run('reset nobody@ops.example')).err, /does not exist/)
    assert.match(
      (await operatorsCommand(gateway, '', 'invite a@b.example owner A')).err,
      /CONSOLE_PORT/,
    )
    for (const operation of [
      'operator.role_changed',
      'operator.disabled',
      'operator.enabled',
      'operator.invited',
      'operator.invitation_taken',
      'operator.second_factor_set',
      'operator.signed_in',
    ]) {
      assert.notEqual((await entriesOf(operation)).length, 0, operation)
    }
    assert.match((await entriesOf('operator.disabled'))[0].actor, /^operator:/)
  })
})
