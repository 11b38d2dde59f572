import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { COMMON_WORDS } from '../../../src/domain/logins/common-password-words.ts'
import { guessableFault } from '../../../src/domain/logins/guessable-password.ts'

const NAMES = ['anna.keeper@bee-shop.example', 'Anna Keeper', 'Bee Shop Ltd']

const word = fc.constantFrom(...COMMON_WORDS, 'keeper', 'annakeeper', 'beeshop')
const tail = fc.constantFrom('', '1', '1234', '2026', '1985', 'qwerty', 'dcba', '4321')
const guessed = fc
  .array(fc.tuple(word, tail), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.flat().join(''))

suite('a password that can be guessed', () => {
  for (const [kind, password] of [
    ['a common word and a row of digits', 'password1234'],
    ['a common word in digits and signs', 'P4$$w0rd!2026'],
    ['a row of keys', '1qaz2wsx3edc'],
    ['a row of the alphabet, backwards', 'zyxwvutsrq1'],
    ['a season, a year and signs', 'Summer2026!!'],
    ['one character again and again', 'aaaaaaaaaaa1'],
    ['three characters again and again', 'xk7xk7xk7xk7'],
    ['the first part of the e-mail address', 'anna.keeper12'],
    ['the name of the user', 'KeeperAnna-99'],
    ['the name of the merchant', 'beeshop-12345'],
    ['the words of the merchant', 'The-Bee-Shop-2'],
    ['the name of the product', 'Tollgate-2026'],
  ] as const) {
    test(`a password of ${kind} is refused`, () => {
      assert.match(guessableFault(password, NAMES) ?? '', /easy to guess/)
    })
  }

  test('words of several kinds, years and rows do not add up to a good password', () => {
    fc.assert(
      fc.property(guessed, fc.constantFrom('', '-', '!', '_x'), (text, sign) => {
        assert.notEqual(guessableFault(text + sign, NAMES), null, text + sign)
      }),
    )
  })

  test('capital letters change no verdict', () => {
    const ascii = fc.string({ unit: 'grapheme-ascii', minLength: 12, maxLength: 30 })
    fc.assert(
      fc.property(fc.oneof(guessed, ascii), (text) => {
        const verdict = guessableFault(text.toLowerCase(), NAMES)
        assert.equal(guessableFault(text.toUpperCase(), NAMES), verdict)
      }),
    )
  })

  test('the sentence repeats nothing of the password', () => {
    fc.assert(
      fc.property(guessed, (text) => {
        assert.equal(guessableFault(text, NAMES), guessableFault('password', []))
      }),
    )
  })
})

suite('a password that cannot be guessed', () => {
  for (const password of [
    'correct horse battery staple 1',
    'vK8#tQ2m!zR5',
    'Good-enough-4711',
    'Portal-7mXc4Rv8',
    'lantern-turnip-41-gravel',
  ]) {
    test(`${password} is accepted`, () => {
      assert.equal(guessableFault(password, NAMES), null)
    })
  }

  test('seven different characters must be left beside a common word', () => {
    assert.equal(guessableFault('passwordvkqzwx2', NAMES), null)
    assert.notEqual(guessableFault('passwordvkqzwxx', NAMES), null)
  })

  test('names of the user in front of a good password do not spoil it', () => {
    fc.assert(
      fc.property(fc.constantFrom('Anna', 'keeper', 'password', '2026'), (name) => {
        assert.equal(guessableFault(`${name}=vK8#tQ2m!zR5`, NAMES), null)
      }),
    )
  })

  test('a name of less than three letters takes nothing from a password', () => {
    assert.equal(guessableFault('a-b-c-d-e-f-g-1', ['a', 'b c', 'd@e.f']), null)
  })
})
