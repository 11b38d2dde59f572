import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PaymentCommand } from '../../../src/usecases/payments/payment-command.ts'
import { aGateway, formOf, PAN, SALE, SITE } from '../fake-gateway.ts'

// The decisions named here are explained in docs/integrators/gaps-and-answers.md.

async function commandOf(changes: Record<string, string | undefined>): Promise<PaymentCommand> {
  const gateway = aGateway()
  const reply = await gateway.send(changes)
  const [command] = gateway.payments
  assert.ok(command !== undefined, reply.body)
  return command
}

test('a sale becomes a command with every sent value in its place', async () => {
  const command = await commandOf({
    ...SALE,
    PMT_NUMB: '4111 1111-1111 1111',
    PMT_EXPIRY: '12/2030',
    REQUEST_CURRENCY: 'eur',
    LI_PROD_ID_1: '7',
    LI_COUNT_1: '2',
    LI_VALUE_2: '.53',
    LI_PROD_ID_2: '7',
    LI_XTL_PROD_ID_2: 'sku',
    MERCH_ACCT_ID: '2001',
    XTL_ORDER_ID: 'web-17',
    UNIQUE_XTL_ORDER_ID: '2',
    PARTIAL_AUTH: '1',
    PARTIAL_AUTH_MIN: '5',
    CHKAVS: 't',
    CHKCVV: '1',
    AVSMATCHSET: 'xyz',
    REQUEST_INITIATOR: 'cit',
    REQUEST_REBILL: '2',
    REQUEST_INSTALLMENT: '1',
    TRANS_REBILL_TYPE: 'initial',
    MBSHP_ID_XTL: 'm-1',
    REQUEST_MAX_WAIT: '600',
    CUST_FNAME: 'Zoë',
    CUST_BIRTHDAY: '01-31-2000',
    CUST_PASSWORD: 'Abcdefgh12',
    CUST_SSN_L4: '1234',
    XTL_IP: '10.0.0.1',
    BILL_ADDR: '1 Main St #2',
    BILL_ADDR_COUNTRY: 'us',
    SHIP_ADDR_ZIP: '12345',
    XTL_UDF07: 'seven',
    PROC_UDF01: 'u1',
    PMT_ID_XTL: 'card-1',
    REQUEST_ENROLLMENT: '1',
  })

  const { card, currency, ...rest } = command
  assert.equal(currency?.code, 'EUR')
  assert.ok(card.kind === 'new')
  assert.equal(card.pan.reveal(), PAN)
  assert.equal(card.cvv?.reveal(), '123')
  assert.deepEqual(card.expiry, { month: 12, year: 2030 })
  assert.equal(card.reference, 'card-1')
  assert.deepEqual(rest, {
    kind: 'sale',
    requestId: 700001n,
    userId: 1n,
    site: SITE,
    merchantAccountId: 2001n,
    lines: [
      { product: '7', merchantProduct: '', count: 2, amountMinor: 1250n },
      { product: '7', merchantProduct: 'sku', count: 1, amountMinor: 53n },
    ],
    totalMinor: 1303n,
    definition: null,
    customer: {
      reference: '',
      firstName: 'Zoë',
      lastName: '',
      email: '',
      phone: '',
      login: '',
      ipAddress: '10.0.0.1',
      stated: { birthday: true, ssn: true, taxNumber: false },
      others: { CUST_BIRTHDAY: '01-31-2000', XTL_IP: '10.0.0.1' },
    },
    billing: {
      street: '1 Main St #2',
      street2: '',
      city: '',
      state: '',
      postalCode: '',
      country: 'US',
      district: '',
    },
    shipping: {
      street: '',
      street2: '',
      city: '',
      state: '',
      postalCode: '12345',
      country: '',
      district: '',
    },
    orderReference: 'web-17',
    threeDs: {
      kind: 'skipped',
      missing: ['P3DS_BROWSER_LANGUAGE', 'USER_AGENT_XTL', 'P3DS_BROWSER_HEADER'],
    },
    duplicates: 'replay',
    avsMode: 'T',
    cvvMode: null,
    avsMatchSet: 'XYZ',
    cvvMatchSet: null,
    partial: { allowed: true, minimumMinor: 500n },
    initiation: {
      initiator: 'customer',
      recurring: 'first',
      instalment: true,
      rebillType: 'INITIAL',
      membershipReference: 'm-1',
      trialConsent: false,
      originalNetworkTransactionId: '',
    },
    maxWaitS: 600,
    repeatable: null,
    bankTest: null,
    processorUdf1: 'u1',
    processorUdf2: '',
    descriptor: { name: '', city: '', phone: '' },
    extras: { XTL_UDF07: 'seven', REQUEST_REBILL: '2', TRANS_REBILL_TYPE: 'INITIAL' },
  })
})

test('O3: an amount alone is a line of the default product with a count of one', async () => {
  const { lines } = await commandOf(SALE)
  assert.deepEqual(lines, [{ product: '', merchantProduct: '', count: 1, amountMinor: 1250n }])
})

test('PROD_* defines the first line without a product, or line 1 where each has one', async () => {
  const product = {
    PROD_NAME: 'Gold',
    PROD_TYPE: '2',
    PROD_REBILL_METRIC: 'm',
    PROD_REBILL_PERIOD: '03',
  }
  const two = { ...SALE, ...product, LI_PROD_ID_1: 'shirt', LI_VALUE_2: '5' }
  const definitionOf = async (form: Record<string, string>) => {
    const { definition } = await commandOf(form)
    return (
      definition && [definition.line, definition.product.price.minor, definition.product.period]
    )
  }
  const period = { metric: 'M', length: 3 }
  assert.deepEqual(await definitionOf(two), [1, 500n, period])
  assert.deepEqual(await definitionOf({ ...two, LI_PROD_ID_2: 'hat' }), [0, 1250n, period])
  assert.deepEqual(await definitionOf({ ...SALE, ...product }), [0, 1250n, period])
})

test('the renewal parameters decide whether the customer or the merchant initiates', async () => {
  const said = async (form: Record<string, string>) => {
    const { initiator, recurring } = (await commandOf({ ...SALE, MBSHP_ID_XTL: 'm', ...form }))
      .initiation
    return `${initiator} ${recurring}`
  }
  assert.equal(await said({}), 'null none')
  assert.equal(await said({ REQUEST_REBILL: '2' }), 'customer first')
  assert.equal(await said({ TRANS_REBILL_TYPE: 'trial' }), 'customer first')
  assert.equal(await said({ REQUEST_REBILL: '1' }), 'merchant rebill')
  assert.equal(await said({ TRANS_REBILL_TYPE: 'rebill' }), 'merchant rebill')
  assert.equal(await said({ TRANS_REBILL_TYPE: 'none', REQUEST_INITATOR: 'M' }), 'merchant none')
})

test('O3: ninety-nine lines are accepted, and their total is added up', async () => {
  const lines = Object.fromEntries(
    Array.from({ length: 99 }, (_, at) => [`LI_VALUE_${at + 1}`, '1']),
  )
  const command = await commandOf({ ...SALE, ...lines, LI_VALUE_99: '2.5' })
  assert.equal(command.lines.length, 99)
  assert.equal(command.totalMinor, 10_050n)
})

test('O5: an authorization of zero is passed on', async () => {
  const command = await commandOf({ ...SALE, REQUEST_ACTION: 'ccauthorize', LI_VALUE_1: '0.00' })
  assert.equal(command.kind, 'authorization')
  assert.equal(command.lines[0]?.amountMinor, 0n)
})

test('O1: an unknown currency is passed on as none, and its amounts have two decimals', async () => {
  const command = await commandOf({ ...SALE, REQUEST_CURRENCY: 'XYZ' })
  assert.equal(command.currency, null)
  assert.equal(command.lines[0]?.amountMinor, 1250n)
})

test('O13: numbers and other words for the checks leave the site in charge', async () => {
  for (const word of ['0', '1', '2', '3', 'yes']) {
    const command = await commandOf({ ...SALE, CHKAVS: word, CHKCVV: word })
    assert.deepEqual([command.avsMode, command.cvvMode], [null, null])
  }
})

const SAVED = {
  ...SALE,
  PMT_NUMB: undefined,
  PMT_EXPIRY: undefined,
  PMT_KEY: undefined,
  CUST_ID: '9',
}
for (const [name, changes, selector] of [
  ['CUST_ID alone', {}, { by: 'latest' }],
  ['PMT_ID', { PMT_ID: '7', PMT_L4: '0002' }, { by: 'id', id: 7n }],
  ['PMT_ID_XTL', { PMT_ID_XTL: 'card-1' }, { by: 'reference', reference: 'card-1' }],
  ['PMT_LAST4', { PMT_LAST4: '0002' }, { by: 'last4', last4: '0002' }],
] as const) {
  test(`O11: ${name} selects a saved card`, async () => {
    const { card } = await commandOf({ ...SAVED, ...changes })
    const expected = { kind: 'saved', customerId: 9n, selector, expiry: null, cvv: null }
    assert.deepEqual(card, expected)
  })
}

test('O11: a saved card may get a new expiry and a security code', async () => {
  const { card } = await commandOf({ ...SAVED, PMT_EXPIRY: '012031', PMT_KEY: '1234' })
  assert.deepEqual(card.expiry, { month: 1, year: 2031 })
  assert.equal(card.cvv?.reveal(), '1234')
})

test('O11: CUST_ID with a card number is that card for that customer', async () => {
  const { card } = await commandOf({ ...SALE, CUST_ID: '9', PMT_L4: '1111' })
  assert.ok(card.kind === 'new')
  assert.equal(card.customerId, 9n)
})

test('O7: FORCE_CREDIT=1 is an unreferenced credit to the sent card, and checks for no duplicate', async () => {
  const command = await commandOf({
    ...SALE,
    REQUEST_ACTION: 'CCCREDIT',
    FORCE_CREDIT: '1',
    UNIQUE_XTL_ORDER_ID: '2',
    PARTIAL_AUTH: '1',
    PARTIAL_AUTH_MIN: '99999',
  })
  assert.equal(command.kind, 'refund')
  assert.equal(command.duplicates, 'allow')
  assert.deepEqual(command.partial, { allowed: false, minimumMinor: null })
})

test('adjustments become commands with the sent amount', async () => {
  const gateway = aGateway()
  await gateway.send({
    REQUEST_ACTION: 'CCREVERSE',
    REQUEST_REF_PO_ID: '5',
    REQUEST_PO_LI_ID: '6',
    LI_VALUE_1: '1.5',
    REQUEST_CURRENCY: 'usd',
    CREDIT_ON_FAIL: '1',
    CHKAVS: 'F',
    BILL_ADDR_STATE: 'ignored here',
  })
  await gateway.send({ REQUEST_ACTION: 'CCREVERSECAP', REQUEST_REF_PO_ID: '5' })
  assert.deepEqual(gateway.adjustments, [
    {
      kind: 'void',
      requestId: 700001n,
      origin: 'api',
      apiUserId: 1n,
      site: SITE,
      order: { by: 'id', orderId: 5n },
      repeatable: null,
      bankTest: null,
      lineId: 6n,
      amount: '1.5',
      currencyCode: 'USD',
      refundOnFail: true,
    },
    {
      kind: 'capture_void',
      requestId: 700002n,
      origin: 'api',
      apiUserId: 1n,
      site: SITE,
      order: { by: 'id', orderId: 5n },
      repeatable: null,
      bankTest: null,
      lineId: null,
      amount: null,
      currencyCode: null,
      refundOnFail: false,
    },
  ])
})

test('R2: unencoded characters of deployed clients are read', async () => {
  const gateway = aGateway()
  const body = decodeURIComponent(formOf({ ...SALE, PMT_NUMB: undefined }).replaceAll('+', ' '))
  await gateway.post(`${body}&pmt_numb=4111 1111 1111 1111&bill_addr=1 Main St #2, Apt @3\r\n`)
  assert.equal(gateway.payments[0]?.billing.street, '1 Main St #2, Apt @3')
})
