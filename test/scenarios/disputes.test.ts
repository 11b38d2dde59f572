import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openOperator, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { closeAnsweredBatch, untilBatchEnded } from '../support/batches.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { assertSchema, eventsOf } from '../support/events.ts'
import { untilSeen } from '../support/eventually.ts'
import { outcome, payment } from '../support/payments.ts'
import { signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

suite('disputes of the bundled bank', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  let operator: Operator
  let merchant = ''
  let orderId = ''
  let otherId = ''
  let files = 0
  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
    const { databaseUrl, vaultKey } = gateway
    const keys = { vaultKey, vaultKmsKey: null, vaultKeyPrevious: null }
    operator = await openOperator({ databaseUrl: new Secret(databaseUrl), ...keys })
    const folder = join(String(gateway.nodeSettings['DATA_DIR']), 'bank')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'control-address'), gateway.bank.controlUrl ?? '')
    const { rows } = await gateway.pool.query<{ id: string }>(
      'select acquirer_merchant_id as id from merchant_accounts where id = 2001',
    )
    merchant = rows[0]?.id ?? ''
    orderId = (await gateway.client().sale(payment('120.00'))).orderId
    otherId = (await gateway.client().sale(payment('60.00'))).orderId
    await settle()
  })
  after(async () => {
    await operator?.close()
    await gateway?.stop()
  })

  async function control(path: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${gateway.bank.controlUrl ?? ''}/books${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ merchant, ...body }),
    })
    assert.equal(response.status, 201, `${path}: ${await response.clone().text()}`)
    return (await response.json()) as Record<string, unknown>
  }

  /** Closes the batch, makes the bank's file, and waits until the gateway has booked it. */
  async function settle(): Promise<void> {
    await untilBatchEnded(gateway, await closeAnsweredBatch(gateway, owner))
    await control('/settlement', {})
    files += 1
    await untilSeen(
      `${files} settlement files are booked`,
      () => count(`select from settlement_files where state = 'booked'`),
      (booked) => booked >= files,
    )
  }

  const count = async (sql: string): Promise<number> =>
    (await gateway.pool.query(sql)).rowCount ?? 0

  /** Raises a case, and waits until the gateway has it. The answer is its number here. */
  async function raise(of: string, more: object): Promise<bigint> {
    const { rows } = await gateway.pool.query<{ rrn: string }>(
      'select retrieval_reference(message_number, message_at) as rrn from orders where id = $1',
      [of],
    )
    const { notice } = await control('/disputes', { rrn: rows[0]?.rrn, ...more })
    const { case: caseId } = notice as { case: string }
    return untilCase(caseId, 'true')
  }

  async function untilCase(caseId: string, condition: string): Promise<bigint> {
    const found = await untilSeen(
      `case ${caseId} is recorded with ${condition}`,
      async () =>
        (
          await gateway.pool.query<{ id: string }>(
            `select id from disputes d where case_id = $1 and ${condition}`,
            [caseId],
          )
        ).rows[0],
      (row) => row !== undefined,
    )
    return BigInt(found?.id ?? 0)
  }

  const caseOf = async (id: bigint): Promise<string> =>
    (await operator.disputes.read(id))?.caseId ?? ''

  const refund = async (of: string, amount: string): Promise<string> =>
    outcome(await gateway.client().refund({ orderId: of, amount }))

  test('a chargeback finds its order, and its money cannot be refunded', async () => {
    const id = await raise(orderId, { event: 'chargeback', reason: '10.4', minor: '10000' })
    const shown = await operator.disputes.read(id)
    assert.equal(shown?.orderId, BigInt(orderId))
    assert.equal(shown.reasonName, 'Other fraud, card absent')
    assert.ok(shown.respondBy !== null && shown.networkDue !== null)
    assert.equal(await refund(orderId, '20.01'), 'DECLINED 0/516')
    assert.equal(await refund(orderId, '20.00'), 'APPROVED 0/100')
    assert.equal(await refund(orderId, '1.00'), 'DECLINED 0/511')
    assert.equal(outcome(await gateway.client().captureVoid({ orderId })), 'DECLINED 0/511')
    await assertBooksAreClean(gateway)
  })

  test('an answer with a file reaches the bank and wins; then the rest can be refunded', async () => {
    const [first] = await operator.disputes.list({ merchantAccountId: null, group: 'due' }, 9)
    const id = first?.id ?? 0n
    const content = new TextEncoder().encode('tracking number 17')
    assert.ok((await operator.disputes.addFile(id, { name: 'tracking.txt', content })).ok)
    assert.ok((await operator.disputes.contest(id, 'winning_evidence')).ok)
    const caseId = await caseOf(id)
    await untilCase(caseId, `state = 'represented'`)
    const shown = await operator.disputes.read(id)
    assert.deepEqual(
      shown?.answers.map(({ state, text }) => [state, text]),
      [['acknowledged', 'winning_evidence']],
    )
    await control('/disputes/move', { case: caseId, to: 'won' })
    await untilCase(caseId, `state = 'won'`)
    assert.equal(await refund(orderId, '1.00'), 'APPROVED 0/100')
    await settle()
    await assertBooksAreClean(gateway)
    const events = await eventsOf(gateway, `dispute ${id}`)
    for (const event of events) assertSchema(event)
    assert.deepEqual(
      events.map(({ data, type }) => [type, data['status'], data['xtl_order_id'] !== undefined]),
      [
        ['dispute.opened', 'CHARGEBACK', true],
        ['dispute.answered', 'CHARGEBACK', true],
        ['dispute.updated', 'REPRESENTED', true],
        ['dispute.won', 'WON', true],
      ],
    )
    const [opened, answered] = events
    assert.deepEqual([opened?.data['amount'], opened?.data['po_id']], ['100.00', String(orderId)])
    assert.deepEqual(
      [opened?.origin, answered?.origin, answered?.data['answer']],
      ['BANK', 'OPERATOR', 'contest'],
    )
  })

  test('an accepted case is a loss once its money is in a file', async () => {
    const id = await raise(otherId, { event: 'chargeback', reason: '13.1' })
    assert.ok((await operator.disputes.accept(id)).ok)
    await untilCase(await caseOf(id), `state = 'accepted'`)
    await gateway.client().sale(payment('5.00'))
    await settle()
    const shown = await operator.disputes.read(id)
    assert.deepEqual(shown?.lossMinor, [{ currency: 'USD', minor: 6000n }])
    assert.equal(await refund(otherId, '1.00'), 'DECLINED 0/511')
    assert.equal(await count('select from settlement_differences'), 0)
    await assertBooksAreClean(gateway)
  })

  test('a report of fraud counts in the ratios and moves nothing', async () => {
    await raise(orderId, { event: 'fraud_report' })
    // At the end of a month, all three sales are settled in the next one.
    const settled = await count(
      `select from settled_transactions t join merchants m on m.id = t.merchant_id
        where gross_minor > 0
          and date_trunc('month', settled_on) = date_trunc('month', now() at time zone m.time_zone)`,
    )
    assert.ok(settled === 3 || settled === 0, `${settled} sales`)
    const [ratio] = await operator.disputes.ratios(1)
    assert.deepEqual(
      [ratio?.brand, ratio?.disputes, ratio?.fraudReports, ratio?.sales],
      ['visa', 2, 1, settled],
    )
    assert.equal(await refund(orderId, '1.00'), 'APPROVED 0/100')
  })

  test('a chargeback of an authorization that expired blocks what was captured of it', async () => {
    const shop = gateway.client()
    const { orderId: id } = await shop.authorize(payment('80.00'))
    assert.equal(outcome(await shop.capture({ orderId: id, amount: '30.00' })), 'APPROVED 0/100')
    await gateway.pool.query(
      `update orders set expires_at = now() - interval '1 minute' where id = $1`,
      [id],
    )
    const sums = await untilSeen(
      'the rest of the authorization is released',
      async () =>
        (
          await gateway.pool.query<{ captured: string; voided: string }>(
            `select captured_minor as captured, voided_minor as voided from orders
              where id = $1 and released_at is not null`,
            [id],
          )
        ).rows[0],
      (row) => row !== undefined,
    )
    assert.deepEqual(sums, { captured: '3000', voided: '5000' })
    await settle()

    const dispute = await raise(id, { event: 'chargeback', reason: '13.1' })
    const shown = await operator.disputes.read(dispute)
    assert.deepEqual([shown?.orderId, shown?.amountMinor], [BigInt(id), 3000n])
    assert.equal(await refund(id, '1.00'), 'DECLINED 0/511')
    assert.match(outcome(await shop.capture({ orderId: id, amount: '1.00' })), /^DECLINED/)
    assert.match(outcome(await shop.void({ orderId: id })), /^DECLINED/)
    await control('/disputes/move', { case: await caseOf(dispute), to: 'withdrawn' })
    await untilCase(await caseOf(dispute), `state = 'withdrawn'`)
    assert.equal(await refund(id, '30.00'), 'APPROVED 0/100')
    await settle()
    await assertBooksAreClean(gateway)
  })
})
