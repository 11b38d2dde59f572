import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { bankOrder } from '../support/bank-books.ts'
import { openBankTap, type BankTap } from '../support/bank-tap.ts'
import { untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { openLoadBalancer } from '../support/load-balancer.ts'
import { payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

let gateway: RunningGateway
let tap: BankTap
before(async () => {
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '5000' }, async (bankPort) => {
    tap = await openBankTap(bankPort)
    return tap.port
  })
})
after(async () => {
  await gateway.stop()
  await tap.close()
})

interface Place {
  readonly settings: Record<string, string>
  node: GatewayNode
}

async function aNode(t: TestContext): Promise<Place> {
  const [port, tlsPort] = await freePorts(2)
  const settings = { ...gateway.nodeSettings, PORT: String(port), TLS_PORT: String(tlsPort) }
  const place = { settings, node: await startGatewayNode(settings) }
  t.after(() => place.node.stop())
  return place
}

function clientOf(baseUrl: string): ReturnType<typeof createSingleRequestClient> {
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  return createSingleRequestClient({ baseUrl, username, password, siteId: 1001 })
}

test('two nodes are restarted one after the other under load, and no payment fails', async (t) => {
  const places = [await aNode(t), await aNode(t)]
  const balancer = await openLoadBalancer(places.map(({ node }) => node.baseUrl))
  t.after(() => balancer.close())
  const client = clientOf(balancer.baseUrl)
  const orders: string[] = []
  let isOver = false
  const shop = async (): Promise<void> => {
    while (!isOver) {
      const answer = await client.sale(payment('12.00'))
      assert.equal(answer.status, 'APPROVED')
      orders.push(String(answer.orderId))
    }
  }
  const shops = Promise.all(Array.from({ length: 6 }, shop))

  for (const place of places) {
    const before = orders.length
    assert.equal(await place.node.stop(), 0, place.node.complaints())
    place.node = await startGatewayNode(place.settings)
    await untilSeen(
      'fifty more orders are paid',
      () => Promise.race([shops, pause()]).then(() => orders.length),
      (paid) => paid >= before + 50,
    )
  }
  isOver = true
  await shops

  assert.ok(balancer.retried > 0, 'no node ever refused a request, so nothing was shown')
  for (const { node } of places) assert.equal(await node.stop(), 0)
  await untilNoAdviceIsQueued(gateway)
  const { rows } = await gateway.pool.query<{ orders: number; captured: string }>(
    'select count(*)::int as orders, sum(captured_minor) as captured from orders',
  )
  assert.deepEqual(rows, [{ orders: orders.length, captured: String(orders.length * 1_200) }])
  for (const orderId of orders)
    assert.equal((await bankOrder(gateway, orderId))?.capturedMinor, 1_200n)
})

test('a stopping node answers the payment that waits for the bank, and refuses others', async (t) => {
  const { node } = await aNode(t)
  const client = clientOf(node.baseUrl)
  await client.testAuth()
  tap.muteBank()
  const waiting = client.authorize(payment('13.00'))
  await untilRow(
    gateway,
    'the payment waits for the bank',
    `select 1 from transactions where state = 'running' and amount_minor = 1300`,
  )

  const stopped = node.stop()
  await untilRefused(node)
  await assert.rejects(client.authorize(payment('14.00')))

  const answer = await waiting
  tap.unmuteBank()
  assert.equal(answer.status, 'FAILED')
  assert.equal(answer.service.code, '502')
  assert.equal(await stopped, 0)
  await untilNoAdviceIsQueued(gateway)
  assert.equal((await bankOrder(gateway, String(answer.orderId)))?.state, 'reversed')
})

/** Resolves when the node says that it is not ready, or takes no connection. */
async function untilRefused(node: GatewayNode): Promise<void> {
  await untilSeen(
    'the node is not ready, or takes no connection',
    async () => {
      const health = await fetch(new URL('/health/ready', node.baseUrl)).catch(() => null)
      await health?.body?.cancel()
      return health?.status
    },
    (status) => status !== 200,
    { everyMs: 10 },
  )
}

function pause(): Promise<void> {
  return new Promise((wake) => setTimeout(wake, 10))
}
