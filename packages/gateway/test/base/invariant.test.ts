import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invariant, InvariantError } from '../../src/base/invariant.ts'

test('a true invariant does not throw', () => {
  assert.doesNotThrow(() => invariant(true, 'The sky is up.'))
})

test('a false invariant throws an InvariantError with its message', () => {
  assert.throws(
    () => invariant(false, 'The sky fell.'),
    (error) =>
      error instanceof InvariantError &&
      error.name === 'InvariantError' &&
      error.message === 'The sky fell.',
  )
})
