import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { portOf } from '../../packages/tollgate/test/free-ports.ts'
import { read } from '../house/source-text.ts'
import { operatorSettings, runHere, type Ran } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { startGatewayNode } from '../support/gateway-node.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let folder: string
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-audit-'))
  gateway = await startRunningGateway()
})
after(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const tollgate = (...args: readonly string[]): Promise<Ran> =>
  runHere(args, operatorSettings(gateway, folder))

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** The entries of an operation in the audit log, oldest first. */
async function entriesOf(operation: string) {
  const { rows } = await gateway.pool.query<{
    actor: string
    object: string
    merchant: string | null
    result: string
    details: Record<string, unknown>
  }>(
    `select actor, object, merchant_id as merchant, result, details::json as details
       from audit_entries where operation = $1 order by number`,
    [operation],
  )
  return rows
}

const linkFile = (changes: Record<string, unknown>): string =>
  JSON.stringify({
    name: 'acme',
    mode: 'test',
    addresses: ['127.0.0.1:9'],
    profile: 'house',
    institutionId: '500001',
    tls: 'off',
    ...changes,
  })

const accountFile = (changes: Record<string, unknown>): string =>
  JSON.stringify({
    id: 2001,
    merchantId: 1,
    mode: 'test',
    processorName: 'Bundled bank',
    acquirerId: '414000',
    acquirerMerchantId: 'other',
    categoryCode: '5999',
    name: 'Shop',
    city: 'Town',
    country: 'US',
    currencies: ['USD'],
    ...changes,
  })

suite('the audit log of administrative operations', () => {
  test('a link that is made and changed is on record with its values before and after', async () => {
    await tollgate('links', 'put', file('link.json', linkFile({})))
    const changed = await tollgate('links', 'put', file('link.json', linkFile({ window: 7 })))
    assert.match(changed.output, /Link acme was changed/)

    const [made, put] = await entriesOf('link.put')
    assert.match(made?.actor ?? '', /^operator:[^@]+@./)
    assert.deepEqual(
      [made?.object, made?.result, made?.details['before']],
      ['link acme', 'done', null],
    )
    const [older, newer] = ['before', 'after'].map(
      (when) => JSON.parse(String(put?.details[when])) as Record<string, unknown>,
    )
    assert.deepEqual([older?.['request_window'], newer?.['request_window']], [512, 7])
    assert.ok(!JSON.stringify(put).includes('ciphertext'))
  })

  test('a mode and an account that may not change are refused on record, and nothing else is', async () => {
    await tollgate('sites', 'set-mode', '1001', 'live')
    await tollgate('sites', 'set-mode', '4711', 'live')
    await tollgate('accounts', 'put', file('account.json', accountFile({})))

    assert.deepEqual(
      (await entriesOf('site.mode_set')).map(({ object, merchant, result }) => [
        object,
        merchant,
        result,
      ]),
      [['site 1001', '1', 'refused']],
    )
    const [refused] = await entriesOf('account.put')
    assert.deepEqual([refused?.object, refused?.result], ['account 2001', 'refused'])
    assert.match(JSON.stringify(refused?.details), /acquirerMerchantId differs/)
  })

  test('an account that is made is on record with its sites', async () => {
    const text = accountFile({ id: 2077, acquirerMerchantId: 'M2077', sites: [1001] })
    const put = await tollgate('accounts', 'put', file('account.json', text))
    assert.equal(put.output, 'Account 2077 was created.\n')

    const made = (await entriesOf('account.put')).at(-1)
    assert.deepEqual([made?.object, made?.merchant, made?.result], ['account 2077', '1', 'done'])
    assert.match(String(made?.details['after']), /"sites": \[1001\]/)
  })

  test('the schema and the start of a gateway are on record', async () => {
    const schemas = (await entriesOf('schema.migrated')).map(({ object }) => object)
    assert.equal(schemas[0], 'schema 0001_payment_core.sql')
    assert.ok(schemas.includes('schema 0009_card_testing.sql'))
    assert.equal((await entriesOf('gateway.started')).length, 1)
  })
})

test('a gateway that is stopped is on record, and notes the head of the log last', async () => {
  const node = await startGatewayNode({
    ...gateway.nodeSettings,
    VAULT_KEY: gateway.vaultKey.reveal(),
    PORT: '0',
    TLS_PORT: '0',
  })
  assert.equal(await node.stop(), 0)

  const [started, stopped] = await Promise.all(
    ['gateway.started', 'gateway.stopped'].map(entriesOf),
  )
  assert.deepEqual([started?.length, stopped?.length], [2, 1])
  assert.equal(stopped?.[0]?.actor, started?.[1]?.actor)
  const heads = [...node.log().matchAll(/"auditHead":"(\d+):/g)].map(([, number]) => Number(number))
  assert.equal(heads.length, 2)
  assert.equal(heads[1], (heads[0] ?? 0) + 1)
})

suite('the commands that read the audit log', () => {
  test('verify prints the head and finds heads noted before, also the one that the gateway logged', async () => {
    const first = await tollgate('audit', 'verify')
    const head = /^Head to note elsewhere: (\d+:[0-9a-f]{64})$/m.exec(first.output)?.[1] ?? ''
    const logged = /"auditHead":"(\d+:[0-9a-f]{64})"/.exec(gateway.logged())?.[1] ?? ''
    const again = await tollgate('audit', 'verify', '--head', head, '--head', logged)

    assert.equal(first.code, 0)
    assert.match(first.output, /^\d+ entries are right .*\nThe log is complete/)
    assert.equal(again.code, 0)
    assert.ok(again.output.includes(`It agrees with the head noted before: ${logged}`))
    const reads = (await entriesOf('audit.read')).map(({ details }) => details['command'])
    assert.deepEqual(reads.slice(-2), ['verify', 'verify'])
  })

  test('verify finds a wrong head, and reports the entries that it did not check', async () => {
    const wrong = await tollgate('audit', 'verify', '--head', `3:${'0'.repeat(64)}`)
    const part = await tollgate('audit', 'verify', '--from', '4')
    const early = await tollgate('audit', 'verify', '--from', '9', '--head', `3:${'0'.repeat(64)}`)

    assert.equal(wrong.code, 1)
    assert.match(
      wrong.output,
      /^2 entries are right .*\nBROKEN: Entry 3 is not the one that was noted/,
    )
    assert.equal(part.code, 0)
    assert.match(part.output, /Entries before 4 were not checked/)
    assert.equal(early.code, 2)
  })

  test('an export is checked without the database, as a whole and in part, also by the documented reader', async (t) => {
    const whole = await tollgate('audit', 'export')
    const path = file('log.jsonl', whole.output.replace(/\d+ entries were written\.\n/, ''))
    const part = await tollgate('audit', 'export', '--from', '3', '--to', '5')
    const partPath = file('part.jsonl', part.output.replace('3 entries were written.\n', ''))
    const changed = file('changed.jsonl', readFileSync(path, 'utf8').replace('"done"', '"failed"'))

    assert.equal((await tollgate('audit', 'verify', '--file', path)).code, 0)
    assert.match(
      (await tollgate('audit', 'verify', '--file', partPath)).output,
      /^3 entries are right \(3 to 5,/,
    )
    const broken = await tollgate('audit', 'verify', '--file', changed)
    assert.equal(broken.code, 1)
    assert.match(broken.output, /BROKEN: Entry 1 was changed/)
    const torn = await tollgate('audit', 'verify', '--file', file('torn.jsonl', '{"number":1'))
    assert.deepEqual(torn, {
      code: 2,
      output: 'Line 1 is no entry of an exported audit log: it is not JSON.\n',
    })

    const [, script = ''] =
      /```python\n([\s\S]*?)```/.exec(read('docs/operators/audit-log.md')) ?? []
    const reader = file('reader.py', script)
    if (spawnSync('python3', ['--version']).status !== 0) {
      t.skip('python3 is not installed')
      return
    }
    const python = (log: string) => spawnSync('python3', [reader, log], { encoding: 'utf8' })
    assert.match(python(path).stdout, /^whole up to \d+:[0-9a-f]{64}\n$/)
    assert.match(python(partPath).stdout, /^whole up to 5:/)
    assert.match(python(changed).stderr, /1 was changed/)
  })

  test('an export between two times leaves out nothing in between', async () => {
    const { rows } = await gateway.pool.query<{ at: string }>(
      `select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
         from audit_entries where operation = 'gateway.started'`,
    )
    const since = rows[0]?.at ?? ''
    const { output } = await tollgate('audit', 'export', '--since', since, '--until', '2999-01-01')
    const numbers = [...output.matchAll(/^\{"number":(\d+),/gm)].map((match) => Number(match[1]))
    assert.ok(numbers.length > 3)
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => (numbers[0] ?? 0) + at),
    )
    assert.match(output, /"operation":"gateway\.started"/)
    assert.match((await tollgate('audit', 'export', '--until', '2001-01-01')).output, /^0 entries/)
  })

  test('show gives the newest entries that fit, with no sign that a terminal obeys', async () => {
    await gateway.pool.query(
      `insert into audit_entries (actor, operation, object, result) values ($1, 'login.failed', 'user x', 'failed')`,
      ['api:\u001b[2Jevil'],
    )
    const shown = await tollgate('audit', 'show', '--object', 'user x')
    const accounts = await tollgate('audit', 'show', '--operation', 'account.put', '--last', '1')

    assert.match(
      shown.output,
      /^ +\d+ {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}failed {3}login\.failed {2}user x {2}by api:\\u001b\[2Jevil\n$/,
    )
    assert.match(
      accounts.output,
      /^ +\d+ {2}.* account\.put {2}account 2077 {2}merchant 1 {2}by operator:.*\n$/,
    )
    assert.equal(accounts.output.split('\n').length, 2)
  })

  test('a misspelt option is refused with the accepted values', async () => {
    assert.match((await tollgate('audit')).output, /^Usage: tollgate audit verify/)
    assert.match(
      (await tollgate('audit', 'show', '--operation', 'links')).output,
      /^--operation is "links"; it must be one of audit\.read,/,
    )
    assert.match(
      (await tollgate('audit', 'verify', '--head', '12')).output,
      /^--head must be a number, a colon and 64/,
    )
    assert.match(
      (await tollgate('audit', 'export', '--since', 'monday')).output,
      /^--since must have the form 2026-11-21/,
    )
    assert.equal(
      (await tollgate('audit', 'verify', '--file', '/nowhere/log')).output,
      'The file /nowhere/log cannot be read (ENOENT).\n',
    )
  })
})

test('a receiver has the whole log, although it failed and a node was killed', async () => {
  const lines: string[] = []
  let isAway = true
  let attempts = 0
  const receiver = createServer((request, response) => {
    attempts += 1
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      if (!isAway) lines.push(...body.split('\n').filter((line) => line !== ''))
      response.writeHead(isAway ? 500 : 204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const settings = {
    ...gateway.nodeSettings,
    VAULT_KEY: gateway.vaultKey.reveal(),
    PORT: '0',
    TLS_PORT: '0',
    AUDIT_PUSH_URL: `http://127.0.0.1:${portOf(receiver)}/audit`,
  }
  const killed = await startGatewayNode(settings)
  await eventually('the receiver refused a batch', () => Promise.resolve(attempts > 0))
  await killed.kill()
  isAway = false
  // A killed node keeps the lease until it expires.
  await gateway.pool.query(`update audit_push set leased_until = '-infinity'`)
  const node = await startGatewayNode(settings)
  const { rows } = await gateway.pool.query<{ last: number }>(
    'select number::int as last from audit_head',
  )
  await eventually('the receiver has the log', () =>
    Promise.resolve(lines.length >= (rows[0]?.last ?? Infinity)),
  )
  await node.stop()
  receiver.close()
  const { output, code } = await tollgate(
    'audit',
    'verify',
    '--file',
    file('received.jsonl', `${lines.join('\n')}\n`),
  )
  assert.equal(code, 0, output)
})
