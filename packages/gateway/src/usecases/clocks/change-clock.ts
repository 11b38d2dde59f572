import type { Clock } from '../../base/clock.ts'
import { invariant } from '../../base/invariant.ts'
import { refused, type Refusal, type RefusalKind } from '../../base/refusal.ts'
import { addDuration, type IsoDuration } from '../../domain/clocks/iso-duration.ts'
import type { SiteInMode } from '../merchants/merchant-directory.ts'
import type { ClockChange, ClockState, SiteClockStore } from './site-clock-store.ts'
import { LATEST_TIME, timeShown } from './stored-clock.ts'

/** A requested change of a site's clock. */
export type ClockCommand =
  | { readonly kind: 'show' }
  | { readonly kind: 'jump'; readonly to: Date }
  | { readonly kind: 'step'; readonly by: IsoDuration }
  | { readonly kind: 'speed'; readonly speed: number }
  /** Back to the real time, without a clock of its own. */
  | { readonly kind: 'reset' }

/** A site's clock as it is shown. */
export interface ClockView {
  readonly time: Date
  readonly machineTime: Date
  readonly hasOwnClock: boolean
  /** How many times as fast as the machine's; 0: it stands still. */
  readonly speed: number
  /** The target of the current move; null: no move. */
  readonly target: Date | null
  readonly movedFrom: Date | null
  /** The number of events processed on the latest move, by kind. */
  readonly done: Readonly<Record<string, number>>
}

export type ClockRefusalCode =
  | 'live_site'
  | 'backwards'
  | 'moving'
  | 'too_far'
  | 'ahead'
  | 'speed_out_of_range'

/** Why a clock was not changed, with what it shows; `view` is null for a site without clocks. */
export interface ClockRefusal extends Refusal {
  readonly code: ClockRefusalCode
  readonly view: ClockView | null
}

export type ClockResult = { readonly ok: true; readonly view: ClockView } | ClockRefusal

/** The kind of every refusal of a clock. */
const KINDS: Readonly<Record<ClockRefusalCode, RefusalKind>> = {
  live_site: 'conflict',
  backwards: 'conflict',
  moving: 'conflict',
  ahead: 'conflict',
  too_far: 'invalid',
  speed_out_of_range: 'invalid',
}

export interface ChangeClockDeps {
  readonly store: SiteClockStore
  /** The machine's. */
  readonly clock: Clock
  readonly monotonicMs: () => number
  readonly pause: (ms: number) => Promise<void>
  /** A worker should take the clock at once. */
  readonly wake: () => void
}

export const FASTEST = 1_000_000
/** Short moves are over within milliseconds; who waits for a long one looks less and less often. */
const FIRST_LOOK_MS = 3
const LONGER_EACH_TIME = 1.4
const LOOK_EVERY_MS = 50
const STOPS_WITHIN_MS = 2_000

/** `waitMs`: how long to wait for a move to arrive; `onProgress` gets its position meanwhile. */
export type ChangeClock = (
  site: SiteInMode,
  command: ClockCommand,
  by: string,
  waitMs: number,
  onProgress?: (view: ClockView) => void,
) => Promise<ClockResult>

/**
 * Reads, makes, moves and removes the clock of a test site. The first change makes one, and is
 * answered once every process knows that it is there.
 */
export function createChangeClock(deps: ChangeClockDeps): ChangeClock {
  const { clock, store } = deps

  function viewOf(state: ClockState | null): ClockView {
    const machineTime = clock.now()
    if (state === null) {
      return {
        time: machineTime,
        machineTime,
        hasOwnClock: false,
        speed: 1,
        target: null,
        movedFrom: null,
        done: {},
      }
    }
    const { done, movedFrom, speed, targetAt: target } = state
    return {
      time: timeShown(state, machineTime),
      machineTime,
      hasOwnClock: true,
      speed,
      target,
      movedFrom,
      done,
    }
  }

  const refuse = (code: ClockRefusalCode, reason: string, state: ClockState | null): ClockRefusal =>
    refusal(code, reason, viewOf(state))

  function resultOf(change: ClockChange, wanted: string): ClockResult {
    switch (change.kind) {
      case 'changed':
        return { ok: true, view: viewOf(change.state) }
      case 'none':
        return { ok: true, view: viewOf(null) }
      case 'moving': {
        const { siteAt, targetAt } = change.state
        const reason =
          `The clock is being moved to ${targetAt?.toISOString()} and has come to ${siteAt.toISOString()}. ` +
          'Wait until it is there, then ask again.'
        return refuse('moving', reason, change.state)
      }
      case 'backwards': {
        const reason =
          `The clock shows ${viewOf(change.state).time.toISOString()}, and ${wanted} is before that. A clock ` +
          'goes forward only, because what happened cannot be undone. Name a later time, or use another site.'
        return refuse('backwards', reason, change.state)
      }
      case 'ahead': {
        const reason =
          `The clock shows ${viewOf(change.state).time.toISOString()}, and the real time is ` +
          `${clock.now().toISOString()}: what happened at the site would lie in the future. Wait until then, ` +
          'or use another site.'
        return refuse('ahead', reason, change.state)
      }
    }
  }

  /** Looks until the clock is where it was to go, or the time is over. */
  async function arrival(
    siteId: bigint,
    first: ClockResult,
    waitMs: number,
    onProgress: (view: ClockView) => void,
  ): Promise<ClockResult> {
    const untilMs = deps.monotonicMs() + waitMs
    let shown = first
    let pauseMs = FIRST_LOOK_MS
    while (shown.ok && shown.view.target !== null && deps.monotonicMs() < untilMs) {
      await deps.pause(pauseMs)
      pauseMs = Math.min(LONGER_EACH_TIME * pauseMs, LOOK_EVERY_MS)
      shown = { ok: true, view: viewOf(await store.read(siteId)) }
      onProgress(shown.view)
    }
    return shown
  }

  async function move(siteId: bigint, to: Date, by: string): Promise<ClockResult> {
    if (to > LATEST_TIME) {
      const reason = `${to.toISOString()} is too far. A site's clock can go to ${LATEST_TIME.toISOString()} at most.`
      return refuse('too_far', reason, await store.read(siteId))
    }
    const moved = resultOf(await store.aim(siteId, to, clock.now(), by), to.toISOString())
    deps.wake()
    return moved
  }

  /**
   * Work under way at the stop finishes first, so that the clock shows the same from then on.
   */
  async function standingStill(siteId: bigint, stopped: ClockResult): Promise<ClockResult> {
    const untilMs = deps.monotonicMs() + STOPS_WITHIN_MS
    let shown = stopped
    for (let isMoving = true; isMoving && deps.monotonicMs() < untilMs;) {
      await deps.pause(FIRST_LOOK_MS)
      const state = await store.read(siteId)
      shown = { ok: true, view: viewOf(state) }
      isMoving = state?.isLookedAfter === true
    }
    return shown
  }

  async function make(siteId: bigint, by: string): Promise<ClockState> {
    await store.make(siteId, clock.now(), by)
    const made = await store.read(siteId)
    invariant(made !== null, 'a clock was made and is not there')
    return made
  }

  return async ({ id, mode }, command, by, waitMs, onProgress = () => undefined) => {
    if (mode !== 'test') {
      const reason =
        'The site is in live mode, and goes by the real time. Only sites in test mode can have a clock.'
      return refusal('live_site', reason, null)
    }
    const state = await store.read(id)
    if (command.kind === 'show') return { ok: true, view: viewOf(state) }
    if (command.kind === 'reset') {
      if (state === null) return { ok: true, view: viewOf(null) }
      const now = clock.now()
      if (timeShown(state, now) > now) return resultOf({ kind: 'ahead', state }, '')
      // Through everything that is due until now; then nothing is left of it.
      const moved = await arrival(id, await move(id, now, by), waitMs, onProgress)
      if (!moved.ok || moved.view.target !== null) return moved
      const removed = await store.remove(id, clock.now())
      return removed.kind === 'changed' ? { ok: true, view: viewOf(null) } : resultOf(removed, '')
    }
    if (
      command.kind === 'speed' &&
      !(Number.isInteger(command.speed) && command.speed >= 0 && command.speed <= FASTEST)
    ) {
      const reason = `A speed is a whole number from 0, which stands still, to ${FASTEST}. 1 is as fast as the real time.`
      return refuse('speed_out_of_range', reason, state)
    }
    const made = state ?? (await make(id, by))
    if (made.unknownForMs > 0) await deps.pause(made.unknownForMs)
    if (command.kind === 'speed') {
      const set = resultOf(await store.setSpeed(id, command.speed, clock.now(), by), '')
      deps.wake()
      return command.speed === 0 && set.ok ? standingStill(id, set) : set
    }
    let to = command.kind === 'jump' ? command.to : null
    if (command.kind === 'step') {
      to = addDuration(made.targetAt ?? timeShown(made, clock.now()), command.by)
      if (to === null || to > LATEST_TIME) to = new Date(LATEST_TIME.getTime() + 1)
    }
    return arrival(id, await move(id, to ?? clock.now(), by), waitMs, onProgress)
  }
}

function refusal(code: ClockRefusalCode, reason: string, view: ClockView | null): ClockRefusal {
  return { ...refused(KINDS[code], reason), code, view }
}
