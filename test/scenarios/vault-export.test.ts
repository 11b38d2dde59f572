import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import {
  openKeyOperator,
  VaultFileError,
  type KeyOperator,
} from '../../packages/gateway/src/wiring/operator-keys.ts'
import { MASTERCARD, outcome, payment, untilRow, VISA } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

/** The vault that is exported, and another one that it is imported into. */
let from: RunningGateway
let to: RunningGateway
let source: KeyOperator
let target: KeyOperator
const folder = mkdtempSync(join(tmpdir(), 'tollgate-vault-export-'))
const KEY = randomBytes(32).toString('base64')
const file = join(folder, 'cards.tgv')
const keyFile = join(folder, 'export.key')

const operatorOf = ({ databaseUrl, vaultKey }: RunningGateway): Promise<KeyOperator> =>
  openKeyOperator({ mode: 'sandbox', databaseUrl: new Secret(databaseUrl), vaultKey })

before(async () => {
  writeFileSync(keyFile, `# for the new gateway\n${KEY}\n`)
  ;[from, to] = await Promise.all([
    startRunningGateway(),
    // Of another installation: a key of its own, and so all keys of its vault.
    startRunningGateway({ VAULT_KEY: randomBytes(32).toString('base64') }),
  ])
  ;[source, target] = await Promise.all([operatorOf(from), operatorOf(to)])
})
after(async () => {
  await Promise.all([source?.close(), target?.close()])
  await Promise.all([from?.stop(), to?.stop()])
  rmSync(folder, { recursive: true, force: true })
})

interface Card {
  readonly payment_method_id: string
  readonly number: string
  readonly merchant_id: string
  readonly reference: string
  readonly customer: { readonly id: string; readonly first_name: string }
}

test('a reader that was written from the document alone finds every card in an export', async (t) => {
  if (spawnSync('python3', ['-c', 'import cryptography']).status !== 0) {
    t.skip('python3 with its package cryptography is not on this machine')
    return
  }
  const one = await from
    .client()
    .sale(payment('5.00', { customer: { firstName: 'Zoë' }, more: { PMT_ID_XTL: 'card-1' } }))
  await from.client().sale(payment('5.00', { customerId: one.customerId, cardNumber: MASTERCARD }))
  await from.client(1002).sale(payment('5.00', { cardNumber: MASTERCARD }))

  assert.deepEqual(await source.exportTo(file, new Secret(KEY), null, () => {}), {
    cards: 3,
    unreadable: 0,
  })

  const script = fileURLToPath(new URL('read-vault-file.py', import.meta.url))
  const cards = JSON.parse(execFileSync('python3', [script, file, keyFile]).toString()) as Card[]
  assert.deepEqual(
    cards.map(({ number, reference, customer }) => [number, reference, customer.first_name]),
    [
      [VISA, 'card-1', 'Zoë'],
      [MASTERCARD, '', 'Zoë'],
      [MASTERCARD, '', ''],
    ],
  )
  const raw = readFileSync(file)
  for (const plain of [VISA, MASTERCARD, 'Zoë']) assert.equal(raw.includes(plain), false)
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('a card that was taken away is in no export, and no import of an older one brings its number back', async () => {
  const sold = await from.client().sale(payment('5.00', { cardNumber: '4012888888881881' }))
  const before = join(folder, 'before.tgv')
  const whole = await source.exportTo(before, new Secret(KEY), null, () => {})
  await from.pool.query(
    'update payment_methods set pan_ciphertext = null, data_key_id = null, removed_at = now() where id = $1',
    [sold.paymentMethodId],
  )

  const rest = await source.exportTo(join(folder, 'rest.tgv'), new Secret(KEY), null, () => {})
  await source.importFrom(before, new Secret(KEY), () => {})

  assert.deepEqual([rest.cards, rest.unreadable], [whole.cards - 1, 0])
  const { rows } = await from.pool.query(
    `select id from payment_methods where customer_id = $1 and pan_ciphertext is not null`,
    [sold.customerId],
  )
  assert.deepEqual(rows, [])
})

test('a file that was cut, changed, reordered or extended is refused, and nothing of it is kept', async () => {
  const raw = readFileSync(file)
  const headEnd = 12 + raw.readUInt32BE(8)
  const chunks: Buffer[] = []
  for (let at = headEnd; at < raw.length;) {
    const end = at + 4 + raw.readUInt32BE(at)
    chunks.push(raw.subarray(at, end))
    at = end
  }
  const head = raw.subarray(0, headEnd)
  const damaged: Record<string, Buffer> = {
    'without its last chunk': Buffer.concat([head, ...chunks.slice(0, -1)]),
    'cut within a chunk': raw.subarray(0, -5),
    'with chunks in another sequence': Buffer.concat([head, ...chunks.toReversed()]),
    'without its first chunk': Buffer.concat([head, ...chunks.slice(1)]),
    'with something behind it': Buffer.concat([raw, Buffer.from([0])]),
    'with another header': Buffer.concat([
      Buffer.from(head.toString('latin1').replace('"origin":"', '"origin":"0'), 'latin1'),
      ...chunks,
    ]),
    'of another kind': Buffer.from('PK and so on'),
    empty: Buffer.alloc(0),
  }
  for (let at = 0; at < raw.length; at += 97) {
    const changed = Buffer.from(raw)
    changed[at] = (changed[at] ?? 0) ^ 1
    damaged[`with byte ${at} changed`] = changed
  }

  const path = join(folder, 'damaged.tgv')
  for (const [how, bytes] of Object.entries(damaged)) {
    writeFileSync(path, bytes)
    await assert.rejects(
      target.importFrom(path, new Secret(KEY), () => {}),
      VaultFileError,
      how,
    )
  }
  await assert.rejects(
    target.importFrom(file, new Secret(randomBytes(32).toString('base64')), () => {}),
    /the key is another one, or the file was changed/,
  )
  const { rows } = await to.pool.query(
    'select 1 from payment_methods union all select 1 from customers union all select 1 from customer_ids where is_called',
  )
  assert.deepEqual(rows, [])
})

test('cards are charged in the gateway that they were imported into, and an import can be repeated', async () => {
  // Ids of this gateway that the file has too.
  const own = await to.client().sale(payment('5.00'))
  const first = await target.importFrom(file, new Secret(KEY), () => {})
  const second = await target.importFrom(file, new Secret(KEY), () => {})
  await to.client().sale(payment('5.00'))

  assert.deepEqual([first.cards, first.known, second.cards, second.known], [3, 0, 3, 3])
  assert.deepEqual(second.newIds, first.newIds)
  const csv = readFileSync(`${file}.ids.csv`, 'utf8').trim().split('\n')
  assert.equal(csv.length, 1 + first.newIds.length)
  const { rows } = await to.pool.query<{ customer: string; card: string; brand: string }>(
    `select customer_id as customer, id as card, brand from payment_methods
      where customer_id <> $1 and reference = 'card-1'`,
    [own.customerId],
  )
  assert.equal(rows.length, 1)
  const renamed = new Map(first.newIds.map(({ kind, oldId, newId }) => [`${kind} ${oldId}`, newId]))
  assert.equal(
    renamed.get(`customer ${own.customerId}`),
    rows[0]?.customer,
    'the id of another customer was taken',
  )
  const charged = await to.client().sale({
    customerId: rows[0]?.customer ?? '',
    more: { PMT_ID_XTL: 'card-1' },
    amount: '7.00',
  })
  assert.equal(outcome(charged), 'APPROVED 0/100')
  assert.equal(String(charged.raw['PMT_L4']), VISA.slice(-4))
})

test('ids beyond those of the other gateway are kept, and no payment there gets one of them later', async () => {
  await from.pool.query(`select setval('customer_ids', 90000), setval('payment_method_ids', 70000)`)
  const fresh = await startRunningGateway()
  try {
    const far = join(folder, 'far.tgv')
    const operator = await operatorOf(fresh)
    await from.stopGateway()
    await from.pool.query('update customers set id = id + 81000')
    await from.pool.query(`update payment_methods set customer_id = customer_id + 81000`)
    await source.exportTo(far, new Secret(KEY), null, () => {})

    const { newIds } = await operator.importFrom(far, new Secret(KEY), () => {})
    await operator.close()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => fresh.client().sale(payment('5.00'))),
    )

    assert.deepEqual(newIds, [])
    assert.ok(answers.every(({ status }) => status === 'APPROVED'))
    const { rows } = await fresh.pool.query<{ highest: string }>(
      `select last_value as highest from customer_ids`,
    )
    assert.ok(Number(rows[0]?.highest) + 1_000 > 90_000)
  } finally {
    await fresh.stop()
  }
})

test('an export and an import are in the audit log of their gateways, without a number', async () => {
  const exported = await from.pool.query<{ operation: string; details: string }>(
    `select operation, details from audit_entries where operation in ('vault.exported', 'card.revealed') order by number`,
  )
  const imported = await to.pool.query<{ result: string; details: string }>(
    `select result, details from audit_entries where operation = 'vault.imported' order by number`,
  )

  assert.match(exported.rows[0]?.details ?? '', /"reason":"vault export"/)
  assert.equal(exported.rows[1]?.operation, 'vault.exported')
  assert.ok(imported.rows.filter(({ result }) => result === 'failed').length > 5)
  assert.ok(imported.rows.some(({ result }) => result === 'done'))
  for (const { details } of [...exported.rows, ...imported.rows])
    assert.doesNotMatch(details, /\b\d{12,19}\b/)
})

test("an export under the vault's own key is refused", async () => {
  await assert.rejects(
    source.exportTo(join(folder, 'own.tgv'), from.vaultKey, null, () => {}),
    /The key file holds the vault's own key/,
  )
})

test('a key under which an import is still writing is not destroyed', async () => {
  await to.stopGateway()
  const importer = await operatorOf(to)
  const hold = await to.pool.connect()
  try {
    await hold.query('begin; lock table customers in share mode')
    const importing = importer.importFrom(join(folder, 'far.tgv'), new Secret(KEY), () => {})
    await untilRow(
      to,
      'the import waits with its key in hand',
      `select 1 from pg_locks where relation = 'customers'::regclass and not granted`,
    )
    const { retired } = await target.rotate()
    await to.pool.query(
      `update data_keys set retired_at = now() - interval '1 hour' where id = $1`,
      [retired],
    )
    await to.pool.query('delete from data_key_holders')
    const destroyed = await target.destroy(retired, 0, null)
    const counted = await hold.query('select count(*)::int as there from payment_methods')
    const forced = await target.destroy(
      retired,
      (counted.rows as { there: number }[])[0]?.there ?? 0,
      null,
    )
    await hold.query('commit')
    await importing

    for (const outcome of [destroyed, forced]) {
      assert.match(
        outcome.ok ? 'destroyed' : outcome.faults.join(),
        /is in use by a command, such as an import/,
      )
    }
    const { rows } = await to.pool.query(`select 1 from data_keys where state = 'destroyed'`)
    assert.deepEqual(rows, [])
  } finally {
    hold.release(true)
    await importer.close()
  }
})
