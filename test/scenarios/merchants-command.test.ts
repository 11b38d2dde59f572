import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sweepAccountVolumes } from '../../packages/gateway/src/adapters/postgres/payments/account-volume-store.ts'
import { PUBLISHED_SITES } from '../../packages/gateway/src/http/sandbox/published-sites.ts'
import { accounts } from '../../packages/tollgate/src/accounts-command.ts'
import { runCommand } from '../../packages/tollgate/src/command.ts'
import { merchants } from '../../packages/tollgate/src/merchants-command.ts'
import { sites } from '../../packages/tollgate/src/operator-commands.ts'
import type { OperatorCommand } from '../../packages/tollgate/src/operator-work.ts'
import { portalUsers } from '../../packages/tollgate/src/portal-users-command.ts'
import { createUsersCommand } from '../../packages/tollgate/src/users-command.ts'
import { bankOrder } from '../support/bank-books.ts'
import { untilSeen } from '../support/eventually.ts'
import { logIn } from '../support/logins.ts'
import { ask, codes, monthly, sale } from '../support/memberships.ts'
import { outcome, payment, untilRow } from '../support/payments.ts'
import { OTHER_OWNER, signIn } from '../support/portal.ts'
import { chargesOf, membershipOf, startMembership, untilCharged } from '../support/renewals.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { tokenRequest } from '../support/tokens.ts'

let gateway: RunningGateway
const folder = mkdtempSync(join(tmpdir(), 'tollgate-merchants-'))
before(async () => {
  gateway = await startRunningGateway()
})
after(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const COMMANDS: Readonly<Record<string, OperatorCommand>> = {
  merchants,
  sites,
  accounts,
  'portal-users': portalUsers,
  users: createUsersCommand(() => Promise.resolve('')),
}

/** Runs a command as an operator types it, and gives the lines that it prints. */
async function tollgate(name: string, ...args: readonly string[]): Promise<string> {
  const lines: string[] = []
  const command = COMMANDS[name]
  assert.ok(command)
  const code = await runCommand(command, args, {
    env: { DATABASE_URL: gateway.databaseUrl, VAULT_KEY: gateway.vaultKey.reveal() },
    print: (line) => void lines.push(line),
    complain: (line) => void lines.push(line),
  })
  return [...lines, `exit ${code}`].join('\n')
}

async function operations(merchantId: number): Promise<string[]> {
  const { rows } = await gateway.pool.query<{ operation: string }>(
    `select operation from audit_entries
      where merchant_id = $1 and actor like 'operator:%' order by number`,
    [merchantId],
  )
  return rows.map(({ operation }) => operation)
}

test('a merchant is taken from nothing to its first payment by commands', async () => {
  assert.equal(
    await tollgate('merchants', 'create', 'Corner Shop', '--time-zone', 'Europe/Berlin'),
    'Merchant 81 was created.\nNext, give it a site: tollgate sites create 81 <name>\nexit 0',
  )
  assert.match(
    await tollgate('sites', 'create', '81', 'corner.example', '--currency', 'EUR'),
    /^Site 9011 of merchant 81 was created, in test mode\.\n/,
  )
  const file = join(folder, 'account.json')
  const account = {
    id: 2004,
    merchantId: 81,
    mode: 'test',
    sites: [9011],
    currencies: ['EUR'],
    processorName: 'The bundled bank',
    acquirerId: '414000',
    acquirerMerchantId: 'CORNER2004',
    categoryCode: '5999',
    name: 'Corner Shop',
    city: 'Berlin',
    country: 'DE',
  }
  writeFileSync(file, JSON.stringify(account))
  assert.equal(await tollgate('accounts', 'put', file), 'Account 2004 was created.\nexit 0')
  writeFileSync(file, JSON.stringify({ ...account, currencies: ['USD'] }))
  assert.match(
    await tollgate('accounts', 'put', file),
    /EUR is the default currency of a site that has no other account for it\.\nNothing was changed\.\nexit 1$/,
  )
  const anna = ['add', '81', 'anna@corner.example', 'owner', 'Anna', 'Berg']
  assert.match(await tollgate('portal-users', ...anna), /exit 0$/)
  const made = await tollgate('users', 'add', '81', 'shop@corner.example')
  const password = /shown only now: (\S+)$/m.exec(made)?.[1] ?? ''

  const paid = await ask(gateway, {
    ...sale(),
    REQ_USERNAME: 'shop@corner.example',
    REQ_PASSWORD: password,
    SITE_ID: '9011',
  })
  assert.equal(codes(paid), 'APPROVED 0/100')
  assert.equal(paid['MERCH_ACCT_ID'], '2004')

  assert.match(await tollgate('merchants', 'rename', '81', 'Corner Store'), /exit 0$/)
  assert.match(await tollgate('sites', 'rename', '9011', 'store.example'), /exit 0$/)
  const shown = await tollgate('merchants', 'show', '81')
  assert.match(shown, /^81 Corner Store: enabled\n {2}created \S+, time zone Europe\/Berlin\n/)
  assert.match(
    shown,
    /\n {2}site 9011 store\.example: test, strict, EUR, accounts 2004, no token key\n/,
  )
  assert.match(
    shown,
    /\n {2}account 2004 The bundled bank: test, the bundled bank, EUR, sites 9011\n/,
  )
  assert.match(
    shown,
    /\n {2}API users: shop@corner\.example\n {2}portal users: anna@corner\.example \(owner\)\n/,
  )
  assert.match(await tollgate('accounts', 'show', '2004'), /, Berlin, DE\n/)
  assert.match(await tollgate('merchants'), /\n81 Corner Store: enabled, 1 site, 0 live\n/)
  const listed = JSON.parse((await tollgate('sites', 'list', '--json')).replace(/exit 0$/, ''))
  assert.deepEqual(
    (listed as { id: number }[]).map(({ id }) => id),
    [1001, 1002, 1003, ...PUBLISHED_SITES.map(({ id }) => id), 9011],
  )
  assert.deepEqual(await operations(81), [
    'merchant.created',
    'site.created',
    'account.put',
    // Refused.
    'account.put',
    'portal_user.invited',
    'user.made',
    'user.password_made',
    'merchant.renamed',
    'site.settings_set',
  ])
})

test('a wrong id, name, zone or merchant is refused with a sentence, and nothing is created', async () => {
  assert.match(
    await tollgate('merchants', 'create', 'Shop', '--id', '1'),
    /^Merchant 1 exists already\. Choose another id, or none\.\nNothing was changed\.\nexit 1$/,
  )
  assert.match(
    await tollgate('merchants', 'create', 'Shop', '--time-zone', 'Moon'),
    /^The time zone Moon is not known\./,
  )
  assert.match(await tollgate('merchants', 'create', 'Shop', '--id', '0'), /^--id must be/)
  assert.match(await tollgate('sites', 'create', '99', 'shop'), /^Merchant 99 does not exist/)
  assert.match(await tollgate('merchants', 'disable', '1'), /--reason is missing\.\nexit 1$/)
  assert.match(await tollgate('merchants', 'enable', '1'), /^Merchant 1 is not disabled\./)
  for (const name of ['merchants', 'sites', 'accounts'])
    assert.match(await tollgate(name, 'show', '99'), /does not exist/)
})

test('one command stops payments, tokens, renewals and the portal, and another lets them go on', async () => {
  const owner = await signIn(gateway)
  const held = await gateway.client().authorize(payment('12.00'))
  const membership = await startMembership(gateway, { dueAt: new Date('2090-01-01T00:00:00Z') })
  const other = await ask(gateway, { ...credentials(1002), ...sale(monthly('Other product')) })

  assert.match(
    await tollgate('merchants', 'disable', '1', '--reason', 'stolen cards'),
    /^Merchant 1 was disabled, and 1 portal session ended\.\n.*\nexit 0$/,
  )

  // The portal reads the state each time; requests are refused once a process has read it again.
  assert.equal((await owner.get('/session')).status, 401)
  // A sign-in at the very moment could have left an open one.
  const { rows: ended } = await gateway.pool.query<{ id: string }>(
    'update portal_sessions set ended_at = null where ended_at is not null returning id',
  )
  assert.equal((await owner.get('/session')).status, 401)
  await gateway.pool.query('update portal_sessions set ended_at = now() where id = any($1)', [
    ended.map(({ id }) => id),
  ])
  await assert.rejects(() => signIn(gateway), /Your merchant is disabled\. Ask the operator/)
  const refused = await untilSeen(
    'payments of the merchant are refused',
    () => gateway.client().authorize(payment('1.00')),
    ({ status }) => status !== 'APPROVED',
  )
  assert.equal(outcome(refused), 'REFUSED 102/0')
  const token = await untilSeen(
    'card tokens of the merchant are refused',
    async () => {
      const { form, headers } = tokenRequest()
      const url = new URL('/payment/token_service.cfm', gateway.baseUrl)
      return (await fetch(url, { method: 'POST', body: form, headers })).text()
    },
    (text) => text.includes('No secret key'),
  )
  assert.match(token, /No secret key for this SITE_ID/)

  // Promises to the bank are kept: an expired authorization is still reversed.
  await gateway.pool.query(
    `update orders set expires_at = now() - interval '1 second' where id = $1`,
    [held.orderId],
  )
  await untilSeen(
    'the bank has released the authorization',
    () => bankOrder(gateway, held.orderId),
    (order) => order?.state !== 'held',
  )

  // Clocks of its test sites stand still, unlike those of another merchant.
  await gateway.pool.query(
    `insert into site_clocks (site_id, site_at, real_at, changed_by)
     values (1002, now(), now(), 'test'), (1003, now(), now(), 'test')`,
  )
  await untilRow(
    gateway,
    "the other merchant's clock is looked after",
    'select 1 from site_clocks where site_id = 1002 and lease > 0',
  )
  const clocks = await gateway.pool.query(
    'delete from site_clocks returning site_id, lease > 0 as ran',
  )
  assert.deepEqual(
    clocks.rows.toSorted((left, right) => left.site_id - right.site_id).map(({ ran }) => ran),
    [true, false],
  )

  // Renewals wait, also those of several missed periods; those of other merchants do not.
  await gateway.pool.query(
    `update memberships set anchor_at = now() - interval '100 days', next_at = now() - interval '70 days'
      where id = $1`,
    [membership.id],
  )
  await gateway.pool.query('update memberships set next_at = now() where id = $1', [
    other['MBSHP_ID_1'],
  ])
  await untilCharged(gateway, other['MBSHP_ID_1'] ?? '')
  assert.deepEqual(await chargesOf(gateway, membership.id), [])
  assert.equal((await signIn(gateway, OTHER_OWNER)).session.merchant.id, '2')
  assert.equal(outcome(await gateway.client(1002).authorize(payment('2.00'))), 'APPROVED 0/100')
  assert.match(
    await tollgate('merchants'),
    /\n?1 Demo Shop: disabled at \S+ by operator:\S+: "stolen cards", 2 sites, 0 live\n/,
  )
  assert.match(
    await tollgate('merchants', 'disable', '1', '--reason', 'once more'),
    /^Merchant 1 is disabled already: by operator:\S+ at \S+, "stolen cards"\./,
  )

  assert.match(await tollgate('merchants', 'enable', '1'), /^Merchant 1 was enabled; .*exit 0$/s)

  await untilRow(
    gateway,
    'the missed periods are charged',
    `select 1 from membership_charges where membership_id = $1 and outcome = 'approved'`,
    [membership.id],
  )
  const { next_at: nextAt, state } = await membershipOf(gateway, membership.id)
  assert.equal(state, 'active')
  assert.ok(nextAt !== null && nextAt > new Date(), 'the next renewal is a future one')
  assert.equal((await chargesOf(gateway, membership.id)).length, 1)
  await untilSeen(
    'the API user is let in',
    () => logIn(gateway.baseUrl, credentialsOf()),
    (code) => code === '0',
  )
  await signIn(gateway)
  assert.equal((await owner.get('/session')).status, 401)
  assert.deepEqual(
    (await operations(1)).filter((operation) => operation.startsWith('merchant.')),
    ['merchant.disabled', 'merchant.enabled'],
  )
})

test('an account takes no more than its limits, however many payments come at once', async () => {
  const shop = gateway.client(1002)
  const pay = async (amount: string, country = 'DE'): Promise<string> =>
    outcome(
      await shop.sale(
        payment(amount, { more: country === '' ? {} : { BILL_ADDR_COUNTRY: country } }),
      ),
    )
  for (const args of [
    ['limit', '2002', 'USD', '--payment', '50', '--day', '100.00'],
    ['countries', '2002', 'allow', 'DE', 'AT'],
  ])
    assert.match(await tollgate('accounts', ...args), /^The .* of account 2002 .*exit 0$/s)
  await untilSeen(
    'the limits apply',
    () => pay('1.00', 'US'),
    (seen) => seen !== 'APPROVED 0/100',
  )

  assert.equal(await pay('50.01'), 'DECLINED 0/540')
  assert.equal(await pay('20.00', 'US'), 'DECLINED 0/601')
  assert.equal(await pay('20.00', ''), 'DECLINED 0/201')
  const paid = await Promise.all(Array.from({ length: 6 }, () => pay('30.00')))
  assert.deepEqual(
    paid.toSorted(),
    [...Array(3).fill('APPROVED 0/100'), ...Array(3).fill('DECLINED 0/215')].toSorted(),
  )
  assert.equal(await pay('5.30'), 'DECLINED 0/530', 'the bank declines this amount')
  assert.equal(await pay('10.00'), 'APPROVED 0/100')
  assert.match(
    await tollgate('accounts', 'show', '2002'),
    /\n {2}limit: 50\.00 USD a payment; 100\.00 USD a day, 100\.00 USD today\n {2}billing countries: only AT, DE\n/,
  )

  assert.match(
    await tollgate('accounts', 'limit', '2002', 'CHF', '--day', '1'),
    /^Account 2002 does not take CHF\. It takes USD, EUR, GBP, JPY, KWD\./,
  )
  assert.match(
    await tollgate('accounts', 'limit', '2002', 'USD', '--day', '1.234'),
    /^--day is "1\.234"; expected an amount in USD/,
  )
  await tollgate('accounts', 'limit', '2002', 'USD', '--payment', 'none', '--day', 'none')
  await tollgate('accounts', 'countries', '2002', 'any')
  await untilSeen(
    'payments have no limit',
    () => pay('60.00', 'US'),
    (seen) => seen === 'APPROVED 0/100',
  )
  const { rows } = await gateway.pool.query<{ details: string }>(
    `select details from audit_entries where operation = 'account.limits_set' order by number`,
  )
  assert.equal(rows.length, 4)
  assert.deepEqual(JSON.parse(JSON.parse(rows[0]?.details ?? '').after), {
    amounts: { USD: { payment: '5000', day: '10000' } },
    countries: null,
  })
})

function credentialsOf(): { username: string; password: string } {
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  return { username, password }
}

test('the volume of a day is kept for 400 days, and the sweep leaves the others', async () => {
  await gateway.pool.query(
    `insert into account_volumes (merchant_id, merchant_account_id, currency, day, volume_minor)
     select 1, 2002, 'USD', current_date - days, days from unnest(array[398, 402, 5000]) as days`,
  )
  assert.equal(await sweepAccountVolumes(gateway.pool), false)
  const { rows } = await gateway.pool.query<{ volume_minor: string }>(
    `select volume_minor from account_volumes where day < current_date - 300`,
  )
  assert.deepEqual(rows, [{ volume_minor: '398' }])
})
