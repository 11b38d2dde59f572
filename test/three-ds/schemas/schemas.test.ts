import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { SAMPLES } from './samples.ts'
import { violationsOf } from './violations.ts'

suite('the schemas of 3-D Secure messages', () => {
  for (const [name, sample] of Object.entries(SAMPLES)) {
    test(`a good ${name} passes`, () => {
      assert.deepEqual(violationsOf(sample, false), [])
    })

    test(`a ${name} with an unknown element is refused`, () => {
      assert.notDeepEqual(violationsOf({ ...sample, unknownElement: 'x' }, false), [])
    })

    for (const element of Object.keys(sample)) {
      test(`${name} with an empty ${element}, with null for it, or a number is refused`, () => {
        for (const bad of ['', null, 7]) {
          assert.notDeepEqual(violationsOf({ ...sample, [element]: bad }, false), [], String(bad))
        }
      })
    }
  }

  const areq = SAMPLES['AReq 2.2.0'] ?? {}
  const ares = SAMPLES['ARes of a challenge'] ?? {}
  const rreq = SAMPLES['RReq'] ?? {}
  const wrong: readonly (readonly [name: string, message: object])[] = [
    ['an AReq 2.1.0 that says whether JavaScript runs', { ...areq, messageVersion: '2.1.0' }],
    [
      'an AReq with ChallengeInd 06 in 2.1.0',
      { ...SAMPLES['AReq 2.1.0'], threeDSRequestorChallengeInd: '06' },
    ],
    ['a browser with JavaScript and no screen', without(areq, 'browserScreenWidth')],
    ['a state of no country', { ...without(areq, 'billAddrCountry'), billAddrState: 'IL' }],
    [
      'a recurring payment without its frequency',
      { ...areq, threeDSRequestorAuthenticationInd: '02' },
    ],
    ['a language of nine characters', { ...areq, browserLanguage: 'de-Latn-D' }],
    ['a country of the user-assigned codes', { ...areq, merchantCountryCode: '901' }],
    ['gold as a currency', { ...areq, purchaseCurrency: '959' }],
    [
      'a results address without TLS',
      { ...areq, threeDSServerURL: 'http://gateway.example/3ds/results' },
    ],
    ['a challenge without an address', without(ares, 'acsURL')],
    ['an address with a password in it', { ...ares, acsURL: 'https://me:secret@acs.example/' }],
    ['a value of 19 bytes', { ...rreq, authenticationValue: Buffer.alloc(19).toString('base64') }],
    ['a failed result with a value', { ...rreq, transStatus: 'N', transStatusReason: '19' }],
    ['a result that is a challenge', { ...rreq, transStatus: 'C' }],
    ['a message of an unknown version', { ...rreq, messageVersion: '2.3.1' }],
  ]
  for (const [name, message] of wrong) {
    test(`refused is ${name}`, () => assert.notDeepEqual(violationsOf(message, false), []))
  }

  test('an unmasked card number is refused where it should be masked', () => {
    assert.notDeepEqual(violationsOf(areq, true), [])
    const masked = { ...areq, acctNumber: '400000******2503', cardExpiryDate: '****' }
    assert.deepEqual(violationsOf(masked, true), [])
  })
})

function without(message: object, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(message).filter(([key]) => key !== name))
}
