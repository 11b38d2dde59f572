import { Badge } from '@mantine/core'

const COLORS: Readonly<Record<string, string>> = {
  approved: 'green',
  agreed: 'green',
  authorized: 'green',
  captured: 'green',
  partly_captured: 'green',
  verified: 'green',
  active: 'green',
  acknowledged: 'green',
  delivered: 'green',
  settled: 'green',
  deposited: 'green',
  won: 'green',
  declined: 'red',
  failed: 'red',
  refused: 'red',
  differing: 'red',
  rejected: 'red',
  chargeback: 'red',
  pre_arbitration: 'red',
  arbitration: 'red',
  lost: 'red',
  returned: 'orange',
  past_due: 'orange',
  inquiry: 'orange',
  reported: 'orange',
  running: 'blue',
  pending: 'blue',
  partly_refunded: 'blue',
  open: 'blue',
  queued: 'blue',
  closing: 'blue',
  agreeing: 'blue',
  comparing: 'blue',
  announced: 'blue',
  represented: 'blue',
  voided: 'gray',
  cancelled: 'gray',
  cancel_scheduled: 'gray',
  ended: 'gray',
  expired: 'gray',
}

/** A state in one word; colour is never its only sign. */
export function StatusBadge({ state, label }: { readonly state: string; readonly label?: string }) {
  return (
    <Badge miw="max-content" color={COLORS[state] ?? 'gray'}>
      {label ?? state.replaceAll('_', ' ')}
    </Badge>
  )
}
