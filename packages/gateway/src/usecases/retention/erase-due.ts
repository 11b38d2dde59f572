import type { Clock } from '../../base/clock.ts'
import {
  RETENTION_KIND_NAMES,
  type RetentionDays,
  type RetentionKindName,
} from '../../domain/retention/retention-kinds.ts'
import type { RetentionRule, RetentionStore } from './retention-store.ts'

export interface RetentionDeps {
  readonly store: RetentionStore
  readonly clock: Clock
  readonly days: RetentionDays
  readonly actor: string
  readonly monotonicMs: () => number
  readonly pause: (ms: number) => Promise<void>
  readonly onErased: (kind: RetentionKindName, count: number) => void
}

/** Rests three times as long as it works, so that payments have the machine. */
const REST = 3
const LONGEST_REST_MS = 1_000

/** One step of the first kind that is due, and its rest; true when there may be more. */
export async function eraseDue(deps: RetentionDeps): Promise<boolean> {
  for (const rule of rulesOf(deps)) {
    const startedMs = deps.monotonicMs()
    const step = await deps.store.step(rule, deps.actor, true)
    if (step === null) continue
    deps.onErased(rule.kind, step.erased)
    await deps.pause(Math.min((deps.monotonicMs() - startedMs) * REST, LONGEST_REST_MS))
    return true
  }
  return false
}

/** The rows of each kind, as counted or erased. A kind that is kept without end has null. */
export type RetentionCounts = Readonly<Record<RetentionKindName, number | null>>

/** How many rows of each kind would go now; erases nothing. */
export async function countDue(
  deps: Pick<RetentionDeps, 'store' | 'clock' | 'days'>,
): Promise<RetentionCounts> {
  const counts = noCounts()
  for (const rule of rulesOf(deps)) {
    let due = 0
    let after: bigint | null = 0n
    while (after !== null) {
      const page: Awaited<ReturnType<RetentionStore['countPage']>> = await deps.store.countPage(
        rule,
        after,
      )
      due += page.due
      after = page.last
    }
    counts[rule.kind] = due
  }
  return counts
}

/** Erases what is due of every kind, without a rest. A pass that another process has is left. */
export async function eraseNow(
  deps: Pick<RetentionDeps, 'store' | 'clock' | 'days' | 'actor'>,
): Promise<RetentionCounts> {
  const counts = noCounts()
  for (const rule of rulesOf(deps)) {
    let erased = 0
    for (;;) {
      const step = await deps.store.step(rule, deps.actor, false)
      erased += step?.erased ?? 0
      if (step === null || step.isEnd) break
    }
    counts[rule.kind] = erased
  }
  return counts
}

function noCounts(): Record<RetentionKindName, number | null> {
  return Object.fromEntries(RETENTION_KIND_NAMES.map((kind) => [kind, null])) as Record<
    RetentionKindName,
    number | null
  >
}

function rulesOf({ clock, days }: Pick<RetentionDeps, 'clock' | 'days'>): RetentionRule[] {
  const now = clock.now()
  return RETENTION_KIND_NAMES.filter((kind) => days[kind] > 0).map((kind) => ({
    kind,
    days: days[kind],
    now,
  }))
}
