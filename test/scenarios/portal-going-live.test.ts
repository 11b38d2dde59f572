import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openOperator, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { auditedAsDone } from '../support/audit.ts'
import { eventually, untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { liveAccountFile, startLiveAcquirer, type LiveAcquirer } from '../support/live-acquirer.ts'
import { outcome, payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { addPortalUser, OWNER, signIn, OTHER_OWNER, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const NEW_PASSWORD = 'Known-to-one-4.14'

interface Line {
  readonly key: string
  readonly level: string
  readonly title: string
}

suite('a site goes live with two portal users', () => {
  let gateway: RunningGateway
  let live: LiveAcquirer
  let operator: Operator
  let owner: SignedInUser
  let second: SignedInUser
  let secondId: bigint
  before(async () => {
    gateway = await startRunningGateway()
    live = await startLiveAcquirer('acme-live')
    const { databaseUrl, vaultKey } = gateway
    operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
    owner = await signIn(gateway)
    const portalUser = await addPortalUser(gateway, 'admin')
    secondId = portalUser.id
    second = await signIn(gateway, portalUser)
  })
  after(async () => {
    await operator?.close()
    await gateway?.stop()
    await live?.stop()
  })

  const LIVE = '/settings/sites/1001/go-live'
  const dryRun = async (): Promise<{ digest: string; lines: Line[]; to: string }> =>
    (await owner.get(LIVE)).body.dryRun
  const blocks = async (): Promise<string[]> =>
    (await dryRun()).lines.filter(({ level }) => level === 'blocks').map(({ key }) => key)
  const ask = async (): Promise<string> => {
    const asked = await owner.post(LIVE, {
      digest: (await dryRun()).digest,
      reason: 'the shop opens',
    })
    assert.equal(asked.status, 200, asked.text)
    return asked.body.id
  }
  const stateOf = async (id: string): Promise<string> =>
    (await owner.get(LIVE)).body.requests.find((request: { id: string }) => request.id === id)
      ?.state
  const modeOf = async (): Promise<string> => (await owner.get('/settings/sites/1001')).body.mode
  const operationsOf = async (): Promise<string[]> => {
    const { rows } = await gateway.pool.query<{ line: string }>(
      `select operation || ' ' || split_part(actor, ':', 1) || ' ' || address as line from audit_entries
        where object = 'site 1001' and operation ~ 'go_live|mode_set' order by number`,
    )
    return rows.map(({ line }) => line)
  }
  let shop: SingleRequestClient
  let password = ''
  const clientOf = (baseUrl: string): SingleRequestClient =>
    createSingleRequestClient({ baseUrl, username: 'shop@live#1', password, siteId: 1001 })
  const accountOf = async (client: SingleRequestClient): Promise<string> => {
    const answer = await client.authorize(payment('1.00'))
    assert.equal(outcome(answer), 'APPROVED 0/100')
    return String(answer.raw['MERCH_ACCT_ID'])
  }
  const untilAccount = async (client: SingleRequestClient, account: string): Promise<void> => {
    await untilSeen(
      `payments go to account ${account}`,
      () => accountOf(client),
      (seen) => seen === account,
    )
  }

  test('it is refused while there is no live account, its link is down, or a key or password is a published one', async () => {
    assert.deepEqual((await blocks()).toSorted(), [
      'no_account',
      'published_portal_users',
      'published_token_key',
      'published_users',
    ])
    const refused = await owner.post(LIVE, { digest: (await dryRun()).digest })
    assert.equal(refused.status, 409)
    assert.match(refused.body.error.message, /No live merchant account/)

    assert.ok((await operator.putLink(live.linkFile(), live.folder)).ok)
    assert.ok((await operator.putAccount(liveAccountFile({ currencies: ['USD'] }))).ok)
    assert.ok((await blocks()).includes('currencies_lost'))
    assert.ok((await operator.putAccount(liveAccountFile())).ok)
    await untilRow(
      gateway,
      'the link is up',
      `select from processor_link_states where state = 'up'`,
    )
    assert.deepEqual((await blocks()).toSorted(), [
      'published_portal_users',
      'published_token_key',
      'published_users',
    ])

    const made = await owner.post('/settings/api-users', { name: 'shop@live' })
    password = made.body.password
    shop = clientOf(gateway.baseUrl)
    await owner.post('/settings/api-users/demo%40tollgate.test/disable')
    await owner.post('/settings/sites/1001/token-keys')
    await owner.remove('/settings/sites/1001/token-keys/previous')
    assert.deepEqual(await blocks(), ['published_portal_users'])
    const changed = await owner.put('/account/password', {
      password: OWNER.password,
      newPassword: NEW_PASSWORD,
    })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(await blocks(), [])
  })

  test('the dry run says who takes each currency, and what is missing for real payments', async () => {
    const { lines } = await dryRun()
    const titles = lines.filter(({ key }) => key === 'route').map(({ title }) => title)
    assert.ok(
      titles.includes('USD is taken by account 3001 (Acme Acquiring, link acme-live)'),
      titles.join(),
    )
    const keys = lines.map(({ key }) => key)
    for (const key of [
      'real_money',
      'objects_of_test_mode',
      'no_three_ds',
      'any_origin',
      'card_testing',
      'checks_off',
      'users_from_everywhere',
      'catalogue',
    ]) {
      assert.ok(keys.includes(key), key)
    }
    assert.deepEqual(
      lines.map(({ level }) => level),
      lines
        .map(({ level }) => level)
        .toSorted(
          (a, b) => ['blocks', 'care', 'info'].indexOf(a) - ['blocks', 'care', 'info'].indexOf(b),
        ),
    )
  })

  test('only an owner asks, and there is one open request at a time', async () => {
    const { digest } = await dryRun()
    assert.equal((await second.post(LIVE, { digest })).status, 403)
    const stale = await owner.post(LIVE, { digest: '0'.repeat(64) })
    assert.deepEqual([stale.status, stale.body.error.code], [409, 'changed_meanwhile'])

    const asked = await Promise.all([owner.post(LIVE, { digest }), owner.post(LIVE, { digest })])
    assert.deepEqual(asked.map(({ status }) => status).toSorted(), [200, 409])
    const id = asked.find(({ status }) => status === 200)?.body.id
    assert.equal((await owner.post(`${LIVE}/${id}/withdraw`)).status, 200)
    assert.equal(await stateOf(id), 'withdrawn')
  })

  test('the user who asked cannot approve in any session, nor can a user of another merchant', async () => {
    const id = await ask()
    const elsewhere = await signIn(gateway, { ...OWNER, password: NEW_PASSWORD })
    const otherOwner = await signIn(gateway, OTHER_OWNER)

    const own = await Promise.all([
      owner.post(`${LIVE}/${id}/approve`),
      elsewhere.post(`${LIVE}/${id}/approve`),
    ])
    assert.deepEqual(
      own.map(({ status }) => status),
      [403, 403],
    )
    assert.match(own[1]?.body.error.message, /Another user/)
    assert.equal((await otherOwner.post(`${LIVE}/${id}/approve`)).status, 404)
    assert.equal((await otherOwner.post(`/settings/sites/1002/go-live/${id}/approve`)).status, 404)
    assert.equal(await modeOf(), 'test')
    assert.equal((await second.post(`${LIVE}/${id}/withdraw`)).status, 403)
    assert.equal((await second.post(`${LIVE}/${id}/refuse`, { reason: 'not yet' })).status, 200)
    assert.equal(await stateOf(id), 'refused')
    await assert.rejects(
      gateway.pool.query(
        `update go_live_requests set state = 'approved', decided_by = asked_by where id = $1`,
        [id],
      ),
      /need_two_portal_users/,
    )
  })

  test('a user who joined by a link of the last 24 hours cannot approve, or one could be two', async () => {
    const email = 'made-up@shop.example'
    const { body: invited } = await owner.post('/users', {
      email,
      name: 'Made Up',
      role: 'admin',
      refundLimit: null,
    })
    const taken = await fetch(new URL('/portal/api/invitation', gateway.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        token: invited.link.address.split('#')[1],
        name: 'Made Up',
        newPassword: 'Correct-horse-7',
      }),
    })
    assert.equal(taken.status, 200)
    const madeUp = await signIn(gateway, { email: `${email}#1`, password: 'Correct-horse-7' })
    const id = await ask()

    const { status, body } = await madeUp.post(`${LIVE}/${id}/approve`)
    assert.equal(status, 403)
    assert.match(body.error.message, /through a link that was created within the last 24 hours/)
    assert.deepEqual([await modeOf(), await stateOf(id)], ['test', 'open'])
    assert.equal((await madeUp.post(`${LIVE}/${id}/refuse`, { reason: 'not yet' })).status, 200)
  })

  test('a request is void once what it listed has changed, or once its asker may not ask any more', async () => {
    const first = await ask()
    const { settings } = (await owner.get('/settings/sites/1001')).body
    await owner.put('/settings/sites/1001', {
      changes: { cvvRequired: true },
      seen: { cvvRequired: settings.cvvRequired },
    })
    const changed = await second.post(`${LIVE}/${first}/approve`)
    assert.deepEqual([changed.status, await stateOf(first)], [409, 'void'])
    await owner.put('/settings/sites/1001', {
      changes: { cvvRequired: false },
      seen: { cvvRequired: true },
    })

    const otherUser = await addPortalUser(gateway, 'owner')
    const other = await signIn(gateway, otherUser)
    const asked = await other.post(LIVE, { digest: (await dryRun()).digest })
    await gateway.pool.query(`update portal_users set role = 'finance' where id = $1`, [
      otherUser.id,
    ])
    const demoted = await second.post(`${LIVE}/${asked.body.id}/approve`)
    assert.deepEqual([demoted.status, await stateOf(asked.body.id)], [409, 'void'])
    assert.equal(await modeOf(), 'test')
  })

  test('an approver whose role is taken away while they decide is refused', async () => {
    const id = await ask()
    const holder = await gateway.pool.connect()
    await holder.query('begin')
    await holder.query('select from sites where id = 1001 for update')
    const approval = second.post(`${LIVE}/${id}/approve`)
    await untilRow(
      gateway,
      'the approval waits for the site',
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%from sites%for update%'`,
    )
    await gateway.pool.query(`update portal_users set role = 'support' where id = $1`, [secondId])
    await holder.query('commit')
    holder.release()

    const { status, body } = await approval
    assert.deepEqual([status, await modeOf()], [403, 'test'])
    assert.match(body.error.message, /role was changed/)
    await gateway.pool.query(`update portal_users set role = 'admin' where id = $1`, [secondId])
    await owner.post(`${LIVE}/${id}/withdraw`)
  })

  test('a request of yesterday has expired', async () => {
    const id = await ask()
    await gateway.pool.query(`update go_live_requests set expires_at = now() where id = $1`, [id])

    const late = await second.post(`${LIVE}/${id}/approve`)

    assert.equal(late.status, 409)
    assert.match(late.body.error.message, /expired/)
    assert.deepEqual([await stateOf(id), await modeOf()], ['expired', 'test'])
  })

  test('of two approvals at once one wins; every node moves within seconds, and payments under way stay what they began as', async () => {
    const [port = 0, tlsPort = 0] = await freePorts(2)
    const node: GatewayNode = await startGatewayNode({
      ...gateway.nodeSettings,
      PORT: String(port),
      TLS_PORT: String(tlsPort),
    })
    try {
      const nodes = [shop, clientOf(node.baseUrl)]
      await Promise.all(nodes.map((client) => untilAccount(client, '2001')))
      const inTest = await shop.authorize(payment('20.00'))
      const id = await ask()
      const third = await signIn(gateway, await addPortalUser(gateway, 'owner'))
      let busy = true
      const answers: {
        readonly mode: string
        readonly account: string
        readonly orderId: string
      }[] = []
      const traffic = Promise.all(
        nodes.map(async (client) => {
          while (busy) {
            const answer = await client.sale(payment('3.00'))
            assert.equal(outcome(answer), 'APPROVED 0/100')
            answers.push({
              mode: '',
              account: String(answer.raw['MERCH_ACCT_ID']),
              orderId: answer.orderId,
            })
          }
        }),
      )
      const untilPaidBy = async (account: string): Promise<void> => {
        await eventually(`a sale is paid by account ${account}`, async () => {
          await Promise.race([traffic, new Promise((wake) => setTimeout(wake, 10))])
          return answers.some((answer) => answer.account === account)
        })
      }
      await untilPaidBy('2001')
      const approvals = await Promise.all([
        second.post(`${LIVE}/${id}/approve`),
        third.post(`${LIVE}/${id}/approve`),
      ])
      assert.deepEqual(approvals.map(({ status }) => status).toSorted(), [200, 409])
      await Promise.all(nodes.map((client) => untilAccount(client, '3001')))
      await untilPaidBy('3001')
      busy = false
      await traffic
      await untilNoAdviceIsQueued(gateway)

      assert.equal(await modeOf(), 'live')
      assert.ok(
        new Set(answers.map(({ account }) => account)).size === 2,
        'there were payments before and after',
      )
      const { rows } = await gateway.pool.query<{
        id: string
        mode: string
        merchant_account_id: string
        captured_minor: string
      }>(
        'select id, mode, merchant_account_id, captured_minor from orders where id = any($1::bigint[])',
        [answers.map(({ orderId }) => orderId)],
      )
      for (const order of rows) {
        assert.equal(order.mode, order.merchant_account_id === '3001' ? 'live' : 'test')
        assert.equal(order.captured_minor, '300')
      }
      assert.equal(
        outcome(await shop.capture({ orderId: inTest.orderId, amount: '1.00' })),
        'DECLINED 0/512',
      )
      assert.deepEqual((await operationsOf()).slice(-3), [
        'site.go_live_requested portal 127.0.0.1',
        'site.go_live_approved portal 127.0.0.1',
        'site.mode_set portal 127.0.0.1',
      ])
    } finally {
      await node.stop()
    }
  })

  test('the way back to test takes two portal users as well', async () => {
    assert.equal((await dryRun()).to, 'test')
    const id = await ask()
    assert.equal((await second.post(`${LIVE}/${id}/approve`)).status, 200)

    assert.equal(await modeOf(), 'test')
    await untilAccount(shop, '2001')
  })

  test('each of these operations is in the audit log as done', async () => {
    const operations = ['site.go_live_refused', 'site.go_live_withdrawn'] as const
    assert.deepEqual(await auditedAsDone(gateway.pool, operations), operations)
  })
})
