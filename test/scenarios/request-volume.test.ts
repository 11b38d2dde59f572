import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { eventually, untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { payment, outcome } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { newToken, tokenRequest } from '../support/tokens.ts'

const BURST = 40
const PER_SECOND = 1

suite('R8: the volume of a user', () => {
  let gateway: RunningGateway
  let secondNode: GatewayNode
  /** Of both gateways. */
  let nodes: readonly string[]
  before(async () => {
    gateway = await startRunningGateway({
      REQUEST_RATE_LIMIT: String(PER_SECOND),
      REQUEST_RATE_BURST: String(BURST),
    })
    const [port, tlsPort] = await freePorts(2)
    secondNode = await startGatewayNode({
      ...gateway.nodeSettings,
      PORT: String(port),
      TLS_PORT: String(tlsPort),
    })
    nodes = [gateway.baseUrl, secondNode.baseUrl]
    // A first question opens a connection, which may take longer than a node waits for the others'
    // count.
    for (const node of nodes) assert.equal((await ask(node, 1002)).status, 200)
  })
  after(async () => {
    await secondNode?.stop()
    await gateway?.stop()
  })

  const ask = (node: string, site: 1001 | 1002 = 1001): Promise<Response> =>
    fetch(new URL('/payment/pmt_service.cfm', node), {
      method: 'POST',
      body: new URLSearchParams({
        ...credentials(site),
        REQUEST_ACTION: 'TESTAUTH',
        REQUEST_RESPONSE_FORMAT: 'JSON',
      }),
    })
  const askForToken = (node: string): Promise<Response> => {
    const { form, headers } = tokenRequest()
    return fetch(new URL('/payment/token_service.cfm', node), {
      method: 'POST',
      body: form,
      headers,
    })
  }

  /** Sends four bursts' worth over both nodes at once; returns the answers with 429. */
  async function flood(send: (node: string) => Promise<Response>): Promise<Response[]> {
    const begun = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 4 * BURST }, (_, at) => send(nodes[at % nodes.length] ?? '')),
    )
    const most = BURST + PER_SECOND * ((performance.now() - begun) / 1_000)
    const allowed = answers.filter((answer) => answer.status === 200).length
    assert.ok(allowed <= most, `${allowed} were allowed, of ${most}`)
    const refused = answers.filter((answer) => answer.status === 429)
    assert.equal(allowed + refused.length, answers.length)
    // At most the share that the other node may hold is missing.
    assert.ok(allowed >= BURST - BURST / 16, `${allowed} were allowed`)
    return refused
  }

  test('is one over two nodes; beyond it the answer is 429 with the seconds to wait, then it goes on', async () => {
    const refused = await flood(ask)
    for (const answer of refused) {
      assert.equal(answer.headers.get('retry-after'), '1')
      assert.equal(((await answer.json()) as Record<string, unknown>)['SERVICE_RESPONSE'], 215)
    }
    assert.equal((await ask(nodes[1] ?? '', 1002)).status, 200, 'another user is not touched')
    const { status } = await untilSeen(
      'the user may go on',
      () => ask(nodes[1] ?? ''),
      (answer) => answer.status !== 429,
    )
    assert.equal(status, 200)
  })

  test('R8: a limit of its own replaces that of the installation for a user, over both nodes', async () => {
    const limit = (rate: string): Promise<unknown> =>
      gateway.pool.query(
        `update api_users set (request_rate, request_burst) = (${rate}) where username = $1`,
        [credentials(1002).REQ_USERNAME],
      )
    const allowedOf = async (): Promise<number> => {
      const sent = Array.from({ length: 30 }, (_, at) => ask(nodes[at % 2] ?? '', 1002))
      return (await Promise.all(sent)).filter(({ status }) => status === 200).length
    }
    await limit('1, 8')
    // Each node learns of the limit within two seconds, and has 8 places for the user from then on.
    await untilSeen('both nodes apply the limit', allowedOf, (allowed) => allowed <= 8)
    await limit('1000, 1000')
    await untilSeen('both nodes apply the other limit', allowedOf, (allowed) => allowed === 30)
    await limit('null, null')
  })

  test('R8: the volume of a user is counted for the sites of the token service in the same way', async () => {
    const [refused] = await flood(askForToken)
    assert.equal(refused?.headers.get('retry-after'), '1')
    assert.match((await refused?.text()) ?? '', /^\{"ERROR_CODE":215,/)
  })

  test('R8: the volume of a user is counted by each node alone while the buckets cannot be asked, which the log says', async () => {
    const logged = (text: string): boolean =>
      gateway.logged().includes(`rate limits are counted ${text}`)
    await gateway.pool.query('alter table request_buckets rename to gone')
    await eventually('the log says that this worker counts alone', async () => {
      assert.equal((await ask(gateway.baseUrl, 1002)).status, 200)
      return logged('by this worker alone')
    })
    assert.equal((await ask(gateway.baseUrl)).status, 200, 'a bucket of its own is full')
    await gateway.pool.query('alter table gone rename to request_buckets')
    await eventually('the log says that all workers count together again', async () => {
      await ask(gateway.baseUrl, 1002)
      return logged('with the other workers again')
    })
  })
})

test('without a limit no connection is opened for it, and nothing is counted', async (t) => {
  const gateway = await startRunningGateway()
  t.after(() => gateway.stop())
  assert.equal(outcome(await gateway.client().authorize(payment('5.00'))), 'APPROVED 0/100')
  await newToken(gateway.baseUrl)

  const { rows: connections } = await gateway.pool.query<{ application_name: string }>(
    `select distinct application_name from pg_stat_activity where application_name like 'tollgate%'`,
  )
  const names = connections.map((row) => row.application_name)
  assert.ok(names.includes('tollgate intents'), 'each lane has a name of its own')
  assert.ok(!names.includes('tollgate request rate'))
  const { rows } = await gateway.pool.query('select from request_buckets')
  assert.equal(rows.length, 0)
})
