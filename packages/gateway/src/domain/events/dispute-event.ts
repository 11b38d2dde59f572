import type { DisputeState } from '../disputes/dispute-states.ts'
import type { EventType } from './event-types.ts'

const ENDS: Partial<Record<DisputeState, EventType>> = {
  won: 'dispute.won',
  lost: 'dispute.lost',
  accepted: 'dispute.accepted',
  withdrawn: 'dispute.withdrawn',
}

/** The type of the event of a notice; `before` is null for the first one of a case. */
export function noticeEventType(before: DisputeState | null, after: DisputeState): EventType {
  if (before === null) return 'dispute.opened'
  const end = before === after ? undefined : ENDS[after]
  return end ?? 'dispute.updated'
}
