import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  findMismatch,
  MISMATCHES_ALLOWED,
  type AuthenticatedPayment,
} from '../../../src/domain/three-ds/binding.ts'
import { inconsistencyOf } from '../../../src/domain/three-ds/consistency.ts'
import { eciScale, isOnScale } from '../../../src/domain/three-ds/eci.ts'

const PAYMENT: AuthenticatedPayment = {
  amountMinor: 1_250n,
  currency: 'EUR',
  fingerprint: 'ab',
  expiry: { month: 12, year: 2030 },
  linesDigest: 'cd',
  orderReference: 'o-1',
}

suite('the payment that uses an authentication', () => {
  const mismatch = (changes: Partial<AuthenticatedPayment>) =>
    findMismatch(PAYMENT, { ...PAYMENT, ...changes })

  test('matches when every fact is the same', () => {
    assert.equal(mismatch({}), null)
    assert.equal(findMismatch({ ...PAYMENT, expiry: null }, { ...PAYMENT, expiry: null }), null)
  })

  test('differs by each fact, and the answer names it', () => {
    assert.equal(mismatch({ currency: 'USD' }), 'currency')
    assert.equal(mismatch({ amountMinor: 1_251n }), 'amount')
    assert.equal(mismatch({ fingerprint: 'ac' }), 'card')
    assert.equal(mismatch({ expiry: { month: 11, year: 2030 } }), 'card')
    assert.equal(mismatch({ expiry: { month: 12, year: 2031 } }), 'card')
    assert.equal(mismatch({ expiry: null }), 'card')
    assert.equal(mismatch({ linesDigest: 'ce' }), 'lines')
    assert.equal(mismatch({ orderReference: 'o-2' }), 'reference')
  })

  test('may leave the reference out, and may not add one', () => {
    assert.equal(mismatch({ orderReference: '' }), null)
    assert.equal(findMismatch({ ...PAYMENT, orderReference: '' }, PAYMENT), 'reference')
  })

  test('spoils the authentication after two mismatches', () => {
    assert.equal(MISMATCHES_ALLOWED, 2)
  })
})

suite('electronic commerce indicators', () => {
  test('have a scale of Mastercard and Maestro, and one of all others', () => {
    const mastercard = { full: '02', attempted: '01', none: '00', exempt: '06' }
    const most = { full: '05', attempted: '06', none: '07', exempt: '07' }
    assert.deepEqual(eciScale('Mastercard'), mastercard)
    assert.deepEqual(eciScale('Maestro'), mastercard)
    for (const brand of ['Visa', 'American Express', null] as const) {
      assert.deepEqual(eciScale(brand), most)
    }
  })

  test('of the other scale are not on the scale of a brand', () => {
    for (const eci of ['05', '06', '07']) assert.equal(isOnScale(eci, 'Visa'), true, eci)
    for (const eci of ['02', '01', '00']) assert.equal(isOnScale(eci, 'Visa'), false, eci)
    for (const eci of ['02', '01', '00']) assert.equal(isOnScale(eci, 'Mastercard'), true, eci)
    for (const eci of ['05', '06', '07', '']) assert.equal(isOnScale(eci, 'Maestro'), false, eci)
  })

  const ON_VISA = { Y: '05', A: '06', N: '07', R: '07', U: '07', I: '07' } as const
  const ON_MASTERCARD = { Y: '02', A: '01', N: '00', R: '00', U: '00', I: '06' } as const

  for (const status of ['Y', 'A', 'N', 'R', 'U', 'I'] as const) {
    const hasCavv = status === 'Y' || status === 'A'
    test(`that go with status ${status} depend on the brand`, () => {
      for (const [brand, own, other] of [
        ['Visa', ON_VISA, ON_MASTERCARD],
        [null, ON_VISA, ON_MASTERCARD],
        ['Mastercard', ON_MASTERCARD, ON_VISA],
        ['Maestro', ON_MASTERCARD, ON_VISA],
      ] as const) {
        const facts = { brand, status, hasCavv, isPayment: true }
        assert.equal(inconsistencyOf({ ...facts, eci: own[status] }), null)
        assert.equal(inconsistencyOf({ ...facts, eci: '' }), null)
        // 06 is an attempt for most, and an exemption for Mastercard, whose other one is 04.
        const wrong = other[status] === own[status] ? '99' : other[status]
        const found = inconsistencyOf({ ...facts, eci: wrong })
        assert.deepEqual(found, { errorCode: '203', element: 'eci' }, `${brand} ${wrong}`)
      }
    })
  }

  test('of recurring and exempt payments are on the scale of Mastercard', () => {
    const facts = { brand: 'Mastercard', hasCavv: true, isPayment: true } as const
    assert.equal(inconsistencyOf({ ...facts, status: 'Y', eci: '07' }), null)
    assert.equal(inconsistencyOf({ ...facts, status: 'I', eci: '04' }), null)
  })

  test('are not judged before a challenge is over', () => {
    const facts = { brand: 'Visa', status: 'C', hasCavv: false, isPayment: true } as const
    assert.equal(inconsistencyOf({ ...facts, eci: '99' }), null)
  })
})

suite('the CAVV of an authentication', () => {
  const facts = { brand: 'Visa', eci: '', isPayment: true } as const
  const missing = { errorCode: '201', element: 'authenticationValue' }
  const tooMuch = { errorCode: '203', element: 'authenticationValue' }

  test('is needed for a payment that was authenticated or attempted', () => {
    for (const status of ['Y', 'A'] as const) {
      assert.deepEqual(inconsistencyOf({ ...facts, status, hasCavv: false }), missing)
      assert.equal(inconsistencyOf({ ...facts, status, hasCavv: true }), null)
      const noPayment = { ...facts, status, hasCavv: false, isPayment: false }
      assert.equal(inconsistencyOf(noPayment), null)
    }
  })

  test('contradicts every other status except an exemption', () => {
    for (const status of ['N', 'R', 'U', 'C'] as const) {
      assert.deepEqual(inconsistencyOf({ ...facts, status, hasCavv: true }), tooMuch)
      assert.equal(inconsistencyOf({ ...facts, status, hasCavv: false }), null)
    }
    assert.equal(inconsistencyOf({ ...facts, status: 'I', hasCavv: true }), null)
  })
})
