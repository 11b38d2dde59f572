import type { MembershipView } from '@tollgate/portal-contract/answers/customers'
import { SandboxPanel } from '../developer/sandbox-panel.tsx'

/** Whether the next step of a membership is due by the clock of its site. */
export function isDueNow(data: MembershipView | undefined): boolean {
  const next = data?.next ?? null
  return data !== undefined && next !== null && Date.parse(next.at) <= Date.parse(data.now) + 1_000
}

/** Charges a test membership before its renewal is due, in the sandbox. */
export function ChargeNow({ membership }: { readonly membership: MembershipView }) {
  const { id, mode, product, siteId, state } = membership
  const renews = product.type === 'renews' && (state === 'active' || state === 'past_due')
  if (mode !== 'test' || !renews) return null
  return (
    <SandboxPanel
      siteId={siteId}
      operations={[['Charge now', { operation: 'charge-membership', membership: id }]]}
    />
  )
}
