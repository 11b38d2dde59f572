import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  chooseFault,
  FAULT_KINDS,
  faultSentence,
  faultsRefusal,
  MOST_FAULTS,
  type DeliveryFault,
} from '../../../src/domain/webhooks/delivery-faults.ts'

const DOUBLE: DeliveryFault = { kind: 'double', type: '', share: 100, seconds: 60, left: null }
const EVENT = { type: 'payment.approved', isFaulted: false, isAhead: false }
const certain = (): number => 0

test('an event meets the first fault that applies to its type', () => {
  const lose = { ...DOUBLE, kind: 'lose' } as const
  const of = (type: string) => chooseFault([{ ...DOUBLE, type }, lose], EVENT, certain)?.kind
  assert.deepEqual(['', 'payment.', 'payment.approved'].map(of), ['double', 'double', 'double'])
  assert.deepEqual(['refund.', 'payment', 'payment.approve'].map(of), ['lose', 'lose', 'lose'])
  assert.equal(chooseFault([], EVENT, certain), null)
})

test('an event that met a fault meets no other one', () => {
  assert.equal(chooseFault([DOUBLE], { ...EVENT, isFaulted: true }, certain), null)
})

test('a fault with no events left applies to none', () => {
  assert.equal(chooseFault([{ ...DOUBLE, left: 0 }], EVENT, certain), null)
  assert.equal(chooseFault([{ ...DOUBLE, left: 1 }], EVENT, certain)?.kind, 'double')
})

test('an event that goes ahead of another one does not step back itself', () => {
  const reorder = { ...DOUBLE, kind: 'reorder' } as const
  const ahead = { ...EVENT, isAhead: true }
  assert.equal(chooseFault([reorder], EVENT, certain)?.kind, 'reorder')
  assert.equal(chooseFault([reorder], ahead, certain), null)
  assert.equal(chooseFault([DOUBLE], ahead, certain)?.kind, 'double')
})

test('a share applies to so many of a hundred events', () => {
  const quarter = { ...DOUBLE, share: 25 }
  const met = Array.from({ length: 100 }, (_, at) => at / 100).filter(
    (random) => chooseFault([quarter], EVENT, () => random) !== null,
  )
  assert.equal(met.length, 25)
  assert.equal(chooseFault([DOUBLE], EVENT, () => 0.999)?.kind, 'double')
})

test('each number of a fault has limits, and both of them are allowed', () => {
  for (const [name, to, sentence] of [
    ['share', 100, 'The share must be from 1 to 100.'],
    ['seconds', 86_400, 'The seconds must be from 1 to 86400.'],
    ['left', 1_000, 'The count must be from 1 to 1000.'],
  ] as const) {
    const judge = (value: number) => faultsRefusal([DOUBLE, { ...DOUBLE, [name]: value }])
    assert.deepEqual([judge(1), judge(to)], [null, null], name)
    for (const value of [0, to + 1, 1.5]) {
      const { faults, field, kind } = judge(value) ?? {}
      assert.deepEqual([kind, field, faults], ['invalid', 'faults', [sentence]])
    }
  }
})

test('a fault names a type of events or a beginning of one, and an endpoint has at most ten', () => {
  const judge = (type: string) => faultsRefusal([{ ...DOUBLE, type }])?.faults
  assert.deepEqual(
    [judge(''), judge('payment.'), judge('refund.created')],
    Array(3).fill(undefined),
  )
  assert.deepEqual(judge('no.such'), ['no.such is no type of event, and no beginning of one.'])
  assert.doesNotMatch(judge('4111111111111111')?.[0] ?? '', /4111111111111111/)
  const many = Array.from({ length: MOST_FAULTS + 1 }, () => DOUBLE)
  assert.deepEqual(faultsRefusal(many)?.faults, ['An endpoint has at most 10 faults.'])
  assert.equal(faultsRefusal(many.slice(1)), null)
})

test('the log says what a fault did', () => {
  assert.deepEqual(FAULT_KINDS, ['delay', 'double', 'reorder', 'lose', 'forge', 'stale'])
  const sentences = (['delay', 'reorder', 'lose'] as const).map((kind) =>
    faultSentence({ ...DOUBLE, kind }),
  )
  assert.deepEqual(sentences, [
    'A fault of the sandbox holds the event back for 60 s.',
    'A fault of the sandbox lets the next event go first, for at most 60 s.',
    'A fault of the sandbox lost the event: nothing was sent.',
  ])
})
