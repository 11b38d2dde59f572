import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { builtProgram } from '../../packages/tollgate/test/built-program.ts'
import { CHILD_ENVIRONMENT } from '../../packages/tollgate/test/child-environment.ts'
import { operatorSettings, runHere, type Ran } from '../support/command-line.ts'
import { untilSeen } from '../support/eventually.ts'
import {
  LIVE_INSTITUTION,
  liveAccountFile,
  startLiveAcquirer,
  type LiveAcquirer,
} from '../support/live-acquirer.ts'
import { outcome, payment, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const program = (path: string): string =>
  builtProgram(new URL(`../../packages/${path}`, import.meta.url))

let gateway: RunningGateway
/** Only its certificates are used: the acquirer of this file is a process of its own. */
let files: LiveAcquirer
let acquirer: ReturnType<typeof startProgram> | null = null
before(async () => {
  gateway = await startRunningGateway()
  files = await startLiveAcquirer('acme-live')
})
after(async () => {
  acquirer?.child.kill('SIGKILL')
  await gateway?.stop()
  await files?.stop()
})

function startProgram(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const child = spawn(process.execPath, ['--conditions=tollgate-source', program(path), ...args], {
    env: { ...CHILD_ENVIRONMENT, ...env },
    cwd: files.folder,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  child.stdout?.on('data', (text) => (output += String(text)))
  child.stderr?.on('data', (text) => (output += String(text)))
  return { child, output: () => output }
}

const tollgate = (...args: readonly string[]): Promise<Ran> =>
  runHere(args, operatorSettings(gateway, files.folder), files.folder)

function file(name: string, text: string): string {
  const path = join(files.folder, name)
  writeFileSync(path, text)
  return path
}

test('an operator takes a site live by commands, with an acquirer in a process of its own', async () => {
  acquirer = startProgram('bank/src/main.ts', [], {
    DATA_DIR: join(files.folder, 'acquirer'),
    BANK_PORT: '0',
    BANK_PROFILE: 'house-bcd',
    BANK_INSTITUTION_ID: LIVE_INSTITUTION,
    BANK_TRIGGERS: 'off',
    BANK_TLS_CERT: join(files.folder, 'server.pem'),
    BANK_TLS_KEY: join(files.folder, 'server.key'),
    BANK_TLS_CLIENT_CA: join(files.folder, 'ca.pem'),
  })
  const [{ port }] = (await once(acquirer.child, 'message')) as [{ port: number }]

  const refused = await tollgate(
    'links',
    'put',
    file('bad.json', files.linkFile({ window: 'wide' })),
  )
  const open = file(
    'open.json',
    files.linkFile({ addresses: ['iso.acme.example:8583'], tls: 'off' }),
  )
  const openRefused = await tollgate('links', 'put', open)
  const link = file('link.json', files.linkFile({ addresses: [`127.0.0.1:${port}`] }))
  const put = await tollgate('links', 'put', link)
  const early = await tollgate('sites', 'set-mode', '1001', 'live')
  const account = await tollgate('accounts', 'put', file('account.json', liveAccountFile()))
  await untilRow(
    gateway,
    'the link is up',
    `select 1 from processor_link_states where state = 'up'`,
  )
  const listed = await tollgate('links')
  const moved = await tollgate('sites', 'set-mode', '1001', 'live')

  assert.deepEqual(refused, {
    code: 1,
    output: 'window is "wide"; it must be a whole number from 1 to 4096.\nNothing was changed.\n',
  })
  assert.equal(openRefused.code, 1)
  assert.match(
    openRefused.output,
    /^The live link acme-live has "tls": "off", and card data would cross the network in plain text\./,
  )
  assert.deepEqual([put.code, put.output.split('\n')[0]], [0, 'Link acme-live was created.'])
  assert.equal(early.code, 1)
  assert.match(early.output, /^Site 1001 has no live account for USD, EUR, GBP, JPY, KWD\./)
  assert.deepEqual(account, { code: 0, output: 'Account 3001 was created.\n' })
  assert.match(listed.output, /^the bundled bank: test, /)
  assert.match(
    listed.output,
    /\nacme-live: live, 127\.0\.0\.1:\d+, profile house-bcd, institution 500001, TLS with client certificate, accounts 3001\n {2}\S+:\d+: up at 127\.0\.0\.1:\d+ since \S+, 0 in flight\n$/,
  )
  assert.doesNotMatch(listed.output, /BEGIN|KEY/)
  assert.equal(moved.code, 0)
  assert.match(
    moved.output,
    /\n {2}USD: account 3001, link acme-live \(was: account 2001, the bundled bank\)\n/,
  )
  // A trigger amount that the bundled bank declines.
  await untilRow(
    gateway,
    'the site is live',
    `select 1 from sites where id = 1001 and mode = 'live'`,
  )
  const answer = await untilSeen(
    'payments go to the live acquirer',
    () => gateway.client().authorize(payment('5.30')),
    ({ raw }) => raw['PROC_NAME'] === 'Acme Acquiring',
  )
  assert.equal(outcome(answer), 'APPROVED 0/100')
})

test('a misspelt command prints the usage, and a bank with invalid settings states why it does not start', async () => {
  assert.match(
    (await tollgate('sites', 'set-mode', '1001', 'prod')).output,
    /^Usage: tollgate sites /,
  )
  assert.match(
    (await tollgate('links', 'put', 'gone.json')).output,
    /^The file gone\.json cannot be read/,
  )

  const bank = startProgram('bank/src/main.ts', [], {
    DATA_DIR: files.folder,
    BANK_PORT: '0',
    BANK_PROFILE: 'bcd',
    BANK_TRIGGERS: 'no',
    BANK_TLS_CERT: 'gone.pem',
  })
  const [code] = (await once(bank.child, 'close')) as [number]

  assert.equal(code, 1)
  // With a message channel it logs as under the supervisor: one line.
  const { level, msg } = JSON.parse(bank.output()) as {
    readonly level: number
    readonly msg: string
  }
  assert.equal(level, 60)
  assert.equal(
    msg,
    'BANK_PROFILE is "bcd"; it must be house or house-bcd.\n' +
      'BANK_TRIGGERS is "no"; it must be on or off.\n' +
      'BANK_TLS_CERT and BANK_TLS_KEY belong together, and BANK_TLS_CLIENT_CA needs both.',
  )
})

test('products are added from options and from a file, switched off, and on record', async () => {
  const gold = [
    '--name',
    'Gold',
    '--type',
    '2',
    '--metric',
    'M',
    '--period',
    '1',
    '--price',
    '19.95',
    '--currency',
    'USD',
  ]
  assert.match(
    (await tollgate('products', '1001', 'add', 'gold', ...gold)).output,
    /^Product gold was added\./,
  )
  const products = file(
    'products.json',
    '[{"id": 77, "name": "Book"}, {"id": "pass", "name": "Pass", "type": 1, "metric": "D", "period": 30, "price": "5.00", "currency": "USD"}]',
  )
  assert.match(
    (await tollgate('products', '1001', 'add', products)).output,
    /^The products were added\./,
  )
  assert.match(
    (await tollgate('products', '1001', 'deactivate', 'pass')).output,
    /^Product pass is inactive/,
  )
  const { output } = await tollgate('products', '1001')
  assert.match(output, /^The catalogue of site 1001 is open: any product can be sold\.$/m)
  assert.match(output, /^  77: Book, sold once$/m)
  assert.match(output, /^  gold: Gold, 19\.95 USD every 1 M, 0 memberships$/m)
  assert.match(output, /^  pass: Pass, 5\.00 USD once for 30 D, 0 memberships, not active$/m)
  assert.match(
    (await tollgate('products', '1001', 'activate', 'pass')).output,
    /^Product pass is active/,
  )
  assert.match(
    (await tollgate('products', '1001', 'catalogue', 'strict')).output,
    /^The catalogue is strict\./,
  )
  assert.match(
    (await tollgate('products', '1001', 'catalogue', 'open')).output,
    /^The catalogue is open\./,
  )

  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [['add', 'gold', ...gold], /has a product gold already/],
    [['add', 'gilt', ...gold], /has a product of the same definition as gilt/],
    [
      ['add', 'tin', '--name', 'Tin', '--type', '3'],
      /Product tin: metric, period, price, currency missing/,
    ],
    [
      ['add', 'tin', ...gold.slice(0, 2), '--type', '3', ...gold.slice(4)],
      /Product tin: type must be 1/,
    ],
    [
      ['add', 'tin', ...gold.slice(0, 8), '--price', 'x', ...gold.slice(10)],
      /price is x; expected an amount of USD/,
    ],
    [
      ['add', 'tin', ...gold.slice(0, 8), '--price', '0', ...gold.slice(10)],
      /price must be above zero/,
    ],
    [['add', '4111111111111111', '--name', 'Tin'], /could be a card number/],
    [['deactivate', 'nothing'], /Site 1001 has no product nothing/],
    [['add'], /^Usage: tollgate products/],
    [['add', 'tin', '--colour', 'grey'], /^Usage: tollgate products/],
  ]
  for (const [words, complaint] of refused) {
    const { code, output } = await tollgate('products', '1001', ...words)
    assert.equal(code, 1, words.join(' '))
    assert.match(output, complaint)
    assert.doesNotMatch(output, /4111111111111111/)
  }
  assert.match((await tollgate('products', '4711')).output, /Site 4711 does not exist/)
  const { rows } = await gateway.pool.query<{ operations: string }>(
    `select string_agg(operation, ' ' order by number) as operations from audit_entries where operation like 'product.%' or operation like 'site.cat%'`,
  )
  assert.equal(
    rows[0]?.operations,
    'product.added product.added product.added product.deactivated product.activated site.catalogue_set site.catalogue_set',
  )
})

test('the audit log names the operator of a command beside its system user', async () => {
  const made = await tollgate('merchants', 'create', 'Named Shop', '--operator', 'anna')
  const odd = await tollgate('merchants', 'create', 'Odd Shop', '--operator', 'an na')

  assert.match(made.output, /^Merchant 81 was created\./)
  assert.match(odd.output, /^The operator's name is "an na"; .* Nothing was changed\.\n$/)
  const { rows } = await gateway.pool.query<{ actor: string }>(
    `select actor from audit_entries where operation = 'merchant.created'`,
  )
  assert.equal(rows.length, 1)
  assert.match(rows[0]?.actor ?? '', /^operator:anna\/[^/@]+@\S+$/)
})
