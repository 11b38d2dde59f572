import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { bankOrder } from '../support/bank-books.ts'
import { openBankTap, type BankTap } from '../support/bank-tap.ts'
import { untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
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

async function aNode(t: TestContext): Promise<GatewayNode> {
  const [port, tlsPort] = await freePorts(2)
  const settings = { ...gateway.nodeSettings, PORT: String(port), TLS_PORT: String(tlsPort) }
  const node = await startGatewayNode(settings)
  t.after(() => node.stop())
  return node
}

function clientOf(baseUrl: string): ReturnType<typeof createSingleRequestClient> {
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  return createSingleRequestClient({ baseUrl, username, password, siteId: 1001 })
}

test('a stopping node answers the payment that waits for the bank, and refuses others', async (t) => {
  const node = await aNode(t)
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
