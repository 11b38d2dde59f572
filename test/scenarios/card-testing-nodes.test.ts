import { ClientError } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { DEFAULT_CARD_TESTING_RULES } from '../../packages/gateway/src/domain/card-testing/card-testing.ts'
import type { Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import {
  customerPayment,
  operatorOf,
  outcomes,
  probeCard,
  putRules,
  rowsOf,
  setMode,
  untilNothingIsRefused,
  untilRefusedWith,
} from '../support/card-testing.ts'
import { eventually } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { outcome, untilRow } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { numbersOf } from '../support/stolen-cards.ts'

let gateway: RunningGateway
let operator: Operator
before(async () => {
  gateway = await startRunningGateway()
  operator = await operatorOf(gateway)
})
after(async () => {
  await operator?.close()
  await gateway?.stop()
})

suite('watch', () => {
  test('the watch mode of velocity rules lets every payment pass, and records what enforce would have refused', async () => {
    await putRules(operator, 1003, 601)
    await setMode(operator, 1003, 'watch')
    const shop = gateway.client(1003)
    const card = probeCard()
    await eventually('a refusal is recorded', async () => {
      await shop.authorize(customerPayment(card, '0.00'))
      const hits = await rowsOf(gateway, 'select from card_testing_hits where site_id = 1003')
      return hits.length > 0
    })
    await gateway.pool.query('delete from card_testing_hits where site_id = 1003')
    const answers = await Promise.all(
      numbersOf('411111', 60).map((each) =>
        shop.sale(customerPayment(each, '1.00', '203.0.113.67')),
      ),
    )

    assert.deepEqual(outcomes(answers), { 'APPROVED 0/100': 60 })
    await untilRow(
      gateway,
      'fifty hits are kept',
      `select 1 from card_testing_hits where site_id = 1003 and rule = 'address-cards' and not refused
        having count(*) = 50`,
    )
    const view = await operator.cardTesting.show(1003n)
    const hit = view?.hits.find(({ rule }) => rule === 'address-cards')
    assert.deepEqual([view?.mode, hit?.lastHour, hit?.lastDay, hit?.refused], ['watch', 50, 50, 0])
  })

  test('an operator can try a set of rules on past payments, and sees how many it would have refused', async () => {
    const text = JSON.stringify({
      rules: DEFAULT_CARD_TESTING_RULES.filter(
        ({ name }) => name === 'address-cards' || name === 'bin-cards',
      ),
    })
    await untilRow(
      gateway,
      'the requests are logged',
      `select 1 from requests where site_id = 1003 and parameters->>'XTL_IP' = '203.0.113.67' having count(*) = 60`,
    )

    const tried = await operator.cardTesting.tryOut(1003n, text, 1, () => undefined)

    assert.ok(tried.ok)
    const { payments, refused, refusedApproved, byRule } = tried.result
    assert.ok(payments > 60)
    assert.deepEqual([refused, refusedApproved], [50, 50])
    assert.deepEqual(byRule.get('address-cards'), { refused: 50, refusedApproved: 50 })
    assert.deepEqual(byRule.get('bin-cards'), { refused: 0, refusedApproved: 0 })
  })
})

suite('several nodes', () => {
  let node: GatewayNode
  let second: SingleRequestClient
  before(async () => {
    const [port, tlsPort] = await freePorts(2)
    node = await startGatewayNode({
      ...gateway.nodeSettings,
      PORT: String(port),
      TLS_PORT: String(tlsPort),
    })
    const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials(1002)
    second = createSingleRequestClient({ baseUrl: node.baseUrl, username, password, siteId: 1002 })
  })
  after(() => node?.stop())

  test('several nodes count together, and take up a change without a restart', async () => {
    const first = gateway.client(1002)
    await putRules(operator, 1002, 215)
    await setMode(operator, 1002, 'enforce')
    await Promise.all([untilRefusedWith(first, 215), untilRefusedWith(second, 215)])

    const attacked = await Promise.all(
      numbersOf('411111', 80).map((card, at) =>
        (at % 2 === 0 ? first : second).sale(customerPayment(card, '1.00', '203.0.113.68')),
      ),
    )
    assert.deepEqual(outcomes(attacked), { 'APPROVED 0/100': 10, 'DECLINED 0/601': 70 })

    await setMode(operator, 1002, 'off')
    await Promise.all([untilNothingIsRefused(first), untilNothingIsRefused(second)])
    assert.equal(
      outcome(
        await second.sale(
          customerPayment(numbersOf('411111', 1, 90)[0] ?? '', '1.00', '203.0.113.68'),
        ),
      ),
      'APPROVED 0/100',
    )
  })

  test('every change is in the audit log with what was before', async () => {
    const rows = await rowsOf(
      gateway,
      `select operation, object, merchant_id, result, details from audit_entries
        where operation like 'card_testing.%' and object = 'site 1002' order by number`,
    )
    assert.deepEqual(
      rows.map(({ operation, merchant_id, result }) => [operation, merchant_id, result]),
      [
        ['card_testing.put', '2', 'done'],
        ['card_testing.mode_set', '2', 'done'],
        ['card_testing.mode_set', '2', 'done'],
      ],
    )
    assert.deepEqual(JSON.parse(String(rows[2]?.['details'])), { from: 'enforce', to: 'off' })
  })
})

suite('a database that goes away', () => {
  before(async () => {
    await setMode(operator, 1002, 'enforce')
    await untilRefusedWith(gateway.client(1002), 215)
  })

  test('a database that goes away is no way around the rules: nothing is accepted, and afterwards they hold from the first payment on', async () => {
    await gateway.stopDatabase('crash')
    const [card = ''] = numbersOf('422222', 1)
    await assert.rejects(
      gateway.client(1002).sale(customerPayment(card, '1.00', '203.0.113.99')),
      (error) => error instanceof ClientError && error.accepted === 'no',
    )
    await gateway.startDatabase()
    await untilNothingFails(card)

    const attacked = await Promise.all(
      numbersOf('422222', 40, 1).map((each) =>
        gateway.client(1002).sale(customerPayment(each, '1.00', '203.0.113.99')),
      ),
    )
    assert.deepEqual(outcomes(attacked), { 'APPROVED 0/100': 10, 'DECLINED 0/601': 30 })
  })
})

/** Until the gateway has found its database again. */
async function untilNothingFails(card: string): Promise<void> {
  await eventually('the gateway answers a sale', async () => {
    try {
      return await gateway.client(1002).sale(customerPayment(card, '1.00'))
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      return null
    }
  })
}
