import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, createServer, request, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { runProgram, type Program } from '../../packages/tollgate/test/program.ts'
import {
  BALANCERS,
  startBalancer,
  whyNoBalancer,
  type BalancerKind,
  type BalancerPlace,
} from '../support/balancer-programs.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { untilSeen } from '../support/eventually.ts'
import { EXPIRY, newReference, VISA } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

const NODES = 3
/** At least as many, and as many as pass while the nodes restart. */
const PAYMENTS = { haproxy: 2_000, nginx: 500 } as const
const SHOPS = 4
/** Between two payments of a shop. */
const PAUSE_MS = 50
/** So many that each node gets its turn. */
const TRIED = 12
const CLI = new URL('../../packages/tollgate/src/cli.ts', import.meta.url)

suite('nodes behind the balancers of examples/several-nodes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-balancers-'))
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  const started: Program[] = []
  let gateway: RunningGateway
  let place: BalancerPlace
  let settings: readonly Readonly<Record<string, string>>[] = []
  let nodes: Program[] = []
  before(async () => {
    gateway = await startRunningGateway()
    await gateway.stopGateway()
    const keys = join(gateway.nodeSettings['DATA_DIR'] ?? '', 'keys')
    const [port = 0, ...ports] = await freePorts(1 + NODES * 3)
    const nodePorts = ports.slice(0, NODES)
    const [certFile, keyFile] = [join(keys, 'tls-cert.pem'), join(keys, 'tls-key.pem')]
    place = { folder, port, nodePorts, certFile, keyFile }
    settings = nodePorts.map((tlsPort, at) => ({
      DATABASE_URL: gateway.databaseUrl,
      VAULT_KEY: gateway.vaultKey.reveal(),
      DATA_DIR: join(folder, `node${at + 1}`),
      TLS_CERT: certFile,
      TLS_KEY: keyFile,
      TLS_PORT: String(tlsPort),
      PORT: String(ports[NODES + at]),
      METRICS_PORT: String(ports[2 * NODES + at]),
      PUBLIC_URL: `https://localhost:${port}`,
      TRUST_PROXY: '127.0.0.1',
      WORKERS: '1',
      DRAIN_S: '3',
      BANK: 'shared',
      BANK_PORT: gateway.nodeSettings['BANK_PORT'] ?? '',
      BANK_SECRET: 'secret-of-the-nodes-behind-balancers',
    }))
    for (const { DATA_DIR } of settings) mkdirSync(DATA_DIR ?? '')
    nodes = await Promise.all(settings.map(startNode))
  })
  after(async () => {
    agent.destroy()
    for (const program of [...started, ...nodes]) program.child.kill('SIGTERM')
    await Promise.all([...started, ...nodes].map((program) => program.end()))
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A program of its own, with a supervisor and one worker. */
  async function startNode(env: Readonly<Record<string, string>>): Promise<Program> {
    const node = runProgram(CLI, { args: ['start'], env })
    await node.line(/^tollgate ready/m)
    return node
  }

  /** Sends a form to the balancer, once; the HTTP status, and the outcome if the answer has one. */
  function send(path: string, form: Readonly<Record<string, string>> | null): Promise<string> {
    const body = form === null ? '' : new URLSearchParams(form).toString()
    const { promise, resolve } = Promise.withResolvers<string>()
    const outgoing = request(
      {
        host: '127.0.0.1',
        servername: 'localhost',
        port: place.port,
        path,
        agent,
        method: form === null ? 'GET' : 'POST',
        headers: {
          host: `localhost:${place.port}`,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        },
      },
      (incoming) => {
        text(incoming).then(
          (answer) => resolve(`${incoming.statusCode} ${statusOf(answer)}`.trim()),
          (error: unknown) => resolve(String(error)),
        )
      },
    )
    outgoing.on('error', (error) => resolve(String(error)))
    outgoing.end(body)
    return promise
  }

  const pay = (reference: string): Promise<string> =>
    send('/payment/pmt_service.cfm', {
      ...credentials(),
      REQUEST_RESPONSE_FORMAT: 'JSON',
      REQUEST_ACTION: 'CCAUTHCAP',
      XTL_ORDER_ID: reference,
      PMT_NUMB: VISA,
      PMT_EXPIRY: EXPIRY,
      CUST_FNAME: 'Anna',
      CUST_LNAME: 'Berg',
      LI_PROD_ID_1: '1001',
      LI_VALUE_1: '5.00',
      REQUEST_CURRENCY: 'USD',
    })

  async function balance(kind: BalancerKind, at = place, change?: (text: string) => string) {
    const balancer = startBalancer(kind, at, change)
    started.push(balancer)
    const ended = balancer
      .end()
      .then((how) => `${kind.name} ended with ${how}: ${balancer.output()}`)
    const answer = await untilSeen(
      `${kind.name} serves`,
      () => Promise.race([ended, send('/health/ready', null)]),
      (seen) => seen.startsWith('200') || seen.startsWith(kind.name),
    )
    assert.match(answer, /^200/)
    return balancer
  }

  async function stop(balancer: Program): Promise<void> {
    balancer.child.kill('SIGTERM')
    await balancer.end()
  }

  /** Payments with one node that breaks off: references of those in the database, and of its own. */
  async function payBeside(
    breaking: BreakingNode,
    kind: BalancerKind,
    change?: (file: string) => string,
  ): Promise<{ approved: readonly string[]; taken: readonly string[] }> {
    const nodePorts = [breaking.port, ...place.nodePorts.slice(1)]
    const balancer = await balance(kind, { ...place, nodePorts }, change)
    const references = Array.from({ length: TRIED }, newReference)
    for (const reference of references) await pay(reference)
    await stop(balancer)
    await breaking.stop()
    const { rows } = await gateway.pool.query<{ reference: string }>(
      `select reference from orders where reference = any($1) and state = 'authorized'`,
      [references],
    )
    return { approved: rows.map(({ reference }) => reference), taken: breaking.taken }
  }

  for (const kind of BALANCERS) {
    const least = PAYMENTS[kind.name]
    test(`${kind.name}: while three nodes restart one after the other, ${least} payments are each approved once`, async (t) => {
      if (isSkipped(t, kind)) return
      const balancer = await balance(kind)
      const sent: string[] = []
      const answers = new Map<string, number>()
      let restarting = true
      const shop = async (): Promise<void> => {
        while (restarting || sent.length < least) {
          const reference = newReference()
          sent.push(reference)
          const answer = await pay(reference)
          answers.set(answer, (answers.get(answer) ?? 0) + 1)
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
        }
      }
      const shops = Array.from({ length: SHOPS }, shop)
      for (const [at, env] of settings.entries()) {
        nodes[at]?.child.kill('SIGTERM')
        assert.equal(await nodes[at]?.end(), 0)
        nodes[at] = await startNode(env)
      }
      restarting = false
      await Promise.all(shops)

      assert.deepEqual([...answers], [['200 APPROVED', sent.length]])
      const { rows } = await gateway.pool.query<{ orders: number; named: number }>(
        `select count(*)::int as orders, count(distinct reference)::int as named
           from orders where reference = any($1) and state = 'authorized'`,
        [sent],
      )
      assert.deepEqual(rows, [{ orders: sent.length, named: sent.length }])
      await stop(balancer)
    })

    test(`${kind.name}: a payment whose node broke off is not sent to another node`, async (t) => {
      if (isSkipped(t, kind)) return
      const { approved, taken } = await payBeside(await startBreakingNode(place), kind)

      assert.ok(taken.length > 0)
      assert.deepEqual(
        taken.filter((reference) => approved.includes(reference)),
        [],
      )
      assert.equal(approved.length + taken.length, TRIED)
    })

    test(`${kind.name}: "${kind.unsafe[1]}" would send it to another node`, async (t) => {
      if (isSkipped(t, kind)) return
      const change = (file: string): string => file.replace(...kind.unsafe)
      const { approved, taken } = await payBeside(await startBreakingNode(place), kind, change)

      assert.ok(taken.some((reference) => approved.includes(reference)))
    })
  }

  for (const kind of BALANCERS) {
    test(`${kind.name}: no log has the query of a request, also where its node broke off`, async (t) => {
      if (isSkipped(t, kind)) return
      const breaking = await startBreakingNode(place)
      const nodePorts = [breaking.port, breaking.port, breaking.port]
      const balancer = await balance(kind, { ...place, nodePorts })
      const logs = (): string => {
        const files = readdirSync(folder).filter((name) => name.endsWith('.log'))
        const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'))
        return [balancer.output(), ...texts].join('')
      }
      assert.match(await send('/health/live?search=marked-query', null), /^200/)
      assert.doesNotMatch(await send('/portal?search=marked-query', null), /^200/)
      await untilSeen(`${kind.name} logs a request`, logs, (text) => text.includes('/health/live'))
      await stop(balancer)
      await breaking.stop()

      assert.doesNotMatch(logs(), /marked-query/)
    })
  }

  test('no payment of the restarts is missing from the books or too many in them', async () => {
    await untilSeen(
      'the bank acknowledges every capture',
      () => gateway.pool.query(`select from advices where state = 'queued'`),
      ({ rowCount }) => rowCount === 0,
    )
    await assertBooksAreClean(gateway)
  })
})

function statusOf(answer: string): string {
  try {
    return String((JSON.parse(answer) as Record<string, string>)['TRANS_STATUS_NAME'] ?? '')
  } catch {
    return ''
  }
}

function isSkipped(t: { name: string; skip(reason: string): void }, kind: BalancerKind): boolean {
  const reason = whyNoBalancer(kind)
  if (reason === null) return false
  process.stderr.write(`SKIPPED "${t.name}": ${reason}\n`)
  t.skip(reason)
  return true
}

interface BreakingNode {
  readonly port: number
  /** The order references that it took. */
  readonly taken: readonly string[]
  stop(): Promise<void>
}

/** A node that is ready, takes each request, and ends the connection instead of an answer. */
async function startBreakingNode({ certFile, keyFile }: BalancerPlace): Promise<BreakingNode> {
  const taken: string[] = []
  const server: Server = createServer(
    { cert: readFileSync(certFile), key: readFileSync(keyFile) },
    (incoming, answer) => {
      if (incoming.url?.startsWith('/health/') === true) {
        answer.end()
        return
      }
      if (incoming.method === 'GET') {
        incoming.socket.destroy()
        return
      }
      void text(incoming).then((body) => {
        taken.push(new URLSearchParams(body).get('XTL_ORDER_ID') ?? '')
        incoming.socket.destroy()
      })
    },
  )
  const [port = 0] = await freePorts(1)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port,
    taken,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
