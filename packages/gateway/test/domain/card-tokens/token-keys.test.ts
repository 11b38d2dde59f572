import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideKeyRetirement,
  decideNewKey,
  decideOrigins,
} from '../../../src/domain/card-tokens/token-keys.ts'

suite('token keys of a site', () => {
  test('a new key is made beside none or one, and the present one remains valid', () => {
    assert.deepEqual(decideNewKey(1001n, []), { ok: true, previousWorks: false })
    assert.deepEqual(decideNewKey(1001n, ['current']), { ok: true, previousWorks: true })
  })

  test('a third key is refused', () => {
    const decided = decideNewKey(1001n, ['current', 'previous'])
    assert.ok(!decided.ok)
    assert.equal(decided.kind, 'conflict')
    assert.match(decided.faults.join(), /1001 has two token keys already/)
  })

  test('the older of two keys is retired, and never the only one', () => {
    assert.equal(decideKeyRetirement(1001n, ['previous', 'current']), null)
    assert.equal(decideKeyRetirement(1001n, ['current'])?.kind, 'conflict')
    assert.equal(decideKeyRetirement(1001n, [])?.kind, 'conflict')
  })

  test('origins are replaced where they equal the seen ones, or where none were seen', () => {
    const before = ['https://shop.example', 'https://www.shop.example']
    assert.equal(decideOrigins(1001n, before, null), null)
    assert.equal(decideOrigins(1001n, before, [...before]), null)
    assert.equal(decideOrigins(1001n, before, [])?.code, 'changed_meanwhile')
  })
})
