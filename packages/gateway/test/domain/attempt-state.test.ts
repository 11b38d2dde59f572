import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvariantError } from '../../src/base/invariant.ts'
import { nextTransactionState } from '../../src/domain/attempt-state.ts'

const STATES = ['running', 'pending', 'approved', 'declined', 'failed'] as const
const EVENTS = ['approve', 'decline', 'fail', 'challenge', 'resume'] as const

test('of all pairs of a state and an event exactly these are possible', () => {
  const possible: string[] = []
  for (const state of STATES) {
    for (const event of EVENTS) {
      try {
        possible.push(`${state} ${event} ${nextTransactionState(state, event)}`)
      } catch (error) {
        assert.ok(error instanceof InvariantError)
      }
    }
  }

  assert.deepEqual(possible, [
    'running approve approved',
    'running decline declined',
    'running fail failed',
    'running challenge pending',
    'pending decline declined',
    'pending resume running',
  ])
})

test('the fault names the state and the event', () => {
  assert.throws(() => nextTransactionState('approved', 'decline'), /approved.*decline/)
})
