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

/**
 * Makes a job's look: one step of a kind that is due, and its rest; true when there may be more.
 * It keeps its place among the kinds, so that no step locks again those that came before it.
 */
export function createEraseDue(deps: RetentionDeps): () => Promise<boolean> {
  let place = 0
  return async () => {
    const rules = rulesOf(deps)
    for (const rule of [...rules.slice(place), ...rules.slice(0, place)]) {
      const startedMs = deps.monotonicMs()
      const step = await deps.store.step(rule, deps.actor, true)
      if (step === null) continue
      place = rules.indexOf(rule) + (step.isEnd ? 1 : 0)
      deps.onErased(rule.kind, step.erased)
      await deps.pause(Math.min((deps.monotonicMs() - startedMs) * REST, LONGEST_REST_MS))
      return true
    }
    return false
  }
}

/** A value for each kind; a kind that is kept without end has null. */
export type OfEachKind<Value> = Readonly<Record<RetentionKindName, Value | null>>

/** How many rows of each kind were erased. */
export type RetentionCounts = OfEachKind<number>

/** The rows of a kind that would go now. */
export interface DueNow {
  readonly due: number
  /** The earliest beginning of their days; null without a row. */
  readonly oldest: Date | null
  /** The end of the last whole pass of the job or a command; null while none has ended. */
  readonly passedAt: Date | null
}

/** The rows of each kind that would go now; erases nothing. */
export async function countDue(
  deps: Pick<RetentionDeps, 'store' | 'clock' | 'days'>,
): Promise<OfEachKind<DueNow>> {
  const found = nothing<DueNow>()
  const passes = new Map((await deps.store.readPasses()).map((pass) => [pass.kind, pass.endedAt]))
  for (const rule of rulesOf(deps)) {
    let due = 0
    let oldest: Date | null = null
    let after: bigint | null = 0n
    while (after !== null) {
      const page: Awaited<ReturnType<RetentionStore['countPage']>> = await deps.store.countPage(
        rule,
        after,
      )
      due += page.due
      oldest = earlier(oldest, page.oldest)
      after = page.last
    }
    found[rule.kind] = { due, oldest, passedAt: passes.get(rule.kind) ?? null }
  }
  return found
}

function earlier(left: Date | null, right: Date | null): Date | null {
  if (left === null || right === null) return left ?? right
  return left < right ? left : right
}

/** Erases what is due of every kind, without a rest. A pass that another process has is left. */
export async function eraseNow(
  deps: Pick<RetentionDeps, 'store' | 'clock' | 'days' | 'actor'>,
): Promise<RetentionCounts> {
  const counts = nothing<number>()
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

function nothing<Value>(): Record<RetentionKindName, Value | null> {
  return Object.fromEntries(RETENTION_KIND_NAMES.map((kind) => [kind, null])) as Record<
    RetentionKindName,
    Value | null
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
