import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createBatchStore } from '../../packages/gateway/src/adapters/postgres/books/batch-store.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openOperator, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { bankOrder } from '../support/bank-books.ts'
import { openBatchId, untilBatchEnded } from '../support/batches.ts'
import { untilSeen } from '../support/eventually.ts'
import {
  liveAccountFile,
  openCable,
  startLiveAcquirer,
  type LiveAcquirer,
} from '../support/live-acquirer.ts'
import { outcome, payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let live: LiveAcquirer
let operator: Operator
before(async () => {
  gateway = await startRunningGateway()
  live = await startLiveAcquirer('acme-live')
  const { databaseUrl, vaultKey } = gateway
  operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
  await putLink()
  const account = await operator.putAccount(liveAccountFile())
  assert.ok(account.ok, JSON.stringify(account))
  await untilLink('up', '')
  assert.ok((await operator.setSiteMode(1001, 'live')).ok)
  // Every two seconds a process looks a site up again.
  await untilSeen(
    'payments go to the live acquirer',
    async () => (await shop().authorize(payment('1.00'))).raw['PROC_NAME'],
    (name) => name === 'Acme Acquiring',
  )
})
after(async () => {
  await operator?.close()
  await gateway?.stop()
  await live?.stop()
})

const shop = () => gateway.client()

async function putLink(change: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const put = await operator.putLink(live.linkFile(change), live.folder)
  assert.ok(put.ok, JSON.stringify(put))
}

/** Waits until the live link has this state. The address is compared by its end. */
function untilLink(state: string, addressEnd: string, fault = ''): Promise<unknown> {
  return untilRow(
    gateway,
    `the link is ${state} at ${addressEnd} ${fault}`,
    `select 1 from processor_link_states
      where state = $1 and address like '%' || $2 and coalesce(last_error, '') ~ $3`,
    [state, addressEnd, fault],
  )
}

/**
 * Some hosts end the handshake with an alert; ours takes it, looks at the certificate and hangs up.
 */
const CLIENT_REFUSED =
  /^TLS could not be agreed on|closed the connection during the sign-on.*certificate/

const WRONG_SETTINGS = [
  [
    'an authority that did not sign the host',
    { caFile: 'other-ca.pem' },
    /^TLS could not be agreed on/,
  ],
  [
    'a client certificate of another authority',
    { certFile: 'anonymous.pem', keyFile: 'anonymous.key' },
    CLIENT_REFUSED,
  ],
  ['no client certificate', { certFile: undefined, keyFile: undefined }, CLIENT_REFUSED],
] as const

for (const [what, tls, fault] of WRONG_SETTINGS) {
  test(`${what} gives a link that says so, and payments that certainly were not sent`, async () => {
    const right = { caFile: 'ca.pem', certFile: 'client.pem', keyFile: 'client.key' }
    await assertRefused({ tls: { ...right, ...tls } }, fault)
  })
}

test('a host under another name than its certificate gives a link that says so', async () => {
  const { port } = live.bank
  await assertRefused(
    { addresses: [`localhost:${port}`] },
    /^TLS could not be agreed on \(Host: localhost/,
  )
})

test('another profile than the host speaks gives a link that says so', async () => {
  await assertRefused(
    { profile: 'house' },
    /^The host closed the connection during the sign-on.*its profile may be another/,
  )
})

test('plain text to a host that wants TLS gives a link that says so', async () => {
  await assertRefused(
    { tls: 'off' },
    /^The host closed the connection during the sign-on.*it wants TLS/,
  )
})

test('an institution id that the host does not know gives a link that says so', async () => {
  await assertRefused(
    { institutionId: '500009' },
    /^The host did not take the sign-on \(it answered 58\)/,
  )
})

/**
 * With these settings nothing is sent; with the right ones all is well again, without a restart.
 */
async function assertRefused(
  change: Readonly<Record<string, unknown>>,
  fault: RegExp,
): Promise<void> {
  await putLink(change)
  await untilRow(
    gateway,
    'the link with the changed settings is down',
    `select 1 from processor_link_states where state <> 'up'`,
  )

  const answer = await shop().authorize(payment('60.00'))

  assert.equal(outcome(answer), 'FAILED 0/530')
  const link = gateway.linkStates().find(({ name }) => name === 'acme-live')
  assert.match(link?.lastError ?? '', fault)
  assert.equal(await bankOrder(gateway, answer.orderId, live), null)
  const { rows } = await gateway.pool.query('select 1 from advices where order_id = $1', [
    answer.orderId,
  ])
  assert.deepEqual(rows, [])
  await putLink()
  await untilLink('up', `:${live.bank.port}`)
  assert.equal(outcome(await shop().authorize(payment('60.00'))), 'APPROVED 0/100')
}

test('a link that is lost under load goes on at its second address, and no order differs', async (t) => {
  const first = await openCable(live.bank.port)
  const second = await openCable(live.bank.port)
  await putLink({ addresses: [`127.0.0.1:${first.port}`, `127.0.0.1:${second.port}`] })
  await untilLink('up', `:${first.port}`)
  const orders: { orderId: string; status: string }[] = []
  const enough = Promise.withResolvers<void>()
  let stopped = false
  t.after(() => (stopped = true))
  const customers = Array.from({ length: 16 }, async () => {
    while (!stopped) {
      const { orderId, status } = await shop().sale(payment('7.77'))
      orders.push({ orderId, status })
      if (orders.length === 200) enough.resolve()
    }
  })

  await enough.promise
  await first.cut()
  await untilLink('up', `:${second.port}`, 'The host closed the connection')
  const after = Array.from({ length: 20 }, () => shop().sale(payment('7.77')))
  for (const { orderId, status } of await Promise.all(after)) orders.push({ orderId, status })
  stopped = true
  await Promise.all(customers)
  await untilNoAdviceIsQueued(gateway)

  assert.deepEqual(new Set(orders.map(({ status }) => status)), new Set(['APPROVED', 'FAILED']))
  for (const { orderId, status } of orders) {
    const booked = await bankOrder(gateway, orderId, live)
    if (status === 'APPROVED') assert.equal(booked?.capturedMinor, 777n)
    else
      assert.ok(
        booked === null || booked.state === 'reversed',
        `order ${orderId}: ${booked?.state}`,
      )
    assert.equal(await bankOrder(gateway, orderId), null)
  }
  await putLink()
  await untilLink('up', `:${live.bank.port}`)
  await second.cut()
})

/** Closes the live account's batch with one more sale; resolves with its last state. */
async function closeLiveBatch(): Promise<string> {
  assert.equal(outcome(await shop().sale(payment('9.00'))), 'APPROVED 0/100')
  await untilNoAdviceIsQueued(gateway)
  const id = await openBatchId(gateway, 3001)
  const by = { actor: 'operator:x', address: '' }
  const closed = await createBatchStore(gateway.pool).close(1n, BigInt(id), by)
  assert.equal(closed.kind, 'closed')
  return untilBatchEnded(gateway, id)
}

test('the link file decides whether the acquirer is asked to agree on batches', async () => {
  assert.equal(await closeLiveBatch(), 'none')

  await putLink({ batchAgreement: true })
  const { rows } = await gateway.pool.query(
    `select batch_agreement from processor_links where name = 'acme-live'`,
  )
  assert.deepEqual(rows, [{ batch_agreement: true }])
  await untilLink('up', `:${live.bank.port}`)
  assert.equal(await closeLiveBatch(), 'agreed')

  await putLink()
  await untilLink('up', `:${live.bank.port}`)
})

test('a new client certificate is taken up without a payment that fails', async (t) => {
  let stopped = false
  t.after(() => (stopped = true))
  const outcomes = new Set<string>()
  const customer = (async () => {
    while (!stopped) outcomes.add(outcome(await shop().authorize(payment('8.00'))))
  })()
  const { rows } = await gateway.pool.query('select signed_on_since from processor_link_states')
  await putLink()
  await untilRow(
    gateway,
    'the link has signed on anew',
    `select 1 from processor_link_states where state = 'up' and signed_on_since > $1`,
    [rows[0].signed_on_since],
  )
  stopped = true
  await customer

  assert.deepEqual([...outcomes], ['APPROVED 0/100'])
})

test('an ordinary stop logs no error, for its links neither', async () => {
  const before = gateway.logged().length
  await gateway.stopGateway()
  const lines = gateway
    .logged()
    .slice(before)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly level: number; readonly link?: string })
  assert.deepEqual(
    lines.filter(({ level }) => level >= 50),
    [],
  )
  assert.ok(lines.some(({ link }) => link === 'acme-live'))
})
