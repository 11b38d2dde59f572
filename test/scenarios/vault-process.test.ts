import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { after, before, suite, test } from 'node:test'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { createBundledBankMetrics } from '../../packages/tollgate/src/bundled-bank.ts'
import { superviseVault } from '../../packages/tollgate/src/vault-process.ts'
import type { SupervisedVault } from '../../packages/tollgate/src/vault-process.ts'
import { builtProgram } from '../../packages/tollgate/test/built-program.ts'
import { CHILD_ENVIRONMENT } from '../../packages/tollgate/test/child-environment.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { readKeyMarks } from '../canary/key-marks.ts'
import { assertBooksAgree } from '../support/agreeing-books.ts'
import { eventually, untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { MASTERCARD, payment, VISA } from '../support/payments.ts'
import { memoryHolds } from '../support/process-memory.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

const VAULT = builtProgram(new URL('../../packages/gateway/src/vault-main.ts', import.meta.url))
/** More than the tests before the last one open in a minute. */
const OPENINGS = 60

suite('a gateway whose data keys are in a vault process', () => {
  let gateway: RunningGateway
  let vault: SupervisedVault
  let node: GatewayNode
  let client: SingleRequestClient
  const { registry } = createBundledBankMetrics()
  const said: string[] = []
  const say = (text: string): void => void said.push(text)

  before(async () => {
    gateway = await startRunningGateway()
    const [port, tlsPort] = await freePorts(2)
    const settings = {
      ...gateway.nodeSettings,
      PORT: String(port),
      TLS_PORT: String(tlsPort),
      TOLLGATE_RUN_JOBS: '0',
      VAULT_OPENINGS_PER_MINUTE: String(OPENINGS),
      DATABASE_WAIT_S: '60',
    }
    const dataDir = gateway.nodeSettings['DATA_DIR'] ?? ''
    vault = superviseVault({
      entry: VAULT,
      env: { ...CHILD_ENVIRONMENT, ...settings },
      config: { dataDir, databaseWaitMs: 60_000, vaultProcess: 'on' },
      log: { info: say, warn: say, error: say },
      registry,
      onGiveUp: ({ message }) => assert.fail(message),
    })
    await vault.ready
    node = await startGatewayNode(vault.workerEnv as Record<string, string>)
    const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
    client = createSingleRequestClient({ baseUrl: node.baseUrl, username, password, siteId: 1001 })
  })
  after(async () => {
    await node?.stop()
    await vault?.stop(10_000)
    await gateway?.stop()
  })

  const metric = async (line: RegExp): Promise<number> =>
    Number(line.exec(await registry.metrics())?.[1] ?? 0)
  const revealed = async (): Promise<number> => {
    const { rows } = await gateway.pool.query<{ count: string }>(
      `select count(*) from audit_entries
        where operation = 'card.revealed' and actor like 'gateway:%'`,
    )
    return Number(rows[0]?.count)
  }

  test('new and saved cards are paid with, and each opened number is on record', async () => {
    const before = await revealed()
    const fresh = await client.sale(payment('12.00', { cardNumber: MASTERCARD }))
    assert.equal(fresh.status, 'APPROVED', JSON.stringify(fresh.raw))
    const customerId = String(fresh.customerId)
    const again = await client.sale({ customerId, amount: '3.00' })
    assert.equal(again.status, 'APPROVED', JSON.stringify(again.raw))
    // The same number of the same customer finds its card again.
    const known = await client.sale(payment('4.00', { cardNumber: MASTERCARD, customerId }))
    assert.equal(String(known.raw['PMT_ID']), String(fresh.raw['PMT_ID']))
    assert.equal(await revealed(), before + 1)
  })

  test('the memory of a busy worker has no byte of a data key, and the vault process has them all', async () => {
    const databaseUrl = gateway.databaseUrl
    const keys = await readKeyMarks(gateway.nodeSettings['DATA_DIR'] ?? '', databaseUrl)
    const wanted = keys.flatMap((mark) => (mark.kind === 'bytes' ? [mark] : []))
    const dataKeys = wanted.filter(({ name }) => name.startsWith('data key'))
    assert.ok(dataKeys.length >= 2)
    let isOver = false
    const load = Promise.all(
      [VISA, MASTERCARD].map(async (cardNumber) => {
        for (let turn = 0; !isOver; turn += 1) await client.sale(payment('2.00', { cardNumber }))
      }),
    )
    const secrets = [...dataKeys, ...wanted.filter(({ name }) => name === 'the vault key')]
    const inWorker = memoryHolds(
      node.pid,
      secrets.map(({ bytes }) => bytes),
    )
    const inVault = memoryHolds(
      vault.pid() ?? 0,
      dataKeys.map(({ bytes }) => bytes),
    )
    isOver = true
    await load
    assert.deepEqual(
      secrets.filter((_, index) => inWorker[index]).map(({ name }) => name),
      [],
    )
    assert.deepEqual(
      dataKeys.filter((_, index) => !inVault[index]).map(({ name }) => name),
      [],
    )
  })

  test('garbage at the socket ends its connection and nothing else', async () => {
    const socket = connect(vault.workerEnv['TOLLGATE_VAULT_SOCKET'] ?? '')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined)
    socket.resume()
    socket.write(randomBytes(5_000))
    await closed
    await eventually(
      'the metrics count the connection',
      async () => (await metric(/^tollgate_vault_turned_away_total (\d+)/m)) > 0,
    )
    assert.equal((await client.sale(payment('5.00'))).status, 'APPROVED')
  })

  test('payments wait while the vault process is killed again and again, and none is lost or doubled', async () => {
    const kills = 3
    let isOver = false
    const statuses: string[] = []
    const shops = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let turn = 0; !isOver; turn += 1) {
          const { status } = await client.sale(payment('12.00'))
          statuses.push(status)
        }
      }),
    )
    for (let kill = 0; kill < kills; kill += 1) {
      const pid = await eventually('the vault process runs', () => vault.pid())
      const done = statuses.length
      process.kill(pid, 'SIGKILL')
      await untilSeen(
        'payments were made after the kill',
        () => statuses.length,
        (made) => made >= done + 12,
      )
    }
    isOver = true
    await shops
    assert.deepEqual([...new Set(statuses)], ['APPROVED'])
    const restarts = await metric(/^tollgate_vault_process_restarts_total (\d+)/m)
    assert.equal(restarts, kills)
    await assertBooksAgree(gateway)
    const { rows } = await gateway.pool.query<{ count: string }>(
      `select count(*) from orders where requested_minor = 1200 and state = 'authorized'`,
    )
    assert.ok(Number(rows[0]?.count) >= statuses.length)
  })

  test('a vault process that hangs is killed, and payments go on with the next one', async () => {
    const restarts = /^tollgate_vault_process_restarts_total (\d+)/m
    const before = await metric(restarts)
    const pid = await eventually('the vault process runs', () => vault.pid())
    process.kill(pid, 'SIGSTOP')
    const statuses = await Promise.all(
      Array.from({ length: 4 }, () =>
        client.sale(payment('13.00')).then(({ status }) => status, String),
      ),
    )
    const next = await eventually('another vault process runs', () =>
      vault.pid() === pid ? null : vault.pid(),
    )
    assert.notEqual(next, pid)
    assert.equal(await metric(restarts), before + 1)
    assert.equal((await client.sale(payment('13.00'))).status, 'APPROVED')
    await assertBooksAgree(gateway)
    const { rows } = await gateway.pool.query<{ count: string }>(
      `select count(*) from orders where requested_minor = 1300 and state = 'authorized'`,
    )
    const approved = statuses.filter((status) => status === 'APPROVED').length
    assert.equal(Number(rows[0]?.count), approved + 1)
  })

  test('above the limit of a minute saved cards get 503 with Retry-After, and new cards are paid with', async () => {
    const fresh = await client.sale(payment('12.00'))
    const body = new URLSearchParams({
      ...credentials(),
      REQUEST_ACTION: 'CCAUTHORIZE',
      CUST_ID: String(fresh.customerId),
      LI_VALUE_1: '1.00',
    })
    const limited = await eventually('a payment is above the limit', async () => {
      const url = new URL('/payment/pmt_service.cfm', node.baseUrl)
      const answer = await fetch(url, { method: 'POST', body })
      await answer.arrayBuffer()
      return answer.status === 503 ? answer : null
    })
    assert.match(limited.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await client.sale(payment('5.00'))).status, 'APPROVED')
    await eventually(
      'the metrics count it',
      async () => (await metric(/^tollgate_vault_openings_limited_total (\d+)/m)) > 0,
    )
  })

  test('the last stop of a node takes its keys off the list of those that hold keys', async () => {
    const mine = `%:vault:${vault.pid()}:%`
    const holders = async (pattern: string) => {
      const text = 'select from data_key_holders where worker like $1'
      return (await gateway.pool.query(text, [pattern])).rowCount
    }
    assert.equal(await holders(mine), 1)
    assert.equal(await holders(`%:${node.pid}:%`), 0)
    assert.equal(await node.stop(), 0)
    await vault.stop(10_000)
    assert.equal(await holders(mine), 0)
  })
})
