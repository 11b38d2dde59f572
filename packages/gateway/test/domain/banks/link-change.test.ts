import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideLink } from '../../../src/domain/banks/link-change.ts'

const LINK = { name: 'acme', mode: 'live' } as const

test('a link that no account uses may have either mode', () => {
  assert.equal(decideLink(LINK, []), null)
  assert.equal(decideLink({ ...LINK, mode: 'test' }, []), null)
})

test('a link keeps the mode of the accounts that use it', () => {
  assert.equal(decideLink(LINK, ['live', 'live']), null)
})

test('a link does not leave the mode of an account that uses it', () => {
  const refusal = decideLink(LINK, ['test'])
  assert.equal(refusal?.kind, 'conflict')
  assert.deepEqual(refusal.faults, [
    'mode is "live", but merchant accounts of the other mode use the link acme. Give this one another name.',
  ])
})
