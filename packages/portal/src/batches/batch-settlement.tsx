import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BatchSettlement } from '@tollgate/portal-contract/answers/batches'
import * as routes from '@tollgate/portal-contract/routes'
import type { ReactNode } from 'react'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { call } from '../shell/api.ts'

/** The payouts in which the acquirer pays for a batch. */
export function BatchSettlementPanel({ batchId }: { readonly batchId: string }) {
  const settled = useQuery({
    queryKey: ['batches', 'settlements', batchId],
    queryFn: ({ signal }) => call(routes.batches.settlements, { path: { id: batchId }, signal }),
  })
  const { data, error } = settled
  return (
    <Panel title="Settlement">
      {error !== null && <Fault error={error} onRetry={() => void settled.refetch()} />}
      {error === null && (
        <DataTable
          label="Settlement of the batch"
          columns={columnsOf(batchId)}
          rows={data?.settlements}
          keyOf={({ currency, payoutId, state }) => `${currency} ${payoutId} ${state}`}
          empty={
            <Text size="sm" c="dimmed">
              Nothing is left to settle: every transaction was voided.
            </Text>
          }
        />
      )}
    </Panel>
  )
}

/** The sums lead to the transactions of the group. */
function columnsOf(batchId: string): readonly Column<BatchSettlement>[] {
  const linked = ({ currency, payoutId, state }: BatchSettlement, sum: ReactNode) => (
    <LinkAnchor
      to="/batches/$batchId/settlement"
      params={{ batchId }}
      search={{ currency, state, ...(payoutId === null ? {} : { payout: payoutId }) }}
      inherit
    >
      {sum}
    </LinkAnchor>
  )
  return [
    { key: 'payout', title: 'Payout', cell: (row) => payoutText(row) },
    { key: 'state', title: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
    { key: 'currency', title: 'Currency', cell: ({ currency }) => currency },
    {
      key: 'transactions',
      title: 'Transactions',
      align: 'right',
      cell: (row) => linked(row, countText(row.transactions)),
    },
    {
      key: 'gross',
      title: 'Gross',
      align: 'right',
      cell: (row) => linked(row, <Amount bare minor={row.grossMinor} currency={row.currency} />),
    },
    {
      key: 'net',
      title: 'Net',
      align: 'right',
      cell: (row) =>
        row.netMinor === null
          ? '–'
          : linked(row, <Amount bare minor={row.netMinor} currency={row.currency} />),
    },
  ]
}

function payoutText({ payoutId, state }: BatchSettlement): ReactNode {
  if (payoutId === null)
    return state === 'waiting' ? 'in no settlement file yet' : 'not announced yet'
  return (
    <LinkAnchor to="/payouts/$payoutId" params={{ payoutId }} size="sm">
      Payout {payoutId}
    </LinkAnchor>
  )
}
