import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createBatchStore } from '../../packages/gateway/src/adapters/postgres/books/batch-store.ts'
import { builtProgram } from '../../packages/tollgate/test/built-program.ts'
import { CHILD_ENVIRONMENT } from '../../packages/tollgate/test/child-environment.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import {
  bankBatches,
  closeAnsweredBatch,
  openBatchId,
  untilBatchEnded,
  type BankBatch,
} from '../support/batches.ts'
import { eventually, untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { outcome, payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

suite('processes that die while a batch is closed', () => {
  let gateway: RunningGateway
  const nodes: GatewayNode[] = []
  before(async () => {
    gateway = await startRunningGateway()
  })
  after(async () => {
    for (const node of nodes) await node.kill()
    await gateway?.stop()
  })

  /** A gateway of its own, which the test may kill. */
  async function startNode(): Promise<GatewayNode> {
    const node = await startGatewayNode({
      ...gateway.nodeSettings,
      VAULT_KEY: gateway.vaultKey.reveal(),
      PORT: '0',
      TLS_PORT: '0',
    })
    nodes.push(node)
    return node
  }

  async function addFault(rule: object): Promise<void> {
    const { status } = await fetch(`${gateway.bank.controlUrl}/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ count: 1, ...rule }),
    })
    assert.equal(status, 201)
  }

  async function agreementOf(id: string): Promise<string> {
    const { rows } = await gateway.pool.query<{ agreement: string }>(
      'select agreement from batches where id = $1',
      [id],
    )
    return rows[0]?.agreement ?? ''
  }

  test('a batch whose gateway dies at each step ends once, with the same content here and at the bank', async () => {
    const client = gateway.client()
    const sale = await client.sale(payment('40.00'))
    assert.equal(outcome(sale), 'APPROVED 0/100')
    await client.sale(payment('41.00'))
    await untilNoAdviceIsQueued(gateway)
    await gateway.stopGateway()
    await gateway.pool.query(
      `update transactions set voided_minor = 100 where order_id = $1 and kind = 'sale'`,
      [sale.orderId],
    )
    const id = await openBatchId(gateway)
    const { rows: merchants } = await gateway.pool.query<{ merchant_id: string }>(
      'select merchant_id from batches where id = $1',
      [id],
    )
    const merchantId = BigInt(merchants[0]?.merchant_id ?? 0)

    // The process that cut off, as a command does, is gone: nothing else was done.
    const closes = await Promise.all(
      [1, 2].map(() =>
        createBatchStore(gateway.pool).close(merchantId, BigInt(id), {
          actor: 'operator:x',
          address: '',
        }),
      ),
    )
    assert.deepEqual(closes.map(({ kind }) => kind).toSorted(), ['closed', 'closed_before'])
    assert.equal(await agreementOf(id), 'closing')

    // The bank has answered the 0500, and the process dies before it has the answer.
    await addFault({ match: { mti: '0500' }, action: { kind: 'silent', applied: true } })
    await addFault({ match: { mti: '0600' }, action: { kind: 'silent', applied: false } })
    const first = await startNode()
    await untilSeen(
      'the bank has closed its batch',
      async () => (await bankBatches(gateway, id))[0]?.closed,
      (isClosed) => isClosed === true,
    )
    await first.kill()
    assert.equal(await agreementOf(id), 'agreeing')
    await gateway.pool.query(
      'update batch_agreements set next_try_at = now() where batch_id = $1',
      [id],
    )

    // The next one hears of other totals, and dies while it fetches the detail.
    const second = await startNode()
    await untilSeen(
      'the bank was asked for the detail',
      async () => {
        const answer = await fetch(`${gateway.bank.controlUrl}/faults`)
        return ((await answer.json()) as { rules: { done: number }[] }).rules
      },
      (rules) => rules.every(({ done }) => done === 1),
    )
    await second.kill()
    assert.equal(await agreementOf(id), 'comparing')
    await gateway.pool.query('update batches set compared_until = now() where id = $1', [id])

    // Two at once do the rest, once.
    await Promise.all([startNode(), startNode()])
    assert.equal(await untilBatchEnded(gateway, id), 'differing')
    const { rows: differences } = await gateway.pool.query(
      'select order_id, gateway_voided_minor, bank_voided_minor from batch_differences where batch_id = $1',
      [id],
    )
    assert.deepEqual(differences, [
      { order_id: sale.orderId, gateway_voided_minor: '100', bank_voided_minor: '0' },
    ])
    const { rows: audited } = await gateway.pool.query<{ operation: string }>(
      'select operation from audit_entries where object = $1 order by number',
      [`batch ${id}`],
    )
    assert.deepEqual(
      audited.map(({ operation }) => operation),
      ['batch.closed', 'batch.counted', 'batch.differs'],
    )
  })
})

const BANK = builtProgram(new URL('../../packages/bank/src/main.ts', import.meta.url))
const SECRET = 'secret-of-the-batch-crash-tests-1'

suite('a bank that dies while a batch is closed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-dying-bank-'))
  let gateway: RunningGateway
  let owner: SignedInUser
  let port = 0
  let child: ChildProcess | null = null
  before(async () => {
    const [free = 0] = await freePorts(1)
    port = free
    await startBankProcess()
    // The gateway is linked with this bank, and the one in the process stays alone.
    const settings = { BANK_SECRET: SECRET, BANK_TIMEOUT_MS: '2000' }
    gateway = await startRunningGateway(settings, () => Promise.resolve(port))
    owner = await signIn(gateway)
  })
  after(async () => {
    await gateway?.stop()
    await killBank()
    rmSync(folder, { recursive: true, force: true })
  })

  async function startBankProcess(): Promise<void> {
    child = fork(BANK, [], {
      cwd: tmpdir(),
      execArgv: ['--conditions=tollgate-source'],
      env: {
        ...CHILD_ENVIRONMENT,
        DATA_DIR: folder,
        BANK_PORT: String(port),
        BANK_SECRET: SECRET,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    await eventually("the bank's control API answers", () =>
      ask('/faults').then(
        ({ ok }) => ok,
        () => false,
      ),
    )
  }

  async function killBank(): Promise<void> {
    if (child === null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
    child = null
  }

  function ask(path: string, body?: object): Promise<Response> {
    const proof = createHmac('sha256', SECRET).update('books').digest('hex')
    const headers = { authorization: `Bearer ${proof}`, 'Content-Type': 'application/json' }
    return fetch(`http://127.0.0.1:${port + 1}${path}`, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  }

  async function batchesOfBank(id: string): Promise<readonly BankBatch[]> {
    const { batches } = (await (await ask('/books/batches')).json()) as {
      readonly batches: readonly BankBatch[]
    }
    return batches.filter(({ batch }) => batch === id)
  }

  async function sellAndClose(amount: string): Promise<string> {
    assert.equal(outcome(await gateway.client().sale(payment(amount))), 'APPROVED 0/100')
    return closeAnsweredBatch(gateway, owner)
  }

  for (const applied of [false, true]) {
    const when = applied ? 'after it has booked a 0500' : 'before it books a 0500'
    test(`a bank that SIGKILL ends ${when} agrees on the repeat, and counts the totals once`, async () => {
      const match = { mti: '0500' }
      const rule = { match, action: { kind: 'silent', applied }, count: 1 }
      assert.equal((await ask('/faults', rule)).status, 201)
      const id = await sellAndClose('40.00')
      await untilSeen(
        'the bank has received the 0500',
        async () => (await (await ask('/faults')).json()) as { rules: { done: number }[] },
        ({ rules }) => rules.every(({ done }) => done === 1),
      )
      await killBank()
      await startBankProcess()

      assert.equal(await untilBatchEnded(gateway, id), 'agreed')
      await assertCountedOnce(id, 4_000)
      const { rows } = await gateway.pool.query(
        'select tries > 1 as repeated, in_balance from batch_agreements where batch_id = $1',
        [id],
      )
      assert.deepEqual(rows, [{ repeated: true, in_balance: true }])
    })
  }

  test('a bank that SIGKILL ends after its answer has the closed batch with its totals, and agrees on the next', async () => {
    await untilLinkIsUp()
    const first = await sellAndClose('50.00')
    assert.equal(await untilBatchEnded(gateway, first), 'agreed')
    await killBank()
    await startBankProcess()

    await assertCountedOnce(first, 5_000)
    await untilLinkIsUp()
    const next = await sellAndClose('60.00')
    assert.equal(await untilBatchEnded(gateway, next), 'agreed')
    await assertCountedOnce(first, 5_000)
    await assertCountedOnce(next, 6_000)
  })

  async function untilLinkIsUp(): Promise<void> {
    await eventually('the link to the bank is up', () =>
      gateway.linkStates().every(({ state }) => state === 'up'),
    )
  }

  /** The bank has one closed batch of this number, with one sale of so many minor units. */
  async function assertCountedOnce(id: string, minor: number): Promise<void> {
    const batches = await batchesOfBank(id)
    assert.deepEqual(
      batches.map(({ closed, currency }) => ({ closed, currency })),
      [{ closed: true, currency: '840' }],
    )
    assert.deepEqual(
      batches[0]?.brands.map(({ sales, salesMinor }) => ({ sales, salesMinor })),
      [{ sales: 1, salesMinor: String(minor) }],
    )
  }
})
