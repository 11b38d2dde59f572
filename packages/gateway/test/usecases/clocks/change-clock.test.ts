import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orFault, PortalFault } from '../../../src/portal/shell/portal-route.ts'
import { createChangeClock, type ClockCommand } from '../../../src/usecases/clocks/change-clock.ts'
import type { ClockChange, ClockState } from '../../../src/usecases/clocks/site-clock-store.ts'

const NOW = new Date('2026-01-02T03:04:05Z')

const AHEAD: ClockState = {
  siteAt: new Date('2027-01-02T03:04:05Z'),
  realAt: NOW,
  speed: 0,
  targetAt: null,
  movedFrom: null,
  done: {},
  unknownForMs: 0,
  isLookedAfter: false,
}

/** The result on a site whose clock is a year ahead, where the store answers every move so. */
function change(command: ClockCommand, moved: ClockChange, mode: 'test' | 'live' = 'test') {
  const answer = () => Promise.resolve(moved)
  const changeClock = createChangeClock({
    store: {
      read: () => Promise.resolve(AHEAD),
      make: () => Promise.resolve(),
      aim: answer,
      setSpeed: answer,
      remove: answer,
      lease: () => Promise.resolve([]),
      renew: () => Promise.resolve(true),
      reach: () => Promise.resolve(true),
      release: () => Promise.resolve(),
    },
    clock: { now: () => NOW },
    monotonicMs: () => 0,
    pause: () => Promise.resolve(),
    wake: () => undefined,
  })
  return changeClock({ id: 1001n, mode }, command, 'test', 0)
}

const PAST: ClockCommand = { kind: 'jump', to: NOW }
const AFTER_2099: ClockCommand = { kind: 'jump', to: new Date('2100-01-01T00:00:00Z') }

for (const [code, kind, status, command, moved, mode] of [
  ['backwards', 'conflict', 409, PAST, { kind: 'backwards', state: AHEAD }, 'test'],
  ['moving', 'conflict', 409, PAST, { kind: 'moving', state: AHEAD }, 'test'],
  ['ahead', 'conflict', 409, { kind: 'reset' }, { kind: 'none' }, 'test'],
  ['too_far', 'invalid', 400, AFTER_2099, { kind: 'none' }, 'test'],
  ['speed_out_of_range', 'invalid', 400, { kind: 'speed', speed: -1 }, { kind: 'none' }, 'test'],
  ['live_site', 'conflict', 409, { kind: 'show' }, { kind: 'none' }, 'live'],
] as const) {
  test(`a clock's refusal ${code} is of the kind ${kind}, and the portal answers ${status}`, async () => {
    const result = await change(command, moved, mode)
    assert.ok(!result.ok)
    assert.deepEqual([result.code, result.kind, result.faults.length], [code, kind, 1])
    assert.equal(result.view?.time.getTime(), mode === 'live' ? undefined : AHEAD.siteAt.getTime())
    assert.throws(
      () => orFault(result),
      (fault) => fault instanceof PortalFault && fault.status === status && fault.code === code,
    )
  })
}
