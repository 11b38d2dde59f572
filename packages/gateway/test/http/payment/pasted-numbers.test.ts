import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { PARAMETERS } from '../../../src/http/payment/parameters.ts'
import { maskPastedNumbers } from '../../../src/http/payment/pasted-numbers.ts'
import { aGateway, PAN, SALE } from '../fake-gateway.ts'

/** Another card than the one that pays. */
const OTHER = '5555555555554444'

suite('a card number in a free text', () => {
  for (const [what, text, masked] of [
    ['alone', OTHER, '555555******4444'],
    ['in blanks', 'card 5555 5555 5555 4444 please', 'card 555555******4444 please'],
    ['in dashes of print', '5555\u20135555\u20135555\u20134444', '555555******4444'],
    ['in dots and strokes', '5555.5555/5555.4444', '555555******4444'],
    ['twice', `${OTHER} ${OTHER}`, '555555******4444 555555******4444'],
    ['behind another number', `2026-11-21 ${OTHER}`, '2026-11-21 555555******4444'],
    ['in full-width digits', '５５５５５５５５５５５５４４４４', '555555******4444'],
    ['in dashes with blanks around them', '5555 - 5555 - 5555 - 4444', '555555******4444'],
    ['in Arabic digits', 'رقم ٥٥٥٥٥٥٥٥٥٥٥٥٤٤٤٤', 'رقم 555555******4444'],
    ['behind a plus sign, too long for a telephone', '+5555555555554444', '555555******4444'],
    ['with a code behind it', '5555555555554444 123', '555555******4444 ***'],
    ['with a code right behind it', '5555555555554444123', '555555******4444***'],
    [
      'with an expiry and a code behind it',
      '5555555555554444 12/30 123',
      '555555******4444 **/** ***',
    ],
    ['of fifteen digits', '378282246310005', '378282*****0005'],
    ['behind a word', 'Visa4242424242424242', 'Visa424242******4242'],
    ['in a sentence', 'pay:4242424242424242.', 'pay:424242******4242.'],
  ] as const) {
    test(`a card number in a free text is cut down: ${what}`, () =>
      assert.equal(maskPastedNumbers(text, null), masked))
  }

  for (const [what, text] of [
    ['a number with a wrong check digit', '5555555555554445'],
    ['a telephone number', '+49 1511 234 567 89'],
    ['a number of no brand', '9999999999999995'],
    ['a time in milliseconds', '1700000000008'],
    ['a short number', '424242424242'],
    [
      'a user agent',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0.6099.109 Safari/537.36',
    ],
  ] as const) {
    test(`a card number in a free text is not seen in ${what}`, () =>
      assert.equal(maskPastedNumbers(text, null), text))
  }

  test('a card number in a free text is cut down with any separators when it is the card that pays', () => {
    const own = '4242424242424242'
    assert.equal(
      maskPastedNumbers('x4242*4242 (4242) -- 4242424242', own),
      'x424242******4242424242',
    )
    assert.equal(maskPastedNumbers('00004242424242424242999', own), '0000424242******4242999')
    assert.equal(maskPastedNumbers('۴۲۴۲*۴۲۴۲ (۴۲۴۲) -- ۴۲۴۲', own), '424242******4242')
  })
})

test('R12: no free text reaches a command with a card number in it', async () => {
  const gateway = aGateway()
  const texts = PARAMETERS.filter(
    ({ kind, use, max, name }) =>
      ['text', 'printable', 'unbroken', 'phone'].includes(kind) &&
      (use === 'stores' || name.startsWith('PROC_UDF')) &&
      max >= 16 &&
      !name.startsWith('LI_') &&
      !['PROC_GUID', 'TPPE_ID', 'DEVICE_ID_XTL', 'DEVICE_FINGERPRINT_XTL'].includes(name),
  ).map(({ name }) => name)
  assert.ok(texts.length > 40)

  const reply = await gateway.send({
    ...SALE,
    ...Object.fromEntries(texts.map((name, at) => [name, at % 2 === 0 ? OTHER : PAN])),
    PROD_TYPE: '2',
    PROD_REBILL_METRIC: 'M',
    PROD_REBILL_PERIOD: '1',
  })

  const [command] = gateway.payments
  assert.ok(command !== undefined, reply.body)
  const seen = JSON.stringify(command, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  assert.ok(seen.includes('555555******4444'))
  assert.ok(!seen.includes(OTHER) && !seen.includes(PAN))
})

test('R12: a receipt that is sent later is cut down too', async () => {
  const receipts: (string | null)[] = []
  const gateway = aGateway({
    updateOrder: (_site, _selector, { receipt }) => {
      receipts.push(receipt)
      return Promise.resolve(null)
    },
  })
  await gateway.send({
    REQUEST_ACTION: 'CCTRANSUPDATE',
    REQUEST_REF_PO_ID: '5',
    TRANS_CUSTOMER_RECEIPT: `paid with ${OTHER}`,
  })
  assert.deepEqual(receipts, ['paid with 555555******4444'])
})

for (const name of [
  'XTL_ORDER_ID',
  'XTL_CUST_ID',
  'PMT_ID_XTL',
  'CUST_LOGIN',
  'MBSHP_ID_XTL',
  'LI_PROD_ID_1',
  'LI_XTL_PROD_ID_1',
  'TAX_AMT',
]) {
  test(`R12: ${name} with the request's own card number is 113, and the answer does not repeat it`, async () => {
    const gateway = aGateway()
    const spelt = name === 'TAX_AMT' ? PAN : `${PAN.slice(0, 4)}-${PAN.slice(4)}`
    const reply = await gateway.send({ ...SALE, [name]: spelt })

    const record = reply.json()
    assert.deepEqual([record['API_RESPONSE'], record['REF_FIELD']], ['113', name])
    assert.equal(gateway.payments.length, 0)
    assert.ok(!reply.body.includes(PAN.slice(4)))
  })
}

test('R12: a reference that only looks like a card number is kept as it is', async () => {
  const gateway = aGateway()
  await gateway.send({ ...SALE, XTL_ORDER_ID: OTHER })
  assert.equal(gateway.payments[0]?.orderReference, OTHER)
})
