import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusePayment } from '../../../src/usecases/payments/payment-command.ts'
import { aGateway, formOf, SALE } from '../fake-gateway.ts'

const WHY = (id: bigint): string => `https://pay.example/portal/developer/requests/${id}/why`
const SANDBOX = { whyUrl: WHY }

test('A6: 103, 105 and 155 name the parameter', async () => {
  const refField = async (
    gateway: ReturnType<typeof aGateway>,
    changes: Record<string, string>,
  ): Promise<string> => {
    const record = (await gateway.send({ ...SALE, ...changes })).json()
    return `${record['API_RESPONSE']} ${record['REF_FIELD']}`
  }
  const gateway = aGateway()
  assert.equal(await refField(gateway, { SITE_ID: '7' }), '103 SITE_ID')
  assert.equal(await refField(gateway, { SITE_ID: '0' }), '103 SITE_ID')
  assert.equal(await refField(gateway, { REQUEST_ACTION: 'CCSALE' }), '105 REQUEST_ACTION')
  const noCurrency = aGateway({
    takePayment: async () => refusePayment('currency_not_configured', 'currency'),
  })
  assert.equal(await refField(noCurrency, {}), '155 REQUEST_CURRENCY')
})

test('in the sandbox each answer has the address of its explanation', async () => {
  const gateway = aGateway(SANDBOX)
  const replies = [
    await gateway.send(SALE),
    await gateway.send({ ...SALE, LI_VALUE_1: 'x' }),
    await gateway.send({ ...SALE, REQ_PASSWORD: 'wrong' }),
    await gateway.post('{}', 'application/json'),
  ]
  assert.deepEqual(
    replies.map(({ headers }) => headers['tollgate-why']),
    [700001n, 700002n, 700003n, 700004n].map(WHY),
  )
})

test('in the sandbox unknown parameters are named, cut, without card numbers and line ends', async () => {
  const gateway = aGateway(SANDBOX)
  const name = 'tollgate-unknown-parameters'
  const typo = await gateway.send({ ...SALE, XTL_ORDERID: 'a' })
  assert.equal(typo.headers[name], 'XTL_ORDERID')
  assert.equal((await gateway.send(SALE)).headers[name], undefined)
  const hostile = [
    'a%0d%0aset-cookie:x=1',
    'x4111111111111111=1',
    '%C3%A9=1',
    'TWICE=1&TWICE=2',
    ...Array.from({ length: 50 }, (_, at) => `${'n'.repeat(60)}${at}=1`),
  ].join('&')
  const { headers } = await gateway.post(`${formOf(SALE)}&${hostile}`)
  const value = String(headers[name])
  assert.match(value, /^[\w.*-]+(?:, [\w.*-]+)*$/)
  assert.doesNotMatch(value, /4111111111111111|cookie/)
  assert.equal(value.match(/TWICE/g)?.length, 1)
  assert.ok(value.length < 1_500, `${value.length} characters`)
})

test('in the sandbox an amount with too many decimals and a JSON body get a sentence', async () => {
  const gateway = aGateway(SANDBOX)
  const yen = await gateway.send({ ...SALE, REQUEST_CURRENCY: 'jpy', LI_VALUE_1: '10.50' })
  assert.equal(yen.json()['API_ADVICE'], 'Not numeric')
  assert.equal(yen.headers['tollgate-advice'], 'LI_VALUE_1 has too many decimals: JPY has 0.')
  const cents = await gateway.send({ ...SALE, LI_VALUE_1: '10.505' })
  assert.equal(
    cents.headers['tollgate-advice'],
    'LI_VALUE_1 has too many decimals for the currency.',
  )
  const word = await gateway.send({ ...SALE, LI_VALUE_1: 'ten' })
  assert.equal(word.headers['tollgate-advice'], undefined)

  const json = await gateway.post('{"REQUEST_ACTION":"CCAUTHCAP"}', 'application/json')
  assert.equal(json.status, 415)
  assert.match(json.body, /<API_ADVICE>Invalid Data<\/API_ADVICE>/)
  assert.equal(
    json.headers['tollgate-advice'],
    'Send the parameters as a form (application/x-www-form-urlencoded). JSON is not read.',
  )
})

test('in production no answer has any of these headers, and 415 names the accepted type', async () => {
  const gateway = aGateway()
  for (const reply of [
    await gateway.send({ ...SALE, XTL_ORDERID: 'a', LI_VALUE_1: '1.234' }),
    await gateway.post('{}', 'application/json'),
  ]) {
    const names = Object.keys(reply.headers).filter((name) => name.startsWith('tollgate'))
    assert.deepEqual(names, ['tollgate-request-id'])
  }
  const json = await gateway.post('{}', 'application/json')
  assert.equal(json.headers['accept'], 'application/x-www-form-urlencoded')
})

test('a wrong password is logged for the merchant whose user it named, and for no other', async () => {
  const gateway = aGateway({
    authenticate: async (username) => ({
      kind: 'refused',
      refusal: 'credentials_wrong',
      merchantId: username === 'shop' ? 10n : null,
    }),
  })
  const wrong = { ...SALE, REQ_PASSWORD: 'Guess-of-a-stranger-1' }
  const answers = [
    await gateway.send(wrong),
    await gateway.send({ ...wrong, REQ_USERNAME: 'nobody-at-all' }),
  ].map(({ body }) => body.replace(/70000\d/, ''))
  assert.equal(answers[0], answers[1])
  const [named, unknown] = gateway.logged
  assert.equal(named?.merchantId, 10n)
  assert.equal(named.username, 'shop')
  assert.equal(named.isUnproven, true)
  assert.equal(unknown?.merchantId, null)
  assert.equal(unknown.username, '')
  assert.doesNotMatch(JSON.stringify(gateway.logged.map(String)), /nobody|Guess/)
  for (const { parameters } of gateway.logged) {
    assert.doesNotMatch(parameters, /Guess|nobody|4111111111111111/)
  }
})
