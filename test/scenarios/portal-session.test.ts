import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { addPortalUser, OWNER, signIn } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

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
    assert.equal(await auditedLast(), `portal_user.sign_in_failed refused`)
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
})
