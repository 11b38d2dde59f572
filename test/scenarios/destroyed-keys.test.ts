import type { Transaction } from '@tollgate/client'
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { operatorSettings, runHere, type Ran } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { outcome, payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-keys-'))

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(async () => {
  await gateway.stop()
  rmSync(folder, { recursive: true, force: true })
})

const tollgate = (...args: readonly string[]): Promise<Ran> =>
  runHere(args, operatorSettings(gateway, folder), folder)

async function bankMessages(): Promise<number> {
  const { rows } = await gateway.pool.query<{ last: number }>(
    `select count(*)::int as last from orders`,
  )
  return rows[0]?.last ?? 0
}

const key = join(folder, 'export.key')
const backup = join(folder, 'before.tgv')
let lost: Transaction
let kept: Transaction

test('a data key with cards under it is destroyed only with the right number of cards to lose', async () => {
  lost = await gateway.client().sale(payment('10.00'))
  writeFileSync(key, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
  await tollgate('vault', 'export', backup, '--key-file', key)
  const blocker = await gateway.pool.connect()
  try {
    // Re-encryption skips a card that another transaction locks, so this one keeps the old key.
    await blocker.query('begin')
    await blocker.query('select from payment_methods for update')
    const active = await tollgate('keys', 'destroy', '1', '--unreadable-cards', '1')
    const rotated = await tollgate('keys', 'rotate')
    await untilRow(
      gateway,
      'the new key is in use',
      'select 1 from data_key_holders where seals_under = 3',
    )
    await eventually('the token keys of sites are under the new key', async () => {
      const { rowCount } = await gateway.pool.query(
        'select 1 where not exists (select from site_token_keys where data_key_id = 1)',
      )
      return rowCount === 1 ? true : null
    })
    kept = await gateway.client().sale(payment('10.00'))
    // A machine may take longer than a minute to come here.
    await gateway.pool.query(
      `update data_keys set retired_at = now() + interval '1 hour' where id = 1`,
    )
    const early = await tollgate('keys', 'destroy', '1', '--unreadable-cards', '1')
    await gateway.pool.query(
      `update data_keys set retired_at = now() - interval '2 minutes' where id = 1`,
    )
    const fingerprint = await tollgate('keys', 'destroy', '2')
    const unsaid = await tollgate('keys', 'destroy', '1')
    const wrong = await tollgate('keys', 'destroy', '1', '--unreadable-cards', '7')
    const destroyed = await tollgate('keys', 'destroy', '1', '--unreadable-cards', '1')
    const listed = await tollgate('keys', 'list')

    assert.match(
      active.output,
      /^Data key 1 is the active one: run "tollgate keys rotate" first\.\nNothing was changed\.\n$/,
    )
    assert.match(rotated.output, /^Data key 3 was created. Data key 1 is retired/)
    assert.match(early.output, /^Data key 1 was in use in the last minute: wait, and try again\./)
    assert.match(fingerprint.output, /it never changes and is never destroyed/)
    assert.match(
      unsaid.output,
      /^Data key 1 has 1 cards under it\..* add --unreadable-cards 1\.\nNothing was changed/,
    )
    assert.match(wrong.output, /^Data key 1 has 1 cards under it, not 7\.\n/)
    assert.deepEqual(
      [active, early, fingerprint, unsaid, wrong].map(({ code }) => code),
      [1, 1, 1, 1, 1],
    )
    assert.deepEqual(
      [destroyed.code, destroyed.output.split('\n')[0]],
      [0, 'Data key 1 was destroyed. 1 cards were under it.'],
    )
    assert.match(
      listed.output,
      /^data key 1: card numbers, destroyed, 1 unreadable, made \S+, retired \S+, destroyed \S+ by operator:\S+\n/,
    )
    assert.match(
      listed.output,
      /\ndata key 3: card numbers, active, 1 cards and 13 secrets under it, made \S+, wrapped by local:[0-9a-f]{16}\n/,
    )
    assert.match(listed.output, /\ngateway \S+: encrypts under data key 3\n/)
  } finally {
    await blocker.query('rollback')
    blocker.release()
  }
  const { rows } = await gateway.pool.query<{ operation: string; result: string }>(
    `select operation, result from audit_entries where operation like 'key.%' order by number`,
  )
  assert.deepEqual(
    rows
      .map(({ operation, result }) => `${operation} ${result}`)
      .filter((text) => !/^key\.(made|reencrypted)/.test(text)),
    [
      'key.destroyed refused',
      'key.rotated done',
      ...Array.from({ length: 4 }, () => 'key.destroyed refused'),
      'key.destroyed done',
    ],
  )
})

test('a payment with a card under a destroyed key is refused and logged, and nothing goes to the bank', async () => {
  await untilLost()
  const before = await bankMessages()

  const answer = await gateway.client().sale({ customerId: lost.customerId, amount: '5.00' })

  assert.equal(outcome(answer), 'REFUSED 113/0 CUST_ID')
  assert.equal(await bankMessages(), before)
  assert.match(
    gateway.logged(),
    /its data key 1 was destroyed on \S+ by operator:.*"msg":"a card cannot be decrypted"/,
  )
  assert.equal(
    outcome(await gateway.client().sale({ customerId: kept.customerId, amount: '5.00' })),
    'APPROVED 0/100',
  )
  const { rows } = await gateway.pool.query<{ result: string }>(
    `select result from audit_entries where operation = 'card.revealed' order by number desc limit 2`,
  )
  assert.deepEqual(
    rows.map(({ result }) => result),
    ['done', 'refused'],
  )
})

test('a refund to such a card stays queued, and holds up no other', async () => {
  const refund = await gateway.client().refund({ orderId: lost.orderId, amount: '1.00' })
  const other = await gateway.client().refund({ orderId: kept.orderId, amount: '1.00' })
  assert.deepEqual([outcome(refund), outcome(other)], ['APPROVED 0/100', 'APPROVED 0/100'])

  await untilRow(
    gateway,
    'the other refund is acknowledged, and this one waits for an hour',
    `select 1 from advices a, advices b
      where a.order_id = $1 and a.kind = 'refund' and a.state = 'queued' and a.next_try_at > now() + interval '50 minutes'
        and b.order_id = $2 and b.kind = 'refund' and b.state = 'acknowledged'`,
    [lost.orderId, kept.orderId],
  )
  assert.match(gateway.logged(), /"msg":"an advice cannot be sent: it stays queued"/)
})

test('a number that a shop sends again is saved again, and can be charged from then on', async () => {
  const { customerId } = lost
  const sent = await gateway.client().sale(payment('5.00', { customerId }))
  const again = await gateway.client().sale({ customerId, amount: '5.00' })

  assert.deepEqual([outcome(sent), outcome(again)], ['APPROVED 0/100', 'APPROVED 0/100'])
  assert.notEqual(sent.paymentMethodId, lost.paymentMethodId)
  assert.equal(again.paymentMethodId, sent.paymentMethodId)
})

test('an export from before brings the card back, and its refund goes out', async () => {
  const { output } = await tollgate('vault', 'import', backup, '--key-file', key)
  await gateway.pool.query('update advices set next_try_at = now() where order_id = $1', [
    lost.orderId,
  ])
  await untilNoAdviceIsQueued(gateway)

  assert.equal(
    output,
    '1 cards were imported; 1 of them existed already.\n1 of those are readable again.\n',
  )
})

test('the fingerprint key is not rotated, and the command says why', async () => {
  const { code, output } = await tollgate('keys', 'rotate', 'fingerprint')
  assert.equal(code, 1)
  assert.match(output, /^The fingerprint key never changes/)
  assert.match((await tollgate('keys', 'burn')).output, /^Usage: tollgate keys list/)
})

test('the database lets no key go back, change its purpose or be deleted', async () => {
  for (const statement of [
    `update data_keys set state = 'retired', destroyed_at = null, destroyed_by = null, wrapped = 'x' where id = 1`,
    `update data_keys set purpose = 'fingerprint' where id = 3`,
    `update data_keys set state = 'retired', retired_at = now() where id = 2`,
    'delete from data_keys where id = 1',
    `insert into data_keys (purpose, wrapped, kek_id) values ('pan', 'x', 'local:x')`,
  ]) {
    await assert.rejects(gateway.pool.query(statement), { code: /^23/ }, statement)
  }
})

test('one command exports cards, another imports them, and a wrong call prints the usage', async () => {
  const out = join(folder, 'cards.tgv')
  const missing = await tollgate('vault', 'export', out, '--key-file', join(folder, 'gone.key'))
  const exported = await tollgate('vault', 'export', out, '--key-file', key)
  const twice = await tollgate('vault', 'export', out, '--key-file', key)
  const imported = await tollgate('vault', 'import', out, '--key-file', key)

  assert.match(missing.output, /^The key file .* does not exist. Create one with .*\.\n$/)
  assert.deepEqual(exported, {
    code: 0,
    output: `3 cards were written to ${out}.\n`,
  })
  assert.match(twice.output, /already exists\. Choose a new file name\.\n$/)
  assert.equal(imported.code, 0, imported.output)
  assert.match(imported.output, /^3 cards were imported; 3 of them existed already\.\n/)
  assert.match(
    (await tollgate('vault', 'export', out)).output,
    /^Usage: tollgate vault export <file> --key-file <file>/,
  )
  assert.equal(readFileSync(out).subarray(0, 8).toString(), 'TGVAULT1')
})

/** Resolves when the gateway has seen that the key is gone. */
async function untilLost(): Promise<void> {
  await untilRow(
    gateway,
    'the gateway has dropped the key',
    'select 1 from data_key_holders where data_key_ids = array[3]',
  )
}
