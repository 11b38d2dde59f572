import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withPlainDigits } from '../../../src/base/plain-digits.ts'
import { maskParameters } from '../../../src/http/payment/masking.ts'
import { PARAMETERS } from '../../../src/http/payment/parameters.ts'
import { aGateway, SALE } from '../fake-gateway.ts'

const PAN = '4111111111111111'

const PLANTS = [
  PAN,
  '4111 1111 1111 1111',
  '4111-1111-1111-1111',
  '4111.1111.1111.1111',
  `card ${PAN} exp 12/30`,
  `${PAN}2030123`,
  `99${PAN}`,
  '４１１１１１１１１１１１１１１１',
  '4111 - 1111 - 1111 - 1111',
  '٤١١١١١١١١١١١١١١١',
  '378282246310005',
  '6304000000000000',
]

for (const { name } of PARAMETERS) {
  test(`a card number planted in ${name} is not in the log`, () => {
    const sent = name.replace(/_n$/, '_1')
    for (const plant of PLANTS) {
      const shown = withPlainDigits(maskParameters(new Map([[sent, plant]]), [], true, []))
      const whole = withPlainDigits(plant).replace(/[^0-9]/g, '')
      assert.equal(shown.includes(whole), false, shown)
      assert.doesNotMatch(shown.replace(/[^0-9*a-z]/gi, ''), /[0-9]{11,}/)
    }
  })
}

test('a card number in the number of a line is not in the log', () => {
  const shown = maskParameters(new Map([[`LI_VALUE_${PAN}`, '1.00']]), [], true, [])
  assert.equal(shown, '{"LI_VALUE_411111******1111":"1.00"}')
})

for (const { name, secrecy } of PARAMETERS.filter((one) => one.secrecy === 'removed')) {
  test(`nothing of ${name} is in the log, because it is ${secrecy}`, () => {
    assert.equal(maskParameters(new Map([[name, '731']]), [], true, []), `{"${name}":"[removed]"}`)
  })
}

test('security codes, passwords, tokens, cryptograms and personal numbers are among the removed', () => {
  const removed = PARAMETERS.filter((one) => one.secrecy === 'removed').map(({ name }) => name)
  for (const name of [
    'PMT_KEY',
    'REQ_PASSWORD',
    'CUST_PASSWORD',
    'TOKEN_GUID',
    'P3DS_CAVV',
    'WALLET_TAVV',
    'PMT_WALLET_CRYPTOGRAM',
    'CUST_SSN_L4',
    'REQUEST_PARES',
  ]) {
    assert.ok(removed.includes(name), name)
  }
})

test('a card number in the name of a parameter is masked as well', () => {
  assert.equal(
    maskParameters(new Map(), [PAN], true, []),
    '{"UNKNOWN_PARAMETERS":["411111******1111"]}',
  )
})

test('a card number at the place where a long text is cut is masked before it is cut', () => {
  const shown = maskParameters(new Map([['XTL_UDF01', 'x'.repeat(248) + PAN]]), [], true, [])
  assert.equal(shown.includes('4111111'), false)
})

test('a card number that is cut off by where the log stops reading leaves no digit', () => {
  const spread = [...PAN].join('. ')
  const shown = maskParameters(
    new Map([['XTL_UDF01', `${`${spread} x `.repeat(10)}${'y'.repeat(5)}${PAN}`]]),
    [],
    true,
    [],
  )
  assert.doesNotMatch(shown, /[0-9]{7,}/)
})

test('pairs that were not separated by & show no code and no password', () => {
  const pairs = ['SITE_ID=1001', 'REQ_PASSWORD=Right-password-1', `PMT_NUMB=${PAN}`, 'PMT_KEY=731']
  for (const between of ['\n', ';', '|', ', ', '\r\n']) {
    const swallowed = pairs.join(between).slice('SITE_ID='.length)
    assert.equal(
      maskParameters(new Map([['SITE_ID', swallowed]]), [], true, []),
      '{"SITE_ID":"[removed]"}',
    )
  }
  for (const text of ['{"CARD_CVV":"731"}', 'CVV: 731', 'card_cvv=731', 'cvc2 = 731']) {
    assert.equal(
      maskParameters(new Map([['XTL_UDF01', text]]), [], true, []),
      '{"XTL_UDF01":"[removed]"}',
    )
  }
})

test('the request log has a user name only of an authenticated user', async () => {
  const gateway = aGateway()
  await gateway.send({ ...SALE, REQ_USERNAME: 'Right-password-1', REQ_PASSWORD: 'shop' })
  await gateway.send(SALE)

  const [anonymous, user] = gateway.logged
  assert.doesNotMatch(
    JSON.stringify([anonymous?.username, anonymous?.parameters]),
    /Right-password/,
  )
  assert.equal(user?.username, 'shop')
  assert.match(user?.parameters ?? '', /"REQ_USERNAME":"shop"/)
})

test('nothing that was sent reaches the program log, not even when a use case fails', async () => {
  const gateway = aGateway({
    takePayment: async ({ card }) => {
      throw new Error(`no room for ${card.kind === 'new' ? card.pan.reveal() : ''} and 731`)
    },
  })

  const reply = await gateway.send({ ...SALE, PMT_KEY: '731', XTL_UDF01: PAN, CUST_FNAME: 'Zelda' })

  assert.equal(reply.json()['API_RESPONSE'], '120')
  assert.match(gateway.programLog(), /failed with an internal error/)
  assert.doesNotMatch(gateway.programLog(), /4111|731|Zelda|Right-password/)
  assert.doesNotMatch(
    JSON.stringify(gateway.logged[0]?.parameters),
    /4111111111|731|Right-password/,
  )
  assert.doesNotMatch(reply.body, /4111|731/)
})
