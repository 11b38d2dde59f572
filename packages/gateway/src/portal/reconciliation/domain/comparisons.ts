import { refused, type Refusal } from '../../../base/refusal.ts'

/**
 * Why a merchant cannot start a comparison now; null where it can. `unfinished`: the merchant's
 * comparison that is waiting or running; null for none.
 */
export function decideComparison(unfinished: bigint | null): Refusal | null {
  if (unfinished === null) return null
  return refused('conflict', 'A comparison is already running.', { code: 'under_way' })
}
