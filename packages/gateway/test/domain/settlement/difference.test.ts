import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endFault, writeOff } from '../../../src/domain/settlement/difference.ts'
import { fitsKind, LINE_KINDS, type LineKind } from '../../../src/domain/settlement/file-record.ts'

const OPEN = { id: 7n, code: 'missing_here', state: 'open', endedAs: null } as const

test('an open difference may end; one that ended keeps its end', () => {
  assert.equal(endFault(OPEN, 'not_ours'), null)
  const again = endFault({ ...OPEN, state: 'ended', endedAs: 'not_ours' }, 'written_off')
  assert.deepEqual(
    [again?.kind, again?.faults],
    ['conflict', ['Difference 7 ended before, as not_ours.']],
  )
})

test('a capture of this gateway that is missing at the bank is never of another system', () => {
  const missing = { ...OPEN, code: 'missing_at_bank' } as const
  assert.deepEqual(
    [endFault(missing, 'not_ours')?.kind, endFault(missing, 'not_ours')?.faults],
    ['invalid', ['Difference 7 is about a capture or refund of this gateway: it is ours.']],
  )
  assert.equal(endFault(missing, 'written_off'), null)
})

test('a write-off posts what is in suspense, or the missing capture or refund', () => {
  assert.deepEqual(writeOff(5n, 0n), { kind: 'gain_written_off', minor: 5n })
  assert.deepEqual(writeOff(-5n, 0n), { kind: 'loss_written_off', minor: 5n })
  assert.deepEqual(writeOff(0n, 3n), { kind: 'capture_written_off', minor: 3n })
  assert.deepEqual(writeOff(0n, -3n), { kind: 'refund_written_off', minor: 3n })
  assert.equal(writeOff(0n, 0n), null)
})

test('each kind of line has the sign of its money', () => {
  const fits = (gross: bigint, net: bigint): string[] =>
    (Object.keys(LINE_KINDS) as LineKind[]).filter((kind) => fitsKind(kind, gross, net))
  const either = ['dispute_fee', 'fee', 'adjustment', 'payout', 'carry_forward']
  const plus = ['sale', 'refund_reversal', 'dispute_reversal', 'reserve_release', 'payout_return']
  const minus = ['refund', 'chargeback', 'chargeback_again', 'reserve_hold']
  assert.deepEqual(fits(1n, 1n).toSorted(), [...either, ...plus, 'top_up'].toSorted())
  assert.deepEqual(fits(-1n, -1n).toSorted(), [...either, ...minus].toSorted())
  assert.deepEqual(fits(0n, 0n), ['reject', 'carry_forward'])
  assert.equal(fitsKind('sale', 1n, -1n), true)
  assert.equal(fitsKind('refund', 0n, -1n), false)
})
