import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskTokenParameters } from '../../../src/http/tokens/token-parameters.ts'

test('the request log shows the time of a signature, and no invalid time', () => {
  const logged = (value: string): string =>
    (
      JSON.parse(maskTokenParameters(new Map([['X-TIMESTAMP', value]]), [])) as Record<
        string,
        string
      >
    )['X-TIMESTAMP'] ?? ''
  assert.equal(logged('20261121101500'), '20261121101500')
  assert.equal(logged('20200101000000'), '20200101000000')
  // The first digits of a card number.
  assert.equal(logged('41111111111111'), '**************')
  assert.equal(logged('22234567890123'), '**************')
  assert.equal(logged('20139999999999'), '**************')
  assert.equal(logged('2026-11-21'), '**********')
})
