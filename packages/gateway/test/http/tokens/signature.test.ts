import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../../src/base/secret.ts'
import {
  findSigner,
  formatTimestamp,
  isTimely,
  requestMessage,
  sign,
} from '../../../src/http/tokens/signature.ts'

const KEY = new Secret('Password123')
const UNIQUE_ID = '32123456789012345678901234567890'

test('the calculated vectors of the interface have their expected signatures', () => {
  const vectors = [
    ['20241209230900', '', 'cc9ff3991d0570db933365d5d44ccb14df535fe5b6e3d506014a3c50881c0ae7'],
    ['20241209230900', '321', '57fa45724cb30388735c369b9f7b2461586122832b8198e200256a711356292d'],
    ['20250129225200', '9201', '065b7affe81acf68aaaeae27ce8ce56fd1e16613a94f473c92a323d4618c0c5a'],
  ] as const
  for (const [timestamp, siteId, expected] of vectors) {
    assert.equal(sign(KEY, requestMessage(timestamp, UNIQUE_ID, siteId)), expected)
  }
})

test('a signature of either key is valid, in any case of letters, and no other is', () => {
  const keys = [new Secret('new'), new Secret('old')]
  assert.equal(findSigner(keys, 'm', sign(new Secret('old'), 'm').toUpperCase()), keys[1])
  assert.equal(findSigner(keys, 'm', sign(new Secret('new'), 'm')), keys[0])
  assert.equal(findSigner(keys, 'm', sign(new Secret('third'), 'm')), null)
  assert.equal(findSigner(keys, 'm', sign(new Secret('new'), 'm').slice(1)), null)
  assert.equal(findSigner(keys, 'm', ''), null)
  assert.equal(findSigner([], 'm', sign(new Secret('new'), 'm')), null)
})

test('a timestamp is valid for 300 seconds before and after, and only if it is a time', () => {
  const now = new Date('2026-03-01T00:00:00Z')
  const at = (seconds: number) => formatTimestamp(new Date(now.getTime() + seconds * 1_000))
  assert.equal(at(0), '20260301000000')
  assert.deepEqual(
    [-301, -300, 0, 300, 301].map((seconds) => isTimely(at(seconds), now)),
    [false, true, true, true, false],
  )
  // February has 28 days, an hour 60 minutes; a lenient reader would roll both over to now.
  for (const odd of [
    '20260229000000',
    '20260228236000',
    '2026030100000',
    '',
    'now',
    ' 20260301000000',
  ]) {
    assert.equal(isTimely(odd, now), false, odd)
  }
})
