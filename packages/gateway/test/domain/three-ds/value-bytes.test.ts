import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valueByteCount } from '../../../src/domain/three-ds/issuer-answer.ts'

test('the bytes of a base64 text are counted as a decoder has them, and other texts have none', () => {
  for (let bytes = 1; bytes <= 24; bytes += 1) {
    assert.equal(valueByteCount(Buffer.alloc(bytes, 0xfb).toString('base64')), bytes)
  }
  for (const text of ['A', 'AA=', '=AAA', 'AA-_', 'AAAA AAAA', 'AAAA\n']) {
    assert.equal(valueByteCount(text), -1, JSON.stringify(text))
  }
})
