import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actorText } from '../../src/parts/actor-text.ts'
import { addressText } from '../../src/parts/address-text.ts'
import { cardText } from '../../src/parts/card-text.ts'
import { countOf, countText } from '../../src/parts/count-text.ts'
import { browserName } from '../../src/users/browser-name.ts'

test('a count has a comma after every three digits, and its noun in singular for one', () => {
  const counts = [0, 999, 1_000, 12_345, 1_234_567].map(countText)
  assert.deepEqual(counts, ['0', '999', '1,000', '12,345', '1,234,567'])
  assert.equal(countOf(1, 'order'), '1 order')
  assert.equal(countOf(0, 'order'), '0 orders')
  assert.equal(countOf(2, 'batch', 'batches'), '2 batches')
})

test('a card shows its last four digits, and the first six where they are known', () => {
  const card = { brand: 'Visa', last4: '1111' }
  assert.equal(cardText(card), 'Visa •••• 1111')
  assert.equal(cardText(card, null), 'Visa •••• 1111')
  assert.equal(cardText(card, '411111'), 'Visa 411111 •••• 1111')
})

test('an actor of the portal is shown by e-mail address, and every other one in full', () => {
  assert.equal(actorText('portal:ada@shop.test'), 'ada@shop.test')
  assert.equal(actorText('person:ada@shop.test'), 'ada@shop.test')
  assert.equal(actorText('operator:root'), 'operator:root')
  assert.equal(actorText('an operator of portal:x'), 'an operator of portal:x')
})

test('a quoted number of an address is text without its quotes, and broken quotes stay', () => {
  assert.equal(addressText('"0012"'), '0012')
  assert.equal(addressText('0012'), '0012')
  assert.equal(addressText('"'), '"')
  assert.equal(addressText('"a"b"'), '"a"b"')
})

test('a session names browser and system, and an unknown browser its own words', () => {
  const onLinux = 'Mozilla/5.0 (X11; Linux x86_64)'
  const chrome = 'AppleWebKit/537.36 Chrome/140.0 Safari/537.36'
  assert.equal(browserName(`${onLinux} ${chrome}`), 'Chrome on Linux')
  assert.equal(browserName(`${onLinux} ${chrome} Edg/140.0`), 'Edge on Linux')
  assert.equal(browserName(`${onLinux} Firefox/145.0`), 'Firefox on Linux')
  assert.equal(browserName('(Macintosh; Intel Mac OS X) Safari/605'), 'Safari on macOS')
  assert.equal(browserName('(Linux; Android 16) Chrome/140.0 Safari/1'), 'Chrome on Android')
  assert.equal(browserName('Firefox/1'), 'Firefox')
  assert.equal(browserName('x'.repeat(80)), 'x'.repeat(60))
  assert.equal(browserName(''), 'unknown')
})
