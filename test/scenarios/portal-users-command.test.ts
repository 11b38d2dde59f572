import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runCommand } from '../../packages/tollgate/src/command.ts'
import { portalUsers } from '../../packages/tollgate/src/portal-users-command.ts'
import { OWNER, signIn } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
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
  const response = await fetch(new URL('/portal/api/invitation', gateway.baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: token ?? '', name: 'Olga Owner', newPassword }),
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
