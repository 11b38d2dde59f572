import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import type { LinkStateView } from '../../packages/gateway/src/usecases/banks/processor-links.ts'
import { openOperator, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { untilSeen } from '../support/eventually.ts'
import {
  liveAccountFile,
  openCable,
  startLiveAcquirer,
  type Cable,
  type LiveAcquirer,
} from '../support/live-acquirer.ts'
import { outcome, payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

/** Seven of these are for payments: one merchant alone uses four. */
const WINDOW = 8
const SHARE = 4
/** As many fit into the queue; the rest is refused at once. */
const CROWD = 2 * SHARE + 2
/** The job that sends advices has 256 places, of which one merchant alone gets half. */
const ADVICE_SHARE = 128
const ADVICE_CROWD = 300

let gateway: RunningGateway
let operator: Operator
let acquirers: readonly LiveAcquirer[] = []
let cable: Cable
before(async () => {
  gateway = await startRunningGateway()
  const { databaseUrl, vaultKey } = gateway
  operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
})
after(async () => {
  await operator?.close()
  cable?.letGo()
  await gateway?.stop()
  await cable?.cut()
  for (const acquirer of acquirers) await acquirer.stop()
})

async function putLink(file: string, folder: string): Promise<void> {
  const put = await operator.putLink(file, folder)
  assert.ok(put.ok, JSON.stringify(put))
}

/** Merchant 2 has site 1002; merchant 1 has site 1001. */
async function putAccount(change: Readonly<Record<string, unknown>>): Promise<void> {
  const merchantId = change['sites'] === undefined ? 1 : 2
  const put = await operator.putAccount(liveAccountFile({ merchantId, ...change }))
  assert.ok(put.ok, JSON.stringify(put))
}

function linkOf(name: string): LinkStateView | undefined {
  return gateway.linkStates().find((link) => link.name === name)
}

async function untilUnderWay(name: string, count: number): Promise<void> {
  await untilSeen(
    `${count} messages wait for their answers on ${name}`,
    () => linkOf(name),
    (link) => link?.inFlight === count,
    { everyMs: 1 },
  )
}

/** Payments begin to use an account some seconds after its change. */
async function untilPaymentsGoTo(site: 1001 | 1002, account: string, more = {}): Promise<void> {
  await untilSeen(
    `payments of site ${site} go to account ${account}`,
    async () => {
      const { raw, status } = await gateway.client(site).authorize(payment('1.00', { more }))
      return `${status} ${String(raw['MERCH_ACCT_ID'])}`
    },
    (seen) => seen === `APPROVED ${account}`,
    { everyMs: 100 },
  )
}

test('payments of one merchant that hang on a test link let payments of another through', async () => {
  const link = {
    name: 'narrow',
    mode: 'test',
    addresses: [`127.0.0.1:${gateway.bank.port}`],
    profile: 'house',
    institutionId: '400001',
    tls: 'off',
    window: WINDOW,
    messageTimeoutMs: 4_000,
  }
  await putLink(JSON.stringify(link), '.')
  const account = { mode: 'test', link: 'narrow', standsFor: undefined, processorName: 'Narrow' }
  await putAccount({ ...account, id: 2101 })
  await putAccount({ ...account, id: 2102, sites: [1002] })
  const here = { more: { MERCH_ACCT_ID: '2101' } }
  const there = { more: { MERCH_ACCT_ID: '2102' } }
  await untilPaymentsGoTo(1001, '2101', here.more)
  await untilPaymentsGoTo(1002, '2102', there.more)

  const crowd = Array.from({ length: CROWD }, () =>
    gateway.client().authorize(payment('9101.01', here)),
  )
  await untilUnderWay('narrow', SHARE)
  const other = await gateway.client(1002).authorize(payment('12.00', there))

  assert.equal(outcome(other), 'APPROVED 0/100')
  const outcomes = (await Promise.all(crowd)).map(outcome)
  const notSent = outcomes.filter((each) => each === 'FAILED 0/530').length
  const unknown = outcomes.filter((each) => each === 'FAILED 0/502').length
  assert.ok(notSent >= CROWD - 2 * SHARE && unknown >= SHARE, outcomes.join())
  assert.equal(notSent + unknown, CROWD)
  const refused = 'tollgate_bank_link_refused_total{link="narrow",why='
  const metrics = await gateway.metrics()
  assert.ok(metrics.includes(`${refused}"share"} ${notSent}\n`), metrics)
  assert.ok(metrics.includes(`${refused}"window"} 0\n`))
  const lines = gateway.logged().split('messages of a merchant find no place on a link')
  assert.equal(lines.length, 2, 'one line tells of all refused messages')
  assert.match(lines[0] ?? '', /"link":"narrow","merchantId":"1","why":"share","msg":"$/)
})

test('of two live links one hangs, and only the payments of a crowd on it are refused', async () => {
  acquirers = await Promise.all(['acme-live', 'zeta-live'].map(startLiveAcquirer))
  const [acme, zeta] = acquirers
  assert.ok(acme !== undefined && zeta !== undefined)
  cable = await openCable(acme.bank.port)
  await putLink(
    acme.linkFile({ addresses: [`127.0.0.1:${cable.port}`], window: WINDOW }),
    acme.folder,
  )
  await putLink(zeta.linkFile({ window: WINDOW }), zeta.folder)
  await putAccount({})
  await putAccount({ id: 3002, standsFor: undefined, sites: [1002] })
  await putAccount({ id: 3003, standsFor: undefined, sites: [1002], link: 'zeta-live' })
  for (const site of [1001, 1002]) {
    const moved = await operator.setSiteMode(site, 'live')
    assert.ok(moved.ok, JSON.stringify(moved))
  }
  await untilPaymentsGoTo(1001, '3001')
  await untilPaymentsGoTo(1002, '3002', { MERCH_ACCT_ID: '3002' })
  await untilPaymentsGoTo(1002, '3003', { MERCH_ACCT_ID: '3003' })

  cable.hold()
  const crowd = Array.from({ length: CROWD }, () => gateway.client().authorize(payment('20.00')))
  await untilUnderWay('acme-live', SHARE)
  const onAcme = payment('21.00', { more: { MERCH_ACCT_ID: '3002' } })
  const waiting = gateway.client(1002).authorize(onAcme)
  await untilUnderWay('acme-live', SHARE + 1)
  const onZeta = payment('22.00', { more: { MERCH_ACCT_ID: '3003' } })
  const elsewhere = await gateway.client(1002).authorize(onZeta)
  cable.letGo()

  assert.equal(outcome(elsewhere), 'APPROVED 0/100')
  assert.equal(outcome(await waiting), 'APPROVED 0/100')
  const outcomes = (await Promise.all(crowd)).map(outcome)
  const sent = outcomes.filter((each) => each === 'APPROVED 0/100').length
  assert.ok(sent >= SHARE && sent <= 2 * SHARE, outcomes.join())
  assert.equal(outcomes.filter((each) => each === 'FAILED 0/530').length, CROWD - sent)
})

test('300 captures of one merchant that hang on their link delay no capture of another merchant', async () => {
  const [acme] = acquirers
  assert.ok(acme !== undefined)
  const narrowSince = linkOf('acme-live')?.signedOnSince ?? null
  await putLink(acme.linkFile({ addresses: [`127.0.0.1:${cable.port}`] }), acme.folder)
  await untilSeen(
    'the link is up again, with its usual window',
    () => linkOf('acme-live'),
    (link) => link?.state === 'up' && Number(link.signedOnSince) > Number(narrowSince),
  )
  const client = gateway.client()
  const orders: string[] = []
  for (let at = 0; at < ADVICE_CROWD; at += 100) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => client.authorize(payment('30.00'))),
    )
    orders.push(...answers.map(({ orderId }) => orderId))
  }
  const theirs = await gateway
    .client(1002)
    .authorize(payment('31.00', { more: { MERCH_ACCT_ID: '3003' } }))
  await untilNoAdviceIsQueued(gateway)

  cable.hold()
  const captured = await Promise.all(
    orders.map((orderId) => client.capture({ orderId, amount: '30.00' })),
  )
  assert.deepEqual([...new Set(captured.map(outcome))], ['APPROVED 0/100'])
  const queued = `select from advices where state = 'queued' and merchant_id = 1`
  await untilRow(
    gateway,
    'the crowd uses its share',
    `${queued} and tries > 0 having count(*) = $1`,
    [ADVICE_SHARE],
  )
  await gateway.client(1002).capture({ orderId: theirs.orderId, amount: '31.00' })
  await untilRow(
    gateway,
    'the other merchant has its acknowledgement',
    `select from advices where order_id = $1 and state = 'acknowledged'`,
    [theirs.orderId],
    // After 25 seconds the crowd's time-outs would free places.
    15_000,
  )

  assert.equal((await gateway.pool.query(queued)).rowCount, ADVICE_CROWD)
  cable.letGo()
  await untilNoAdviceIsQueued(gateway)
})
