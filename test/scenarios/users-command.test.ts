import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { after, before, test } from 'node:test'
import { runCommand } from '../../packages/tollgate/src/command.ts'
import { createUsersCommand } from '../../packages/tollgate/src/users-command.ts'
import { builtProgram } from '../../packages/tollgate/test/built-program.ts'
import { CHILD_ENVIRONMENT } from '../../packages/tollgate/test/child-environment.ts'
import { logIn } from '../support/logins.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

const settings = (): Record<string, string> => ({
  DATABASE_URL: gateway.databaseUrl,
  VAULT_KEY: gateway.vaultKey.reveal(),
  API_USER_IDLE_DAYS: '90',
})

async function users(
  line: string,
  input = '',
): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []]
  const command = createUsersCommand(() => Promise.resolve(input))
  const code = await runCommand(command, line === '' ? [] : line.split(' '), {
    env: settings(),
    print: (text) => void out.push(text),
    complain: (text) => void err.push(text),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

async function operations(name: string): Promise<string[]> {
  const { rows } = await gateway.pool.query<{ operation: string; actor: string; result: string }>(
    'select operation, actor, result from audit_entries where object = $1 and actor like $2 order by number',
    [`api user ${name}`, 'operator:%'],
  )
  return rows.map(({ operation, result }) => `${operation} ${result}`)
}

test('a user is made with a password that is shown once, logs in, and the log holds every operation', async () => {
  const added = await users('add 1 shop@example.com')
  const password = /shown only now: (\S+)$/m.exec(added.out)?.[1] ?? ''
  assert.equal(added.code, 0, added.err)
  assert.ok(password.length >= 22, 'at least 128 bits')
  const login = { username: 'shop@example.com', password }
  assert.equal(await logIn(gateway.baseUrl, login), '0')

  for (const line of [
    'password shop@example.com new',
    'password shop@example.com retire 1',
    'allow shop@example.com 192.0.2.7 2001:db8::/32',
    'disable shop@example.com',
    'enable shop@example.com',
    'allow shop@example.com everywhere',
  ]) {
    const { code, err } = await users(line)
    assert.equal(code, 0, `${line}: ${err}`)
  }

  assert.deepEqual(await operations('shop@example.com'), [
    'user.made done',
    'user.password_made done',
    'user.password_made done',
    'user.password_retired done',
    'user.allowed_from done',
    'user.disabled done',
    'user.enabled done',
    'user.allowed_from done',
  ])
  const { rows } = await gateway.pool.query<{ details: string }>(
    `select details from audit_entries where operation = 'user.allowed_from' order by number limit 1`,
  )
  assert.deepEqual(JSON.parse(rows[0]?.details ?? ''), {
    before: [],
    after: ['192.0.2.7/32', '2001:db8::/32'],
  })
})

test('the list shows users with addresses and passwords, as text and as JSON, and no hash', async () => {
  await users('add 2 listed@example.com')
  await users('allow listed@example.com 192.0.2.0/24')

  const { out } = await users('')
  assert.match(
    out,
    /^listed@example\.com: merchant 2 \(Other Shop\), enabled, last used never, from 192\.0\.2\.0\/24, reads events\n {2}password 1: made \S+Z by operator:\S+, last used never$/m,
  )
  const listed = JSON.parse((await users('list --json')).out) as { name: string; state: string }[]
  assert.equal(listed.find(({ name }) => name === 'listed@example.com')?.state, 'enabled')
  assert.doesNotMatch(out + JSON.stringify(listed), /argon2|hash/)
})

const REFUSED: readonly (readonly [line: string, told: RegExp])[] = [
  [
    'add 7 somebody@example.com',
    /There is no merchant 7\. There are: 1 \(Demo Shop\), 2 \(Other Shop\), 80 \(Situations\)\./,
  ],
  ['add 1 demo@tollgate.test', /There is an API user demo@tollgate\.test already/],
  ['add 1 4111-1111-1111-1111', /A user name must have 3 to 64 letters/],
  ['add 1 ab', /A user name must have 3 to 64 letters/],
  [
    'password nobody@example.com new',
    /There is no API user nobody@example\.com among \d+; "tollgate users"/,
  ],
  ['password demo@tollgate.test retire 9', /has no live password 9; it has live passwords: 1\./],
  ['allow demo@tollgate.test 192.0.2.7/24', /"192\.0\.2\.7\/24" is no network\. Expected/],
  ['allow demo@tollgate.test ::ffff:192.0.2.7', /is no network/],
  ['enable demo@tollgate.test', /demo@tollgate\.test is enabled already\./],
]
for (const [line, told] of REFUSED) {
  test(`"users ${line}" changes nothing and says why`, async () => {
    const entries = async () =>
      (
        await gateway.pool.query('select count(*) from audit_entries where operation like $1', [
          'user.%',
        ])
      ).rows
    const before = await entries()

    const { code, err } = await users(line)

    assert.equal(code, 1)
    assert.match(err, told)
    assert.match(err, /Nothing was changed\.$/)
    assert.deepEqual(await entries(), before)
  })
}

test('a chosen password comes on standard input, under the rules, and never as an argument', async () => {
  const good = 'Chosen-by-somebody-1'
  for (const [input, told] of [
    ['short-1\n', /12 to 128 letters/],
    ['no-digit-at-all\n', /one letter and one digit/],
    ['xx-stdin@example.com-1\n', /user name in it/],
  ] as const) {
    const { code, err } = await users('add 1 stdin@example.com --stdin', input)
    assert.equal(code, 1)
    assert.match(err, told)
    assert.ok(!err.includes(input.trim()))
  }
  assert.match((await users(`add 1 stdin@example.com ${good}`)).err, /^Usage:/)

  const added = await users('add 1 stdin@example.com --stdin', `${good}\r\n`)

  assert.equal(added.code, 0, added.err)
  assert.ok(!added.out.includes(good))
  assert.equal(await logIn(gateway.baseUrl, { username: 'stdin@example.com', password: good }), '0')
  const ofMerchant = 'Other-Shop-7!\n'
  for (const line of ['add 2 two@example.com --stdin', 'password other@tollgate.test new --stdin'])
    assert.match((await users(line, ofMerchant)).err, /easy to guess/)
})

test('the last live password may be retired, with a warning', async () => {
  await users('add 1 last@example.com')

  const { code, err } = await users('password last@example.com retire 1')

  assert.equal(code, 0)
  assert.equal(err, 'Warning: last@example.com has no active password.')
  assert.match((await users('')).out, /^last@example\.com: .*\n {2}no active password$/m)
})

test('the right to read events is given and taken once, and is in the audit log and the list', async () => {
  await users('add 1 reader@example.com')

  const taken = await users('events reader@example.com off')
  const again = await users('events reader@example.com off')

  assert.deepEqual([taken.code, again.code], [0, 1])
  assert.match((await users('')).out, /^reader@example\.com: .*from everywhere$/m)
  assert.equal((await users('events reader@example.com on')).code, 0)
  assert.match((await users('')).out, /^reader@example\.com: .*, reads events$/m)
  const done = await operations('reader@example.com')
  assert.deepEqual(
    done.filter((operation) => operation.startsWith('user.api_set')),
    ['user.api_set done', 'user.api_set done'],
  )
})

test('a rate limit of its own is set once, replaced by that of the installation, and on record', async () => {
  await users('add 1 fast@example.com')

  const set = await users('rate fast@example.com 5 20')
  const again = await users('rate fast@example.com 5 20')
  const wrong = await users('rate fast@example.com 5 18001')

  assert.deepEqual([set.code, again.code, wrong.code], [0, 1, 1], set.err)
  assert.match(wrong.err, /burst is 18001; with 5 a second it must be at most 18000/)
  const own = /^fast@example\.com: .*, 5 requests a second, and 20 at once$/m
  assert.match((await users('')).out, own)
  assert.equal((await users('rate fast@example.com default')).code, 0)
  assert.doesNotMatch((await users('')).out, own)
  const { rows } = await gateway.pool.query<{ details: string }>(
    `select details from audit_entries where operation = 'user.rate_set' order by number`,
  )
  const rate = '5 a second, 20 at once'
  assert.deepEqual(
    rows.map(({ details }) => JSON.parse(details) as unknown),
    [
      { before: null, after: rate },
      { before: rate, after: null },
    ],
  )
})

for (const line of [
  'rate x 5',
  'rate x five 20',
  'ad 1 x@example.com',
  'add 1',
  'add one x@example.com',
  'password x',
  'allow x',
  'list x',
  'disable',
  'allow x everywhere 192.0.2.1',
  'list --stdin',
  'add 1 x --json',
]) {
  test(`"users ${line}" is answered with how it is used`, async () => {
    const { code, err } = await users(line)
    assert.equal(code, 1)
    assert.match(err, /^Usage:/)
  })
}

test('the program itself reads the password from its standard input', async () => {
  const cli = builtProgram(new URL('../../packages/tollgate/src/cli.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    ['--conditions=tollgate-source', cli, 'users', 'add', '1', 'piped@example.com', '--stdin'],
    { env: { ...CHILD_ENVIRONMENT, ...settings() }, cwd: tmpdir() },
  )
  let output = ''
  child.stdout.on('data', (text) => (output += String(text)))
  child.stderr.on('data', (text) => (output += String(text)))
  child.stdin.end('Chosen-by-somebody-2\n')
  const [code] = (await once(child, 'close')) as [number]

  assert.equal(code, 0, output)
  const login = { username: 'piped@example.com', password: 'Chosen-by-somebody-2' }
  assert.equal(await logIn(gateway.baseUrl, login), '0')
})
