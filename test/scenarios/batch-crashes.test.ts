import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createBatchStore } from '../../packages/gateway/src/adapters/postgres/books/batch-store.ts'
import { bankBatches, openBatchId, untilBatchEnded } from '../support/batches.ts'
import { untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { outcome, payment, untilNoAdviceIsQueued } from '../support/payments.ts'
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
