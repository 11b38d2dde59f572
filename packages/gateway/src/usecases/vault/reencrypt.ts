/** Moves what is stored under older data keys to the active one; no number leaves it. */
export interface Reencryption {
  /** A batch. Null when there is nothing to do; `more` when the next may follow at once. */
  step(): Promise<{ readonly moved: number; readonly more: boolean } | null>
}

export interface ReencryptDeps {
  readonly reencryption: Reencryption
  readonly monotonicMs: () => number
  readonly pause: (ms: number) => Promise<void>
  readonly onMoved: (count: number) => void
}

/** Rests three times as long as it works, so that payments have the machine. */
const REST = 3
const LONGEST_REST_MS = 1_000

/** One batch and its rest; true when there is more. */
export async function reencrypt(deps: ReencryptDeps): Promise<boolean> {
  const startedMs = deps.monotonicMs()
  const done = await deps.reencryption.step()
  if (done === null) return false
  deps.onMoved(done.moved)
  await deps.pause(Math.min((deps.monotonicMs() - startedMs) * REST, LONGEST_REST_MS))
  return done.more
}
