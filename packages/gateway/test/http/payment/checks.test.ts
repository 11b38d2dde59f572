import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REFUSALS } from '../../../src/http/payment/refusals.ts'
import type { PaymentRefusal } from '../../../src/usecases/payments/payment-command.ts'
import { aGateway, PAN, SALE } from '../fake-gateway.ts'
import type { FakeGateway } from '../fake-gateway.ts'

// The decisions named here are explained in docs/integrators/gaps-and-answers.md.

type Changes = Record<string, string | undefined>

/** "api code, service code, field" of an answer. */
async function codes(gateway: FakeGateway, changes: Changes): Promise<string> {
  const record = (await gateway.send(changes)).json()
  return `${record['API_RESPONSE']} ${record['SERVICE_RESPONSE']} ${record['REF_FIELD']}`.trim()
}

const CAPTURE = { REQUEST_ACTION: 'CCCAPTURE', REQUEST_REF_PO_ID: '5', LI_VALUE_1: '1.00' }
const FORCED = {
  REQUEST_ACTION: 'CCCREDIT',
  FORCE_CREDIT: '1',
  PMT_NUMB: PAN,
  PMT_EXPIRY: '122030',
  LI_VALUE_1: '5',
}
const NO_CARD = { ...SALE, PMT_NUMB: undefined, PMT_EXPIRY: undefined, PMT_KEY: undefined }
const LONG = 'x'.repeat(256)

const REFUSED: readonly [string, Changes, string][] = [
  [
    'R6: a missing user name comes first',
    { REQ_USERNAME: undefined, SITE_ID: undefined },
    '110 0 REQ_USERNAME',
  ],
  ['R6: then the password', { REQ_PASSWORD: '', SITE_ID: undefined }, '110 0 REQ_PASSWORD'],
  ['R6: an empty SITE_ID is 110', { ...SALE, SITE_ID: '' }, '110 0 SITE_ID'],
  [
    'R5: a missing version is 110',
    { ...SALE, REQUEST_API_VERSION: undefined },
    '110 0 REQUEST_API_VERSION',
  ],
  ['R6: a missing action is 110', { REQUEST_ACTION: undefined }, '110 0 REQUEST_ACTION'],
  [
    'R6: bad credentials come before a bad site',
    { ...SALE, REQ_PASSWORD: 'x', SITE_ID: '9' },
    '101 0',
  ],
  [
    'R6: a bad site comes before a bad action',
    { REQUEST_ACTION: 'NO', SITE_ID: '9' },
    '103 0 SITE_ID',
  ],
  ['R10: a payment wants a site', { ...SALE, SITE_ID: '0' }, '103 0 SITE_ID'],
  [
    'R6: a bad action comes before a bad version',
    { REQUEST_ACTION: 'NO', REQUEST_API_VERSION: '1' },
    '105 0 REQUEST_ACTION',
  ],
  ['a rapid dispute resolution is off', { ...SALE, REQUEST_ACTION: 'CCRDR' }, '0 157'],
  ['so is the end of one', { ...SALE, REQUEST_ACTION: 'CCRDRDELETE' }, '0 157'],
  ['so is a report of fraud', { ...SALE, REQUEST_ACTION: 'CCTC40' }, '0 157'],
  [
    'an action of another payment method is unknown',
    { REQUEST_ACTION: 'ACHAUTHCAP' },
    '105 0 REQUEST_ACTION',
  ],
  [
    'R5: another version is 113',
    { ...NO_CARD, REQUEST_API_VERSION: '4.13' },
    '113 0 REQUEST_API_VERSION',
  ],
  ['O1: a payment without any card wants PMT_NUMB', NO_CARD, '110 0 PMT_NUMB'],
  ['O1: a number wants its expiry', { ...SALE, PMT_EXPIRY: undefined }, '110 0 PMT_EXPIRY'],
  ['O1: a token wants an expiry too', { ...NO_CARD, TOKEN_GUID: 'a' }, '110 0 PMT_EXPIRY'],
  ['a number and a token contradict', { ...SALE, TOKEN_GUID: 'A' }, '113 0 TOKEN_GUID'],
  [
    'a token and a saved card contradict',
    { ...NO_CARD, TOKEN_GUID: 'A', PMT_EXPIRY: '122030', PMT_ID: '2' },
    '113 0 PMT_ID',
  ],
  [
    'nobody knows the last digits of a token',
    { ...NO_CARD, TOKEN_GUID: 'A', PMT_EXPIRY: '122030', PMT_L4: '1111' },
    '113 0 PMT_L4',
  ],
  ['O11: a selector without CUST_ID is 110', { ...NO_CARD, PMT_L4: '0002' }, '110 0 CUST_ID'],
  [
    'a number and another saved card contradict',
    { ...SALE, CUST_ID: '1', PMT_ID: '2' },
    '113 0 PMT_ID',
  ],
  [
    'a number and other last digits contradict',
    { ...SALE, CUST_ID: '1', PMT_L4: '0002' },
    '113 0 PMT_L4',
  ],
  ['O2: a card number with letters is 112', { ...SALE, PMT_NUMB: '4111x1111' }, '112 0 PMT_NUMB'],
  ['O2: eleven digits are 111', { ...SALE, PMT_NUMB: '41111111111' }, '111 0 PMT_NUMB'],
  ['O2: twenty digits are 111', { ...SALE, PMT_NUMB: '4'.repeat(20) }, '111 0 PMT_NUMB'],
  ['O2: four digits of expiry are 113', { ...SALE, PMT_EXPIRY: '1234' }, '113 0 PMT_EXPIRY'],
  ['O2: a thirteenth month is 113', { ...SALE, PMT_EXPIRY: '132030' }, '113 0 PMT_EXPIRY'],
  ['a security code of two digits is 111', { ...SALE, PMT_KEY: '12' }, '111 0 PMT_KEY'],
  ['a security code of letters is 112', { ...SALE, PMT_KEY: 'abc' }, '112 0 PMT_KEY'],
  ['O3: a gap between the lines is 110', { ...SALE, LI_VALUE_3: '1' }, '110 0 LI_VALUE_2'],
  ['O3: lines start at 1', { ...SALE, LI_VALUE_1: undefined, LI_VALUE_2: '1' }, '110 0 LI_VALUE_1'],
  [
    'O3: a line with a product alone wants its amount',
    { ...SALE, LI_PROD_ID_2: '7' },
    '110 0 LI_VALUE_2',
  ],
  ['O3: there is no line 0', { ...SALE, LI_VALUE_0: '1' }, '113 0 LI_VALUE_0'],
  ['O3: the hundredth line is 113', { ...SALE, LI_VALUE_100: '1' }, '113 0 LI_VALUE_100'],
  ['O3: a count of zero is 113', { ...SALE, LI_COUNT_1: '0' }, '113 0 LI_COUNT_1'],
  ['O3: a count of a hundred is 113', { ...SALE, LI_COUNT_1: '100' }, '113 0 LI_COUNT_1'],
  [
    'O3: a product of 65 characters is 111',
    { ...SALE, LI_PROD_ID_1: 'x'.repeat(65) },
    '111 0 LI_PROD_ID_1',
  ],
  [
    'O3: a product that can not be printed is 113',
    { ...SALE, LI_PROD_ID_1: 'a\u0007' },
    '113 0 LI_PROD_ID_1',
  ],
  [
    'O3: thirteen digits of minor units are 111',
    { ...SALE, LI_VALUE_1: '10000000000.00' },
    '111 0 LI_VALUE_1',
  ],
  [
    'O3: the sum has twelve digits at most',
    { ...SALE, LI_VALUE_1: '9999999999.99', LI_VALUE_2: '0.01' },
    '111 0 LI_VALUE_2',
  ],
  ['O4: an amount of letters is 112', { ...SALE, LI_VALUE_1: 'ten' }, '112 0 LI_VALUE_1'],
  ['O4: a sign is 112', { ...SALE, LI_VALUE_1: '-5' }, '112 0 LI_VALUE_1'],
  ['O4: two points are 112', { ...SALE, LI_VALUE_1: '1.2.3' }, '112 0 LI_VALUE_1'],
  ['O4: three decimals of a dollar are 112', { ...SALE, LI_VALUE_1: '1.000' }, '112 0 LI_VALUE_1'],
  [
    'O4: decimals of a yen are 112',
    { ...SALE, REQUEST_CURRENCY: 'JPY', LI_VALUE_1: '10.0' },
    '112 0 LI_VALUE_1',
  ],
  ['R3: a text of 256 characters is 111', { ...SALE, XTL_ORDER_ID: LONG }, '111 0 XTL_ORDER_ID'],
  [
    'R3: XTL_CUST_ID has 24 characters at most',
    { ...SALE, XTL_CUST_ID: 'x'.repeat(25) },
    '111 0 XTL_CUST_ID',
  ],
  [
    'interface.md: a weak CUST_PASSWORD is 113',
    { ...SALE, CUST_PASSWORD: 'short' },
    '113 0 CUST_PASSWORD',
  ],
  [
    'interface.md: a date of birth is MM-DD-YYYY',
    { ...SALE, CUST_BIRTHDAY: '2000-01-02' },
    '113 0 CUST_BIRTHDAY',
  ],
  [
    'interface.md: a blank in the descriptor is 113',
    { ...SALE, PMT_DESCRIPTOR: 'MY SHOP' },
    '113 0 PMT_DESCRIPTOR',
  ],
  [
    'interface.md: MERCH_ACCT_ID is a number',
    { ...SALE, MERCH_ACCT_ID: 'x' },
    '112 0 MERCH_ACCT_ID',
  ],
  ['R9: waiting 29 seconds is 113', { ...SALE, REQUEST_MAX_WAIT: '29' }, '113 0 REQUEST_MAX_WAIT'],
  [
    'R9: waiting 601 seconds is 113',
    { ...SALE, REQUEST_MAX_WAIT: '601' },
    '113 0 REQUEST_MAX_WAIT',
  ],
  [
    'O10: UNIQUE_XTL_ORDER_ID wants an order id',
    { ...SALE, UNIQUE_XTL_ORDER_ID: '2' },
    '110 0 XTL_ORDER_ID',
  ],
  [
    'O12: a minimum above the total is 113',
    { ...SALE, PARTIAL_AUTH: '1', PARTIAL_AUTH_MIN: '12.51' },
    '113 0 PARTIAL_AUTH_MIN',
  ],
  [
    'O1: a rebill type wants MBSHP_ID_XTL',
    { ...SALE, TRANS_REBILL_TYPE: 'rebill' },
    '110 0 MBSHP_ID_XTL',
  ],
  [
    'O1: a trial wants the security code',
    { ...SALE, PMT_KEY: undefined, TRANS_REBILL_TYPE: 'TRIAL' },
    '110 0 PMT_KEY',
  ],
  [
    'O1: an unknown rebill type is 113',
    { ...SALE, TRANS_REBILL_TYPE: '3', MBSHP_ID_XTL: 'm' },
    '113 0 TRANS_REBILL_TYPE',
  ],
  ['R1: an unknown initiator is 113', { ...SALE, REQUEST_INITATOR: 'X' }, '113 0 REQUEST_INITATOR'],
  [
    'O17: a product definition wants all four parts',
    { ...SALE, PROD_NAME: 'Gold' },
    '110 0 PROD_TYPE',
  ],
  [
    'O17: a product type is 1 or 2',
    { ...SALE, PROD_NAME: 'G', PROD_TYPE: '3', PROD_REBILL_METRIC: 'M', PROD_REBILL_PERIOD: '1' },
    '152 0 PROD_TYPE',
  ],
  [
    'O17: a metric is M, D or Y',
    { ...SALE, PROD_NAME: 'G', PROD_TYPE: '1', PROD_REBILL_METRIC: 'W', PROD_REBILL_PERIOD: '1' },
    '113 0 PROD_REBILL_METRIC',
  ],
  [
    'O17: a product has a name',
    { ...SALE, PROD_TYPE: '1', PROD_REBILL_METRIC: 'M', PROD_REBILL_PERIOD: '1' },
    '110 0 PROD_NAME',
  ],
  [
    'O17: a product has a unit',
    { ...SALE, PROD_NAME: 'G', PROD_TYPE: '1', PROD_REBILL_PERIOD: '1' },
    '110 0 PROD_REBILL_METRIC',
  ],
  [
    'O17: a product has a period',
    { ...SALE, PROD_NAME: 'G', PROD_TYPE: '1', PROD_REBILL_METRIC: 'D' },
    '110 0 PROD_REBILL_PERIOD',
  ],
  [
    'O17: a period is above zero',
    { ...SALE, PROD_NAME: 'G', PROD_TYPE: '1', PROD_REBILL_METRIC: 'D', PROD_REBILL_PERIOD: '0' },
    '113 0 PROD_REBILL_PERIOD',
  ],
  [
    'O17: a period has four digits at most',
    {
      ...SALE,
      PROD_NAME: 'G',
      PROD_TYPE: '1',
      PROD_REBILL_METRIC: 'D',
      PROD_REBILL_PERIOD: '10000',
    },
    '113 0 PROD_REBILL_PERIOD',
  ],
  [
    'O17: a name of blanks is none',
    { ...SALE, PROD_NAME: ' ', PROD_TYPE: '1', PROD_REBILL_METRIC: 'D', PROD_REBILL_PERIOD: '1' },
    '113 0 PROD_NAME',
  ],
  [
    'O17: a price is above zero',
    {
      ...SALE,
      LI_VALUE_1: '0.00',
      REQUEST_ACTION: 'CCAUTHORIZE',
      PROD_NAME: 'G',
      PROD_TYPE: '1',
      PROD_REBILL_METRIC: 'D',
      PROD_REBILL_PERIOD: '1',
    },
    '113 0 LI_VALUE_1',
  ],
  [
    'a renewal defines no product',
    {
      ...SALE,
      REQUEST_REBILL: '1',
      PROD_NAME: 'G',
      PROD_TYPE: '1',
      PROD_REBILL_METRIC: 'D',
      PROD_REBILL_PERIOD: '1',
    },
    '113 0 REQUEST_REBILL',
  ],
  [
    'a renewal by its type defines no product',
    {
      ...SALE,
      TRANS_REBILL_TYPE: 'REBILL',
      MBSHP_ID_XTL: 'm',
      PROD_NAME: 'G',
      PROD_TYPE: '1',
      PROD_REBILL_METRIC: 'D',
      PROD_REBILL_PERIOD: '1',
    },
    '113 0 TRANS_REBILL_TYPE',
  ],
  [
    'an instalment is part of something',
    { ...SALE, REQUEST_INSTALLMENT: '1' },
    '110 0 REQUEST_REBILL',
  ],
  [
    'an instalment by the merchant is part of something',
    { ...SALE, REQUEST_INSTALLMENT: '1', REQUEST_INITATOR: 'M', REQUEST_REBILL: '0' },
    '110 0 REQUEST_REBILL',
  ],
  [
    "a first payment is its customer's",
    { ...SALE, REQUEST_REBILL: '2', REQUEST_INITATOR: 'M' },
    '113 0 REQUEST_INITATOR',
  ],
  [
    "a trial is its customer's",
    { ...SALE, TRANS_REBILL_TYPE: 'trial', MBSHP_ID_XTL: 'm', REQUEST_INITATOR: 'MIT' },
    '113 0 REQUEST_INITATOR',
  ],
  [
    "a renewal is the merchant's",
    { ...SALE, REQUEST_REBILL: '1', REQUEST_INITATOR: 'C' },
    '113 0 REQUEST_INITATOR',
  ],
  [
    'a renewal is no trial',
    { ...SALE, REQUEST_REBILL: '1', TRANS_REBILL_TYPE: 'TRIAL', MBSHP_ID_XTL: 'm' },
    '113 0 TRANS_REBILL_TYPE',
  ],
  [
    'a renewal is part of a subscription',
    { ...SALE, REQUEST_REBILL: '1', TRANS_REBILL_TYPE: 'NONE' },
    '113 0 TRANS_REBILL_TYPE',
  ],
  [
    'a first payment is no renewal',
    { ...SALE, REQUEST_REBILL: '2', TRANS_REBILL_TYPE: 'REBILL', MBSHP_ID_XTL: 'm' },
    '113 0 TRANS_REBILL_TYPE',
  ],
  [
    'O6: a capture wants its order',
    { ...CAPTURE, REQUEST_REF_PO_ID: undefined },
    '110 0 REQUEST_REF_PO_ID',
  ],
  ['O6: a capture wants its amount', { ...CAPTURE, LI_VALUE_1: undefined }, '110 0 LI_VALUE_1'],
  [
    'O6: a line without its order is 113',
    { ...CAPTURE, REQUEST_REF_PO_ID: undefined, REQUEST_REF_PO_LI_ID: '1' },
    '113 0 REQUEST_REF_PO_LI_ID',
  ],
  ['a capture has one amount only', { ...CAPTURE, LI_VALUE_2: '1' }, '113 0 LI_VALUE_2'],
  [
    'an order id that is too long is 111',
    { ...CAPTURE, REQUEST_REF_PO_ID: '1'.repeat(19) },
    '111 0 REQUEST_REF_PO_ID',
  ],
  [
    'O7: a refund wants its amount',
    { ...CAPTURE, REQUEST_ACTION: 'CCCREDIT', LI_VALUE_1: '' },
    '110 0 LI_VALUE_1',
  ],
  [
    'O7: a unreferenced credit wants the whole card',
    { ...FORCED, PMT_NUMB: undefined, CUST_ID: '1' },
    '110 0 PMT_NUMB',
  ],
  [
    'O7: a unreferenced credit has no order',
    { ...FORCED, REQUEST_REF_PO_ID: '5' },
    '113 0 REQUEST_REF_PO_ID',
  ],
  ['O9: a status wants an order', { REQUEST_ACTION: 'CCSTATUS' }, '110 0 REQUEST_REF_PO_ID'],
  [
    'M6: an update of nothing is 110',
    { REQUEST_ACTION: 'SUB_UPDATE', REQUEST_REF_MBSHP_ID: '1' },
    '110 0 SUB_UPDATE_PROD_ID',
  ],
  [
    'M7: another cancel type is 113',
    { REQUEST_ACTION: 'SUB_CANCEL', REQUEST_REF_MBSHP_ID: '1', SUB_CANCEL_TYPE: '3' },
    '113 0 SUB_CANCEL_TYPE',
  ],
  [
    'R6: what is missing comes before what is wrong',
    { ...SALE, PMT_NUMB: 'x', LI_VALUE_1: undefined },
    '110 0 LI_VALUE_1',
  ],
  [
    'R6: of two wrong values the first of the table is told',
    { ...SALE, LI_VALUE_1: 'x', PMT_NUMB: 'x' },
    '112 0 PMT_NUMB',
  ],
  [
    'R6: lines are checked one after the other',
    { ...SALE, LI_COUNT_2: '0', LI_VALUE_2: '1', LI_VALUE_1: 'x' },
    '112 0 LI_VALUE_1',
  ],
]

for (const [name, changes, expected] of REFUSED) {
  test(name, async () => {
    const gateway = aGateway()
    assert.equal(await codes(gateway, changes), expected)
    assert.deepEqual([...gateway.payments, ...gateway.adjustments], [])
  })
}

test('R2: a repeated parameter is 113 with its name, and nothing is charged', async () => {
  const gateway = aGateway()
  const reply = await gateway.post('REQUEST_RESPONSE_FORMAT=JSON&LI_VALUE_1=1&li_value_1=2')
  assert.equal(reply.json()['API_RESPONSE'], '113')
  assert.equal(reply.json()['REF_FIELD'], 'LI_VALUE_1')
})

test('O1: a site that requires the security code gets it, except in merchant-initiated payments', async () => {
  const gateway = aGateway({ site: { cvvRequired: true } })
  const sale = { ...SALE, PMT_KEY: undefined }
  assert.equal(await codes(gateway, sale), '110 0 PMT_KEY')
  assert.equal(await codes(gateway, { ...sale, REQUEST_INITIATOR: 'mit' }), '0 100')
  assert.equal(await codes(gateway, { ...sale, REQUEST_REBILL: '1' }), '0 100')
  assert.equal(await codes(gateway, { ...NO_CARD, CUST_ID: '9' }), '0 100')
})

test('R11: a wide site takes any version and captures and refunds without an amount', async () => {
  const gateway = aGateway({ site: { tolerance: 'wide' } })
  const record = (await gateway.send({ ...SALE, REQUEST_API_VERSION: '4.9' })).json()
  assert.equal(record['TRANS_STATUS_NAME'], 'APPROVED')
  assert.equal(record['REQUEST_API_VERSION'], '4.14')
  assert.equal(await codes(gateway, { ...CAPTURE, LI_VALUE_1: undefined }), '0 100')
  const refund = { ...CAPTURE, REQUEST_ACTION: 'CCCREDIT', LI_VALUE_1: undefined }
  assert.equal(await codes(gateway, refund), '0 100')
  assert.deepEqual(
    gateway.adjustments.map(({ amount }) => amount),
    [null, null],
  )
})

test('codes.md: each access refusal has its code', async () => {
  for (const [refusal, code] of [
    ['throttled', '100 0'],
    ['credentials_wrong', '101 0'],
    ['user_inactive', '102 0'],
    ['site_unknown', '103 0 SITE_ID'],
  ] as const) {
    const gateway = aGateway({ authenticate: async () => ({ kind: 'refused', refusal }) })
    assert.equal(await codes(gateway, SALE), code)
  }
})

test('each refusal of a payment has its code', async () => {
  const expected: Record<PaymentRefusal, string> = {
    parameter_missing: '110 0 CUST_ID',
    token_invalid: '401 0 CUST_ID',
    customer_not_found: '115 0 CUST_ID',
    card_not_found: '113 0 CUST_ID',
    card_unreadable: '113 0 CUST_ID',
    product_not_found: '150 0 CUST_ID',
    product_inactive: '0 192 CUST_ID',
    currency_unknown: '211 0 CUST_ID',
    currency_not_configured: '155 0 CUST_ID',
    merchant_account_not_found: '0 500 CUST_ID',
    unreferenced_credit_not_allowed: '104 0 CUST_ID',
    product_misconfigured: '0 190 CUST_ID',
    duplicate_order: '0 685 CUST_ID',
    membership_exists: '0 690 CUST_ID',
    membership_reference_used: '113 0 CUST_ID',
    membership_reference_unknown: '113 0 CUST_ID',
    renewal_without_receipt: '113 0 CUST_ID',
    login_taken: '0 695 CUST_ID',
    ddc_reference_unknown: '113 0 CUST_ID',
    authentication_unknown: '113 0 CUST_ID',
    authentication_mismatch: '113 0 CUST_ID',
    idempotency_key_reused: '0 685 CUST_ID',
  }
  for (const [refusal, code] of Object.entries(expected)) {
    const gateway = aGateway({
      takePayment: async () => ({
        kind: 'refused',
        refusal: refusal as PaymentRefusal,
        field: 'customer',
      }),
    })
    assert.equal(await codes(gateway, SALE), code, refusal)
  }
})

test('a request that only the order shows to be invalid has its code', async () => {
  for (const [reason, code] of [
    ['line_mismatch', '119 0 REQUEST_REF_PO_LI_ID'],
    ['currency_mismatch', '113 0 REQUEST_CURRENCY'],
    ['amount_not_numeric', '112 0 LI_VALUE_1'],
    ['amount_too_long', '111 0 LI_VALUE_1'],
  ] as const) {
    const gateway = aGateway({ adjustOrder: async () => ({ kind: 'invalid', reason }) })
    assert.equal(await codes(gateway, CAPTURE), code)
  }
})

test('A7: each refusal of an adjustment is DECLINED with its code', async () => {
  const expected = {
    order_not_found: 512,
    order_not_adjustable: 580,
    charged_back: 511,
    already_reversed: 510,
    amount_not_positive: 565,
    amount_invalid: 565,
    capture_exceeds: 506,
    fully_captured: 507,
    adjusted_to_zero: 505,
    batch_closed: 525,
    not_captured: 536,
    refund_exceeds: 516,
    fully_refunded: 515,
  } as const
  for (const refusal of Object.keys(expected) as (keyof typeof expected)[]) {
    const gateway = aGateway({ adjustOrder: async () => ({ kind: 'refused', refusal }) })
    const record = (await gateway.send(CAPTURE)).json()
    assert.equal(record['TRANS_STATUS_NAME'], 'DECLINED')
    assert.equal(record['SERVICE_RESPONSE'], expected[refusal], refusal)
  }
})

test('R8: an API user above its volume gets 429 and the time to wait', async () => {
  const asked: bigint[] = []
  for (const no of [false, Promise.resolve(false)]) {
    const gateway = aGateway({
      allowRequest: ({ id }) => {
        asked.push(id)
        return no
      },
    })
    const reply = await gateway.send(SALE)
    assert.equal(reply.status, 429)
    assert.equal(reply.headers['retry-after'], '1')
    assert.equal(reply.json()['SERVICE_RESPONSE'], REFUSALS.rate_exceeded.code)
    assert.deepEqual(gateway.payments, [])
    await gateway.send({ ...SALE, REQ_PASSWORD: 'guessed' })
  }
  assert.deepEqual(asked, [1n, 1n], 'only who has the password can use a limit up')
})
