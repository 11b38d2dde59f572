import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import { Secret } from '../../src/base/secret.ts'

const VALUE = 'correct horse battery'

test('a secret returns its value only when it is asked to reveal it', () => {
  assert.equal(new Secret(VALUE).reveal(), VALUE)
})

test('a secret shows in no string, JSON, inspection, error or key of an object', () => {
  const secret = new Secret(VALUE)
  const shown = [
    `${secret}`,
    String(secret),
    JSON.stringify(secret),
    JSON.stringify({ nested: [secret] }),
    inspect(secret),
    inspect({ nested: [secret] }, { depth: 9, showHidden: true }),
    format('%s %o %j', secret, secret, secret),
    new Error(`failed with ${secret}`).message,
    Object.keys(secret).join() + Object.values(secret).join(),
  ]

  for (const text of shown) assert.ok(!text.includes(VALUE), text.replaceAll(VALUE, '(leaked)'))
  assert.equal(`${secret}`, '[secret]')
  assert.equal(JSON.stringify({ secret }), '{"secret":"[secret]"}')
  assert.equal(inspect(secret), '[secret]')
})
