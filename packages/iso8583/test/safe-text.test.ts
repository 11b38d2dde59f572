import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/properties.ts'
import { HOUSE_PROFILE, encodePrivateData, toSafeText } from '../src/index.ts'
import { anAuthorization } from './support.ts'

test('a message reads as one line with its card number masked and its secrets removed', () => {
  const message = anAuthorization('1', {
    14: '2912',
    48: encodePrivateData({ CA: 'AB', CP: '1', CV: '987', OR: 'order 1', TK: 'CD', ZZ: 'new' }),
    123: '94105----1 MARKET STREET',
  })

  assert.equal(
    toSafeText(message),
    '0100 2=411111******1111 3=000000 4=000000012345 7=1121142530 11=000001 14=[removed] ' +
      '32=400001 41=T0000001 48={CA:[removed] CP:1 CV:[removed] OR:order 1 TK:[removed] ' +
      'ZZ:[removed]} 49=840 123=[removed]',
  )
})

test("the safe text shows the account updater's result without the new number and its expiry", () => {
  const message = {
    mti: '0110',
    fields: { 48: encodePrivateData({ UD: '20260314', UN: '4', UR: 'A', UX: '4912' }) },
  }

  assert.equal(toSafeText(message), '0110 48={UD:20260314 UN:[removed] UR:A UX:[removed]}')
})

test('a short card number shows its last four digits, and an invalid one shows nothing', () => {
  const shown = (pan: string) => toSafeText({ mti: '0100', fields: { 2: pan } })

  assert.equal(shown('378282246310005'), '0100 2=378282*****0005')
  assert.equal(shown('36227206271667'), '0100 2=**********1667')
  assert.equal(shown('501234567890'), '0100 2=********7890')
  for (const pan of ['50123456789', '1234', '', '4111 1111 1111 1111', '41111111111111111111']) {
    assert.equal(shown(pan), '0100 2=[removed]')
  }
})

test('nothing is shown of a DE 48 that cannot be read', () => {
  for (const text of ['CV003987X', 'OR002abCV003987', 'CV00498', '987']) {
    assert.equal(toSafeText({ mti: '0100', fields: { 48: text } }), '0100 48=[removed]')
  }
})

test('the fields of card data and every private field are removed, known to the codec or not', () => {
  for (const field of [14, 34, 35, 36, 45, 46, 47, 52, 53, 55, 60, 63, 102, 103, 111, 126, 200]) {
    assert.equal(
      toSafeText({ mti: '0100', fields: { [field]: '4111' } }),
      `0100 ${field}=[removed]`,
    )
  }
})

test('no message turns into two lines', () => {
  const text = toSafeText({ mti: '0100', fields: { 43: 'one\r\ntwo\u2028three\u001b[31m' } })
  assert.equal(text, '0100 43=one??two?three?[31m')
})

test('a secret in any private field never shows', () => {
  const secret = '5105105105105100'
  const privateFields = Object.entries(HOUSE_PROFILE.fields)
    .filter(([, { length, kind }]) => length === 'LLL' && kind === 'ans')
    .map(([field]) => Number(field))
  fc.assert(
    fc.property(fc.subarray(privateFields, { minLength: 1 }), (fields) => {
      const message = {
        mti: '0100',
        fields: Object.fromEntries(fields.map((field) => [field, secret])),
      }
      assert.ok(!toSafeText(message).includes('510510'))
    }),
  )
})
