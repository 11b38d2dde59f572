import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideDifference,
  type HeldDifference,
} from '../../../../src/portal/reconciliation/domain/difference-changes.ts'

const OPEN: HeldDifference = { version: 3, isGone: false, last: null }
const AT = new Date('2026-01-02T03:04:05Z')

type Change = Parameters<typeof decideDifference>[0]
const decide = (
  change: Partial<Change>,
  difference: HeldDifference | null = OPEN,
  newOwner: Parameters<typeof decideDifference>[2] = null,
) => decideDifference({ version: 3, what: 'taken', note: '', ...change }, difference, newOwner)

suite('operations of a portal user on a difference', () => {
  test('an unchanged difference is taken on, handed over, noted, resolved and opened again', () => {
    assert.equal(decide({}), null)
    assert.equal(decide({ what: 'handed' }, OPEN, 'finance'), null)
    assert.equal(decide({ what: 'noted', note: 'asked the bank' }), null)
    assert.equal(decide({ what: 'resolved', note: 'paid back' }), null)
    assert.equal(decide({ what: 'reopened' }), null)
  })

  test('a note and a resolution need words', () => {
    for (const what of ['noted', 'resolved'] as const) {
      assert.deepEqual([decide({ what })?.kind, decide({ what })?.field], ['invalid', 'note'])
    }
  })

  test('no note holds a card number', () => {
    const refusal = decide({ what: 'taken', note: 'card 4111 1111 1111 1111' })
    assert.deepEqual([refusal?.code, refusal?.field], ['card_number', 'note'])
  })

  test('it is handed only to an active user who may resolve differences', () => {
    for (const role of ['support', 'developer', null] as const) {
      assert.equal(decide({ what: 'handed' }, OPEN, role)?.field, 'ownerId', String(role))
    }
  })

  test('one of another merchant is not there', () => {
    assert.equal(decide({}, null)?.kind, 'missing')
  })

  test('a difference changed meanwhile is refused with the user, the change and the time', () => {
    const last = { by: 'Anna', what: 'resolved', at: AT } as const
    const refusal = decide({ version: 2 }, { ...OPEN, last })
    assert.equal(refusal?.code, 'changed_before')
    assert.deepEqual(refusal.faults, [
      'Anna resolved it at 2026-01-02 03:04 UTC. Review it and try again.',
    ])
  })

  test('one that a comparison changed or did not find any more can only be noted', () => {
    assert.match(decide({ version: 2 })?.faults.join() ?? '', /A comparison has changed/)
    const gone = { ...OPEN, isGone: true }
    assert.match(decide({ what: 'taken' }, gone)?.faults.join() ?? '', /A comparison has changed/)
    assert.equal(decide({ what: 'noted', note: 'found it' }, gone), null)
  })
})
