import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  cardProductText,
  NO_CARD_PRODUCT,
  parseCardProduct,
} from '../../../src/domain/payments/card-product.ts'

const PREPAID = 'CLASSIC;DEBIT;CONSUMER;1;USA;First Bank'

test('the text of a card product has the parts of the bank in its sequence', () => {
  assert.deepEqual(parseCardProduct(PREPAID), {
    detail: 'CLASSIC',
    type: 'DEBIT',
    class: 'CONSUMER',
    prepaid: true,
    country: 'USA',
    bank: 'First Bank',
    networkToken: false,
  })
})

for (const text of [PREPAID, 'CLASSIC;CREDIT;;0;GBR;', ';;;1;;', ';;;0;;;1', `${PREPAID};1`, '']) {
  test(`the card product "${text}" is stored as the bank sent it`, () => {
    assert.equal(cardProductText(parseCardProduct(text)), text)
  })
}

test('a card product with missing parts is read, and stored with all six', () => {
  const product = parseCardProduct('CLASSIC;CREDIT')
  assert.deepEqual(product, { ...NO_CARD_PRODUCT, detail: 'CLASSIC', type: 'CREDIT' })
  assert.equal(cardProductText(product), 'CLASSIC;CREDIT;;0;;')
})
