import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBankTap, type BankTap } from '../support/bank-tap.ts'
import { outcome, payment, postForm, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let tap: BankTap
before(async () => {
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '2000' }, async (bankPort) => {
    tap = await openBankTap(bankPort)
    return tap.port
  })
})
after(async () => {
  await gateway.stop()
  await tap.close()
})

async function value(line: string): Promise<string | null> {
  const metrics = await gateway.metrics()
  const found = metrics.split('\n').find((each) => each.startsWith(`${line} `))
  return found?.slice(line.length + 1) ?? null
}

test('payments are counted by action and state, and what the bank said by outcome', async () => {
  assert.equal(outcome(await gateway.client().authorize(payment('12.00'))), 'APPROVED 0/100')
  await gateway.client().authorize(payment('5.30'))
  tap.muteBank()
  assert.equal(outcome(await gateway.client().authorize(payment('13.00'))), 'FAILED 0/502')

  const requests = 'tollgate_requests_total{action="CCAUTHORIZE",'
  assert.equal(await value(`${requests}state="APPROVED",http_status="200"}`), '1')
  assert.equal(await value(`${requests}state="DECLINED",http_status="200"}`), '1')
  assert.equal(await value(`${requests}state="FAILED",http_status="200"}`), '1')
  const outcomes = 'tollgate_bank_outcomes_total{message="authorization",'
  assert.equal(await value(`${outcomes}outcome="approved"}`), '1')
  assert.equal(await value(`${outcomes}outcome="unknown"}`), '1')
})

test('a reversal that the bank does not acknowledge is seen with its count and tries, until it does', async () => {
  const queued = 'tollgate_advices_queued{kind="reversal"}'
  assert.equal(await value(queued), '1')
  await untilRow(gateway, 'the reversal was sent', 'select 1 from advices where tries > 0')
  assert.notEqual(await value('tollgate_advices_most_tries{kind="reversal"}'), '0')

  tap.unmuteBank()
  await untilNoAdviceIsQueued(gateway)
  assert.equal(await value(queued), '0')
})

test('no label repeats what a request called its action, and no metric holds a card number', async () => {
  await postForm(gateway, { REQUEST_ACTION: 'CC4111111111111111', PMT_NUMB: '4111111111111111' })

  assert.equal(
    await value('tollgate_requests_total{action="other",state="none",http_status="200"}'),
    '1',
  )
  assert.ok(!(await gateway.metrics()).includes('4111111111111111'))
})
