import { inspect } from 'node:util'

/** How much longer than usual everything is waited for, where a machine is slow or busy. */
const PATIENCE = Number(process.env['TOLLGATE_TEST_PATIENCE'] ?? 1)
const USUAL_SECONDS = 60
const LOOK_AGAIN_MS = 20
/** A long wait is looked at more seldom: each read computes, and most of them are for nothing. */
const PART_OF_WAIT = 1 / 20
const LOOK_AT_LEAST_EVERY_MS = 250
const SHOWN = 2_000

/** How something is waited for. */
export interface Waiting {
  /** Until it is given up, times TOLLGATE_TEST_PATIENCE; 60 by default. */
  readonly seconds?: number
  /**
   * Milliseconds between two reads. By default a twentieth of the time waited so far, from 20 to
   * 250. 0 reads again at once.
   */
  readonly everyMs?: number
}

/**
 * Calls `look` until it returns neither false, null nor undefined, and returns that value.
 * The clause `what` names the awaited event: `the bank is reached again`.
 * @param look reads the state; the error shows the value that it returned last
 * @throws Error that names the awaited event, the seconds waited and the last value
 */
export async function eventually<Seen>(
  what: string,
  look: () => Seen | Promise<Seen>,
  options: Waiting = {},
): Promise<Exclude<Seen, false | null | undefined>> {
  return untilSeen<Seen, Exclude<Seen, false | null | undefined>>(what, look, isThere, options)
}

/**
 * Calls `look` until `isWanted` accepts the value, and returns that value.
 * @throws Error that names the awaited event, the seconds waited and the last value
 */
export async function untilSeen<Seen, Wanted extends Seen>(
  what: string,
  look: () => Seen | Promise<Seen>,
  isWanted: ((seen: Seen) => seen is Wanted) | ((seen: Seen) => boolean),
  { seconds = USUAL_SECONDS, everyMs }: Waiting = {},
): Promise<Wanted> {
  const patience = seconds * PATIENCE
  const begun = performance.now()
  const end = begun + patience * 1_000
  for (;;) {
    const seen = await look()
    if (isWanted(seen)) return seen as Wanted
    if (performance.now() >= end) {
      throw new Error(
        `It was waited for ${patience} seconds, and it never came to this: ${what}. Seen last: ` +
          inspect(seen, { depth: 4 }).slice(0, SHOWN),
      )
    }
    const pauseMs = everyMs ?? pauseAfter(performance.now() - begun)
    await new Promise((wake) => setTimeout(wake, pauseMs))
  }
}

function pauseAfter(waitedMs: number): number {
  return Math.max(LOOK_AGAIN_MS, Math.min(waitedMs * PART_OF_WAIT, LOOK_AT_LEAST_EVERY_MS))
}

function isThere<Seen>(seen: Seen): seen is Exclude<Seen, false | null | undefined> {
  return seen !== false && seen !== null && seen !== undefined
}
