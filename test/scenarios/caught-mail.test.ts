import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openOperator, Secret, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { eventually } from '../support/eventually.ts'
import { payment } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const SITE = 1001n
const ALL = { state: null, orderId: null, limit: 20 }

suite('a sandbox without a mail server', () => {
  let gateway: RunningGateway
  let operator: Operator
  before(async () => {
    gateway = await startRunningGateway()
    operator = await openOperator({
      databaseUrl: new Secret(gateway.databaseUrl),
      vaultKey: gateway.vaultKey,
      mode: 'sandbox',
    })
  })
  after(async () => {
    await operator?.close()
    await gateway?.stop()
  })

  test('catches the mails of its sites, and shows them with their content', async () => {
    assert.ok((await operator.mail.set(SITE, { kinds: ['receipt'], sendsTests: true })).ok)
    const customer = { email: 'ada@shop.example', firstName: 'Ada' }
    const sale = await gateway.client().sale(payment('7.50', { customer }))
    assert.equal(sale.status, 'APPROVED')
    const caught = await eventually('the mail is caught', async () => {
      const [mail] = await operator.mail.readLog(SITE, { ...ALL, state: 'caught' })
      return mail
    })
    assert.deepEqual(
      [caught.recipient, caught.kind, caught.mode, caught.attempts, caught.orderId],
      ['ada@shop.example', 'receipt', 'test', 1, sale.orderId],
    )
    const mail = await operator.mail.readMail(SITE, caught.id)
    assert.match(mail?.text ?? '', /your payment of 7\.50 USD/)
    assert.match(mail?.html ?? '', /<p>Hello Ada/)
  })

  test('sends nothing for a site that has chosen no kind', async () => {
    assert.deepEqual(await operator.mail.readLog(1002n, ALL), [])
    const shown = await operator.mail.show(1002n)
    assert.deepEqual([shown?.kinds, shown?.sendsTests], [[], false])
  })
})
