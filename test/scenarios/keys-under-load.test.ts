import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openKeyOperator } from '../../packages/gateway/src/wiring/operator-keys.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { openLoadBalancer } from '../support/load-balancer.ts'
import { MASTERCARD, payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
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

type Settings = Record<string, string>

interface Place {
  settings: Settings
  node: GatewayNode
}

async function aNode(t: TestContext, more: Settings): Promise<Place> {
  const [port, tlsPort] = await freePorts(2)
  const settings = {
    ...gateway.nodeSettings,
    PORT: String(port),
    TLS_PORT: String(tlsPort),
    ...more,
  }
  const place = { settings, node: await startGatewayNode(settings) }
  t.after(() => place.node.stop())
  return place
}

function clientOf(baseUrl: string): SingleRequestClient {
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  return createSingleRequestClient({ baseUrl, username, password, siteId: 1001 })
}

/** Between the turns of a shop: while more payments are awaited, and while anything else is. */
const REST_MS = { awaited: 50, unawaited: 250 }

/** Sales with new cards, with saved ones, and refunds of them, until it is closed. */
function openShops(client: SingleRequestClient) {
  const customers: string[] = []
  const shops = { sales: 0, refunds: 0, isAwaited: false, isOver: false }
  async function shop(): Promise<void> {
    for (let turn = 0; !shops.isOver; turn += 1) {
      const fresh = await client.sale(payment('12.00', { cardNumber: MASTERCARD }))
      assert.equal(fresh.status, 'APPROVED', JSON.stringify(fresh.raw))
      customers.push(String(fresh.customerId))
      const customerId = customers[(turn * 7) % customers.length] as string
      const again = await client.sale({ customerId, amount: '3.00' })
      assert.equal(again.status, 'APPROVED', JSON.stringify(again.raw))
      const refund = await client.refund({ orderId: again.orderId, amount: '1.00' })
      assert.equal(refund.status, 'APPROVED', JSON.stringify(refund.raw))
      shops.sales += 2
      shops.refunds += 1
      // Without a rest, the restarts would wait for the load, and re-encryption for its cards.
      await pause(shops.isAwaited ? REST_MS.awaited : REST_MS.unawaited)
    }
  }
  const done = Promise.all(Array.from({ length: 4 }, shop))
  return {
    shops,
    /** Resolves when as many more payments were made; fails when one did. */
    async goOn(sales: number) {
      const end = shops.sales + sales
      shops.isAwaited = true
      await untilSeen(
        `${sales} more payments are made`,
        () => Promise.race([done, pause(10)]).then(() => shops.sales),
        (made) => made >= end,
        { seconds: 300 },
      )
      shops.isAwaited = false
    },
    async close() {
      shops.isOver = true
      await done
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, ms))
}

test('keys are rotated, rewrapped and everything is re-encrypted under load, nodes are restarted and killed, and no payment fails', async (t) => {
  const oldKek = join(gateway.nodeSettings['DATA_DIR'] ?? '', 'keys', 'vault.key')
  const newKek = join(gateway.nodeSettings['DATA_DIR'] ?? '', 'keys', 'new.key')
  const newKey = randomBytes(32).toString('base64')
  writeFileSync(newKek, newKey)
  const places = [
    await aNode(t, { TOLLGATE_RUN_JOBS: '0' }),
    await aNode(t, { TOLLGATE_RUN_JOBS: '0' }),
  ]
  const balancer = await openLoadBalancer(places.map(({ node }) => node.baseUrl))
  t.after(() => balancer.close())
  t.after(() => balancer.faults.forEach((fault) => t.diagnostic(fault)))
  const load = openShops(clientOf(balancer.baseUrl))
  t.after(() => (load.shops.isOver = true))
  const databaseUrl = new Secret(gateway.databaseUrl)
  const before = await openKeyOperator({ mode: 'sandbox', databaseUrl, vaultKey: gateway.vaultKey })
  t.after(() => before.close())
  const operator = await openKeyOperator({
    mode: 'sandbox',
    databaseUrl,
    vaultKey: new Secret(newKey),
    vaultKeyPrevious: gateway.vaultKey,
  })
  t.after(() => operator.close())
  const restart = async (change: Settings): Promise<void> => {
    for (const place of places) {
      assert.equal(await place.node.stop(), 0, place.node.complaints())
      place.settings = { ...place.settings, ...change }
      place.node = await startGatewayNode(place.settings)
      await load.goOn(10)
    }
  }
  await load.goOn(100)

  // A node that only does the jobs is killed while it re-encrypts; the others go on with its work.
  const worker = await aNode(t, {})
  const first = await before.rotate()
  await untilRow(
    gateway,
    're-encryption goes on',
    'select 1 from reencryption_passes where moved > 0',
  )
  await worker.node.kill()
  await load.goOn(100)

  await restart({ VAULT_KEY_FILE: newKek, VAULT_KEY_PREVIOUS: `file:${oldKek}` })
  const rewrapped = await operator.rewrap(null)
  await restart({ VAULT_KEY_PREVIOUS: '' })
  // The gateway of this process knows the old key only. It cannot unwrap a new data key, so no
  // process uses that key.
  const second = await operator.rotate()
  await load.goOn(100)
  const lacking = await operator.list()
  await gateway.stopGateway()
  await restart({ TOLLGATE_RUN_JOBS: '1' })
  // An ended process counts as running for another minute, which passes at once here.
  const { rowCount: gone } = await gateway.pool.query(
    `update data_key_holders set seen_at = seen_at - interval '1 minute' where not ($1 = any(data_key_ids))`,
    [second.made],
  )
  assert.ok((gone ?? 0) > 0)
  await untilRow(
    gateway,
    'all tables are re-encrypted',
    `select 1 from reencryption_passes where data_key_id = $1 having bool_and(finished_at is not null)`,
    [second.made],
    90_000,
  )
  await load.goOn(100)
  await load.close()
  await untilNoAdviceIsQueued(gateway)

  assert.deepEqual([first.retired, second.retired], [1, first.made])
  assert.equal(rewrapped.keys, 3)
  assert.ok(
    lacking.holders.every(({ sealsUnder }) => sealsUnder === first.made),
    JSON.stringify(lacking.holders),
  )
  assert.ok(load.shops.refunds > 200)
  assert.ok(balancer.retried > 0, 'no node ever refused a request, so nothing was shown')
  const { keys } = await operator.list()
  assert.deepEqual(
    keys.map(({ id, state, cards }) => [id, state, cards > 0]),
    [
      [1, 'retired', false],
      [2, 'active', false],
      [first.made, 'retired', false],
      [second.made, 'active', true],
    ],
  )
  const file = join(gateway.nodeSettings['DATA_DIR'] ?? '', 'all.tgv')
  const exported = await operator.exportTo(
    file,
    new Secret(randomBytes(32).toString('base64')),
    null,
    () => {},
  )
  const { rows } = await gateway.pool.query<{ cards: number }>(
    'select count(*)::int as cards from payment_methods',
  )
  assert.deepEqual(exported, { cards: rows[0]?.cards, unreadable: 0 })
})
