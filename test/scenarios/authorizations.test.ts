import type { Transaction } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  TRIGGER_AMOUNTS,
  type TriggerAmount,
} from '../../packages/bank/src/test-data/trigger-amounts.ts'
import {
  EXPIRY,
  MASTERCARD,
  moneyOf,
  outcome,
  payment,
  untilNoAdviceIsQueued,
  untilRow,
  VISA,
} from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

/** SERVICE_RESPONSE of each declining trigger amount, as the integrators' pages have it. */
const SERVICE_CODES: Readonly<Record<string, string>> = {
  '5.01': '640',
  '5.02': '624',
  '5.03': '621',
  '5.04': '623',
  '5.05': '600',
  '5.06': '603',
  '5.07': '540',
  '5.18': '518',
  '5.30': '530',
  '6.00': '600',
  '6.05': '605',
  '6.10': '610',
  '6.20': '620',
  '6.24': '624',
  '6.35': '635',
  '6.60': '660',
  '8.81': '220',
  '8.83': '220',
  '9.91': '220',
  '9.93': '220',
}

const ADDRESS = { street: '9 Elsewhere Road', postalCode: '99999', country: 'US' }
/** The address of the test cards' holders. */
const HOME = { street: '123 Main Street', postalCode: '12345', country: 'US' }
/** A test card that approves and has an address and a security code. */
const DECK_VISA = '4012889000000012'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

function isDeclined(row: TriggerAmount): boolean {
  return row.responseCode !== '00'
}

suite('trigger amounts of the test bank (O16)', () => {
  for (const row of TRIGGER_AMOUNTS.filter(isDeclined)) {
    test(`${row.amount} is declined with SERVICE ${SERVICE_CODES[row.amount]}`, async () => {
      const answer = await gateway.client().authorize(payment(row.amount))
      assert.equal(outcome(answer), `DECLINED 0/${SERVICE_CODES[row.amount]}`)
      assert.equal(answer.processor.code, row.processor?.code)
      if (row.processor?.text !== undefined) {
        assert.equal(answer.processor.advice, row.processor.text)
      }
      assert.equal(answer.industry.code, row.issuer?.code ?? '0')
      assert.equal(answer.industry.advice, row.issuer?.text ?? '')
      assert.equal(answer.valueSettled, '')
      assert.match(answer.orderId, /^\d+$/)
      assert.equal(
        await moneyOf(gateway, answer.orderId),
        'authorized 0, captured 0, voided 0, refunded 0',
      )
    })
  }

  test('5.08 is approved with AVS N where the address is only checked', async () => {
    const answer = await gateway.client().authorize(payment('5.08', { billing: ADDRESS }))
    assert.equal(outcome(answer), 'APPROVED 0/100')
    assert.equal(answer.avs, 'N')
  })

  test('7.25 is approved with CVV N where the security code is only checked', async () => {
    const answer = await gateway.client().authorize(payment('7.25', { securityCode: '123' }))
    assert.equal(outcome(answer), 'APPROVED 0/100')
    assert.equal(answer.cvv, 'N')
  })

  test('7.00 EUR shows the exact product 5.686415 USD and books 5.69 (A1)', async () => {
    const answer = await gateway.client().authorize(payment('7.00', { currency: 'EUR' }))
    assert.equal(outcome(answer), 'APPROVED 0/100')
    assert.equal(answer.raw['TRANS_VALUE'], 7)
    assert.equal(answer.raw['CURR_CODE_ALPHA'], 'EUR')
    assert.equal(answer.raw['TRANS_VALUE_SETTLED'], '5.686415')
    assert.equal(answer.raw['CURR_CODE_ALPHA_SETTLED'], 'USD')
    assert.equal(String(answer.raw['TRANS_EXCH_RATE']), '0.812345')
    const { rows } = await gateway.pool.query(
      'select settled_minor, settled_currency from transactions where id = $1',
      [answer.transactionId],
    )
    assert.deepEqual(rows, [{ settled_minor: '569', settled_currency: 'USD' }])
  })

  test('7.00 USD is an amount like any other', async () => {
    const answer = await gateway.client().authorize(payment('7.00'))
    assert.equal(answer.raw['TRANS_VALUE_SETTLED'], 7)
    assert.equal(answer.raw['CURR_CODE_ALPHA_SETTLED'], 'USD')
  })

  test('the whole amount counts: two lines that add up to 6.35 are declined', async () => {
    const answer = await gateway
      .client()
      .authorize({ cardNumber: VISA, expiry: EXPIRY, lines: [{ amount: '6' }, { amount: '.35' }] })
    assert.equal(outcome(answer), 'DECLINED 0/635')
  })

  test('the test cards of every brand are approved', async () => {
    const cards: readonly (readonly [string, string])[] = [
      ['4907639999990022', 'Visa'],
      [MASTERCARD, 'Mastercard'],
      ['378282246310005', 'American Express'],
      ['6011111111111117', 'Discover'],
      ['38520000023237', 'Diners Club'],
      ['3530111333300000', 'JCB'],
    ]
    for (const [cardNumber, brand] of cards) {
      const answer = await gateway.client().sale(payment('10', { cardNumber }))
      assert.equal(`${outcome(answer)} ${answer.cardBrand}`, `APPROVED 0/100 ${brand}`)
      assert.equal(answer.last4, cardNumber.slice(-4))
    }
  })
})

suite('partial approvals (O12)', () => {
  const partial = (amount: string, minimum?: string, more = {}): Promise<Transaction> =>
    gateway
      .client()
      .authorize(payment(amount, { partial: minimum === undefined ? {} : { minimum }, ...more }))

  test('6.60 with a minimum of 5.00 is approved for 5.50', async () => {
    const answer = await partial('6.60', '5.00')
    assert.equal(outcome(answer), 'APPROVED 0/100')
    assert.equal(answer.value, '5.5')
    assert.equal(answer.lines[0]?.amount, '5.50')
    assert.match(await moneyOf(gateway, answer.orderId), /^authorized 550,/)
  })

  test('without a minimum any positive amount is approved', async () => {
    assert.equal((await partial('6.60')).value, '5.5')
  })

  test('a minimum above the available funds means DECLINED 660 and no hold', async () => {
    assert.equal(outcome(await partial('6.60', '5.51')), 'DECLINED 0/660')
    const short = await partial('40', '30.01', { cardNumber: '4242429000000308' })
    assert.equal(outcome(short), 'DECLINED 0/660')
    assert.match(await moneyOf(gateway, short.orderId), /^authorized 0,/)
  })

  test('a minimum above the total is API 113', async () => {
    assert.equal(outcome(await partial('10', '10.01')), 'REFUSED 113/0 PARTIAL_AUTH_MIN')
  })

  test('lines are reduced from the last one upwards', async () => {
    const answer = await gateway.client().authorize({
      cardNumber: '4242429000000308',
      expiry: EXPIRY,
      partial: {},
      lines: [{ amount: '20' }, { amount: '15' }, { amount: '5' }],
    })
    assert.equal(answer.value, '30')
    assert.deepEqual(
      answer.lines.map((line) => line.amount),
      ['20.00', '10.00', '0.00'],
    )
  })
})

suite('address and security code controls (O13)', () => {
  const rows: readonly (readonly [
    mode: 'T' | 'F' | 'C' | 'I',
    securityCode: string,
    expected: string,
  ])[] = [
    ['T', '123', 'DECLINED 0/623 avs N'],
    ['F', '123', 'APPROVED 0/100 avs '],
    ['C', '123', 'APPROVED 0/100 avs N'],
    ['C', '999', 'DECLINED 0/623 avs N'],
    ['I', '999', 'APPROVED 0/100 avs N'],
  ]
  for (const [mode, securityCode, expected] of rows) {
    test(`a wrong address with CHKAVS=${mode} and code ${securityCode}: ${expected}`, async () => {
      const answer = await gateway
        .client()
        .authorize(
          payment('12', { cardNumber: DECK_VISA, billing: ADDRESS, securityCode, avs: { mode } }),
        )
      assert.equal(`${outcome(answer)} avs ${answer.avs}`, expected)
    })
  }

  test('5.08 is DECLINED 623 and 7.25 is DECLINED 621 where the check must pass', async () => {
    const both = { billing: ADDRESS, securityCode: '123' }
    const address = await gateway
      .client()
      .authorize(payment('5.08', { ...both, avs: { mode: 'T' } }))
    assert.equal(outcome(address), 'DECLINED 0/623')
    const code = await gateway.client().authorize(payment('7.25', { ...both, cvv: { mode: 'T' } }))
    assert.equal(outcome(code), 'DECLINED 0/621')
    assert.match(await moneyOf(gateway, code.orderId), /^authorized 0,/)
  })
})

suite('amounts and currencies (O1 to O5)', () => {
  const refusals: readonly (readonly [string, Record<string, string>, string])[] = [
    ['O2: an expiry of five digits is 113', { PMT_EXPIRY: '12204' }, 'REFUSED 113/0 PMT_EXPIRY'],
    ['O2: letters in a number are 112', { PMT_NUMB: '4111x11111111111' }, 'REFUSED 112/0 PMT_NUMB'],
    ['O2: eleven digits are 111', { PMT_NUMB: '41111111111' }, 'REFUSED 111/0 PMT_NUMB'],
    ['O2: a past expiry is DECLINED 624', { PMT_EXPIRY: '012020' }, 'DECLINED 0/624'],
    ['O2: a wrong check digit is DECLINED 675', { PMT_NUMB: '4111111111111112' }, 'DECLINED 0/675'],
    ['O1: no expiry is 110', { PMT_EXPIRY: '' }, 'REFUSED 110/0 PMT_EXPIRY'],
    ['O4: three decimals of a dollar are 112', { LI_VALUE_1: '1.250' }, 'REFUSED 112/0 LI_VALUE_1'],
    ['O4: a sign is 112', { LI_VALUE_1: '-1' }, 'REFUSED 112/0 LI_VALUE_1'],
    [
      'O4: a yen has no decimals',
      { REQUEST_CURRENCY: 'JPY', LI_VALUE_1: '1.5' },
      'REFUSED 112/0 LI_VALUE_1',
    ],
    ['O3: thirteen digits are 111', { LI_VALUE_1: '10000000000.00' }, 'REFUSED 111/0 LI_VALUE_1'],
    ['O3: a count of 100 is 113', { LI_COUNT_1: '100' }, 'REFUSED 113/0 LI_COUNT_1'],
    ['O3: a gap in the lines is 110', { LI_VALUE_3: '1' }, 'REFUSED 110/0 LI_VALUE_2'],
    [
      'O3: a sale of nothing is DECLINED 565',
      { LI_VALUE_1: '0', REQUEST_ACTION: 'CCAUTHCAP' },
      'DECLINED 0/565',
    ],
    [
      'O16: a number of no known brand is DECLINED 630',
      { PMT_NUMB: '9999999999999995' },
      'DECLINED 0/630',
    ],
  ]
  for (const [name, more, expected] of refusals) {
    test(name, async () => {
      assert.equal(outcome(await gateway.client().authorize(payment('10', { more }))), expected)
    })
  }

  test('O1: no such currency is 211 and one that the site lacks is 155', async () => {
    const ask = async (currency: string) =>
      outcome(await gateway.client().authorize(payment('10', { currency })))
    assert.match(await ask('XYZ'), /211/)
    assert.match(await ask('CHF'), /155/)
  })

  test('O2: MM/YYYY is read, and so is a number in groups (R2)', async () => {
    const answer = await gateway
      .client()
      .authorize(payment('10', { cardNumber: '4111 1111-1111 1111', expiry: '12/2040' }))
    assert.equal(outcome(answer), 'APPROVED 0/100')
  })

  test('O5: 0.00 verifies the card, saves it, and cannot be captured', async () => {
    const answer = await gateway.client().authorize(payment('0.00'))
    assert.equal(outcome(answer), 'APPROVED 0/100')
    assert.match(answer.customerId, /^\d+$/)
    assert.match(answer.paymentMethodId, /^\d+$/)
    const { orderId } = answer
    assert.equal((await gateway.client().capture({ orderId, amount: '1' })).status, 'DECLINED')
  })

  test('O4: 501 yen are not 5.01, and 1.234 dinars keep their three decimals', async () => {
    const yen = await gateway.client().sale(payment('501', { currency: 'JPY' }))
    assert.equal(`${outcome(yen)} ${yen.value}`, 'APPROVED 0/100 501')
    assert.equal(yen.lines[0]?.amount, '501')
    const dinar = await gateway.client().sale(payment('1.234', { currency: 'KWD' }))
    assert.equal(`${outcome(dinar)} ${dinar.value}`, 'APPROVED 0/100 1.234')
    assert.equal(dinar.lines[0]?.amount, '1.234')
    assert.match(await moneyOf(gateway, dinar.orderId), /^authorized 1234, captured 1234,/)
    const back = await gateway.client().refund({ orderId: dinar.orderId, amount: '0.001' })
    assert.equal(back.value, '-0.001')
  })

  test('O13: the hold of a refused address is reversed at the bank', async () => {
    const answer = await gateway
      .client()
      .authorize(payment('12', { cardNumber: DECK_VISA, billing: ADDRESS, avs: { mode: 'T' } }))
    assert.equal(outcome(answer), 'DECLINED 0/623')
    await untilRow(
      gateway,
      'the reversal of the refused hold is acknowledged',
      `select 1 from advices where order_id = $1 and kind = 'reversal' and state = 'acknowledged'`,
      [answer.orderId],
    )
    await untilNoAdviceIsQueued(gateway)
  })

  test('O13: address 623 comes before security code 621, numbers are no mode', async () => {
    const ask = async (more: object) =>
      outcome(await gateway.client().authorize(payment('12', { cardNumber: DECK_VISA, ...more })))
    const wrong = { billing: ADDRESS, securityCode: '999' }
    assert.equal(await ask({ ...wrong, avs: { mode: 'T' }, cvv: { mode: 'T' } }), 'DECLINED 0/623')
    assert.equal(
      await ask({ billing: HOME, securityCode: '999', avs: { mode: 'T' }, cvv: { mode: 'T' } }),
      'DECLINED 0/621',
    )
    assert.equal(
      await ask({ billing: HOME, securityCode: '123', avs: { mode: 'T' }, cvv: { mode: 'T' } }),
      'APPROVED 0/100',
    )
    assert.equal(await ask({ ...wrong, more: { CHKAVS: '1', CHKCVV: '1' } }), 'APPROVED 0/100')
    assert.equal(
      await ask({
        ...wrong,
        avs: { mode: 'T', accepted: 'NC' },
        cvv: { mode: 'T', accepted: 'N' },
      }),
      'APPROVED 0/100',
    )
  })
})
