import { Badge } from '@mantine/core'

const COLORS: Readonly<Record<string, string>> = {
  approved: 'green',
  agreed: 'green',
  captured: 'green',
  active: 'green',
  enabled: 'green',
  acknowledged: 'green',
  delivered: 'green',
  settled: 'green',
  deposited: 'green',
  won: 'green',
  declined: 'red',
  failed: 'red',
  disabled: 'red',
  refused: 'red',
  differing: 'red',
  rejected: 'red',
  chargeback: 'red',
  pre_arbitration: 'red',
  arbitration: 'red',
  lost: 'red',
  returned: 'orange',
  paused: 'orange',
  failing: 'orange',
  past_due: 'orange',
  inquiry: 'orange',
  reported: 'orange',
  // Money is held, and not all of it is taken.
  authorized: 'blue',
  partly_captured: 'blue',
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
  // A checked card moves no money.
  verified: 'gray',
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
