import { setTimeout as pause } from 'node:timers/promises'

const DEADLINE_MS = 120_000
const LOOK_EVERY_MS = 200

/**
 * Repeats a step until it is done. A part that is down fails it, and it is repeated.
 * @param end a clause, such as "every batch is closed"
 * @returns null, or a sentence after too long a time
 */
export async function untilDone(
  end: string,
  isDone: () => Promise<boolean>,
): Promise<string | null> {
  const deadline = performance.now() + DEADLINE_MS
  let reason = ''
  while (performance.now() < deadline) {
    try {
      if (await isDone()) return null
    } catch (error) {
      reason = ` (${String(error)})`
    }
    await pause(LOOK_EVERY_MS)
  }
  return `it did not come to pass that ${end}${reason}`
}
