import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { Secret as OtpSecret, TOTP } from 'otpauth'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { auditedAsDone } from '../support/audit.ts'
import { untilSeen } from '../support/eventually.ts'
import { startGatewayNode } from '../support/gateway-node.ts'
import { payment, untilRow } from '../support/payments.ts'
import { addPortalUser, OWNER, signIn, OTHER_OWNER, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

suite('users of the portal', () => {
  let gateway: RunningGateway
  before(async () => {
    gateway = await startRunningGateway({
      PORTAL_PASSWORD_DAYS: '90',
      PORTAL_IDLE_DAYS: '90',
      TRUST_PROXY: '127.0.0.1',
    })
  })
  after(() => gateway?.stop())

  /** Sends a request without a session, unless `headers` has one. */
  async function ask(path: string, body: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(new URL(`/portal/api${path}`, gateway.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const answer = (await response.json()) as any // oxlint-disable-line no-explicit-any -- looked into as it comes
    const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';')
    return { status: response.status, body: answer, cookie, headers: response.headers }
  }

  const knock = (email: string, password: string, headers?: Record<string, string>) =>
    ask('/session', { email, password }, headers)

  const operations = async (email: string): Promise<string[]> => {
    const { rows } = await gateway.pool.query<{ operation: string }>(
      `select operation from audit_entries where object = $1 or actor = $2 order by number`,
      [`portal user ${email}`, `portal:${email}`],
    )
    return rows.map(({ operation }) => operation)
  }

  const untilOperation = async (email: string, operation: string): Promise<void> => {
    await untilSeen(
      `${operation} of ${email} is in the audit log`,
      () => operations(email),
      (seen) => seen.includes(operation),
    )
  }

  const tokenOf = (link: { address: string }): string => link.address.split('#')[1] ?? ''

  /**
   * The code of now, or of steps later. One of now may be of the step before when it gets there.
   */
  const codeOf = (secret: string, steps = 0): string =>
    new TOTP({ secret: OtpSecret.fromBase32(secret) }).generate({
      timestamp: Date.now() + steps * 30_000,
    })

  /** Sets a second factor up, with the code of now: who signs in afterwards takes a later one. */
  async function setSecondFactor(user: SignedInUser, password: string) {
    const { body: begun } = await user.post('/account/second-factor/begin')
    const set = await user.post('/account/second-factor', {
      sealed: begun.sealed,
      code: codeOf(begun.secret),
      password,
    })
    assert.equal(set.status, 200, set.text)
    return { secret: begun.secret as string, recoveryCodes: set.body.recoveryCodes as string[] }
  }

  test('an invited portal user sets name and password by the link, once, and is signed in', async () => {
    const owner = await signIn(gateway)
    const invited = await owner.post('/users', {
      email: ' Anna@Shop.example ',
      name: 'Anna',
      role: 'finance',
      refundLimit: { minor: '5000', currency: 'EUR' },
    })
    assert.equal(invited.status, 200, invited.text)
    const token = tokenOf(invited.body.link)

    const looked = await ask('/invitation/look', { token })
    assert.deepEqual(
      [looked.body.email, looked.body.kind, looked.body.merchant],
      ['anna@shop.example#1', 'invitation', 'Demo Shop'],
    )
    const weak = await ask('/invitation', { token, name: 'Anna', newPassword: 'too short' })
    assert.deepEqual([weak.status, weak.body.error.field], [400, 'newPassword'])
    const taken = await ask('/invitation', {
      token,
      name: 'Anna Berg',
      newPassword: 'Correct-horse-7',
    })
    assert.deepEqual(
      [taken.status, taken.body.portalUser.name, taken.body.portalUser.role],
      [200, 'Anna Berg', 'finance'],
    )
    assert.deepEqual(taken.body.portalUser.refundLimit, { minor: '5000', currency: 'EUR' })

    const again = await ask('/invitation', {
      token,
      name: 'Mallory',
      newPassword: 'Correct-horse-8',
    })
    const unknown = await ask('/invitation', {
      token: 'x'.repeat(43),
      name: 'Mallory',
      newPassword: 'Correct-horse-8',
    })
    assert.deepEqual([again.status, again.body], [404, unknown.body])
    assert.deepEqual((await operations('anna@shop.example#1')).slice(0, 2), [
      'portal_user.invited',
      'portal_user.invitation_taken',
    ])
    assert.equal((await knock('anna@shop.example', 'Correct-horse-7')).status, 401)
    assert.equal((await knock('anna@shop.example#1', 'Correct-horse-7')).status, 200)
  })

  test('a link is invalid after 24 hours and after a newer one was made, and is stored as a digest', async () => {
    const owner = await signIn(gateway)
    const { body } = await owner.post('/users', {
      email: 'late@shop.example',
      name: 'Late',
      role: 'support',
      refundLimit: null,
    })
    const { rows } = await gateway.pool.query(
      'select * from portal_invitations where portal_user_id = $1',
      [body.id],
    )
    assert.ok(!JSON.stringify(rows).includes(tokenOf(body.link)))
    const newer = await owner.post(`/users/${body.id}/reset`)

    assert.equal((await ask('/invitation/look', { token: tokenOf(body.link) })).status, 404)
    assert.equal((await ask('/invitation/look', { token: tokenOf(newer.body.link) })).status, 200)
    await gateway.pool.query(
      `update portal_invitations set expires_at = now() where portal_user_id = $1 and ended_at is null`,
      [body.id],
    )
    assert.equal((await ask('/invitation/look', { token: tokenOf(newer.body.link) })).status, 404)
  })

  test("an invitation of another merchant's user looks like that of an unknown address", async () => {
    const [owner, other] = [await signIn(gateway), await signIn(gateway, OTHER_OWNER)]
    const cases = [
      [owner, OTHER_OWNER.email, 1],
      [owner, 'in-no-use@shop.example', 1],
      [other, OWNER.email, 2],
      [other, 'in-no-use@shop.example', 2],
    ] as const
    const shapes = []
    for (const [admin, email, merchant] of cases) {
      const { status, body } = await admin.post('/users', {
        email,
        name: 'Guest',
        role: 'support',
        refundLimit: null,
      })
      const token = tokenOf(body.link)
      const looked = await ask('/invitation/look', { token })
      assert.equal(looked.body.email, `${email}#${merchant}`)
      const newPassword = `Lantern-turnip-${merchant}`
      const taken = await ask('/invitation', { token, name: 'Guest', newPassword })
      const plain = await knock(email, newPassword)
      const full = await knock(`${email}#${merchant}`, newPassword)
      shapes.push([
        status,
        Object.keys(body),
        looked.status,
        taken.status,
        plain.status,
        full.status,
      ])
    }
    for (const shape of shapes) {
      assert.deepEqual(shape, [200, ['id', 'link'], 200, 200, 401, 200])
    }
    assert.equal((await knock(OTHER_OWNER.email, OTHER_OWNER.password)).status, 200)
  })

  test('an address of an own user, no address, or one with a card number is not invited', async () => {
    const owner = await signIn(gateway)
    const invite = (email: string) =>
      owner.post('/users', { email, name: 'X', role: 'support', refundLimit: null })

    assert.equal((await invite(OWNER.email)).status, 409)
    assert.equal((await invite('twice@shop.example')).status, 200)
    assert.equal((await invite('twice@shop.example')).status, 409)
    assert.equal((await invite('nobody')).status, 400)
    assert.equal((await invite('4111111111111111@shop.example')).status, 400)
  })

  test('ten wrong passwords lock a portal user from that address for half an hour, and an unknown one alike', async () => {
    const { email, password } = await addPortalUser(gateway, 'support')
    const open = await signIn(gateway, { email, password })
    const answers = []
    for (const who of [email, 'made-up@tollgate.test']) {
      for (let at = 0; at < 10; at += 1) assert.equal((await knock(who, 'wrong')).status, 401)
      answers.push(await knock(who, password))
    }

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body]),
      [
        [429, answers[0]?.body],
        [429, answers[0]?.body],
      ],
    )
    await untilOperation(email, 'portal_user.locked')
    const { rows } = await gateway.pool.query<{ minutes: number }>(
      `select round(extract(epoch from max(locked_until) - now()) / 60)::int as minutes from login_failures`,
    )
    assert.ok((rows[0]?.minutes ?? 0) >= 29, String(rows[0]?.minutes))
    // An open session stays valid, and other users can sign in from the address.
    assert.equal((await open.get('/session')).status, 200)
    assert.equal((await knock(OWNER.email, OWNER.password)).status, 200)
  })

  test('a second factor is asked for once it is set, and each code is taken once', async () => {
    const { email, password } = await addPortalUser(gateway, 'developer')
    const user = await signIn(gateway, { email, password })
    const { secret } = await setSecondFactor(user, password)

    const first = await knock(email, password)
    assert.equal(first.body.next, 'code')
    const half = { cookie: first.cookie, 'x-csrf-token': first.body.csrfToken }
    const early = await fetch(new URL('/portal/api/account', gateway.baseUrl), { headers: half })
    assert.deepEqual(
      [early.status, ((await early.json()) as { error: { code: string } }).error.code],
      [401, 'unfinished'],
    )
    assert.equal((await ask('/session/code', { code: '000000' }, half)).status, 400)
    const code = codeOf(secret, 1)
    const full = await ask('/session/code', { code }, half)
    assert.deepEqual([full.status, full.body.next], [200, null])
    // The session goes on under another token; the earlier one is invalid.
    assert.notEqual(full.cookie, first.cookie)
    assert.equal((await ask('/session/code', { code }, half)).status, 401)

    const second = await knock(email, password)
    const replayed = await ask(
      '/session/code',
      { code },
      { cookie: second.cookie, 'x-csrf-token': second.body.csrfToken },
    )
    assert.deepEqual([replayed.status, replayed.body.error.code], [400, 'wrong_code'])
    assert.deepEqual(
      (await operations(email)).filter((operation) => /factor|signed_in/.test(operation)),
      ['portal_user.signed_in', 'portal_user.second_factor_set', 'portal_user.signed_in'],
    )
  })

  test('wrong codes lock a portal user, however many sessions are started', async () => {
    const { email, password } = await addPortalUser(gateway, 'developer')
    const { secret } = await setSecondFactor(await signIn(gateway, { email, password }), password)
    for (let at = 0; at < 10; at += 1) {
      const { cookie, body } = await knock(email, password)
      await ask('/session/code', { code: '000000' }, { cookie, 'x-csrf-token': body.csrfToken })
    }

    const { cookie, body } = await knock(email, password)
    assert.equal(
      (
        await ask(
          '/session/code',
          { code: codeOf(secret, 1) },
          { cookie, 'x-csrf-token': body.csrfToken },
        )
      ).status,
      429,
    )
  })

  test('a recovery code stands in for the second factor once, also in lower case and with spaces', async () => {
    const { email, password } = await addPortalUser(gateway, 'finance')
    const user = await signIn(gateway, { email, password })
    const { recoveryCodes } = await setSecondFactor(user, password)
    assert.equal(new Set(recoveryCodes).size, 10)
    const enter = async (code: string) => {
      const { cookie, body } = await knock(email, password)
      return ask('/session/code', { code }, { cookie, 'x-csrf-token': body.csrfToken })
    }
    const [code = ''] = recoveryCodes

    assert.equal((await enter(` ${code.toLowerCase().replaceAll('-', ' ')}`)).status, 200)
    assert.equal((await enter(code)).status, 400)
    assert.ok((await operations(email)).includes('portal_user.recovery_code_used'))
    const { rows } = await gateway.pool.query(
      'select encode(digest, $2) as digest from portal_recovery_codes c join portal_users p on p.id = c.portal_user_id where email = $1',
      [email, 'escape'],
    )
    assert.equal(rows.length, 10)

    const { body: renewed } = await user.post('/account/recovery-codes', { password })
    assert.equal(renewed.recoveryCodes.length, 10)
    assert.equal((await enter(recoveryCodes[1] ?? '')).status, 400)
    assert.equal((await enter(renewed.recoveryCodes[0])).status, 200)
    assert.ok(!JSON.stringify(rows).includes(code.replaceAll('-', '')))
  })

  test('a second factor is set only with the password, and with a secret that was made for that user', async () => {
    const one = await addPortalUser(gateway, 'support')
    const other = await addPortalUser(gateway, 'support')
    const [user, thief] = [await signIn(gateway, one), await signIn(gateway, other)]
    const { body: begun } = await user.post('/account/second-factor/begin')
    const code = codeOf(begun.secret)
    const set = (who: SignedInUser, password: string | null) =>
      who.post('/account/second-factor', { sealed: begun.sealed, code, password })

    assert.equal((await set(user, null)).status, 400)
    assert.equal((await set(user, 'wrong')).body.error.code, 'wrong_password')
    assert.equal((await set(thief, other.password)).body.error.code, 'wrong_code')
    assert.equal((await set(user, one.password)).status, 200)
    assert.equal(
      (await user.post('/account/second-factor/remove', { password: one.password })).status,
      200,
    )
  })

  test('a new password is none of the last five, and ends every other session', async () => {
    const { email, password } = await addPortalUser(gateway, 'support')
    const [here, there] = [
      await signIn(gateway, { email, password }),
      await signIn(gateway, { email, password }),
    ]
    const change = (from: string, to: string) =>
      here.put('/account/password', { password: from, newPassword: to })

    assert.equal((await change('wrong', 'Brand-new-pass-1')).body.error.field, 'password')
    assert.equal((await change(password, 'Brand-new-pass-1')).status, 200)
    assert.equal((await there.get('/session')).status, 401)
    assert.equal((await here.get('/session')).status, 200)
    for (let at = 1; at < 4; at += 1)
      assert.equal((await change(`Brand-new-pass-${at}`, `Brand-new-pass-${at + 1}`)).status, 200)
    assert.match((await change('Brand-new-pass-4', password)).body.error.message, /last five/)
    assert.equal((await change('Brand-new-pass-4', 'Brand-new-pass-5')).status, 200)
    assert.equal((await change('Brand-new-pass-5', password)).status, 200)
  })

  test('a new password of names, years and common words is refused at its field', async () => {
    const portalUser = await addPortalUser(gateway, 'support')
    const user = await signIn(gateway, portalUser)
    for (const newPassword of ['Welcome-Demo-Shop-1', 'password12345', 'Support-2026-1234']) {
      const { password } = portalUser
      const refused = await user.put('/account/password', { password, newPassword })
      assert.equal(refused.status, 400, newPassword)
      assert.equal(refused.body.error.field, 'newPassword')
      assert.match(refused.body.error.message, /easy to guess/)
    }
  })

  test('a password that is changed while a sign-in checks it opens no session', async () => {
    const portalUser = await addPortalUser(gateway, 'support')
    const change = await gateway.pool.connect()
    await change.query('begin')
    await change.query('select from portal_users where id = $1 for update', [portalUser.id])
    const signingIn = fetch(new URL('/portal/api/session', gateway.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: portalUser.email, password: portalUser.password }),
    })
    await untilRow(
      gateway,
      'the password was right',
      `select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'portal_(users|sessions)'`,
    )
    await change.query(`update portal_users set password_hash = 'another one' where id = $1`, [
      portalUser.id,
    ])
    await change.query('commit')
    change.release()
    assert.equal((await signingIn).status, 401)
    assert.equal(
      (
        await gateway.pool.query('select from portal_sessions where portal_user_id = $1', [
          portalUser.id,
        ])
      ).rowCount,
      0,
    )
  })

  test('no portal user changes their own role, and only an owner changes owners', async () => {
    const owner = await signIn(gateway)
    const other = await addPortalUser(gateway, 'owner')
    const admin = await addPortalUser(gateway, 'admin')
    const user = await signIn(gateway, admin)
    const ownerId = owner.session.portalUser.id as string

    assert.equal((await user.put(`/users/${admin.id}`, { role: 'owner' })).status, 403)
    assert.equal((await user.put(`/users/${admin.id}`, { refundLimit: null })).status, 403)
    for (const [method, path, body] of [
      ['put', `/users/${other.id}`, { role: 'support' }],
      ['post', `/users/${other.id}/disable`, {}],
      ['post', `/users/${other.id}/reset`, {}],
      [
        'post',
        '/users',
        { email: 'own@shop.example', name: 'Own', role: 'owner', refundLimit: null },
      ],
    ] as const) {
      assert.equal((await user[method](path, body)).status, 403, path)
    }
    assert.equal((await owner.put(`/users/${ownerId}`, { role: 'admin' })).status, 403)
    assert.equal((await owner.put(`/users/${other.id}`, { role: 'admin' })).status, 200)
  })

  test('an admin with a refund limit finds no way around it through users and API users', async () => {
    const refundLimit = { minor: 1_000n, currency: 'USD' }
    const limited = await addPortalUser(gateway, 'admin', { refundLimit })
    const free = await addPortalUser(gateway, 'finance')
    const within = await addPortalUser(gateway, 'finance', { refundLimit })
    const user = await signIn(gateway, limited)
    const invite = (limit: unknown) =>
      user.post('/users', {
        email: 'puppet@shop.example',
        name: 'Puppet',
        role: 'admin',
        refundLimit: limit,
      })

    for (const [what, answer] of [
      ['invites without a limit', await invite(null)],
      ['invites with a higher limit', await invite({ minor: '1001', currency: 'USD' })],
      ['removes a limit', await user.put(`/users/${within.id}`, { refundLimit: null })],
      ['resets a user without a limit', await user.post(`/users/${free.id}/reset`)],
      ['creates an API user', await user.post('/settings/api-users', { name: 'puppet@shop' })],
      [
        'creates an API password',
        await user.post('/settings/api-users/demo%40tollgate.test/passwords'),
      ],
    ] as const) {
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'refund_limit'], what)
    }
    assert.equal((await user.put(`/users/${limited.id}`, { refundLimit: null })).status, 403)
    assert.equal((await invite({ minor: '1000', currency: 'USD' })).status, 200)
    assert.equal((await user.post(`/users/${within.id}/reset`)).status, 200)
  })

  test('a limit that is set while a request of its user waits holds for the request', async () => {
    const portalUser = await addPortalUser(gateway, 'admin')
    const target = await addPortalUser(gateway, 'finance')
    const user = await signIn(gateway, portalUser)
    const change = await gateway.pool.connect()
    await change.query('begin')
    await change.query('select from merchants where id = 1 for no key update')
    const resetting = user.post(`/users/${target.id}/reset`)
    await untilRow(
      gateway,
      'the reset waits for the merchant',
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%from merchants%'`,
    )
    await change.query(
      `update portal_users set refund_limit_minor = 1, refund_limit_currency = 'USD' where id = $1`,
      [portalUser.id],
    )
    await change.query('commit')
    change.release()
    const { status, body } = await resetting
    assert.deepEqual([status, body.error.code], [403, 'refund_limit'], body.error.message)
  })

  suite('with approvals by a second user', () => {
    const merchantId = 7702
    const limit = { minor: 500n, currency: 'USD' }
    type Added = Awaited<ReturnType<typeof addPortalUser>>
    let requester: SignedInUser
    let second: SignedInUser
    let subject: Added
    before(async () => {
      await gateway.pool.query(`insert into merchants (id, name) values ($1, 'Many admins')`, [
        merchantId,
      ])
      const add = () => addPortalUser(gateway, 'admin', { merchantId })
      const [one, two] = [await add(), await add()]
      subject = await add()
      requester = await signIn(gateway, one)
      second = await signIn(gateway, two)
      assert.deepEqual((await requester.put('/user-approvals', { required: true })).body, {
        done: true,
      })
    })
    const openRequest = async (): Promise<string> => {
      const { body } = await second.get('/user-approvals')
      const [open] = body.requests.filter(({ state }: { state: string }) => state === 'open')
      return open?.id
    }
    const stateOf = async (id: string): Promise<string> => {
      const { body } = await second.get('/user-approvals')
      return body.requests.find((request: { id: string }) => request.id === id)?.state
    }
    const approve = (who: SignedInUser, id: string) => who.post(`/user-requests/${id}/approve`)

    test('the reset of a user of equal rank happens when another user approves it', async () => {
      const user = await signIn(gateway, subject)
      const { status, body } = await requester.post(`/users/${subject.id}/reset`)
      assert.deepEqual([status, body.link], [200, null])
      const id = await openRequest()
      assert.equal((await requester.post(`/users/${subject.id}/disable`)).status, 409)
      assert.deepEqual(
        [(await approve(requester, id)).status, (await approve(user, id)).status],
        [403, 403],
      )
      assert.equal((await user.get('/session')).status, 200)
      await assert.rejects(
        gateway.pool.query(
          `update portal_user_requests set state = 'approved', decided_at = now(),
             decided_by = asked_by, decided_session = 0 where id = $1`,
          [id],
        ),
        /need_two_users/,
      )

      const both = await Promise.all([approve(second, id), approve(second, id)])
      assert.deepEqual(both.map((answer) => answer.status).toSorted(), [200, 409])
      const done = both.find((answer) => answer.status === 200)
      assert.deepEqual([await stateOf(id), (await user.get('/session')).status], ['approved', 401])
      const newPassword = 'Another-password-9'
      const token = tokenOf(done?.body.link)
      assert.equal((await ask('/invitation', { token, name: 'Pat', newPassword })).status, 200)
      const { rows } = await gateway.pool.query(
        'select came_in_by from portal_users where id = $1',
        [subject.id],
      )
      assert.equal(rows[0].came_in_by, second.session.portalUser.email)
      const seen = await operations(subject.email)
      assert.ok(seen.includes('portal_user.change_requested'), seen.join())
      assert.ok(seen.includes('portal_user.change_approved'), seen.join())
    })

    test('a request is void after a change of its user, and over after 24 hours', async () => {
      const target = await addPortalUser(gateway, 'admin', { merchantId })
      const owner = await signIn(gateway, await addPortalUser(gateway, 'owner', { merchantId }))
      const change = () => requester.put(`/users/${target.id}`, { role: 'finance' })
      assert.deepEqual((await change()).body, { done: false })
      const first = await openRequest()
      const refundLimit = { minor: '100', currency: 'USD' }
      assert.deepEqual((await owner.put(`/users/${target.id}`, { refundLimit })).body, {
        done: true,
      })
      assert.deepEqual([(await approve(second, first)).status, await stateOf(first)], [409, 'void'])

      await change()
      const late = await openRequest()
      await gateway.pool.query('update portal_user_requests set expires_at = now() where id = $1', [
        late,
      ])
      assert.equal((await approve(second, late)).status, 409)
      const { rows } = await gateway.pool.query(
        'select state, (select role from portal_users where id = $2) as role from portal_user_requests where id = $1',
        [late, target.id],
      )
      assert.deepEqual(rows, [{ state: 'expired', role: 'admin' }])
    })

    test('no user with a refund limit approves a reset above it, and may refuse it', async () => {
      const target = await addPortalUser(gateway, 'admin', { merchantId })
      const limited = await signIn(
        gateway,
        await addPortalUser(gateway, 'admin', { merchantId, refundLimit: limit }),
      )
      await requester.post(`/users/${target.id}/reset`)
      const id = await openRequest()
      const { status, body } = await approve(limited, id)
      assert.deepEqual([status, body.error.code, await stateOf(id)], [403, 'refund_limit', 'open'])
      assert.equal((await second.post(`/user-requests/${id}/withdraw`)).status, 403)
      assert.equal((await limited.post(`/user-requests/${id}/refuse`)).status, 200)
      assert.equal(await stateOf(id), 'refused')
    })

    test('a request is void once its requester has a refund limit below its subject', async () => {
      const target = await addPortalUser(gateway, 'admin', { merchantId })
      const portalUser = await addPortalUser(gateway, 'admin', { merchantId })
      const first = await signIn(gateway, portalUser)
      await first.post(`/users/${target.id}/reset`)
      const id = await openRequest()
      await gateway.pool.query(
        `update portal_users set refund_limit_minor = 1, refund_limit_currency = 'USD' where id = $1`,
        [portalUser.id],
      )
      const { status, body } = await approve(second, id)
      assert.deepEqual([status, body.error.code, await stateOf(id)], [403, 'refund_limit', 'void'])
    })

    test('no admin makes another one alone, and switching the approvals off takes two', async () => {
      const invite = (role: string) =>
        requester.post('/users', {
          email: `${role}-7702@shop.example`,
          name: 'New',
          role,
          refundLimit: null,
        })
      assert.equal((await invite('admin')).body.error.code, 'needs_approval')
      const { body } = await invite('support')
      assert.deepEqual((await requester.put(`/users/${body.id}`, { role: 'admin' })).body, {
        done: false,
      })
      assert.equal(
        (await requester.post(`/user-requests/${await openRequest()}/withdraw`)).status,
        200,
      )

      const off = await requester.put('/user-approvals', { required: false })
      assert.deepEqual(off.body, { done: false })
      const id = await openRequest()
      assert.equal((await approve(requester, id)).status, 403)
      assert.equal((await second.get('/user-approvals')).body.required, true)
      assert.equal((await approve(second, id)).status, 200)
      assert.equal((await second.get('/user-approvals')).body.required, false)
      assert.equal((await invite('admin')).status, 200)
    })
  })

  test('of two owners who take the role from each other one is left, and the database holds it too', async () => {
    const merchantId = 7701
    await gateway.pool.query(`insert into merchants (id, name) values ($1, 'Two owners')`, [
      merchantId,
    ])
    const [a, b] = [
      await addPortalUser(gateway, 'owner', { merchantId }),
      await addPortalUser(gateway, 'owner', { merchantId }),
    ]
    const [first, second] = [await signIn(gateway, a), await signIn(gateway, b)]

    // Held up until both have been let in: else who comes second may have no session any more.
    const holder = await gateway.pool.connect()
    await holder.query('begin')
    await holder.query('select from merchants where id = $1 for update', [merchantId])
    const both = Promise.all([
      first.put(`/users/${b.id}`, { role: 'support' }),
      second.post(`/users/${a.id}/disable`),
    ])
    const waiting = `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and query like '%merchants%'`
    await untilRow(gateway, 'both wait', `select from (${waiting}) waiting where count = 2`)
    await holder.query('commit')
    holder.release()
    assert.deepEqual((await both).map(({ status }) => status).toSorted(), [200, 403])
    const { rows } = await gateway.pool.query<{ id: string }>(
      `select id from portal_users where merchant_id = $1 and role = 'owner' and active`,
      [merchantId],
    )
    assert.equal(rows.length, 1)
    for (const change of [`role = 'admin'`, 'active = false']) {
      await assert.rejects(
        gateway.pool.query(`update portal_users set ${change} where id = $1`, [rows[0]?.id]),
        /one owner/,
      )
    }
  })

  test('a changed role holds from the next request on, and a disabled user is signed out at once', async () => {
    const owner = await signIn(gateway)
    const portalUser = await addPortalUser(gateway, 'admin')
    const user = await signIn(gateway, portalUser)
    assert.equal((await user.get('/users')).status, 200)

    await owner.put(`/users/${portalUser.id}`, { role: 'read_only' })
    assert.equal((await user.get('/users')).status, 403)
    await owner.post(`/users/${portalUser.id}/disable`)
    assert.equal((await user.get('/session')).status, 401)
    assert.equal((await knock(portalUser.email, portalUser.password)).status, 403)
    assert.equal((await knock(portalUser.email, 'wrong')).status, 401)
    await owner.post(`/users/${portalUser.id}/enable`)
    assert.equal((await user.get('/session')).status, 401)
    assert.equal((await knock(portalUser.email, portalUser.password)).status, 200)
    assert.deepEqual(
      (await operations(portalUser.email)).filter((operation) => /role|abled/.test(operation)),
      ['portal_user.role_changed', 'portal_user.disabled', 'portal_user.enabled'],
    )
  })

  test('a role that is taken away while a request of its user waits does not allow the request', async () => {
    const portalUser = await addPortalUser(gateway, 'admin')
    const target = await addPortalUser(gateway, 'support')
    const user = await signIn(gateway, portalUser)
    const change = await gateway.pool.connect()
    await change.query('begin')
    await change.query('select from merchants where id = 1 for no key update')
    const changing = user.put(`/users/${target.id}`, { role: 'admin' })
    await untilRow(
      gateway,
      'the operation waits for the merchant',
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%from merchants%'`,
    )
    await change.query(`update portal_users set role = 'support' where id = $1`, [portalUser.id])
    await change.query('commit')
    change.release()
    const { status, body } = await changing
    assert.deepEqual([status, body.error.code], [403, 'forbidden'], body.error.message)
    const { rows } = await gateway.pool.query('select role from portal_users where id = $1', [
      target.id,
    ])
    assert.equal(rows[0].role, 'support')
  })

  test('a reset takes password, second factor and sessions away, and the old password is not taken again', async () => {
    const owner = await signIn(gateway)
    const portalUser = await addPortalUser(gateway, 'support')
    const user = await signIn(gateway, portalUser)
    await setSecondFactor(user, portalUser.password)

    const { body } = await owner.post(`/users/${portalUser.id}/reset`)
    assert.equal((await user.get('/session')).status, 401)
    assert.equal((await knock(portalUser.email, portalUser.password)).status, 401)
    const take = (newPassword: string) =>
      ask('/invitation', { token: tokenOf(body.link), name: 'Pat', newPassword })
    assert.match((await take(portalUser.password)).body.error.message, /last five/)
    assert.equal((await take('Another-password-9')).body.next, null)
  })

  test('a user who came in by the reset of another is marked everywhere, and held for a day', async () => {
    const admin = await addPortalUser(gateway, 'admin')
    const portalUser = await addPortalUser(gateway, 'finance')
    const maker = await signIn(gateway, admin)
    const { body: reset } = await maker.post(`/users/${portalUser.id}/reset`)
    const password = 'Another-password-9'
    const taken = await ask('/invitation', {
      token: tokenOf(reset.link),
      name: 'Pat',
      newPassword: password,
    })
    assert.equal(taken.status, 200)
    const user = await signIn(gateway, { email: portalUser.email, password })
    const { orderId } = await gateway.client().sale(payment('9.00'))
    const refund = () =>
      user.post(`/orders/${orderId}/refunds`, {
        key: randomUUID(),
        amount: '4.00',
        seen: {
          authorizedMinor: '900',
          capturedMinor: '900',
          voidedMinor: '0',
          refundedMinor: '0',
        },
      })

    const held = await refund()
    assert.deepEqual([held.status, held.body.error.code], [403, 'held'], held.text)
    assert.match(held.body.error.message, new RegExp(`reset link from ${admin.email}`))
    assert.equal((await user.get(`/orders/${orderId}`)).status, 200)
    const seenBy = async (who: SignedInUser): Promise<unknown[]> =>
      (await who.get('/home/work')).body.heldUsers
        .filter(({ email }: { email: string }) => email === portalUser.email)
        .map(({ cameInBy }: { cameInBy: string }) => cameInBy)
    const [owner, third] = [
      await signIn(gateway),
      await signIn(gateway, await addPortalUser(gateway, 'admin')),
    ]
    assert.deepEqual(
      [await seenBy(owner), await seenBy(user), await seenBy(third)],
      [[admin.email], [admin.email], []],
    )

    await gateway.pool.query(
      `update portal_users set came_in_at = now() - interval '24 hours' where id = $1`,
      [portalUser.id],
    )
    assert.deepEqual([await seenBy(owner), (await refund()).status], [[], 200])
    const { body: order } = await owner.get(`/orders/${orderId}`)
    const mark = `Pat, who came in by a link from ${admin.email}`
    assert.ok(
      order.timeline.some(
        ({ title, who }: { title: string; who: { name: string } | null }) =>
          title === 'Refund' && who?.name === mark,
      ),
      JSON.stringify(order.timeline),
    )
    const change = (from: string, to: string) =>
      user.put('/account/password', { password: from, newPassword: to })
    assert.equal((await change(password, 'Meadow-password-10')).status, 200)
    assert.equal((await change('Meadow-password-10', 'Meadow-password-11')).status, 200)
    const { rows } = await gateway.pool.query<{ operation: string; maker: string | null }>(
      `select operation, details::json ->> 'came_in_by' as maker from audit_entries
        where actor = $1 order by number`,
      [`portal:${portalUser.email}`],
    )
    assert.deepEqual(
      rows.map(({ operation, maker }) => [operation, maker]),
      [
        ['portal_user.invitation_taken', admin.email],
        ['portal_user.signed_in', admin.email],
        ['order.refunded', admin.email],
        ['portal_user.password_changed', admin.email],
        ['portal_user.password_changed', null],
      ],
    )
  })

  test('a new password within the hold ends neither the hold nor the mark', async () => {
    const portalUser = await addPortalUser(gateway, 'finance')
    const owner = await signIn(gateway)
    const { body: reset } = await owner.post(`/users/${portalUser.id}/reset`)
    const newPassword = 'Another-password-9'
    await ask('/invitation', { token: tokenOf(reset.link), name: 'Pat', newPassword })
    const user = await signIn(gateway, { email: portalUser.email, password: newPassword })
    await user.put('/account/password', {
      password: newPassword,
      newPassword: 'Meadow-password-10',
    })
    const again = await signIn(gateway, { email: portalUser.email, password: 'Meadow-password-10' })

    const answers = [
      await user.post('/orders/1/voids', {}),
      await again.post('/orders/1/captures', {}),
    ]
    assert.deepEqual(
      answers.map(({ body }) => body.error.code),
      ['held', 'held'],
    )
  })

  test('a session ends after 15 idle minutes, despite automatic requests of the page, and after 12 hours in any case', async () => {
    const user = await signIn(gateway)
    const age = (column: string, time: string) =>
      gateway.pool.query(
        `update portal_sessions set ${column} = now() - $2::interval where csrf_token = $1`,
        [user.session.csrfToken, time],
      )
    const left = async (background: boolean) => {
      const response = await fetch(new URL('/portal/api/session/left', gateway.baseUrl), {
        headers: { cookie: user.cookie, ...(background ? { 'x-portal-background': '1' } : {}) },
      })
      return response.ok ? ((await response.json()) as { idle: number }).idle : response.status
    }

    await age('last_seen_at', '14 minutes')
    assert.ok(Number(await left(true)) <= 60)
    assert.ok(Number(await left(true)) <= 60)
    assert.equal(await left(false), 900)
    await age('last_seen_at', '15 minutes')
    assert.equal(await left(false), 401)
    await age('last_seen_at', '0 minutes')
    await age('started_at', '12 hours')
    assert.equal(await left(false), 401)
  })

  test('a portal user sees their open sessions, and can end one or all others, but none of another user', async () => {
    const portalUser = await addPortalUser(gateway, 'support')
    const [one, two, three] = [
      await signIn(gateway, portalUser),
      await signIn(gateway, portalUser),
      await signIn(gateway, portalUser),
    ]
    const otherUser = await signIn(gateway, await addPortalUser(gateway, 'support'))
    const { body } = await one.get('/account')
    assert.equal(body.sessions.length, 3)
    assert.equal(body.sessions[0].isThis, true)

    assert.equal((await otherUser.remove(`/account/sessions/${body.sessions[1].id}`)).status, 404)
    assert.equal((await one.remove(`/account/sessions/${body.sessions[1].id}`)).status, 200)
    assert.deepEqual(
      [(await two.get('/session')).status, (await three.get('/session')).status].toSorted(),
      [200, 401],
    )
    assert.equal((await one.post('/account/sessions/end-others')).body.ended, 1)
    assert.equal((await one.get('/session')).status, 200)
  })

  test('a sign-in replaces an earlier cookie and ends its session', async () => {
    const user = await signIn(gateway)
    const fixed = await knock(OWNER.email, OWNER.password, {
      cookie: 'tollgate_portal=chosen-by-somebody-else',
    })
    assert.ok(!fixed.cookie.includes('chosen'))
    const again = await knock(OWNER.email, OWNER.password, { cookie: user.cookie })

    assert.notEqual(again.cookie, user.cookie)
    assert.equal((await user.get('/session')).status, 401)
    const header = again.headers.getSetCookie()[0] ?? ''
    assert.match(header, /^tollgate_portal=[\w-]{43}; Path=\/portal; HttpOnly; SameSite=Strict$/)
  })

  test('over HTTPS the cookie is one that no other host of the domain can set', async () => {
    const { headers } = await knock(OWNER.email, OWNER.password, { 'x-forwarded-proto': 'https' })
    const [header = ''] = headers.getSetCookie()
    assert.match(
      header,
      /^__Host-tollgate_portal=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const [cookie = ''] = header.split(';')
    const ask = (more: Record<string, string>) =>
      fetch(new URL('/portal/api/session', gateway.baseUrl), { headers: { cookie, ...more } })

    assert.equal((await ask({ 'x-forwarded-proto': 'https' })).status, 200)
    assert.equal(
      (await ask({ 'x-forwarded-proto': 'https', cookie: cookie.replace('__Host-', '') })).status,
      401,
    )
  })

  test('an old password has to be changed before anything else, unless there is a second factor', async () => {
    const portalUser = await addPortalUser(gateway, 'support')
    await gateway.pool.query(
      `update portal_users set password_changed_at = now() - interval '90 days' where id = $1`,
      [portalUser.id],
    )
    const user = await signIn(gateway, portalUser)
    assert.equal(user.session.next, 'password')
    assert.equal((await user.get('/roles')).body.error.code, 'unfinished')
    assert.equal((await user.post('/account/second-factor/begin')).status, 401)
    assert.equal(
      (
        await user.put('/account/password', {
          password: portalUser.password,
          newPassword: 'Fresh-password-1',
        })
      ).status,
      200,
    )
    assert.equal((await user.get('/session')).body.next, null)

    await setSecondFactor(user, 'Fresh-password-1')
    await gateway.pool.query(
      `update portal_users set password_changed_at = now() - interval '900 days' where id = $1`,
      [portalUser.id],
    )
    assert.equal((await user.get('/session')).body.next, null)
  })

  test('a portal user without a sign-in for 90 days is refused until an owner enables them', async () => {
    const owner = await signIn(gateway)
    const portalUser = await addPortalUser(gateway, 'support')
    await gateway.pool.query(
      `update portal_users set enabled_at = now() - interval '91 days' where id = $1`,
      [portalUser.id],
    )

    assert.match(
      (await knock(portalUser.email, portalUser.password)).body.error.message,
      /locked after a long time without a sign-in/,
    )
    const { body } = await owner.get('/users')
    assert.equal(
      body.portalUsers.find(({ email }: { email: string }) => email === portalUser.email).state,
      'idle',
    )
    await owner.post(`/users/${portalUser.id}/enable`)
    assert.equal((await knock(portalUser.email, portalUser.password)).status, 200)
  })

  test('if a second factor is required, a portal user has to set one first and cannot remove it', async () => {
    const [port = 0, tlsPort = 0] = await freePorts(2)
    const node = await startGatewayNode({
      ...gateway.nodeSettings,
      PORT: String(port),
      TLS_PORT: String(tlsPort),
      PORTAL_SECOND_FACTOR: 'required',
    })
    try {
      const portalUser = await addPortalUser(gateway, 'support')
      const user = await signIn(node, portalUser)
      assert.equal(user.session.next, 'second_factor')
      for (const path of ['/roles', '/account'])
        assert.equal((await user.get(path)).body.error.code, 'unfinished', path)
      const { body: begun } = await user.post('/account/second-factor/begin')
      const set = await user.post('/account/second-factor', {
        sealed: begun.sealed,
        code: codeOf(begun.secret),
        password: null,
      })
      assert.equal(set.body.recoveryCodes.length, 10)
      assert.equal((await user.get('/session')).body.next, null)
      assert.equal(
        (await user.post('/account/second-factor/remove', { password: portalUser.password }))
          .status,
        409,
      )
    } finally {
      await node.stop()
    }
  })

  test('names and browsers that hold line breaks or markup are refused, or kept as plain text', async () => {
    const owner = await signIn(gateway)
    const invite = (name: string) =>
      owner.post('/users', {
        email: `n${Math.abs(name.length)}@shop.example`,
        name,
        role: 'support',
        refundLimit: null,
      })

    assert.equal((await invite('Anna\n2026 INFO forged')).status, 400)
    assert.equal((await invite('Anna\u202Egnp')).status, 400)
    assert.equal((await invite('<img src=x onerror=alert(1)>')).status, 200)
    await knock(OWNER.email, OWNER.password, { 'user-agent': 'Br\u00f6wser one' })
    const { rows } = await gateway.pool.query<{ browser: string }>(
      'select browser from portal_sessions',
    )
    assert.ok(rows.every(({ browser }) => /^[ -~]*$/.test(browser)))
  })

  test('the audit log shows a merchant its own entries, filtered and page by page, and each reading is one', async () => {
    const owner = await signIn(gateway)
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    const first = await owner.get('/audit')
    assert.equal(first.status, 200, first.text)
    assert.deepEqual(
      [first.body.entries[0].operation, first.body.entries[0].details.command],
      ['audit.read', 'show'],
    )
    assert.equal(first.body.entries.length, 50)
    const next = await owner.get(`/audit?before=${first.body.next}`)
    assert.ok(BigInt(next.body.entries[0].number) < BigInt(first.body.entries[49].number))
    const locked = await owner.get('/audit?operation=portal_user.locked')
    assert.ok(locked.body.entries.length > 0)
    assert.ok(
      locked.body.entries.every(
        ({ operation }: { operation: string }) => operation === 'portal_user.locked',
      ),
    )
    const of = await owner.get(
      `/audit?operation=portal_user.&object=anna%40shop&result=done&until=${new Date(Date.now() + 60_000).toISOString()}`,
    )
    assert.ok(of.body.entries.length >= 2)
    assert.deepEqual((await owner.get(`/audit?until=2020-01-01T00:00:00Z`)).body, {
      entries: [],
      next: null,
    })

    const theirs = await otherOwner.get('/audit')
    assert.ok(
      theirs.body.entries.every(({ actor, object }: { actor: string; object: string }) =>
        /other|#2/.test(actor + object),
      ),
      theirs.text,
    )
  })

  test('the audit log is exported as CSV, in which nothing is a formula, and as JSON', async () => {
    const owner = await signIn(gateway)
    await owner.put('/account/name', { name: '=1+1' })
    await owner.put('/account/name', { name: 'Owner of Demo Shop' })

    const csv = await owner.get('/audit/export?format=csv&operation=portal_user.')
    assert.match(csv.headers.get('content-disposition') ?? '', /audit-log\.csv/)
    assert.match(
      csv.text,
      /^"number","time","who","operation","object","result","address","details"\r\n/,
    )
    assert.doesNotMatch(csv.text, /(^|,)"?[=+@]/m)
    const json = await owner.get('/audit/export?format=json&operation=portal_user.')
    const lines = json.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { operation: string })
    assert.equal(lines.length, csv.text.trim().split('\r\n').length - 1)
    assert.ok(lines.every(({ operation }) => operation.startsWith('portal_user.')))
  })

  test('the chain of the whole log is checked at the press of a button, and a change is found', async () => {
    const owner = await signIn(gateway)
    const whole = await owner.post('/audit/check')
    assert.deepEqual([whole.status, whole.body.whole, whole.body.fault], [200, true, null])

    const client = await gateway.pool.connect()
    try {
      const { rows } = await client.query<{ number: string; object: string }>(
        `select number, object from audit_entries where merchant_id = 2 limit 1`,
      )
      const set = async (object: string): Promise<void> => {
        await client.query('alter table audit_entries disable trigger user')
        await client.query('update audit_entries set object = $2 where number = $1', [
          rows[0]?.number,
          object,
        ])
        await client.query('alter table audit_entries enable trigger user')
      }
      await set('changed')
      const broken = await owner.post('/audit/check')
      assert.equal(broken.body.whole, false)
      assert.match(broken.body.fault, new RegExp(`Entry ${rows[0]?.number} was changed`))
      await set(rows[0]?.object ?? '')
    } finally {
      client.release()
    }
  })

  test('each of these operations is in the audit log as done', async () => {
    const operations = [
      'portal_user.session_ended',
      'portal_user.refund_limit_changed',
      'portal_user.change_refused',
      'portal_user.change_withdrawn',
      'portal_user.name_changed',
      'portal_user.second_factor_removed',
      'portal_user.recovery_codes_made',
      'merchant.peer_approval_set',
    ] as const
    assert.deepEqual(await auditedAsDone(gateway.pool, operations), operations)
  })
})
