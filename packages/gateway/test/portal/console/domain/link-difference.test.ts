import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { LinkOutline } from '../../../../src/domain/banks/link-outline.ts'
import {
  differenceText,
  linkDifference,
  linkNeedsSecond,
} from '../../../../src/portal/console/domain/link-difference.ts'

const LINK: LinkOutline = {
  name: 'acme',
  mode: 'test',
  addresses: ['a.example:1'],
  profile: 'house',
  institutionId: '500001',
  echoIdleSeconds: 60,
  window: 512,
  messageTimeoutMs: 25_000,
  batchAgreement: false,
  tls: { ca: 'ca', cert: 'one' },
}
const named = (pem: string) => `CN=${pem}`

suite('the difference that a file makes to a processor link', () => {
  test('a changed host and certificate are named with what was there before', () => {
    const after = { ...LINK, addresses: ['b.example:1'], tls: { ca: 'ca', cert: 'two' } }
    const changes = linkDifference(LINK, after, named)
    assert.equal(
      differenceText(changes),
      'addresses b.example:1 (was a.example:1); client certificate CN=two (was CN=one)',
    )
  })

  test('every setting of a new link is named', () => {
    assert.equal(linkDifference(null, LINK, named).length, 10)
  })

  test('a file that differs in nothing that is shown may still have another key', () => {
    assert.equal(differenceText(linkDifference(LINK, LINK, named)), 'nothing differs but the key')
  })

  test('a link that was live, is to be live or carries a live account needs two operators', () => {
    const stored = (mode: 'test' | 'live', used: readonly ('test' | 'live')[]) => {
      return { mode, accounts: used.map((of) => ({ mode: of })) }
    }
    assert.equal(linkNeedsSecond(null, { mode: 'test' }), false)
    assert.equal(linkNeedsSecond(stored('test', ['test']), { mode: 'test' }), false)
    assert.equal(linkNeedsSecond(null, { mode: 'live' }), true)
    assert.equal(linkNeedsSecond(stored('live', []), { mode: 'test' }), true)
    assert.equal(linkNeedsSecond(stored('test', ['live']), { mode: 'test' }), true)
  })
})
