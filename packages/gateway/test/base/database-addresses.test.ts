import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseAddresses } from '../../src/base/database-addresses.ts'

test('an address with several servers stands for one address each', () => {
  assert.deepEqual(databaseAddresses('postgresql://user:pa,ss@one:5432,[::1]:5433/base?x=1'), [
    'postgresql://user:pa,ss@one:5432/base?x=1',
    'postgresql://user:pa,ss@[::1]:5433/base?x=1',
  ])
})

test('an address with one server is left as it is', () => {
  for (const single of [
    'postgresql://user@localhost/base?host=/a,b',
    'postgresql://one:5432/a,b',
    'postgresql://user:a,b@one/base',
  ]) {
    assert.deepEqual(databaseAddresses(single), [single])
  }
})
