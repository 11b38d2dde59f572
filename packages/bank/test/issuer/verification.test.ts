import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareAddress, compareSecurityCode, readAddress } from '../../src/issuer/verification.ts'
import { ACCOUNT_CARDS } from '../../src/test-data/account-cards.ts'
import { TEST_CARDS, TEST_CARD_ADDRESS } from '../../src/test-data/test-cards.ts'
import { aBank, anAuthorization } from '../support/test-bank.ts'

const LONDON = ACCOUNT_CARDS.find(({ address }) => address?.postalCode === 'NW16XE')?.address
const PARIS = ACCOUNT_CARDS.find(({ address }) => address?.postalCode === '75007')?.address

/** DE 123, whose address the issuer has, and the letter. */
const ADDRESSES = [
  ['123456789123 MAIN STREET', TEST_CARD_ADDRESS, 'X'],
  ['12345----123 Other Road', TEST_CARD_ADDRESS, 'Y'],
  ['123450000123 MAIN STREET', TEST_CARD_ADDRESS, 'Y'],
  ['1234567899 ELSEWHERE', TEST_CARD_ADDRESS, 'W'],
  ['12345----9 ELSEWHERE', TEST_CARD_ADDRESS, 'Z'],
  ['12345----', TEST_CARD_ADDRESS, 'Z'],
  ['99999----123 MAIN STREET', TEST_CARD_ADDRESS, 'A'],
  ['---------123 MAIN STREET', TEST_CARD_ADDRESS, 'A'],
  ['99999----9 ELSEWHERE', TEST_CARD_ADDRESS, 'N'],
  ['1234-----9 ELSEWHERE', TEST_CARD_ADDRESS, 'N'],
  ['99999----MAIN STREET', TEST_CARD_ADDRESS, 'N'],
  ['---------', TEST_CARD_ADDRESS, 'U'],
  ['00001----123 MAIN STREET', TEST_CARD_ADDRESS, 'R'],
  ['00002----123 MAIN STREET', TEST_CARD_ADDRESS, 'U'],
  ['00003----123 MAIN STREET', TEST_CARD_ADDRESS, 'S'],
  ['00004----123 MAIN STREET', TEST_CARD_ADDRESS, 'G'],
  ['00005----123 MAIN STREET', TEST_CARD_ADDRESS, 'E'],
  ['NW1 6XE--221 BAKER STREET', LONDON, 'D'],
  ['nw16xe---221B BAKER STREET', LONDON, 'D'],
  ['75007----5 AVENUE ANATOLE', PARIS, 'M'],
  ['99999----5 AVENUE ANATOLE', PARIS, 'B'],
  ['75007----9 ELSEWHERE', PARIS, 'P'],
  ['99999----9 ELSEWHERE', PARIS, 'C'],
  ['---------', PARIS, 'I'],
] as const

for (const [text, home, letter] of ADDRESSES) {
  test(`"${text}" against ${home?.street} gives AVS ${letter}`, () => {
    assert.ok(home)

    assert.equal(compareAddress(readAddress(text), home), letter)
  })
}

test('every AVS result can be had from an address or from a test card', () => {
  const letters = new Set<string>(ADDRESSES.map(([, , letter]) => letter))
  for (const { avs } of TEST_CARDS) if (avs !== undefined) letters.add(avs)

  assert.equal([...letters].sort().join(''), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
})

/** CP, CV, the right code (null: any), and the letter. */
const CODES = [
  [undefined, '123', '123', '0'],
  ['0', undefined, '123', '0'],
  ['1', '123', '123', 'M'],
  ['1', '124', '123', 'N'],
  ['1', '124', null, 'M'],
  ['1', '901', '123', 'P'],
  ['1', '902', '123', 'U'],
  ['1', '903', '123', 'S'],
  ['1', '904', '123', 'X'],
  ['1', '901', null, 'M'],
  ['1', '1234', '1234', 'M'],
  ['1', '123', '1234', 'N'],
  ['1', '9901', '1234', 'P'],
  ['1', '9902', '1234', 'U'],
  ['1', '9903', '1234', 'S'],
  ['1', '9904', '1234', 'X'],
  ['1', undefined, '123', 'P'],
  ['2', undefined, '123', 'P'],
  ['9', undefined, '123', 'S'],
] as const

for (const [presence, code, expected, letter] of CODES) {
  test(`presence ${presence}, code ${code} where ${expected} is right: CVV ${letter}`, () => {
    assert.equal(compareSecurityCode(presence, code, expected), letter)
  })
}

test('a other card matches all, and says nothing unasked', async (t) => {
  const bank = await aBank(t)

  const asked = await bank.send(
    anAuthorization({ address: '00001----9 ELSEWHERE', tags: { CV: '904' } }),
  )
  const empty = await bank.send(anAuthorization({ address: '---------' }))
  const unasked = await bank.send(anAuthorization({ address: null, tags: { CP: '0' } }))

  const results = [asked, empty, unasked].map(({ fields }) => fields[44])
  assert.deepEqual(results, ['5MM0', '5MM0', '5000'])
})
