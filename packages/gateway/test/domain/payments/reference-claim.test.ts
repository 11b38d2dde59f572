import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  DECLINE_REPEATS_MS,
  declinesBefore,
  decideReference,
  referenceAfter,
  type DeclinedClaim,
  type ReferenceClaim,
  type ReferenceUse,
} from '../../../src/domain/payments/reference-claim.ts'

const NOW = new Date('2026-11-22T12:00:00Z')

function ago(ms: number): Date {
  return new Date(NOW.getTime() - ms)
}

function declined(transactionId: bigint, details: string, agoMs: number): DeclinedClaim {
  return { transactionId, details, endedAt: ago(agoMs) }
}

function heldBy(
  state: ReferenceClaim['state'],
  declines: readonly DeclinedClaim[] = [],
): ReferenceClaim {
  return { state, transactionId: 7n, content: 'basket', declines }
}

const REPEAT: ReferenceUse = {
  duplicates: 'replay',
  content: 'basket',
  details: 'card A',
  at: NOW,
}
const REFUSING: ReferenceUse = { ...REPEAT, duplicates: 'refuse' }

function kindOf(claim: ReferenceClaim | null, use: ReferenceUse): string {
  return decideReference(claim, use).kind
}

suite('a reference that is free or held', () => {
  test('A free reference lets a payment begin without a predecessor.', () => {
    assert.deepEqual(decideReference(null, REPEAT), { kind: 'begin', after: [] })
  })

  test('The same content waits for a running payment in both modes.', () => {
    assert.equal(kindOf(heldBy('running'), REPEAT), 'wait')
    assert.equal(kindOf(heldBy('running'), REFUSING), 'wait')
  })

  test('An approved payment answers the same content in mode 2 and refuses it in mode 1.', () => {
    assert.deepEqual(decideReference(heldBy('approved'), REPEAT), {
      kind: 'repeat',
      transactionId: 7n,
    })
    assert.equal(kindOf(heldBy('approved'), REFUSING), 'duplicate')
  })

  test('An approval answers a repeat whose details differ: the basket is paid.', () => {
    assert.equal(kindOf(heldBy('approved'), { ...REPEAT, details: 'card A again' }), 'repeat')
  })

  test('Other content is a duplicate of a running and of an approved payment in mode 2.', () => {
    const other = { ...REPEAT, content: 'another basket' }
    assert.equal(kindOf(heldBy('running'), other), 'duplicate')
    assert.equal(kindOf(heldBy('approved'), other), 'duplicate')
  })
})

suite('a reference whose last payment was declined', () => {
  const at = (agoMs: number): ReferenceClaim => heldBy('declined', [declined(7n, 'card A', agoMs)])

  test('The decline answers its repeat for two minutes and not a moment longer.', () => {
    assert.deepEqual(decideReference(at(DECLINE_REPEATS_MS - 1), REPEAT), {
      kind: 'repeat',
      transactionId: 7n,
    })
    assert.equal(kindOf(at(DECLINE_REPEATS_MS), REPEAT), 'begin')
  })

  test('A decline that another machine dated a little ahead answers its repeat.', () => {
    assert.equal(kindOf(at(-500), REPEAT), 'repeat')
  })

  test('Mode 1 and other details begin at once, and name the decline as their predecessor.', () => {
    const after = [declined(7n, 'card A', 1)]
    for (const use of [REFUSING, { ...REPEAT, details: 'card B' }]) {
      assert.deepEqual(decideReference(at(1), use), { kind: 'begin', after })
    }
  })

  test('A decline before another card answers its own repeat within its two minutes.', () => {
    const claim = heldBy('declined', [declined(7n, 'card B', 10), declined(6n, 'card A', 1_000)])
    assert.deepEqual(decideReference(claim, REPEAT), { kind: 'repeat', transactionId: 6n })
  })

  test('The predecessor stays first, however old; of those before it, the old ones go.', () => {
    const old = declined(7n, 'card B', 10 * DECLINE_REPEATS_MS)
    const older = declined(6n, 'card A', 11 * DECLINE_REPEATS_MS)
    assert.deepEqual(declinesBefore(heldBy('declined', [old, older]), NOW), [old])
  })

  test('No more than twenty declines are carried along.', () => {
    const many = Array.from({ length: 50 }, (_, index) => declined(BigInt(index), 'card', index))
    assert.equal(declinesBefore(heldBy('declined', many), NOW).length, 20)
  })
})

suite('the reference of a concluded payment', () => {
  test('An approval keeps it, and a failure gives it back.', () => {
    assert.equal(referenceAfter('approved', 'M'), 'approved')
    assert.equal(referenceAfter('approved', 'N'), 'approved')
    assert.equal(referenceAfter('failed', ''), 'free')
  })

  test('A decline keeps it, except for a wrong security code.', () => {
    assert.equal(referenceAfter('declined', 'M'), 'declined')
    assert.equal(referenceAfter('declined', ''), 'declined')
    assert.equal(referenceAfter('declined', 'N'), 'free')
  })

  test('Its decline is repeated for 120 seconds.', () => {
    assert.equal(DECLINE_REPEATS_MS, 120_000)
  })

  test('Other content begins nothing in mode 1 while the first payment runs.', () => {
    const other = { ...REFUSING, content: 'another basket' }
    assert.equal(kindOf(heldBy('running'), other), 'wait')
  })
})
