import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  holdsCardSecret,
  maskCardNumber,
  maskFaultText,
  maskText,
} from '../../src/base/card-masking.ts'

const PAN = '4111111111111111'

test('a card number of 15 digits or more keeps six and four, a shorter one its last four', () => {
  assert.equal(maskCardNumber('4111111111111111'), '411111******1111')
  assert.equal(maskCardNumber('378282246310005'), '378282*****0005')
  assert.equal(maskCardNumber('30569309025904'), '**********5904')
  assert.equal(maskCardNumber('4111 1111-1111 1111'), '411111******1111')
})

test('an invalid card number keeps no digit when it is masked', () => {
  assert.equal(maskCardNumber('4111111111111111x'), '*****************')
  assert.equal(maskCardNumber('41111111'), '********')
})

test('ordinary texts stay as they are', () => {
  for (const text of ['web-17', '2026-11-21 10:20', 'Rua 7, 123', '1000000000001']) {
    assert.equal(maskText(text), text)
    assert.equal(holdsCardSecret(text), false)
  }
})

test('a card number in eight signs of two digits each is masked', () => {
  assert.equal(maskText('㊶⑪⑪⑪⑪⑪⑪⑪'), '411111******1111')
})

test('more digits than a card number has keep their last four', () => {
  assert.equal(maskText(`x ${PAN}20301`), `x ${'*'.repeat(17)}0301`)
})

test('a security code behind its name is a secret as well as a card number', () => {
  assert.equal(holdsCardSecret('CVV 731'), true)
  assert.equal(holdsCardSecret(`card ${PAN}`), true)
})

test('an error text keeps no number longer than two digits', () => {
  assert.equal(maskFaultText(`value "${PAN}" or 123 at 12`), 'value "###" or ### at 12')
})
