import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { outcome } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { newToken } from '../support/tokens.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

const shop = () => gateway.client()
const token = async (code?: string): Promise<string> =>
  (await newToken(gateway.baseUrl, code === undefined ? {} : { securityCode: code })).token
const tokenPayment = (cardToken: string, more = {}) => ({ cardToken, expiry: '122040', amount: '12.50', ...more })

suite('a card token', () => {
  test('is 40 upper-case hexadecimal digits, and tells the brand', async () => {
    const made = await newToken(gateway.baseUrl)
    assert.match(made.token, /^[0-9A-F]{40}$/)
    assert.equal(made.brand, 'Visa')
  })

  test('pays once', async () => {
    const cardToken = await token('123')
    const first = await shop().sale(tokenPayment(cardToken))
    assert.equal(outcome(first), 'APPROVED 0/100')
    assert.equal(first.raw['CVV_RESPONSE'], 'M')
    assert.equal(outcome(await shop().sale(tokenPayment(cardToken))), 'REFUSED 401/0 TOKEN_GUID')
  })
})
