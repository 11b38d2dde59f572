import { createClient } from '@tollgate/client'
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { after, before, suite, test, type TestContext } from 'node:test'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { startSampleShop } from '../browser/sample-shop-server.ts'
import { openAnswerSwallower, type AnswerSwallower } from '../support/answer-swallower.ts'
import { openBankTap } from '../support/bank-tap.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import { startGatewayNode } from '../support/gateway-node.ts'
import { EXPIRY, untilNoAdviceIsQueued, VISA } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { enterShop, type Customer, type SampleFolder } from '../support/sample-customers.ts'

const PATIENCE_MS = 1_500
const PAID = /Thank you/
const UNKNOWN = /We do not know yet whether you have paid\..*Please do not pay again/s

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(async () => {
  try {
    // A gateway that was killed holds its advices until their lease ends.
    await untilNoAdviceIsQueued(gateway)
    await assertBooksAreClean(gateway)
  } finally {
    await gateway.stop()
  }
})

/** Orders of the sample shops that were charged so far. */
async function charges(): Promise<number> {
  const { rows } = await gateway.pool.query<{ count: number }>(
    'select count(*)::integer as count from orders where captured_minor = 2400',
  )
  return rows[0]?.count ?? NaN
}

interface Visit {
  readonly customer: Customer
  readonly swallower: AnswerSwallower
  /** Charges since the visit began. */
  charged(): Promise<number>
}

async function visit(
  t: TestContext,
  folder: SampleFolder,
  settings: Readonly<Record<string, string>> = {},
  to: string = gateway.baseUrl,
): Promise<Visit> {
  const swallower = await openAnswerSwallower(to)
  t.after(() => swallower.close())
  const shop = await startSampleShop(swallower.baseUrl, settings, folder)
  t.after(() => shop.stop())
  const earlier = await charges()
  return {
    customer: await enterShop(folder, shop.url, gateway.baseUrl),
    swallower,
    charged: async () => (await charges()) - earlier,
  }
}

/** Pays, and pays again for as long as the shop says that it can be done: three times at most. */
async function payUntilTold({ pay }: Customer) {
  let shown = await pay()
  for (let again = 0; again < 2 && shown.canPay && !PAID.test(shown.text); again += 1) {
    shown = await pay()
  }
  return shown
}

for (const folder of ['hosted-fields', 'three-ds-shop'] as const) {
  suite(`a customer of the sample ${folder}`, () => {
    test('is charged once and sees that the order is paid when the first answer is lost', async (t) => {
      const { charged, customer, swallower } = await visit(t, folder)
      swallower.swallow('CCAUTHCAP')
      const shown = await payUntilTold(customer)
      assert.equal(swallower.swallowed, 1)
      assert.equal(await charged(), 1)
      assert.match(shown.text, PAID)
    })

    for (const code of ['120', '101'] as const) {
      test(`is charged once and cannot pay again while the status is refused with ${code}`, async (t) => {
        const { charged, customer, swallower } = await visit(t, folder, {
          PATIENCE_MS: String(PATIENCE_MS),
        })
        swallower.swallow('CCAUTHCAP', Infinity)
        swallower.forge('CCSTATUS', { fields: { API_RESPONSE: code, API_ADVICE: 'refused' } })
        const shown = await payUntilTold(customer)
        assert.equal(await charged(), 1)
        assert.match(shown.text, UNKNOWN)
        assert.match((await customer.lookAgain()).text, UNKNOWN)
        assert.match((await customer.pay()).text, UNKNOWN)
        swallower.behave()
        assert.match((await customer.lookAgain()).text, PAID)
        assert.equal(await charged(), 1)
      })
    }

    test('is charged once when the gateway is killed before its answer leaves', async (t) => {
      const [port, tlsPort] = await freePorts(2)
      const settings = { ...gateway.nodeSettings, PORT: String(port), TLS_PORT: String(tlsPort) }
      let node = await startGatewayNode(settings)
      t.after(() => node.kill())
      const { charged, customer, swallower } = await visit(t, folder, {}, node.baseUrl)
      let restarted: Promise<unknown> = Promise.resolve()
      swallower.swallow('CCAUTHCAP', 1, async () => {
        await node.kill()
        restarted = startGatewayNode(settings).then((next) => (node = next))
      })
      const shown = await payUntilTold(customer)
      await restarted
      assert.equal(swallower.swallowed, 1)
      assert.equal(await charged(), 1)
      assert.match(shown.text, PAID)
    })

    test('is charged once when the gateway is killed while the bank is still asked', async (t) => {
      const [port, tlsPort] = await freePorts(2)
      const tap = await openBankTap(gateway.bank.port)
      t.after(() => tap.close())
      const own = { PORT: String(port), TLS_PORT: String(tlsPort), BANK_PORT: String(tap.port) }
      const settings = { ...gateway.nodeSettings, ...own }
      let node = await startGatewayNode(settings)
      t.after(() => node.kill())
      const { charged, customer, swallower } = await visit(t, folder, {}, node.baseUrl)
      tap.holdBank()
      const before = tap.messages.length
      const shown = payUntilTold(customer)
      // The request, and the response that does not reach the gateway.
      await eventually('the bank has answered', () => tap.messages.length >= before + 2)
      await node.kill()
      tap.letGo()
      node = await startGatewayNode(settings)
      // The job waits a minute for a process that could still be alive.
      await gateway.pool.query(
        `update transactions set created_at = created_at - interval '5 minutes' where state = 'running'`,
      )
      assert.match((await shown).text, PAID)
      assert.equal(await charged(), 1)
      assert.ok(swallower.asked.filter((asked) => asked === 'CCAUTHCAP').length > 1)
    })

    for (const [status, words] of [
      ['FAILED', /The payment could not be made\..*Nothing was paid/s],
      ['RUNNING', UNKNOWN],
      ['DECLINED', /The card was declined\./],
      // The issuer wants a challenge, and the answer does not say where.
      ['PENDING', /The check with your bank was not finished\..*Nothing was paid/s],
    ] as const) {
      test(`sees ${status} in words of its own`, async (t) => {
        const settings = { PATIENCE_MS: String(PATIENCE_MS) }
        const { charged, customer, swallower } = await visit(t, folder, settings)
        const codes = { API_RESPONSE: '0', SERVICE_RESPONSE: status === 'DECLINED' ? 505 : 0 }
        swallower.forge('CCAUTHCAP', { fields: { TRANS_STATUS_NAME: status, ...codes } })
        assert.match((await customer.pay()).text, words)
        assert.equal(await charged(), 0)
      })
    }

    test('sees that nothing was paid when the gateway accepts nothing, and pays later', async (t) => {
      const { charged, customer, swallower } = await visit(t, folder)
      swallower.forge('CCAUTHCAP', { status: 503 })
      const shown = await customer.pay()
      assert.match(shown.text, /The payment could not be made\..*Nothing was paid/s)
      assert.ok(shown.canPay)
      swallower.behave()
      assert.match((await customer.pay()).text, PAID)
      assert.equal(await charged(), 1)
    })
  })
}

/** A client of site 1001. */
function clientOf(baseUrl: string) {
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  return createClient({ baseUrl, username, password, siteId: 1001 })
}

suite('a shop that uses the client', () => {
  for (const [action, adjust] of [
    ['CCCREDIT', 'refund'],
    ['CCREVERSECAP', 'captureVoid'],
  ] as const) {
    test(`moves money once by ${adjust} when its first answer is lost`, async (t) => {
      const swallower = await openAnswerSwallower(gateway.baseUrl)
      t.after(() => swallower.close())
      const client = clientOf(swallower.baseUrl)
      const sold = await client.pay({
        cardNumber: VISA,
        expiry: EXPIRY,
        amount: '12.50',
        orderReference: `client-${adjust}`,
      })
      swallower.swallow(action)
      const { orderId } = sold
      const key = { orderId, amount: '5.00', idempotencyKey: `key-${adjust}` }
      const first = await client[adjust](key)
      assert.equal(first.status, 'APPROVED')
      assert.equal(swallower.swallowed, 1)
      assert.equal(swallower.asked.filter((asked) => asked === action).length, 2)
      assert.equal((await client[adjust](key)).transactionId, first.transactionId)
      const status = await client.status({ orderId })
      assert.ok(status.found)
      const moved = status.events.filter((event) => event['REQUEST_ACTION'] === action)
      assert.equal(moved.length, 1)
    })
  }

  test('sells a membership, changes its product and card, and cancels it', async () => {
    const client = clientOf(gateway.baseUrl)
    const card = { cardNumber: VISA, expiry: EXPIRY, amount: '9.90' }
    const plan = (name: string, length: number) =>
      ({ name, kind: 'renews', period: { length, unit: 'months' } }) as const
    const [month, quarter] = await Promise.all([
      client.pay({ ...card, orderReference: 'plan-1', product: plan('Month', 1) }),
      client.pay({ ...card, orderReference: 'plan-2', product: plan('Quarter', 3) }),
    ])
    const [{ membershipId = '' } = {}, { productId = '' } = {}] = [month.lines[0], quarter.lines[0]]
    assert.match(membershipId, /^\d+$/)

    const { customerId } = month
    const checked = await client.authorize({
      customerId,
      cardNumber: '5555555555554444',
      expiry: EXPIRY,
      amount: '0.00',
      orderReference: 'another-card',
    })
    const { paymentMethodId } = checked
    const changed = await client.updateMembership({ membershipId, productId, paymentMethodId })
    assert.equal(`${changed.done} ${changed.service.code} ${changed.endsAt}`, 'true 102 ')
    assert.match(changed.nextCharge, /^[A-Z][a-z]+, \d\d \d{4} \d\d:\d\d:\d\d$/)
    const stored = await gateway.pool.query(
      'select next_product, payment_method_id, state from memberships where id = $1',
      [membershipId],
    )
    assert.deepEqual(stored.rows, [
      { next_product: productId, payment_method_id: paymentMethodId, state: 'active' },
    ])

    const ended = await client.cancelMembership({ membershipId, when: 'period end', customerId })
    assert.equal(`${ended.done} ${ended.nextCharge}`, 'true ')
    assert.equal(ended.endsAt, changed.nextCharge)
    const again = await client.cancelMembership({ membershipId, when: 'now', customerId: '1' })
    assert.equal(again.done, false)
    const status = await client.status({ membershipId })
    assert.ok(status.found)
    assert.equal((await client.status({ membershipId: '1' })).found, false)
  })
})

for (const folder of ['hosted-fields', 'three-ds-shop'] as const) {
  test(`the sample ${folder} gets its events from the feed and as webhooks, and each event once`, async (t) => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const other = `whsec_${randomBytes(32).toString('base64')}`
    const shop = await startSampleShop(
      gateway.baseUrl,
      { WEBHOOK_SECRETS: `${other} ${secret}` },
      folder,
    )
    t.after(() => shop.stop())
    const customer = await enterShop(folder, shop.url, gateway.baseUrl)
    assert.match((await customer.pay()).text, PAID)
    const [, reference = ''] = await eventually('the shop has the event of the payment', () =>
      /(teapot-\d+-1|teapot-\d+): payment\.approved/.exec(shop.output()),
    )

    const { rows } = await gateway.pool.query<{ reference: string }>(
      `select reference from orders where reference like $1 || '%'`,
      [reference],
    )
    const event = (id: string, type: string) =>
      JSON.stringify({ id, type, data: { xtl_order_id: rows[0]?.reference } })
    const post = (body: string, key: string) => {
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const hmac = createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
      const signature = hmac.update(`evt_1.${timestamp}.${body}`).digest('base64')
      return fetch(`${shop.url}/events`, {
        method: 'POST',
        body,
        headers: {
          'webhook-id': 'evt_1',
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature}`,
        },
      })
    }
    const wrong = `whsec_${randomBytes(32).toString('base64')}`
    assert.equal((await post(event('evt_1', 'refund.created'), wrong)).status, 400)
    assert.ok(!shop.output().includes('refund.created'))
    assert.equal((await post(event('evt_1', 'refund.created'), secret)).status, 204)
    assert.equal((await post(event('evt_1', 'refund.created'), secret)).status, 204)
    assert.equal(shop.output().match(/: refund\.created/g)?.length, 1)
  })
}
