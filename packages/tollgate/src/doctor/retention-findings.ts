import { RETENTION_KINDS } from '@tollgate/gateway/operator'
import type { RetentionPass } from '@tollgate/gateway/operator-doctor'
import { good, warning, type Finding } from './finding.ts'

const PART = 'retention'
/** A pass is due a day after the last one, and takes hours at most. */
const LATE_AFTER_MS = 3 * 86_400_000

/**
 * Judges whether data whose days are over are erased.
 * @param days of each kind; 0 is kept without end, so that nothing passes through it
 * @param at the time of this machine
 */
export function judgeRetention(
  passes: readonly RetentionPass[],
  days: Readonly<Record<string, number>>,
  at: Date,
): readonly Finding[] {
  const watched = passes.filter(({ kind }) => (days[kind] ?? 0) > 0)
  if (watched.length === 0) return []
  const late = watched.filter(
    ({ endedAt }) => endedAt !== null && at.getTime() - endedAt.getTime() > LATE_AFTER_MS,
  )
  if (late.length === 0) return [good(PART, 'No pass of retention is late.')]
  const titles = late.map(({ kind }) => titleOf(kind)).join(', ')
  const found = `No pass through these data has ended for more than 3 days: ${titles}.`
  const advice =
    'Read the log for failures of the job "erase old data", or run: tollgate retention erase.'
  return [warning(PART, found, advice)]
}

function titleOf(kind: string): string {
  const row = Object.entries(RETENTION_KINDS).find(([name]) => name === kind)
  return row === undefined ? kind : row[1].title
}
