import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCurrency } from '../../../src/domain/currency.ts'
import { NO_DEMANDS } from '../../../src/domain/merchants/account-demands.ts'
import { NO_LIMITS } from '../../../src/domain/merchants/account-limits.ts'
import { createOnceNames } from '../../../src/http/payment/sandbox-test.ts'
import { faultOfAmount } from '../../../src/http/payment/shop-faults.ts'
import type { MerchantAccount, Site } from '../../../src/usecases/merchants/merchant-directory.ts'
import { aGateway, formOf, PAN, SALE, SITE } from '../fake-gateway.ts'

const PATH = '/payment/pmt_service.cfm'
const ADVICE = 'API_ADVICE'

const ACCOUNT: MerchantAccount = {
  id: 2001n,
  merchantId: 10n,
  mode: 'test',
  linkId: null,
  standsFor: null,
  processorName: 'Test Processor',
  acquirerId: '414000',
  acquirerMerchantId: 'M1',
  categoryCode: '5411',
  nameAndLocation: ''.padEnd(40),
  currencies: ['USD'],
  unreferencedCredits: false,
  limits: NO_LIMITS,
  demands: NO_DEMANDS,
  threeDs: null,
}

/** Sends a sale with the header Tollgate-Test. */
async function withHeader(
  gateway: ReturnType<typeof aGateway>,
  words: string,
  changes: Readonly<Record<string, string>> = {},
) {
  return gateway.app.inject({
    method: 'POST',
    url: PATH,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'tollgate-test': words },
    payload: formOf({ ...SALE, ...changes }),
  })
}

test('the words for the bank come by parameter or header, and reach the payment without those for the shop', async () => {
  const gateway = aGateway()
  await gateway.send({ ...SALE, SANDBOX_TEST: 'de39=51; shop=twice; once=a' })
  await withHeader(gateway, 'mac=03')
  await gateway.send(SALE)
  // The first came twice.
  const tests = gateway.payments.map(({ bankTest }) => bankTest)
  assert.deepEqual(tests, ['de39=51', 'de39=51', 'mac=03', null])
})

test('a header and a parameter that differ are a repeated parameter', async () => {
  const gateway = aGateway()
  const reply = await withHeader(gateway, 'de39=51', { SANDBOX_TEST: 'de39=05' })
  const { API_RESPONSE, REF_FIELD } = reply.json<Record<string, unknown>>()
  assert.deepEqual([API_RESPONSE, REF_FIELD], ['113', 'SANDBOX_TEST'])
  assert.equal(gateway.payments.length, 0)
})

for (const [what, site] of [
  ['is live', { mode: 'live' }],
  ['reaches another bank', { merchantAccounts: [ACCOUNT, { ...ACCOUNT, linkId: 7n }] }],
] as const satisfies readonly (readonly [string, Partial<Site>])[]) {
  test(`a site that ${what} refuses a test in clear words, and nothing is paid`, async () => {
    const gateway = aGateway({ site })
    const byParameter = await gateway.send({ ...SALE, SANDBOX_TEST: 'de39=51' })
    const byHeader = await withHeader(gateway, 'de39=51')
    for (const answer of [byParameter.json(), byHeader.json<Record<string, unknown>>()]) {
      assert.deepEqual([answer['API_RESPONSE'], answer['REF_FIELD']], ['113', 'SANDBOX_TEST'])
      assert.match(String(answer[ADVICE]), /This site is live|reaches another bank/)
    }
    assert.equal(gateway.payments.length, 0)
  })
}

test('a live site refuses a fault of the shop as well, and its amounts have no faults', async () => {
  const gateway = aGateway({ site: { mode: 'live' } })
  const reply = await gateway.send({ ...SALE, SANDBOX_TEST: 'shop=http-503' })
  assert.match(String(reply.json()[ADVICE]), /This site is live/)
  const currency = findCurrency('USD')
  const about = { currency, totalMinor: 912000n }
  assert.equal(faultOfAmount({ ...about, site: { ...SITE, mode: 'live' } }), null)
  assert.deepEqual(faultOfAmount({ ...about, site: SITE }), { kind: 'lost', delayMs: 0 })
})

test('amounts of currencies without two decimals, and their neighbours, have no faults', () => {
  const at = (code: string, totalMinor: bigint) =>
    faultOfAmount({ currency: findCurrency(code), totalMinor, site: SITE })
  assert.equal(at('JPY', 912000n), null)
  assert.equal(at('KWD', 912000n), null)
  assert.equal(at('USD', 911999n), null)
  assert.equal(at('USD', 912300n), null)
  assert.deepEqual(at('EUR', 912199n), { kind: 'late', delayMs: 99_000 })
  assert.deepEqual(at('EUR', 912205n), { kind: 'torn', delayMs: 0, percent: 5 })
})

test('a word that has no effect on an action is refused there', async () => {
  const gateway = aGateway()
  const orderId = '600001'
  const status = { REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID: orderId }
  const capture = { REQUEST_ACTION: 'CCCAPTURE', REQUEST_REF_PO_ID: orderId, LI_VALUE_1: '1.00' }
  const adviceOf = async (changes: Readonly<Record<string, string>>) =>
    String((await gateway.send(changes)).json()[ADVICE])
  assert.match(await adviceOf({ ...status, SANDBOX_TEST: 'de39=51' }), /sends nothing to the bank/)
  assert.match(await adviceOf({ ...capture, SANDBOX_TEST: 'avs=N' }), /avs has no effect/)
  assert.match(await adviceOf({ ...capture, SANDBOX_TEST: 'once=a' }), /once goes with shop/)
  assert.equal(gateway.adjustments.length, 0)
  await gateway.send({ ...capture, SANDBOX_TEST: 'de39=96' })
  assert.deepEqual(
    gateway.adjustments.map(({ bankTest }) => bankTest),
    ['de39=96'],
  )
})

test('a retry without its test, or with another one, is the same request', async () => {
  const gateway = aGateway()
  const keyed = { ...SALE, IDEMPOTENCY_KEY: 'key-1' }
  await gateway.send({ ...keyed, SANDBOX_TEST: 'de39=51' })
  await gateway.send(keyed)
  const [first, second] = gateway.payments.map(({ repeatable }) => repeatable?.content.reveal())
  assert.equal(first, second)
})

test('a card number in a test is in no log and in no answer', async () => {
  const gateway = aGateway()
  for (const words of [PAN, `${PAN}=1`, `de39=${PAN}`, `de39=51;once=${PAN}`, PAN.repeat(99)]) {
    const reply = await gateway.send({ ...SALE, PMT_NUMB: undefined, SANDBOX_TEST: words })
    assert.ok(!reply.body.includes(PAN), words)
  }
  const logged = gateway.logged.map(({ parameters }) => parameters).join()
  assert.ok(logged.includes('SANDBOX_TEST'))
  assert.ok(!logged.includes(PAN))
  assert.ok(!gateway.programLog().includes(PAN))
})

test('a fault with a name strikes once at each site, and always without a name', async () => {
  const names = createOnceNames()
  assert.deepEqual(
    [
      names.isFirst(1n, 'a'),
      names.isFirst(1n, 'a'),
      names.isFirst(2n, 'a'),
      names.isFirst(1n, 'b'),
    ],
    [true, false, true, true],
  )
  const gateway = aGateway()
  const failing = { ...SALE, SANDBOX_TEST: 'shop=http-503' }
  const statuses = [await gateway.send(failing), await gateway.send(failing)]
  assert.deepEqual(
    statuses.map(({ headers, status }) => [status, headers['retry-after']]),
    [
      [503, '1'],
      [503, '1'],
    ],
  )
})
