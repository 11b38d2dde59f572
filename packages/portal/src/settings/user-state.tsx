import type { ApiUserSummary } from '@tollgate/portal-contract/answers/settings'
import { StatusBadge } from '../parts/status-badge.tsx'

const STATES = { enabled: 'active', disabled: 'refused', idle: 'expired' } as const

/** Whether a user is let in. */
export function UserState({ state }: Pick<ApiUserSummary, 'state'>) {
  return <StatusBadge state={STATES[state]} label={state} />
}
