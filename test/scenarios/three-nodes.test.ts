import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { MOST_CONNECTIONS } from '../../packages/gateway/src/adapters/postgres/connection/database.ts'
import { LONG_IDLE_EVERY_MS } from '../../packages/gateway/src/jobs/worker.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { untilSeen } from '../support/eventually.ts'
import {
  moneyOf,
  newReference,
  outcome,
  payment,
  postForm,
  untilNoAdviceIsQueued,
} from '../support/payments.ts'
import { signIn } from '../support/portal.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import {
  startSeveralNodes,
  WORKERS_OF_A_NODE,
  type SeveralNodes,
} from '../support/several-nodes.ts'

const NODES = 3
/** No two clocks are further apart than half a minute. */
const CLOCKS_AHEAD_MS = [-15_000, 0, 15_000]

/** Database and bank of a gateway that has been stopped, with the address of the balancer. */
let place: RunningGateway
let nodes: SeveralNodes
let client: SingleRequestClient
before(async () => {
  place = await startRunningGateway()
  await place.stopGateway()
  nodes = await startSeveralNodes(place.nodeSettings, NODES, CLOCKS_AHEAD_MS)
  place = { ...place, baseUrl: nodes.baseUrl }
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  client = createSingleRequestClient({ baseUrl: nodes.baseUrl, username, password, siteId: 1001 })
})
after(async () => {
  await nodes?.stop()
  await place?.stop()
})

/** The codes and the transaction of a form's answer. */
async function answerOf(parameters: Readonly<Record<string, string>>): Promise<string> {
  const { text } = await postForm(place, { REQUEST_RESPONSE_FORMAT: 'JSON', ...parameters })
  const answer = JSON.parse(text) as Record<string, string>
  return `${answer['TRANS_STATUS_NAME']} ${answer['TRANS_ID']}`
}

test('an order is authorized, captured, refunded in part and read, each at another worker', async () => {
  const authorized = await client.authorize(payment('20.00'))
  assert.equal(outcome(authorized), 'APPROVED 0/100')
  const { orderId } = authorized
  assert.equal(outcome(await client.capture({ orderId, amount: '20.00' })), 'APPROVED 0/100')
  assert.equal(outcome(await client.refund({ orderId, amount: '5.00' })), 'APPROVED 0/100')
  await untilNoAdviceIsQueued(place)

  const status = await client.status({ orderId })
  assert.deepEqual(
    status.events?.map(({ TRANS_STATUS_NAME: name }) => name),
    ['APPROVED', 'APPROVED', 'APPROVED'],
  )
  assert.equal(
    await moneyOf(place, String(orderId)),
    'authorized 2000, captured 2000, voided 0, refunded 500',
  )
})

test('of twelve payments under one reference in mode 2, sent to all workers at once, one is made', async () => {
  const reference = newReference()
  const details = payment('7.00', { duplicates: 'replay', orderReference: reference })
  const answers = await Promise.all(Array.from({ length: 12 }, () => client.sale(details)))

  assert.deepEqual(new Set(answers.map(outcome)), new Set(['APPROVED 0/100']))
  assert.equal(new Set(answers.map(({ orderId }) => orderId)).size, 1)
})

test('refunds under one idempotency key, sent to all workers at once, are made once', async () => {
  const { orderId } = await client.sale(payment('9.00'))
  const refund = {
    REQUEST_ACTION: 'CCCREDIT',
    REQUEST_REF_PO_ID: String(orderId),
    LI_VALUE_1: '4.00',
    IDEMPOTENCY_KEY: newReference(),
  }
  const answers = await Promise.all(Array.from({ length: 6 }, () => answerOf(refund)))

  assert.equal(new Set(answers).size, 1, answers.join())
  assert.match(answers.join(), /^APPROVED /)
  assert.equal(
    await moneyOf(place, String(orderId)),
    'authorized 900, captured 900, voided 0, refunded 400',
  )
})

test('a payment under way at the node whose clock is behind is not ended by the node whose clock is ahead', async () => {
  const [behind] = nodes.workers
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  const shop = { baseUrl: behind?.baseUrl ?? '', username, password, siteId: 1001 }
  // The bank answers after 9 seconds. The jobs of all nodes look for open payments meanwhile.
  const slow = await createSingleRequestClient(shop).authorize(payment('9100.90'))
  assert.equal(outcome(slow), 'APPROVED 0/100')
  assert.equal((await client.status({ orderId: slow.orderId })).events?.length, 1)
})

test('a portal user who signed in at one worker reads lists and orders at all of them', async () => {
  const { orderId } = await client.sale(payment('3.00'))
  const owner = await signIn(place)
  const total = NODES * WORKERS_OF_A_NODE
  for (let turn = 0; turn < total; turn += 1) {
    assert.equal((await owner.get(`/orders/${orderId}`)).status, 200)
    assert.equal((await owner.get('/orders')).status, 200)
  }
})

test('under load every worker keeps to the connections that the operator guide counts with', async () => {
  const shops = Array.from({ length: 96 }, async (_, at) => {
    const { orderId } = await client.sale(payment(`${1 + (at % 50)}.00`))
    await client.refund({ orderId, amount: '1.00' })
  })
  const owner = await signIn(place)
  const lists = Array.from({ length: 48 }, () => owner.get('/orders'))
  await Promise.all([...shops, ...lists])

  const { rows } = await place.pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
      where datname = current_database() and application_name like 'tollgate%'`,
  )
  const [{ count } = { count: 0 }] = rows
  assert.ok(count > NODES * WORKERS_OF_A_NODE * 10, `only ${count} connections: there was no load`)
  assert.ok(
    count <= NODES * WORKERS_OF_A_NODE * MOST_CONNECTIONS,
    `${count} connections of ${NODES} nodes with ${WORKERS_OF_A_NODE} workers each`,
  )
  await untilNoAdviceIsQueued(place)
})

const SETTLING_S = 5
/** The longest pace of an idle job, so that each window has the same looks. */
const WATCHED_S = LONG_IDLE_EVERY_MS / 1_000
/** For everything that a node does; health checks of a balancer come on top. */
const MOST_COMMITS_A_NODE = 2

test('an idle node of two workers commits less than twice a second, and the next capture is sent at once', async (t) => {
  await untilNoAdviceIsQueued(place)
  const probe = await client.authorize(payment('8.00'))
  await nodes.stopBalancer()
  const commits = async (): Promise<number> => {
    const { rows } = await place.pool.query<{ commits: string }>(
      `select xact_commit as commits from pg_stat_database where datname = current_database()`,
    )
    return Number(rows[0]?.commits)
  }
  /** The last statements of connections that were used within two seconds. */
  const statements = async (): Promise<string[]> => {
    const { rows } = await place.pool.query<{ query: string }>(
      `select left(query, 60) as query from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and state_change > clock_timestamp() - interval '2 seconds'`,
    )
    return rows.map(({ query }) => query)
  }
  /** Commits a second of all nodes over so many seconds. */
  const rate = async (seconds: number) => {
    const first = await commits()
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
    const perSecond = ((await commits()) - first) / seconds
    t.diagnostic(`${(perSecond / NODES).toFixed(2)} commits a second and node`)
    return { perSecond, statements: await statements() }
  }
  const isIdle = ({ perSecond }: { readonly perSecond: number }): boolean =>
    perSecond < MOST_COMMITS_A_NODE * NODES
  await untilSeen('the nodes become idle', () => rate(SETTLING_S), isIdle)
  // A slow machine may need more than one window.
  await untilSeen('the nodes stay idle', () => rate(WATCHED_S), isIdle, { seconds: 3 * WATCHED_S })

  const [, second] = nodes.workers
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  const shop = { baseUrl: second?.baseUrl ?? '', username, password, siteId: 1001 }
  const captured = await createSingleRequestClient(shop).capture({
    orderId: probe.orderId,
    amount: '8.00',
  })
  assert.equal(outcome(captured), 'APPROVED 0/100')
  // Sooner than an idle worker looks by itself: its node's other worker was woken.
  await untilSeen(
    'the bank acknowledges the capture',
    () => place.pool.query(`select from advices where state = 'queued'`),
    ({ rowCount }) => rowCount === 0,
    { seconds: 10 },
  )
  await assertBooksAreClean(place)
})
