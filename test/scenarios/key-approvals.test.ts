import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import {
  openKeyOperator,
  type KeyOperator,
} from '../../packages/gateway/src/wiring/operator-keys.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { operatorSettings, runHere, type Ran } from '../support/command-line.ts'
import { codeOf, consoleCaller, signInOperator, type SignedInOperator } from '../support/console.ts'
import { untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-approvals-'))
const NEW_KEY = new Secret(Buffer.alloc(32, 9).toString('base64'))

let gateway: RunningGateway
let url = ''
let olga: SignedInOperator
let otto: SignedInOperator
before(async () => {
  const [port] = await freePorts(1)
  url = `http://127.0.0.1:${port}`
  gateway = await startRunningGateway({ CONSOLE_PORT: String(port) })
  const join = (email: string, name: string) =>
    signInOperator(gateway, url, { email, role: 'admin', name })
  olga = await join('olga@ops.example', 'Olga Admin')
  otto = await join('otto@ops.example', 'Otto Admin')
})
after(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A command with the settings of production. */
const command = (...args: readonly string[]): Promise<Ran> =>
  runHere(
    args,
    {
      ...operatorSettings(gateway, folder),
      MODE: 'production',
      TRUST_PROXY: '127.0.0.1',
      PUBLIC_URL: 'https://pay.example.com',
    },
    folder,
  )

const keys = (...args: readonly string[]): Promise<Ran> => command('keys', ...args)

async function detailsOf(operation: string, result: 'done' | 'refused') {
  const { rows } = await gateway.pool.query<{ details: string }>(
    `select details from audit_entries where operation = $1 and result = $2 order by number`,
    [operation, result],
  )
  return rows.map(({ details }) => JSON.parse(details) as Record<string, unknown>)
}

/** Requests an operation and gives the id of the request. */
async function ask(by: SignedInOperator, what: string, body: object): Promise<string> {
  const asked = await by.send('POST', `/keys/${what}`, body)
  assert.equal(asked.status, 200, asked.text)
  return (await by.send('GET', '/requests')).body[0].id
}

/** Rotates the data key; returns the retired one, with nothing under it. */
async function retireKey(): Promise<number> {
  const rotated = await keys('rotate')
  const [, made, retired] = /key (\d+) was created\. Data key (\d+)/.exec(rotated.output) ?? []
  await untilRow(
    gateway,
    'nothing is under the old key',
    `select 1 from data_key_holders where seals_under = $1
        and not exists (select from operators where second_factor_data_key_id = $2)
        and not exists (select from site_token_keys where data_key_id = $2)`,
    [Number(made), Number(retired)],
  )
  // A key rests for a minute after its retirement.
  await gateway.pool.query(
    `update data_keys set retired_at = now() - interval '2 minutes' where id = $1`,
    [Number(retired)],
  )
  return Number(retired)
}

test('after a rotation by one operator, another signs in with the same second factor', async () => {
  const before = await gateway.pool.query('select second_factor_ciphertext as text from operators')
  await retireKey()

  const caller = consoleCaller(url)
  const { email, password, secret } = olga
  await caller.send('POST', '/session', { email, password })
  const answer = await caller.send('POST', '/session/code', { code: codeOf(secret, 1) })

  assert.equal(answer.status, 200, answer.text)
  assert.equal((await caller.send('GET', '/requests')).status, 200)
  const after = await gateway.pool.query('select second_factor_ciphertext as text from operators')
  assert.notDeepEqual(after.rows, before.rows)
})

test('in production a data key is destroyed by two operators, and by one in an emergency only', async () => {
  const alone = await keys('destroy', '1')
  const id = await ask(olga, 'destroy', { key: 1, unreadable: 0, reason: 'yearly rotation' })
  const waiting = await keys('destroy', '1')
  const own = await olga.send('POST', `/requests/${id}/approve`)
  const approved = await otto.send('POST', `/requests/${id}/approve`)
  await gateway.pool.query(
    `update operator_requests set expires_at = now() - interval '1 second' where id = $1`,
    [id],
  )
  const late = await keys('destroy', '1')
  await gateway.pool.query(
    `update operator_requests set expires_at = now() + interval '1 hour' where id = $1`,
    [id],
  )
  const destroyed = await keys('destroy', '1')

  assert.match(alone.output, /^In production this needs two operators, and there is no approved/)
  assert.match(alone.output, /request "Destroy data key 1, with 0 unreadable cards"/)
  assert.deepEqual([alone.code, waiting.code, late.code], [1, 1, 1])
  assert.match(waiting.output, /there is no approved request for it/)
  assert.match(own.body.error.message, /You made this request\. Another operator must decide/)
  assert.equal(approved.status, 200, approved.text)
  assert.match(late.output, /the approved request expired after 24 hours/)
  assert.deepEqual([destroyed.code, /was destroyed/.test(destroyed.output)], [0, true])
  assert.equal((await detailsOf('key.destroyed', 'refused')).length, 3)
  assert.deepEqual(await detailsOf('key.destroyed', 'done'), [
    { unreadable: 0, request: id, requested_by: olga.email, approved_by: otto.email },
  ])
  await assert.rejects(
    gateway.pool.query(`update operator_requests set state = 'refused' where id = $1`, [id]),
    /operator_requests_used_once_approved/,
  )

  const next = await retireKey()
  const short = await keys('destroy', String(next), '--emergency', 'urgent')
  const emergency = await keys('destroy', String(next), '--emergency', 'Otto left the company')
  assert.match(short.output, /--emergency must have a reason of 10 to 200 characters/)
  assert.equal(emergency.code, 0, emergency.output)
  assert.deepEqual((await detailsOf('key.destroyed', 'done'))[1], {
    unreadable: 0,
    emergency: 'Otto left the company',
  })
})

test('in production all cards are exported by two operators, under the key that both saw, and once', async () => {
  const path = join(folder, 'cards.tgv')
  const keyFile = join(folder, 'export.key')
  const otherKey = join(folder, 'other.key')
  writeFileSync(keyFile, Buffer.alloc(32, 5).toString('base64'), { mode: 0o600 })
  writeFileSync(otherKey, Buffer.alloc(32, 6).toString('base64'), { mode: 0o600 })
  const exported = (file: string, ...more: readonly string[]): Promise<Ran> =>
    command('vault', 'export', path, '--key-file', file, ...more)

  const alone = await exported(keyFile)
  const [, key = ''] = /"Export all saved cards under the key ([a-p]{16})"/.exec(alone.output) ?? []
  const id = await ask(olga, 'export', { key, reason: 'move to another gateway' })
  const own = await olga.send('POST', `/requests/${id}/approve`)
  const approved = await otto.send('POST', `/requests/${id}/approve`)
  const shown = (await otto.send('GET', '/requests')).body[0]
  const another = await exported(otherKey)
  const wasThere = existsSync(path)
  const done = await exported(keyFile)
  rmSync(path)
  const again = await exported(keyFile)
  const emergency = await exported(otherKey, '--emergency', 'Otto left the company')

  assert.equal(alone.code, 1)
  assert.match(alone.output, /In production this needs two operators, and there is no approved/)
  assert.match(own.body.error.message, /You made this request/)
  assert.equal(approved.status, 200, approved.text)
  assert.equal(shown.sentence, `Export all saved cards under the key ${key}`)
  assert.match(another.output, /the approved request is "Export all .* No file was left\./)
  assert.ok(!wasThere)
  assert.equal(done.code, 0, done.output)
  assert.match(again.output, /the last approved request was used already/)
  assert.equal(emergency.code, 0, emergency.output)
  assert.equal((await detailsOf('vault.export_begun', 'refused')).length, 3)
  const [first, second] = await detailsOf('vault.export_begun', 'done')
  assert.deepEqual(first, {
    key,
    request: id,
    requested_by: olga.email,
    approved_by: otto.email,
  })
  assert.equal(second?.['emergency'], 'Otto left the company')
  const { rows } = await gateway.pool.query<{ operation: string }>(
    `select operation from audit_entries where operation like 'vault.%' and result = 'done' order by number`,
  )
  assert.deepEqual(
    rows.map(({ operation }) => operation),
    ['vault.export_begun', 'vault.exported', 'vault.export_begun', 'vault.exported'],
  )
})

test('the console refuses a request for a key that cannot be destroyed', async () => {
  for (const [key, state] of [
    [1, 'destroyed'],
    [2, 'the fingerprint key'],
    [99, 'unknown'],
  ] as const) {
    const asked = await olga.send('POST', '/keys/destroy', {
      key,
      unreadable: 0,
      reason: 'tidy up',
    })
    const expected = `Data key ${key} is ${state}. Only a retired key can be destroyed.`
    assert.equal(asked.body.error.message, expected)
  }
})

test('the console refuses a card number in the id of a key, and does not repeat it', async () => {
  const number = '4000009000000110'
  const body = { to: `transit:${number}`, reason: 'yearly rotation' }
  const asked = await olga.send('POST', '/keys/replace', body)
  assert.equal(asked.status, 400)
  assert.ok(!JSON.stringify(asked.body).includes(number))
})

test('in production the key-encrypting key is replaced by two operators, once for an approval', async (t) => {
  const open = async (vaultKey: Secret, vaultKeyPrevious: Secret | null): Promise<KeyOperator> => {
    const databaseUrl = new Secret(gateway.databaseUrl)
    const opened = await openKeyOperator({
      mode: 'production',
      databaseUrl,
      vaultKey,
      vaultKeyPrevious,
    })
    t.after(() => opened.close())
    return opened
  }
  const same = await (await open(gateway.vaultKey, null)).rewrap(null)
  const there = await open(NEW_KEY, gateway.vaultKey)
  const alone = await there.rewrap(null).catch((error: Error) => error.message)
  const [, to = ''] = /Replace the key-encrypting key by (local:\w+)"/.exec(String(alone)) ?? []
  const id = await ask(otto, 'replace', { to, reason: 'yearly rotation' })
  await olga.send('POST', `/requests/${id}/approve`)
  const moved = await there.rewrap(null)
  const back = await open(gateway.vaultKey, NEW_KEY)
  const again = await back.rewrap(null).catch((error: Error) => error.message)
  await back.rewrap('the new key was lost')

  assert.deepEqual(same.from, [same.to])
  assert.match(String(alone), /there is no approved request for it/)
  assert.deepEqual([moved.from, moved.to], [[same.to], to])
  assert.match(String(again), /the last approved request was used already/)
  const [, second, third] = await detailsOf('key.rewrapped', 'done')
  const { requested_by, approved_by, request } = second ?? {}
  assert.deepEqual([requested_by, approved_by, request], [otto.email, olga.email, id])
  assert.equal(third?.['emergency'], 'the new key was lost')
})
