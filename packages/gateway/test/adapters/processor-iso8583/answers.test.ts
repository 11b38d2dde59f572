import { encodePrivateData, type IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  readAdviceAnswer,
  readAuthorizationAnswer,
  readLateAnswer,
} from '../../../src/adapters/processor-iso8583/answers.ts'
import {
  PROCESSOR_CODES,
  serviceCodeOf,
} from '../../../src/adapters/processor-iso8583/response-codes.ts'
import { Secret } from '../../../src/base/secret.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import { NO_CARD_PRODUCT } from '../../../src/domain/payments/card-product.ts'

const VISA = new CardNumber('4000000000002701')
const MASTERCARD = new CardNumber('5200000000002235')
const REQUEST = { amountMinor: 1_250n, pan: VISA, authentication: null }

type Fields = Readonly<Record<number, string>>

function answer(code: string, fields: Fields = {}): IsoMessage {
  return { mti: '0110', fields: { 4: '000000001250', 39: code, ...fields } }
}

function read(code: string, fields: Fields = {}, request = REQUEST) {
  return readAuthorizationAnswer(answer(code, fields), request)
}

/** The answer of an approval or a decline. */
function details(code: string, fields: Fields = {}) {
  const outcome = read(code, fields)
  assert.ok(outcome.kind === 'approved' || outcome.kind === 'declined', outcome.kind)
  return outcome.answer
}

suite('an answer to an authorization', () => {
  test('approves the whole amount with each code of an approval', () => {
    for (const code of ['00', '08', '11', '85']) {
      const outcome = read(code)
      assert.equal(outcome.kind, 'approved', code)
      assert.equal(outcome.kind === 'approved' && outcome.approvedMinor, 1_250n)
    }
  })

  test('is unknown without a code, or when the bank says that it does not know', () => {
    const { mti } = answer('00')
    const unreadable = { kind: 'unknown', reason: 'reply_unreadable' }
    assert.deepEqual(readAuthorizationAnswer({ mti, fields: {} }, REQUEST), unreadable)
    assert.deepEqual(read('68'), { kind: 'unknown', reason: 'timeout' })
  })

  test('is unknown when its amount contradicts an approval', () => {
    const unreadable = { kind: 'unknown', reason: 'reply_unreadable' }
    assert.deepEqual(read('00', { 4: '000000001249' }), unreadable)
    assert.deepEqual(read('00', { 4: '000000001251' }), unreadable)
    const { 4: _, ...withoutAmount } = answer('00').fields
    const message = { mti: '0110', fields: withoutAmount }
    assert.deepEqual(readAuthorizationAnswer(message, REQUEST), unreadable)
  })

  test('approves a part that is above nothing and below the requested amount', () => {
    const part = (amount: string): string => {
      const outcome = read('10', { 4: amount })
      return outcome.kind === 'approved' ? outcome.approvedMinor.toString() : outcome.kind
    }
    assert.equal(part('000000001249'), '1249')
    assert.equal(part('000000000001'), '1')
    assert.equal(part('000000000000'), 'unknown')
    assert.equal(part('000000001250'), 'unknown')
    assert.equal(part('000000001251'), 'unknown')
  })

  test('is unknown when its private data cannot be read', () => {
    const unreadable = { kind: 'unknown', reason: 'reply_unreadable' }
    assert.deepEqual(read('00', { 48: 'XX' }), unreadable)
    assert.deepEqual(read('05', { 48: 'XX' }), unreadable)
  })

  test('declines with the code of the service', () => {
    const outcome = read('51')
    assert.equal(outcome.kind === 'declined' && outcome.serviceCode, 635)
  })

  test('asks for authentication when Mastercard answers 65 without a CAVV', () => {
    const authentication = { eci: '02', cavv: null, dsTransId: '', version: '2.2.0' }
    const withCavv = { ...authentication, cavv: new Secret('AAAB') }
    const service = (request: Parameters<typeof readAuthorizationAnswer>[1], code = '65') => {
      const outcome = readAuthorizationAnswer(answer(code), request)
      return outcome.kind === 'declined' ? outcome.serviceCode : null
    }
    const mastercard = { ...REQUEST, pan: MASTERCARD }
    assert.equal(service(mastercard), 670)
    assert.equal(service({ ...mastercard, authentication }), 670)
    assert.equal(service({ ...mastercard, authentication: withCavv }), 625)
    assert.equal(service(REQUEST), 625)
    assert.equal(service(mastercard, '51'), 635)
  })
})

suite('the details of an answer', () => {
  test('are empty where the bank gave nothing', () => {
    assert.deepEqual(details('00'), {
      responseCode: '00',
      processorCode: '',
      processorAdvice: '',
      industryCode: '',
      industryAdvice: '',
      authCode: '',
      networkTransactionId: '',
      avsCode: '',
      cvvCode: '',
      merchantAdvice: '',
      cardUpdate: null,
      cardProduct: NO_CARD_PRODUCT,
      cardBalanceMinor: null,
      settled: null,
    })
  })

  test('have the texts of the private data', () => {
    const tags = { PC: '635', PT: 'No funds', IC: '51', IT: 'Low', NT: 'n1', MA: '03' }
    const found = details('51', { 38: ' 12345 ', 48: encodePrivateData(tags) })
    assert.equal(found.processorCode, '635')
    assert.equal(found.processorAdvice, 'No funds')
    assert.equal(found.industryCode, '51')
    assert.equal(found.industryAdvice, 'Low')
    assert.equal(found.networkTransactionId, 'n1')
    assert.equal(found.merchantAdvice, '03')
    assert.equal(found.authCode, '12345')
  })

  test('take the response code as the processor code of a decline, with its usual words', () => {
    assert.equal(details('51').processorCode, '51')
    assert.equal(details('51').processorAdvice, 'Insufficient funds')
    assert.equal(details('08').processorCode, '08')
    assert.equal(details('85').processorCode, '')
    assert.equal(details('10', { 4: '000000000001' }).processorCode, '')
  })

  test('have a merchant advice of two digits alone', () => {
    for (const text of ['3', '033', 'A3', '3A']) {
      const { merchantAdvice } = details('51', { 48: encodePrivateData({ MA: text }) })
      assert.equal(merchantAdvice, '', text)
    }
  })

  test('have the results of the checks by their position in DE 44', () => {
    const results = (text: string) => {
      const { avsCode, cvvCode } = details('00', { 44: text })
      return [avsCode, cvvCode]
    }
    assert.deepEqual(results('xYM'), ['Y', 'M'])
    assert.deepEqual(results('x0 '), ['', ''])
    assert.deepEqual(results('x 0'), ['', ''])
    assert.deepEqual(results('xY'), ['Y', ''])
  })

  test('have what is left on the account, and no other balance', () => {
    const balance = (text: string) => details('00', { 54: text }).cardBalanceMinor
    assert.equal(balance('0002840C000000004200'), 4_200n)
    assert.equal(balance('0001840C000000004200'), null)
    assert.equal(balance('0001840C0000000000070002840C000000004200'), 4_200n)
  })

  test('have the settled amount with currency and rate, if all three came', () => {
    const all = { 5: '000000001000', 9: '60812345', 50: '978' }
    const settled = details('00', all).settled
    assert.equal(settled?.minor, 1_000n)
    assert.equal(settled?.currency.code, 'EUR')
    assert.equal(settled?.rate, '0.812345')
    for (const missing of [5, 9, 50]) {
      const fields = Object.fromEntries(
        Object.entries(all).filter(([number]) => number !== String(missing)),
      )
      assert.equal(details('00', fields).settled, null, String(missing))
    }
    assert.equal(details('00', { ...all, 50: '001' }).settled, null)
  })

  test('write a rate with as many decimals as its first digit counts', () => {
    const rate = (text: string) =>
      details('00', { 5: '000000000001', 9: text, 50: '978' }).settled?.rate
    assert.equal(rate('00000130'), '130')
    assert.equal(rate('20012345'), '123.45')
    assert.equal(rate('70000001'), '0.0000001')
    assert.equal(rate('90000001'), '0.000000001')
    assert.equal(rate('61000000'), '1.000000')
  })
})

suite('an answer to an advice', () => {
  test('acknowledges it in agreement, in disagreement, or not at all', () => {
    const message = (code: string): IsoMessage => ({ mti: '0430', fields: { 39: code } })
    const agreed = { kind: 'acknowledged', responseCode: '00', agreed: true }
    const reversal = { kind: 'reversal', batch: null } as const
    assert.deepEqual(readAdviceAnswer(message('00'), reversal), agreed)
    const refused = { kind: 'refused', responseCode: '96' }
    assert.deepEqual(readAdviceAnswer(message('96'), reversal), refused)
    assert.deepEqual(readAdviceAnswer({ mti: '0430', fields: {} }, reversal), {
      kind: 'refused',
      responseCode: '',
    })
    const disagreed = readAdviceAnswer(message('76'), { kind: 'capture', batch: null })
    assert.deepEqual(disagreed, { kind: 'acknowledged', responseCode: '76', agreed: false })
  })

  test('does not acknowledge a capture that a later copy has put into another batch', () => {
    const capture = { kind: 'capture', batch: { id: 512n, brand: 'VISA' } } as const
    const answer = (data: string) =>
      readAdviceAnswer({ mti: '0230', fields: { 39: '00', 48: data } }, capture)
    const named = (batch: string) => answer(encodePrivateData({ BN: '020781', MB: batch }))
    const agreed = { kind: 'acknowledged', responseCode: '00', agreed: true }

    assert.deepEqual(named('511'), { kind: 'unknown', reason: 'earlier_copy' })
    assert.deepEqual(named('512'), agreed)
    // Acquirers that name no batch in the answer, or use DE 48 in their own way.
    assert.deepEqual(answer(encodePrivateData({ BN: '020781' })), agreed)
    assert.deepEqual(answer('of another kind'), agreed)
  })
})

test('an answer that came too late has its readable facts, or empty texts', () => {
  const fields = { 11: '000123', 38: '654321', 39: '00', 41: 'T0000007' }
  const late = readLateAnswer({ mti: '0110', fields })
  assert.equal(late.mti, '0110')
  assert.equal(late.responseCode, '00')
  assert.equal(late.authCode, '654321')
  assert.equal(typeof late.messageNumber, 'bigint')
  const empty = readLateAnswer({ mti: '0110', fields: {} })
  assert.deepEqual([empty.responseCode, empty.authCode], ['', ''])
})

test('the codes of the bundled bank and of the networks have one meaning each', () => {
  const own = '501 640 502 624 503 621 504 623 505 600 506 603 507 540 518 518 530 530 600 600'
  const more =
    '605 605 610 610 620 620 624 624 635 635 660 660 881 220 883 220 R0 219 R1 220 R3 220'
  const words = `${own} ${more}`.split(' ')
  const pairs = words.flatMap((code, at) => (at % 2 === 0 ? [[code, Number(words[at + 1])]] : []))
  assert.deepEqual(PROCESSOR_CODES, Object.fromEntries(pairs))
})

test('the code of the processor comes before the response code, and an unknown code is a decline', () => {
  assert.equal(serviceCodeOf('501', '51'), 640)
  assert.equal(serviceCodeOf('', '51'), 635)
  assert.equal(serviceCodeOf('51', '51'), 635)
  assert.equal(serviceCodeOf('999', 'ZZ'), 600)
})
