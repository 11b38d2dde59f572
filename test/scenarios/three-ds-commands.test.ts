import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { operatorSettings, runHere, type Ran } from '../support/command-line.ts'
import { EXPIRY, postForm, untilRow, VISA } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let folder: string
before(async () => {
  gateway = await startRunningGateway()
  folder = mkdtempSync(join(tmpdir(), 'tollgate-three-ds-commands-'))
})
after(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const tollgate = (...args: readonly string[]): Promise<Ran> =>
  runHere(args, operatorSettings(gateway, folder))

function shown(changes: Readonly<Record<string, string>> = {}): string {
  const values = {
    required: 'off',
    'when-unavailable': 'authorize',
    'pares-required': 'off',
    challenge: 'none',
    'return-hosts': 'any',
    ...changes,
  }
  const lines = Object.entries(values).map(([name, value]) => `  ${name.padEnd(16)}  ${value}\n`)
  return `Site 1001\n${lines.join('')}`
}

const WITHIN = 'Running gateways apply it within 2 seconds.\n'

test('each switch is set by its option and left alone without it, and the audit log has both states', async () => {
  const first = await tollgate('three-ds', '1001')
  const hosts = await tollgate('three-ds', '1001', '--return-hosts', 'Shop.example,192.0.2.1')
  const rest = await tollgate(
    'three-ds',
    '1001',
    '--required',
    'on',
    '--when-unavailable',
    'decline',
    '--pares-required',
    'on',
    '--challenge',
    '04',
  )
  const back = await tollgate(
    'three-ds',
    '1001',
    '--return-hosts',
    'any',
    '--challenge',
    'none',
    '--required=off',
  )
  const last = await tollgate('three-ds', '1001')
  const audit = await tollgate('audit', 'show', '--operation', 'site.three_ds_set')

  const listed = { 'return-hosts': 'shop.example,192.0.2.1' }
  const all = {
    required: 'on',
    'when-unavailable': 'decline',
    'pares-required': 'on',
    challenge: '04, challenge mandated',
  }
  const left = { 'when-unavailable': 'decline', 'pares-required': 'on' }
  assert.deepEqual(first, { code: 0, output: shown() })
  assert.deepEqual(hosts, { code: 0, output: shown(listed) + WITHIN })
  assert.deepEqual(rest, { code: 0, output: shown({ ...all, ...listed }) + WITHIN })
  assert.deepEqual(back, { code: 0, output: shown(left) + WITHIN })
  assert.deepEqual(last, { code: 0, output: shown(left) })
  assert.equal(audit.output.match(/site\.three_ds_set/g)?.length, 3)
  assert.match(audit.output, /"?challengePreference\\?"?:\\?"04/)
})

test('a misspelt or unknown option or value changes nothing, nor does a card number', async () => {
  const before = await tollgate('three-ds', '1001')
  for (const args of [
    [],
    ['0'],
    ['1001', 'now'],
    ['1001', '--required', 'yes'],
    ['1001', '--required'],
    ['1001', '--when-unavailable', 'refuse'],
    ['1001', '--pares-required', '1'],
    ['1001', '--challenge', '05'],
    ['1001', '--return-hosts', 'https://shop.example'],
    ['1001', '--return-hosts', 'shop.example:443'],
    ['1001', '--return-hosts', 'shop.example,'],
    ['1001', '--colour', 'red'],
    ['1001', '--required', 'on', '--challenge', 'x'],
  ]) {
    const { code, output } = await tollgate('three-ds', ...args)
    assert.deepEqual(
      [code, output.slice(0, 32)],
      [1, 'Usage: tollgate three-ds <SITE_I'],
      args.join(' '),
    )
  }
  const unknown = { code: 1, output: 'Site 77 does not exist.\n' }
  assert.deepEqual(await tollgate('three-ds', '77'), unknown)
  assert.deepEqual(await tollgate('three-ds', '77', '--required', 'on'), {
    code: 1,
    output: 'Site 77 does not exist.\nNothing was changed.\n',
  })
  assert.deepEqual(
    await tollgate('three-ds', '1001', '--return-hosts', '4111111111111111.example'),
    {
      code: 1,
      output: '411111******1111.example holds a card number.\nNothing was changed.\n',
    },
  )
  assert.deepEqual(await tollgate('three-ds', '1001'), before)
})

test('an account file takes an account into 3-D Secure and out again', async () => {
  const account = {
    id: 3105,
    merchantId: 1,
    mode: 'test',
    processorName: 'Acme',
    acquirerId: '100001',
    acquirerMerchantId: 'ACME3105',
    categoryCode: '5999',
    name: 'Shop',
    city: 'Springfield',
    country: 'US',
    currencies: ['USD'],
  }
  const threeDs = { requestorId: 'R-3105', requestorUrl: 'https://shop.example' }
  const put = async (change: object): Promise<string> => {
    const file = join(folder, 'account.json')
    writeFileSync(file, JSON.stringify({ ...account, ...change }))
    return (await tollgate('accounts', 'put', file)).output
  }
  const is = (condition: string): Promise<unknown> =>
    untilRow(gateway, condition, `select 1 from merchant_accounts where id = 3105 and ${condition}`)

  assert.equal(await put({ threeDs }), 'Account 3105 was created.\n')
  await is(`three_ds_requestor_id = 'R-3105' and three_ds_requestor_url = 'https://shop.example'`)
  const keeps = 'It keeps threeDs, because the file leaves that out.'
  assert.equal(await put({}), `Account 3105 was changed.\n${keeps}\n`)
  await is(`three_ds_requestor_id = 'R-3105' and three_ds_requestor_url = 'https://shop.example'`)
  assert.equal(await put({ threeDs: null }), 'Account 3105 was changed.\n')
  await is('three_ds_requestor_id is null and three_ds_requestor_url is null')

  const others = { brands: ['Visa'], requiredFields: ['email'], unreferencedCredits: true }
  assert.equal(await put(others), 'Account 3105 was changed.\n')
  assert.match(await put({}), /^It keeps unreferencedCredits, brands, requiredFields, because/m)
  await is(`brands = '{Visa}' and required_fields = '{email}' and unreferenced_credits`)
  const none = { brands: null, requiredFields: [], unreferencedCredits: false }
  assert.equal(await put(none), 'Account 3105 was changed.\n')
  await is(`brands is null and required_fields = '{}' and not unreferenced_credits`)
})

test('"tollgate help" lists the command', async () => {
  assert.match(
    (await tollgate('help')).output,
    /\n {2}three-ds +show or change the 3-D Secure settings of a site\n/,
  )
})

test('the query of the page for operators finds the payments that were done without 3-D Secure', async () => {
  const page = readFileSync(
    new URL('../../docs/operators/three-d-secure-switches.md', import.meta.url),
    'utf8',
  )
  const [, query = ''] = /```sql\n([\s\S]*?);\n```/.exec(page) ?? []
  const sale = {
    REQUEST_ACTION: 'CCAUTHCAP',
    PMT_NUMB: VISA,
    PMT_EXPIRY: EXPIRY,
    LI_VALUE_1: '1.00',
  }
  const browser = { P3DS_BROWSER_LANGUAGE: 'en-US', USER_AGENT_XTL: 'Mozilla/5.0' }
  await postForm(gateway, { ...sale, ...browser, REQUEST_ENROLLMENT: '1' })

  assert.deepEqual(await untilRow(gateway, 'the payment is logged', query), {
    site_id: '1001',
    warning: '3-D Secure was skipped: P3DS_BROWSER_HEADER is missing.',
    count: '1',
  })
})
