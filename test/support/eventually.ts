import { inspect } from 'node:util'

/** How much longer than usual everything is waited for, where a machine is slow or busy. */
const PATIENCE = Number(process.env['TOLLGATE_TEST_PATIENCE'] ?? 1)
const USUAL_SECONDS = 60
const LOOK_AGAIN_MS = 20
const SHOWN = 2_000

/** How something is waited for. */
export interface Waiting {
  /** Until it is given up, times TOLLGATE_TEST_PATIENCE; 60 by default. */
  readonly seconds?: number
  /** Milliseconds between two reads; 20 by default. 0 reads again at once. */
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
  { seconds = USUAL_SECONDS, everyMs = LOOK_AGAIN_MS }: Waiting = {},
): Promise<Wanted> {
  const patience = seconds * PATIENCE
  const end = performance.now() + patience * 1_000
  for (;;) {
    const seen = await look()
    if (isWanted(seen)) return seen as Wanted
    if (performance.now() >= end) {
      throw new Error(
        `It was waited for ${patience} seconds, and it never came to this: ${what}. Seen last: ` +
          inspect(seen, { depth: 4 }).slice(0, SHOWN),
      )
    }
    await new Promise((wake) => setTimeout(wake, everyMs))
  }
}

function isThere<Seen>(seen: Seen): seen is Exclude<Seen, false | null | undefined> {
  return seen !== false && seen !== null && seen !== undefined
}
