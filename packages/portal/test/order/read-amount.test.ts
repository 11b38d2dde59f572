import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { amountInput, readAmount } from '../../src/order/read-amount.ts'

suite('a typed amount', () => {
  test('is read by the decimals of its currency', () => {
    assert.deepEqual(readAmount('12.50', 'EUR', null), { minor: 1_250n, fault: null })
    assert.deepEqual(readAmount(' 12 ', 'EUR', null), { minor: 1_200n, fault: null })
    assert.deepEqual(readAmount('1250', 'JPY', null), { minor: 1_250n, fault: null })
    assert.deepEqual(readAmount('1.250', 'KWD', null), { minor: 1_250n, fault: null })
  })

  test('with more decimals than its currency has is a fault that shows an example', () => {
    assert.equal(
      readAmount('1.255', 'EUR', null).fault,
      'Enter an amount in EUR with digits and at most 2 decimals after a point, such as 1234.00.',
    )
    assert.equal(
      readAmount('1.5', 'JPY', null).fault,
      'Enter an amount in JPY with digits and no decimals, such as 123400.',
    )
    for (const text of ['1,50', '-1', '1e3', 'one']) {
      assert.match(readAmount(text, 'EUR', null).fault ?? '', /^Enter an amount in EUR/, text)
    }
  })

  test('may be all there is, and not more', () => {
    assert.deepEqual(readAmount('10.00', 'EUR', 1_000n), { minor: 1_000n, fault: null })
    assert.equal(readAmount('10.01', 'EUR', 1_000n).fault, 'Enter at most 10.00 EUR.')
  })

  test('is above zero, and not missing or endless', () => {
    assert.equal(readAmount('0.00', 'EUR', null).fault, 'The amount must be above zero.')
    assert.equal(readAmount('  ', 'EUR', null).fault, 'Enter an amount.')
    assert.equal(readAmount('9'.repeat(30), 'EUR', null).fault, 'The amount is too large.')
  })

  test('in an unknown currency is a fault', () => {
    assert.equal(readAmount('1', 'XXQ', null).fault, 'XXQ is not a valid currency.')
  })

  test('is offered with the decimals of its currency, and reads back as the same', () => {
    assert.equal(amountInput(1_250n, 'EUR'), '12.50')
    assert.equal(amountInput('1250', 'JPY'), '1250')
    assert.equal(amountInput('7', 'XXQ'), '7')
    assert.deepEqual(readAmount(amountInput(5n, 'EUR'), 'EUR', 5n), { minor: 5n, fault: null })
  })
})
