import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { startGatewayNode } from '../support/gateway-node.ts'
import { outcome, payment } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway.stop())

async function settings(
  more: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const [port, tlsPort] = await freePorts(2)
  return { ...gateway.nodeSettings, PORT: String(port), TLS_PORT: String(tlsPort), ...more }
}

test('a gateway that starts before its database waits for it, and says so', async () => {
  await gateway.stopDatabase()
  const heard = Promise.withResolvers<void>()
  const starting = startGatewayNode(await settings(), (line) => {
    if (line.includes('waiting for the database at DATABASE_URL')) heard.resolve()
  })
  await Promise.race([heard.promise, starting])
  await gateway.startDatabase()

  const node = await starting
  const health = await fetch(new URL('/health/ready', node.baseUrl))
  assert.equal(health.status, 200)
  assert.match(node.log(), /waiting for the database/)
  assert.equal(await node.stop(), 0)
})

test('a sandbox answers its first page and /health at the addresses that people try first', async () => {
  const page = await fetch(new URL('/', gateway.baseUrl))
  const health = await fetch(new URL('/health', gateway.baseUrl))

  assert.match(await page.text(), /Tollgate sandbox/)
  assert.equal(((await health.json()) as { status?: unknown }).status, 'ready')
})

test('a gateway whose database never comes ends with a fault and a sentence', async () => {
  const [nobody] = await freePorts(1)
  const url = `postgresql://someone:pa55word@127.0.0.1:${nobody}/tollgate`

  const started = startGatewayNode(await settings({ DATABASE_URL: url, DATABASE_WAIT_S: '1' }))

  await assert.rejects(started, (error: Error) => {
    assert.match(
      error.message,
      /ended with 1 .*cannot be used: .*ECONNREFUSED.*for 1 seconds\. Check/,
    )
    assert.doesNotMatch(error.message, /pa55word/)
    return true
  })
})

test('a gateway that does not reach its bank starts, says so, and answers FAILED 530', async () => {
  const [nobody] = await freePorts(1)
  const node = await startGatewayNode(await settings({ BANK_PORT: String(nobody) }))
  const health = (await (await fetch(new URL('/health/ready', node.baseUrl))).json()) as object
  const links = [{ name: 'the bundled bank', mode: 'test', state: 'down' }]
  assert.deepEqual(health, { status: 'ready', database: 'writable', links })
  assert.match(node.log(), /the bank link is not up yet: payments fail with SERVICE 530/)
  assert.equal(await node.stop(), 0)
})

test('a gateway without the bundled bank serves, fails test payments with 530, and says why', async () => {
  const node = await startGatewayNode(await settings({ BANK: 'off' }))
  try {
    const health: unknown = await (await fetch(new URL('/health/ready', node.baseUrl))).json()
    assert.deepEqual(health, { status: 'ready', database: 'writable', links: [] })
    const client = createSingleRequestClient({
      baseUrl: node.baseUrl,
      username: 'demo@tollgate.test',
      password: credentials()['REQ_PASSWORD'] ?? '',
      siteId: 1001,
    })
    assert.equal(outcome(await client.authorize(payment('20.00'))), 'FAILED 0/530')
    assert.match(node.log(), /no bundled bank runs here \(BANK=off\)/)
  } finally {
    assert.equal(await node.stop(), 0)
  }
})
