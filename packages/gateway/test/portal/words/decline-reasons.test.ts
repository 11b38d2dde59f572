import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  PROCESSOR_CODES,
  RESPONSE_CODES,
  RESPONSE_TEXTS,
} from '../../../src/adapters/processor-iso8583/response-codes.ts'
import { DECLINE_CATEGORIES } from '../../../src/domain/memberships/network-rules.ts'
import { SERVICE_TEXTS } from '../../../src/domain/payments/service-codes.ts'
import { REFUSALS } from '../../../src/http/payment/refusals.ts'
import {
  bankCodeMeaning,
  explainRefusal,
  serviceMeaning,
} from '../../../src/portal/words/decline-reasons.ts'

const AT = new Date('2026-11-21T12:00:00Z')
const explain = (serviceCode: number, responseCode = '', merchantAdvice = '', brand = 'Visa') =>
  explainRefusal({ serviceCode, responseCode, merchantAdvice, brand }, AT)

test('every service code has a reason and an advice', () => {
  const codes = new Set([
    ...Object.keys(SERVICE_TEXTS).map(Number),
    ...Object.values(PROCESSOR_CODES),
    ...Object.values(RESPONSE_CODES),
    ...Object.values(REFUSALS)
      .filter(({ tier }) => tier === 'service')
      .map(({ code }) => code),
  ])
  for (const code of codes) {
    const { reason, advice } = serviceMeaning(code)
    assert.match(reason, /\.$/, String(code))
    assert.match(advice, /\.$/, String(code))
    assert.ok(code in SERVICE_TEXTS, `${code} has no text of its own`)
  }
})

test('every known code of a processor or an issuer has a text', () => {
  const codes = [
    ...Object.keys(PROCESSOR_CODES),
    ...Object.keys(RESPONSE_CODES),
    ...Object.keys(RESPONSE_TEXTS),
  ]
  assert.deepEqual(
    codes.filter((code) => bankCodeMeaning(code) === null),
    [],
  )
  assert.equal(bankCodeMeaning('0'), null)
})

test('no text for customers says that a card was lost or stolen, or that fraud is suspected', () => {
  for (const code of Object.keys(SERVICE_TEXTS)) {
    assert.doesNotMatch(
      serviceMeaning(Number(code)).customerMessage,
      /fraud|stolen|lost|pick|security code|cvv|address/i,
      code,
    )
  }
})

test('no retry that the networks forbid is advised, with any service code', () => {
  const forbidden = DECLINE_CATEGORIES.filter(([, category]) => category === 'never').flatMap(
    ([, , codes]) => codes.split(' '),
  )
  for (const code of forbidden) assert.equal(explain(600, code).retry, 'never', code)
  assert.equal(explain(600, '05', '03', 'Mastercard').retry, 'never')
  assert.equal(explain(600, '05', '03', 'Visa').retry, 'later')
  assert.equal(explain(635, '51').retry, 'later')
  assert.match(explain(635, '51', '25', 'Mastercard').advice, /24 hours/)
  assert.equal(explain(624, '54').retry, 'other_data')
  assert.equal(explain(670, '1A').retry, 'authenticate')
})
