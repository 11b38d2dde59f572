import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runCommand } from '../../packages/tollgate/src/command.ts'
import { portalUsers } from '../../packages/tollgate/src/portal-users-command.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { goLive, signInOperator } from '../support/console.ts'
import { OWNER, signIn } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let consoleUrl = ''
before(async () => {
  const [port] = await freePorts(1)
  consoleUrl = `http://127.0.0.1:${port}`
  gateway = await startRunningGateway({ CONSOLE_PORT: String(port) })
})
after(() => gateway?.stop())

async function command(line: string): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []]
  const env = {
    DATABASE_URL: gateway.databaseUrl,
    VAULT_KEY: gateway.vaultKey.reveal(),
    PUBLIC_URL: 'https://pay.example',
  }
  const code = await runCommand(portalUsers, line === '' ? [] : line.split(' '), {
    env,
    print: (text) => void out.push(text),
    complain: (text) => void err.push(text),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

async function take(out: string, newPassword: string): Promise<number> {
  const [, token] = /^https:\/\/pay\.example\/portal\/invitation#([\w-]{43})$/m.exec(out) ?? []
  return takeToken(token ?? '', newPassword)
}

async function takeToken(token: string, newPassword: string): Promise<number> {
  const response = await fetch(new URL('/portal/api/invitation', gateway.baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, name: 'Olga Owner', newPassword }),
  })
  return response.status
}

test("an operator invites a merchant's first owner, who signs in, and the log holds every operation", async () => {
  const added = await command('add 2 Olga@Olga.example owner Olga Owner')
  assert.equal(added.code, 0, added.err)
  for (const guessable of ['password1234', 'Other-Shop-7!', 'Olga-Owner-123']) {
    assert.equal(await take(added.out, guessable), 400, guessable)
  }
  assert.equal(await take(added.out, 'First-owner-pass-1'), 200)
  const olga = await signIn(gateway, {
    email: 'olga@olga.example',
    password: 'First-owner-pass-1',
  })
  assert.deepEqual(
    [olga.session.merchant.name, olga.session.portalUser.role],
    ['Other Shop', 'owner'],
  )

  const change = { password: 'First-owner-pass-1', newPassword: 'Other-Shop-8?' }
  assert.equal((await olga.put('/account/password', change)).status, 400)

  const reset = await command('reset olga@olga.example')
  assert.equal((await olga.get('/session')).status, 401)
  assert.equal(await take(reset.out, 'Second-owner-pass-2'), 200)
  for (const line of ['disable olga@olga.example', 'enable olga@olga.example'])
    assert.equal((await command(line)).code, 0, line)
  assert.match(
    (await command('')).out,
    /^olga@olga\.example: Olga Owner, merchant 2, owner, active, second factor off, last seen 20/m,
  )
  assert.equal((JSON.parse((await command('list --json')).out) as unknown[]).length, 3)
  const { rows } = await gateway.pool.query<{ operation: string }>(
    `select operation from audit_entries where object = 'portal user olga@olga.example' and actor like 'operator:%' order by number`,
  )
  assert.deepEqual(
    rows.map(({ operation }) => operation),
    ['portal_user.invited', 'portal_user.reset', 'portal_user.disabled', 'portal_user.enabled'],
  )
})

test('an invalid command states its reason: no merchant, no role, an address in use, the last owner, no such user', async () => {
  for (const [line, why] of [
    ['add 99 a@shop.example owner A B', /Merchant 99 does not exist/],
    ['add 1 a@shop.example king A B', /no such role/],
    [`add 1 ${OWNER.email} admin A B`, /already in use/],
    [`disable ${OWNER.email}`, /last active owner/],
    ['reset nobody@shop.example', /portal user does not exist/],
    ['add 1 a@shop.example', /Usage/],
    ['remove a@shop.example', /Usage/],
  ] as const) {
    const { code, err } = await command(line)
    assert.equal(code, 1, line)
    assert.match(err, why)
  }
  assert.equal((await signIn(gateway)).session.portalUser.email, OWNER.email)
})

/** The token of a link to the portal of this gateway. */
function tokenOf(address: string): string {
  const [, token] =
    /^http:\/\/127\.0\.0\.1:\d+\/portal\/invitation#([\w-]{43})$/.exec(address) ?? []
  return token ?? assert.fail(`${address} is no link to the portal`)
}

test('an operator at the console gives a portal user a new link, and two do with a live site', async () => {
  const join = (email: string, role: string, name: string) =>
    signInOperator(gateway, consoleUrl, { email, role, name })
  const ada = await join('ada@ops.example', 'admin', 'Ada Admin')
  const otto = await join('otto@ops.example', 'owner', 'Otto Owner')
  const vera = await join('vera@ops.example', 'viewer', 'Vera Viewer')
  const userOf = async (merchant: string, email: string) => {
    const { body } = await vera.send('GET', `/merchants/${merchant}/portal-users`)
    return body.find((user: { email: string }) => user.email === email)
  }
  const reset = (id: string, reason = 'lost phone') =>
    ada.send('POST', `/portal-users/${id}/reset`, { reason })

  const owner = await signIn(gateway)
  const { id } = await userOf('1', OWNER.email)
  assert.equal((await vera.send('POST', `/portal-users/${id}/reset`, { reason: '' })).status, 403)
  assert.equal((await reset('999')).status, 404)
  const { body, text } = await reset(id)
  assert.equal(body.done, true, text)
  assert.equal((await owner.get('/session')).status, 401)
  assert.notEqual((await userOf('1', OWNER.email)).linkUntil, null)
  const password = 'Third-owner-pass-3'
  assert.equal(await takeToken(tokenOf(body.link.address), password), 200)
  const again = await signIn(gateway, { email: OWNER.email, password })
  const invitation = { email: 'x@shop.example', name: 'X', role: 'admin', refundLimit: null }
  const held = await again.post('/users', invitation)
  assert.deepEqual([held.status, held.body.error.code], [403, 'held'], held.text)
  assert.match(held.body.error.message, /by a reset link from ada@ops\.example/)

  await goLive(gateway)
  const olga = await userOf('2', 'olga@olga.example')
  assert.deepEqual((await reset(olga.id)).body, { done: false, link: null })
  const [request] = (await vera.send('GET', '/merchants/2')).body.requests
  assert.equal(
    request.sentence,
    'Reset password and second factor of Olga Owner (olga@olga.example), a user of merchant 2',
  )
  assert.equal((await ada.send('POST', `/requests/${request.id}/approve`)).status, 403)
  const approved = await otto.send('POST', `/requests/${request.id}/approve`)
  const token = tokenOf(approved.body.link.address)
  assert.equal(await takeToken(token, 'Fourth-owner-pass-4'), 200, approved.text)

  await reset(olga.id)
  const [open] = (await vera.send('GET', '/merchants/2')).body.requests
  assert.equal((await command('disable olga@olga.example')).code, 0)
  const late = await otto.send('POST', `/requests/${open.id}/approve`)
  assert.equal(late.body.error.code, 'changed_meanwhile', late.text)
  assert.match((await reset(olga.id)).body.error.message, /is disabled\. Enable the user first/)
  const { rows } = await gateway.pool.query<{ actor: string }>(
    `select actor from audit_entries
      where operation = 'portal_user.reset' and actor like 'console:%' order by number`,
  )
  assert.deepEqual(
    rows.map(({ actor }) => actor),
    ['console:ada@ops.example', 'console:otto@ops.example'],
  )
})
