import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { payment, untilRow } from '../support/payments.ts'
import { addPerson, signIn, STRANGER, type PortalUser } from '../support/portal.ts'
import { credentials, startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

suite('pages for developers', () => {
  let gateway: RunningGateway
  let developer: PortalUser
  before(async () => {
    gateway = await startRunningGateway({}, undefined, {}, { timeScale: 4 })
    developer = await signIn(gateway, await addPerson(gateway, 'developer'))
  })
  after(() => gateway?.stop())

  /** Sends a form as it is. Gives the id of the request. */
  const send = async (form: Record<string, string>): Promise<string> => {
    const response = await fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
      method: 'POST',
      body: new URLSearchParams({ ...credentials(), REQUEST_RESPONSE_FORMAT: 'JSON', ...form }),
    })
    const answer = (await response.json()) as Record<string, unknown>
    const id = String(answer['REQ_ID'])
    await untilRow(gateway, `request ${id}`, 'select * from requests where id = $1', [id])
    return id
  }

  test('a refused request is in the log with its field, what its code means and no card data', async () => {
    const id = await send({ REQUEST_ACTION: 'CCAUTHORIZE', PMT_NUMB: '4111111111111111', PMT_EXPIRY: '122039', PMT_KEY: '123', LI_VALUE_1: 'ten' })

    const list = await developer.get('/developer/requests?outcome=refused&api=112')
    assert.equal(list.status, 200, list.text)
    assert.equal(list.body.rows[0].id, id)
    const { body, text } = await developer.get(`/developer/requests/${id}`)
    assert.deepEqual([body.refField, body.refusal.name, body.outcome], ['LI_VALUE_1', 'value_not_numeric', 'refused'])
    assert.ok(body.curl.includes(`--data-urlencode 'PMT_NUMB=<card number>'`), body.curl)
    assert.ok(body.curl.includes(`'REQ_PASSWORD=<password>'`) && body.curl.includes(`'PMT_KEY=<security code>'`))
    assert.ok(!text.includes('4111111111111111') && !text.includes('Sandbox-4.14'))
  })

  test('a request is found by its order, and is not there for another merchant or a role without the right', async () => {
    const sale = await gateway.client().sale(payment('12.50'))
    await untilRow(gateway, 'request', 'select * from requests where order_id = $1', [sale.orderId])

    const { body } = await developer.get(`/developer/requests?id=${sale.orderId}`)
    assert.deepEqual(body.rows.map(({ transactionId }: { transactionId: string }) => transactionId), [sale.transactionId])
    const [stranger, support] = await Promise.all([signIn(gateway, STRANGER), signIn(gateway, await addPerson(gateway, 'support'))])
    const [{ id }] = body.rows
    assert.equal((await stranger.get(`/developer/requests/${id}`)).status, 404)
    assert.deepEqual((await stranger.get(`/developer/requests?id=${sale.orderId}`)).body.rows, [])
    assert.equal((await support.get(`/developer/requests/${id}`)).status, 403)
  })
})
