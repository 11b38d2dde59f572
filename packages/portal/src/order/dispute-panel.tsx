import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Dispute } from '@tollgate/portal-contract/answers/disputes'
import {
  DISPUTE_STATE_MEANINGS,
  DISPUTE_STATE_TEXTS,
} from '@tollgate/portal-contract/dispute-words'
import * as routes from '@tollgate/portal-contract/routes'
import { amountText } from '../parts/amount.tsx'
import { Deadline } from '../parts/deadline.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'

/** The disputes of an order: their states, amounts and deadlines. Nothing without one. */
export function DisputePanel({ orderId }: { readonly orderId: string }) {
  const maySee = useMay('disputes.see')
  const { data } = useQuery({
    queryKey: ['disputes', 'of order', orderId],
    queryFn: ({ signal }) => call(routes.disputes.list, { query: { order: orderId }, signal }),
    enabled: maySee,
  })
  if (data === undefined || data.disputes.length === 0) return null
  return (
    <Panel title="Disputes">
      <Stack gap="sm">
        {data.disputes.map((dispute) => (
          <OneDispute key={dispute.id} dispute={dispute} />
        ))}
      </Stack>
    </Panel>
  )
}

function OneDispute({ dispute }: { readonly dispute: Dispute }) {
  const { amountMinor, canAnswer, currency, daysLeft, fees, id, respondBy, state } = dispute
  const { reason, reasonName } = dispute
  const why = [reason, reasonName].filter(Boolean).join(' ')
  return (
    <Text size="sm" component="div">
      <LinkAnchor to="/disputes/$disputeId" params={{ disputeId: id }} size="sm">
        Dispute {id}
      </LinkAnchor>{' '}
      <StatusBadge state={state} label={DISPUTE_STATE_TEXTS[state]} />{' '}
      {amountText(amountMinor, currency)}
      {why !== '' && `, ${why}`}. {DISPUTE_STATE_MEANINGS[state]}
      {fees.map(({ currency: of, minor }) => ` Dispute fee: ${amountText(minor, of)}.`)}
      {canAnswer && respondBy !== null && daysLeft !== null && (
        <>
          {' '}
          Answer by <Deadline day={respondBy} daysLeft={daysLeft} />
        </>
      )}
    </Text>
  )
}
