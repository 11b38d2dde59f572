import type { EventNumbering } from './event-store.ts'

export interface NumberEventsDeps {
  readonly store: EventNumbering
  /** Wakes those who wait for events of these merchants, in every process. */
  readonly announce: (merchants: readonly string[]) => Promise<void>
}

/** So few that a pass is over within a moment, and so many that a backlog is soon gone. */
const AT_ONCE = 2_000

/** One pass; true when there may be more right away. */
export async function numberEvents({ store, announce }: NumberEventsDeps): Promise<boolean> {
  const { count, hasMore, merchants } = await store.number(AT_ONCE)
  if (count > 0) await announce(merchants)
  return hasMore
}
