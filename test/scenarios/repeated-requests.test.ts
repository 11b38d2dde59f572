import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { PaymentDetails } from '../../packages/client/src/requests.ts'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { brokenInvariants } from '../support/books.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { MASTERCARD, newReference, outcome, payment } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

const AT_ONCE = 20

let gateway: RunningGateway
let node: GatewayNode
let second: SingleRequestClient
before(async () => {
  gateway = await startRunningGateway()
  const [port, tlsPort] = await freePorts(2)
  node = await startGatewayNode({
    ...gateway.nodeSettings,
    PORT: String(port),
    TLS_PORT: String(tlsPort),
  })
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials(1001)
  second = createSingleRequestClient({ baseUrl: node.baseUrl, username, password, siteId: 1001 })
})
after(async () => {
  await node?.stop()
  await gateway?.stop()
})

/** A client of either gateway by turns. */
function shop(turn = 0): SingleRequestClient {
  return turn % 2 === 0 ? gateway.client() : second
}

/** How many times the bank was asked for payments of a reference. */
async function askedFor(reference: string): Promise<number> {
  const { rows } = await gateway.pool.query<{ count: string }>(
    `select count(*) from transactions t join orders o on o.id = t.order_id
      where o.reference = $1 and t.to_processor`,
    [reference],
  )
  return Number(rows[0]?.count)
}

suite('a repeat after a decline (O10)', () => {
  const DECLINED = '6.00'

  function basket(reference: string, more: PaymentDetails = {}): PaymentDetails {
    return payment(DECLINED, { orderReference: reference, duplicates: 'replay', ...more })
  }

  test('The same content within two minutes gets the stored record from any gateway.', async () => {
    const reference = newReference()
    const first = await shop().sale(basket(reference))
    const repeat = await shop(1).sale(basket(reference))

    assert.equal(outcome(first), 'DECLINED 0/600')
    assert.notEqual(repeat.requestId, first.requestId)
    assert.deepEqual({ ...repeat.raw, REQ_ID: '' }, { ...first.raw, REQ_ID: '' })
    assert.equal(await askedFor(reference), 1)
  })

  test('The same content after two minutes of the site is a new attempt.', async () => {
    const reference = newReference()
    const first = await shop().sale(basket(reference))
    await gateway.pool.query(
      `update order_claims set ended_at = ended_at - interval '2 minutes' where reference = $1`,
      [reference],
    )
    const later = await shop(1).sale(basket(reference))

    assert.equal(outcome(later), 'DECLINED 0/600')
    assert.notEqual(later.orderId, first.orderId)
    assert.equal(await askedFor(reference), 2)
  })

  test('Another card is a new attempt, and the first card still gets its own decline.', async () => {
    const reference = newReference()
    const first = await shop().sale(basket(reference))
    const other = await shop(1).sale(basket(reference, { cardNumber: MASTERCARD }))
    const repeat = await shop().sale(basket(reference))
    const paid = await shop(1).sale({ ...basket(reference), amount: '10' })

    assert.notEqual(other.orderId, first.orderId)
    assert.equal(repeat.orderId, first.orderId)
    assert.equal(outcome(paid), 'APPROVED 0/100')
    assert.equal(await askedFor(reference), 3)
    assert.equal(outcome(await shop().sale(basket(reference))), 'REFUSED 0/685 XTL_ORDER_ID')
  })

  test('A corrected expiry and a corrected security code are new attempts.', async () => {
    const reference = newReference()
    // A test card with a security code of its own.
    const card = { cardNumber: '4012889000000012', cvv: { mode: 'T' } } as const
    const ask = (more: PaymentDetails) =>
      shop().sale(
        payment('10', { orderReference: reference, duplicates: 'replay', ...card, ...more }),
      )
    assert.equal(outcome(await ask({ expiry: '012020' })), 'DECLINED 0/624')
    assert.equal(outcome(await ask({ securityCode: '999' })), 'DECLINED 0/621')
    assert.equal(outcome(await ask({ securityCode: '123' })), 'APPROVED 0/100')
  })

  test('Mode 1 begins a new attempt at once.', async () => {
    const reference = newReference()
    await shop().sale(basket(reference))
    const again = await shop(1).sale(basket(reference, { duplicates: 'refuse' }))

    assert.equal(outcome(again), 'DECLINED 0/600')
    assert.equal(await askedFor(reference), 2)
  })

  test('A decline without the bank gets its stored record, too.', async () => {
    const reference = newReference()
    const ask = () => shop().sale(basket(reference, { expiry: '012020' }))
    const [first, repeat] = [await ask(), await ask()]

    assert.equal(outcome(first), 'DECLINED 0/624')
    assert.equal(repeat.transactionId, first.transactionId)
  })

  test('An approval of mode 0 takes the reference of a decline.', async () => {
    const reference = newReference()
    await shop().sale(basket(reference))
    const paid = await shop().sale(payment('10', { orderReference: reference }))
    const repeat = await shop(1).sale({ ...basket(reference), amount: '10' })

    assert.equal(outcome(paid), 'APPROVED 0/100')
    assert.equal(repeat.transactionId, paid.transactionId)
  })

  test('Twenty at once over two gateways make one request to the bank.', async () => {
    const reference = newReference()
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, turn) => shop(turn).sale(basket(reference))),
    )

    assert.deepEqual([...new Set(answers.map(outcome))], ['DECLINED 0/600'])
    assert.equal(new Set(answers.map(({ transactionId }) => transactionId)).size, 1)
    assert.equal(await askedFor(reference), 1)
  })

  test('Twenty at once after the two minutes make one more request to the bank.', async () => {
    const reference = newReference()
    await shop().sale(basket(reference))
    await gateway.pool.query(
      `update order_claims set ended_at = ended_at - interval '2 minutes' where reference = $1`,
      [reference],
    )
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, turn) => shop(turn).sale(basket(reference))),
    )

    assert.equal(await askedFor(reference), 2)
  })

  test('Every claim stands for an order of its state.', async () => {
    assert.deepEqual(await brokenInvariants(gateway), [])
  })
})
