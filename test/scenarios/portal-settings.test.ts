import { createTokenClient } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { auditedAsDone } from '../support/audit.ts'
import { untilSeen } from '../support/eventually.ts'
import { outcome, payment, untilRow, VISA } from '../support/payments.ts'
import { addPortalUser, signIn, OTHER_OWNER, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

suite('settings in the portal', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  let admin: SignedInUser
  let adminEmail: string
  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
    const portalUser = await addPortalUser(gateway, 'admin')
    adminEmail = portalUser.email
    admin = await signIn(gateway, portalUser)
  })
  after(() => gateway?.stop())

  const site = async () => (await owner.get('/settings/sites/1001')).body
  /** The newest entry of the audit log for an operation. */
  const entry = (operation: string) =>
    untilRow(
      gateway,
      `there is an entry ${operation}`,
      'select * from audit_entries where operation = $1 order by number desc limit 1',
      [operation],
    )

  test('lists hold what belongs to the own merchant alone', async () => {
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    const lists = await Promise.all([
      otherOwner.get('/settings/sites'),
      otherOwner.get('/settings/api-users'),
    ])
    assert.deepEqual(
      lists[0].body.sites.map(({ id }: { id: string }) => id),
      ['1002'],
    )
    assert.deepEqual(
      lists[1].body.users.map(({ name }: { name: string }) => name),
      ['other@tollgate.test'],
    )
  })

  test('finance sees the settings, finance and developers cannot change them, and support sees none', async () => {
    const reader = await signIn(gateway, await addPortalUser(gateway, 'finance'))
    const developer = await signIn(gateway, await addPortalUser(gateway, 'developer'))
    const support = await signIn(gateway, await addPortalUser(gateway, 'support'))
    const change = { changes: { name: 'X' }, seen: {} }

    assert.equal((await reader.get('/settings/sites/1001')).status, 200)
    assert.equal((await reader.put('/settings/sites/1001', change)).status, 403)
    assert.equal((await developer.put('/settings/sites/1001', change)).status, 403)
    assert.equal((await developer.post('/settings/sites/1001/token-keys')).status, 403)
    assert.equal((await reader.post('/settings/api-users', { name: 'abc' })).status, 403)
    // With its password they could refund without a limit.
    assert.equal((await developer.post('/settings/api-users', { name: 'abc' })).status, 403)
    assert.equal((await support.get('/settings/sites')).status, 403)
  })

  test('a change is in force for the next payments, and the audit log has the user and both values', async () => {
    const before = (await site()).settings
    const changed = await admin.put('/settings/sites/1003', {
      changes: { cvvRequired: true, avsMode: 'T', avsMatchSet: 'Y' },
      seen: { cvvRequired: false, avsMode: before.avsMode, avsMatchSet: before.avsMatchSet },
    })

    assert.equal(changed.status, 200, changed.text)
    assert.equal(changed.body.settings.avsMode, 'T')
    assert.ok(changed.body.changeDelaySeconds <= 5)
    const {
      actor,
      address,
      object,
      details,
      merchant_id: merchant,
    } = await entry('site.settings_set')
    assert.deepEqual([actor, object, merchant], [`portal:${adminEmail}`, 'site 1003', '1'])
    assert.match(String(address), /127\.0\.0\.1/)
    assert.deepEqual(JSON.parse(JSON.parse(String(details)).after), {
      cvvRequired: true,
      avsMode: 'T',
      avsMatchSet: 'Y',
    })
    assert.equal(JSON.parse(JSON.parse(String(details)).before).avsMode, 'I')
    const answer = await untilSeen(
      'the site takes no payment without a security code',
      () => gateway.client(1003).authorize(payment('10.00')),
      ({ status }) => status !== 'APPROVED',
    )
    assert.equal(answer.refField, 'PMT_KEY', outcome(answer))
  })

  test('a change to values that another user changed meanwhile is refused, and changes nothing', async () => {
    const { settings } = await site()
    const theirs = await admin.put('/settings/sites/1001', {
      changes: { name: 'Theirs' },
      seen: { name: settings.name },
    })
    assert.equal(theirs.status, 200)

    const mine = await owner.put('/settings/sites/1001', {
      changes: { name: 'Mine' },
      seen: { name: settings.name },
    })
    assert.equal(mine.status, 409)
    assert.equal(mine.body.error.code, 'changed_meanwhile')
    assert.equal((await site()).settings.name, 'Theirs')
    const other = await owner.put('/settings/sites/1001', {
      changes: { renewalRetryDays: [2, 4] },
      seen: { renewalRetryDays: null },
    })
    assert.equal(other.status, 200, 'what they did not touch may be changed')
    const { threeDs } = await site()
    const stale = {
      policy: { ...threeDs, required: true },
      seen: { ...threeDs, paResRequired: true },
    }
    assert.equal((await owner.put('/settings/sites/1001/three-ds', stale)).status, 409)
    assert.equal(
      (await owner.put('/settings/sites/1001/token-origins', { origins: [], seen: [] })).status,
      409,
    )
    assert.equal(
      (await owner.put('/settings/sites/1001/catalogue', { catalogue: 'strict', seen: 'strict' }))
        .status,
      409,
    )
    assert.equal((await site()).catalogue, 'open')
  })

  for (const [what, changes, field] of [
    ['an empty name', { name: '' }, 'name'],
    ['a name with a blank at its end', { name: 'Shop ' }, 'name'],
    ['a name that could be a card number', { name: 'Shop 4111111111111111' }, 'name'],
    [
      'a product that could be a card number',
      { defaultProduct: '4111-1111-1111-1111' },
      'defaultProduct',
    ],
    ['a currency that no account of the site takes', { defaultCurrency: 'CHF' }, 'defaultCurrency'],
    ['a currency that there is not', { defaultCurrency: 'ZZZ' }, 'defaultCurrency'],
    ['a letter that AVS does not know', { avsMatchSet: 'Y1' }, 'avsMatchSet'],
    ['a letter twice', { cvvMatchSet: 'MM' }, 'cvvMatchSet'],
    ['days that are not in sequence', { renewalRetryDays: [3, 2] }, 'renewalRetryDays'],
    ['a day after the thirtieth', { renewalRetryDays: [31] }, 'renewalRetryDays'],
    ['a product id with a line break', { defaultProduct: 'a\nb' }, 'defaultProduct'],
  ] as const) {
    test(`${what} is refused at its field`, async () => {
      const before = await site()
      const { status, body } = await owner.put('/settings/sites/1001', { changes, seen: {} })
      assert.deepEqual([status, body.error.field], [400, field])
      assert.deepEqual((await site()).settings, before.settings)
    })
  }

  test('a default currency waits for a change of the account that takes it, and is then refused', async () => {
    const before = await site()
    const operator = await gateway.pool.connect()
    try {
      // As the console changes the details of an account.
      await operator.query('begin')
      await operator.query('select from merchant_accounts where id = 2001 for no key update')
      await operator.query(`update merchant_accounts set currencies = '{USD}' where id = 2001`)
      const change = { changes: { defaultCurrency: 'JPY' }, seen: {} }
      const answer = owner.put('/settings/sites/1001', change)
      await untilRow(
        gateway,
        'the settings wait for the account',
        `select 1 from pg_stat_activity
          where wait_event_type = 'Lock' and query like '%from merchant_accounts%for share%'`,
      )
      await operator.query('commit')
      const { status, body } = await answer
      assert.deepEqual([status, body.error.field], [400, 'defaultCurrency'])
    } finally {
      operator.release(true)
      await gateway.pool.query(
        `update merchant_accounts set currencies = '{USD,EUR,GBP,JPY,KWD}' where id = 2001`,
      )
    }
    assert.deepEqual((await site()).settings, before.settings)
  })

  test('the database itself keeps values out that the program would refuse', async () => {
    const set = (text: string) => gateway.pool.query(`update sites set ${text} where id = 1001`)
    for (const text of [
      `name = ' '`,
      `default_currency = 'usd'`,
      `avs_match_set = 'A1'`,
      `renewal_retry_days = '{31}'`,
      `default_product = ''`,
    ]) {
      await assert.rejects(set(text), /violates check constraint/, text)
    }
  })

  test('3-D Secure, catalogue and origins have the checks and audit entries of the commands', async () => {
    const { threeDs, tokens } = await site()
    const policy = {
      ...threeDs,
      required: true,
      challengePreference: '03',
      returnHosts: ['shop.example'],
    }
    assert.equal(
      (await admin.put('/settings/sites/1001/three-ds', { policy, seen: threeDs })).status,
      200,
    )
    const wrongHost = await admin.put('/settings/sites/1001/three-ds', {
      policy: { ...policy, returnHosts: ['https://x'] },
      seen: policy,
    })
    assert.deepEqual([wrongHost.status, wrongHost.body.error.field], [400, 'returnHosts'])
    assert.equal(
      (await admin.put('/settings/sites/1001/three-ds', { policy: threeDs, seen: policy })).status,
      200,
    )
    const wrong = await admin.put('/settings/sites/1001/token-origins', {
      origins: ['http://shop.example'],
      seen: tokens.origins,
    })
    assert.deepEqual([wrong.status, wrong.body.error.field], [400, 'origins'])
    const origins = ['https://shop.example']
    assert.equal(
      (await admin.put('/settings/sites/1001/token-origins', { origins, seen: tokens.origins }))
        .status,
      200,
    )
    assert.equal(
      (await admin.put('/settings/sites/1001/catalogue', { catalogue: 'strict', seen: 'open' }))
        .status,
      200,
    )

    for (const operation of ['site.three_ds_set', 'site.token_origins_set', 'site.catalogue_set']) {
      assert.deepEqual(
        [(await entry(operation))['actor'], (await entry(operation))['object']],
        [`portal:${adminEmail}`, 'site 1001'],
      )
    }
    const product = await admin.put('/settings/sites/1001', {
      changes: { defaultProduct: 'none' },
      seen: {},
    })
    assert.equal(product.body.error.field, 'defaultProduct')
    assert.equal(
      (await admin.put('/settings/sites/1001/catalogue', { catalogue: 'open', seen: 'strict' }))
        .status,
      200,
    )
  })

  test('rules are refused at the value that is wrong, tried on the past, and put in force under their revision', async () => {
    const rule = {
      name: 'card-attempts',
      subject: 'card',
      counts: 'attempts',
      limit: 1,
      windowSeconds: 3600,
      code: 601,
    }
    for (let at = 0; at < 3; at += 1) await gateway.client().authorize(payment('12.00'))
    await untilRow(
      gateway,
      'the requests are in the log',
      'select from requests having count(*) filter (where transaction_id is not null and site_id = 1001) >= 3',
    )

    const none = await admin.put('/settings/sites/1001/card-testing/mode', {
      mode: 'watch',
      seen: { mode: 'off', revision: 0 },
    })
    assert.equal(none.status, 400)
    const wrong = await admin.put('/settings/sites/1001/card-testing', {
      draft: { rules: [{ ...rule, limit: 0 }], exceptAddresses: [] },
      seenRevision: 0,
    })
    assert.deepEqual([wrong.status, wrong.body.error.field], [400, 'rules.0.limit'])
    const tried = await admin.post('/settings/sites/1001/card-testing/try', {
      rules: [rule],
      exceptAddresses: [],
    })
    assert.equal(tried.status, 200, tried.text)
    assert.deepEqual(
      [tried.body.refused, tried.body.refusedApproved, tried.body.byRule[0].rule],
      [2, 2, 'card-attempts'],
    )
    const draft = { rules: [rule], exceptAddresses: ['198.51.100.7'] }
    const put = await admin.put('/settings/sites/1001/card-testing', { draft, seenRevision: 0 })
    assert.equal(put.status, 200, put.text)
    assert.equal(
      (await owner.put('/settings/sites/1001/card-testing', { draft, seenRevision: 0 })).status,
      409,
    )
    const { revision } = put.body.cardTesting
    const setMode = (user: SignedInUser, mode: string, seen: object) =>
      user.put('/settings/sites/1001/card-testing/mode', { mode, seen })
    const blind = await setMode(owner, 'watch', { mode: 'off', revision: 0 })
    assert.deepEqual(
      [blind.status, blind.body.error.code],
      [409, 'changed_meanwhile'],
      'the rules are others than the page showed',
    )
    const watched = await setMode(owner, 'watch', { mode: 'off', revision })
    assert.equal(watched.body.cardTesting.mode, 'watch')
    assert.equal((await setMode(admin, 'enforce', { mode: 'off', revision })).status, 409)
    assert.equal((await site()).cardTesting.mode, 'watch')
    assert.equal((await entry('card_testing.put'))['actor'], `portal:${adminEmail}`)
  })

  test('past checks are counted by AVS and CVV result, without requests that had rules of their own', async () => {
    const { body } = await owner.get('/settings/sites/1001/past-checks')
    assert.equal(body.days, 7)
    const approved = body.groups.filter(
      ({ outcome }: { outcome: string }) => outcome === 'approved',
    )
    assert.ok(
      approved.reduce((sum: number, { payments }: { payments: number }) => sum + payments, 0) >= 3,
    )
  })

  test('the last 7 days of checks and of velocity rules go by the clock of the site', async () => {
    const rule = { name: 'a', subject: 'card', counts: 'attempts', limit: 1, windowSeconds: 60 }
    const counted = async (): Promise<readonly number[]> => {
      const { groups } = (await owner.get('/settings/sites/1001/past-checks')).body
      const tried = await owner.post('/settings/sites/1001/card-testing/try', {
        rules: [{ ...rule, code: 601 }],
        exceptAddresses: [],
      })
      const checked = groups.reduce((sum: number, { payments }: Payments) => sum + payments, 0)
      return [checked, tried.body.payments]
    }
    interface Payments {
      readonly payments: number
    }
    const before = await counted()
    assert.ok((before[0] ?? 0) > 0 && (before[1] ?? 0) > 0, String(before))

    await gateway.pool.query(
      `insert into site_clocks (site_id, site_at, real_at, speed, changed_by) values (1001, now() + interval '40 days', now(), 1, 'test')`,
    )
    assert.deepEqual(await counted(), [0, 0])
    await gateway.pool.query(
      `update transactions set created_at = created_at + interval '39 days' where order_id in (select id from orders where site_id = 1001)`,
    )
    assert.deepEqual(await counted(), before)
    await gateway.pool.query('delete from site_clocks')
    assert.deepEqual(await counted(), [0, 0], 'these payments are of the future')
    await gateway.pool.query(
      `update transactions set created_at = created_at - interval '39 days' where order_id in (select id from orders where site_id = 1001)`,
    )
  })

  test('a token key is shown once, works beside the older one, and stays when that is retired', async () => {
    const asked = (siteKey: string) =>
      createTokenClient({ baseUrl: gateway.baseUrl, siteId: 1003, siteKey }).createToken({
        cardNumber: VISA,
      })
    const made = await admin.post('/settings/sites/1003/token-keys')
    assert.match(made.body.key, /^[A-Za-z0-9_-]{43}$/)
    assert.ok(await asked(made.body.key))
    assert.ok(await asked('sandbox-site-key-1003'))
    assert.equal((await admin.post('/settings/sites/1003/token-keys')).status, 400)

    const retired = await admin.remove('/settings/sites/1003/token-keys/previous')
    assert.equal(retired.body.tokens.previous, null)
    assert.ok(!retired.text.includes(made.body.key))
    assert.equal((await admin.remove('/settings/sites/1003/token-keys/previous')).status, 400)
    const { rows } = await gateway.pool.query<{ text: string }>(
      `select string_agg(details, ' ') as text from audit_entries where operation like 'site.token_key%'`,
    )
    assert.ok(!rows[0]?.text.includes(made.body.key))
  })

  test('an API user is made, its password changed in two steps, held to networks, and disabled', async () => {
    const made = await admin.post('/settings/api-users', { name: 'web-shop' })
    assert.deepEqual([made.status, made.body.number, made.body.name], [200, 1, 'web-shop#1'])
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    for (const name of ['web-shop', 'web-shop#1', 'demo@tollgate.test'])
      assert.equal((await otherOwner.post('/settings/api-users', { name })).body.name, `${name}#2`)
    const shop = (password: string) =>
      createSingleRequestClient({
        baseUrl: gateway.baseUrl,
        username: 'web-shop#1',
        password,
        siteId: 1001,
      })
    const comesIn = async (password: string) =>
      (await shop(password).authorize(payment('1.00'))).raw['API_RESPONSE']
    assert.equal(await comesIn(made.body.password), '0')
    const again = await admin.post('/settings/api-users', { name: 'web-shop' })
    assert.deepEqual([again.status, again.body.error.field], [409, 'name'])

    const second = await admin.post('/settings/api-users/web-shop%231/passwords')
    assert.equal(second.body.number, 2)
    assert.equal((await admin.post('/settings/api-users/web-shop%231/passwords')).status, 409)
    assert.deepEqual(
      [await comesIn(made.body.password), await comesIn(second.body.password)],
      ['0', '0'],
    )
    const retired = await admin.remove('/settings/api-users/web-shop%231/passwords/1')
    assert.deepEqual(retired.body.live, [2])
    assert.equal(
      (await admin.remove('/settings/api-users/web-shop%231/passwords/99999999999')).status,
      404,
    )

    await untilRow(
      gateway,
      'its requests are in the log',
      `select from requests where username = 'web-shop#1'`,
    )
    const checked = await admin.post('/settings/api-users/web-shop%231/networks/check', {
      networks: ['192.0.2.0/24'],
    })
    assert.deepEqual(
      checked.body.shutOut.map(({ address }: { address: string }) => address),
      ['127.0.0.1'],
    )
    const none = await admin.post('/settings/api-users/web-shop%231/networks/check', {
      networks: ['192.0.2.0/24', '127.0.0.0/8'],
    })
    assert.deepEqual([none.body.networks, none.body.shutOut], [['192.0.2.0/24', '127.0.0.0/8'], []])
    const wrong = await admin.put('/settings/api-users/web-shop%231/networks', {
      networks: ['192.0.2.1/24'],
      seen: [],
    })
    assert.deepEqual([wrong.status, wrong.body.error.field], [400, 'networks'])
    assert.equal(
      (
        await admin.put('/settings/api-users/web-shop%231/networks', {
          networks: ['127.0.0.1'],
          seen: [],
        })
      ).status,
      200,
    )
    assert.equal(
      (await admin.put('/settings/api-users/web-shop%231/networks', { networks: [], seen: [] }))
        .status,
      409,
    )

    assert.equal((await admin.post('/settings/api-users/web-shop%231/disable')).status, 200)
    assert.equal((await admin.post('/settings/api-users/web-shop%231/disable')).status, 409)
    const { body } = await admin.get('/settings/api-users')
    const user = body.users.find(({ name }: { name: string }) => name === 'web-shop#1')
    assert.deepEqual(
      [user.state, user.allowedFrom, user.passwords.length],
      ['disabled', ['127.0.0.1/32'], 1],
    )
    assert.match(user.madeBy, /^portal:admin-/)
    assert.equal((await admin.post('/settings/api-users/web-shop%231/enable')).status, 200)
    const { rows } = await gateway.pool.query<{ operation: string }>(
      `select operation from audit_entries where object = 'api user web-shop#1' and actor like 'portal:%' order by number`,
    )
    assert.deepEqual(
      rows.map(({ operation }) => operation),
      [
        'user.made',
        'user.password_made',
        'user.password_made',
        'user.password_retired',
        'user.allowed_from',
        'user.disabled',
        'user.enabled',
      ],
    )
  })

  test('each of these operations is in the audit log as done', async () => {
    const operations = ['site.token_key_retired'] as const
    assert.deepEqual(await auditedAsDone(gateway.pool, operations), operations)
  })
})
