import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { WebhookDelivery } from '@tollgate/portal-contract/answers/webhooks'
import { Cut } from '../parts/cut.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Pager } from '../parts/pager.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import type { useDeliveries } from './use-deliveries.ts'

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { key: 'at', title: 'Queued', cell: ({ createdAt }) => <When at={createdAt} /> },
  {
    key: 'type',
    title: 'Event',
    cell: ({ id, type }) => (
      <LinkAnchor
        inherit
        to="/settings/webhooks/deliveries/$deliveryId"
        params={{ deliveryId: id }}
      >
        {type}
      </LinkAnchor>
    ),
  },
  {
    key: 'object',
    title: 'Object',
    cell: ({ object: { id, type } }) => `${type.replaceAll('_', ' ')} ${id}`,
  },
  {
    key: 'endpoint',
    title: 'Endpoint',
    cell: ({ endpointId, url }) => <Cut text={`${endpointId}: ${url}`} max={280} />,
  },
  { key: 'state', title: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
  { key: 'attempts', title: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  { key: 'answer', title: 'Latest answer', cell: ({ last }) => <Latest last={last} /> },
]

function Latest({ last }: Pick<WebhookDelivery, 'last'>) {
  if (last === null)
    return (
      <Text span inherit c="dimmed">
        not sent yet
      </Text>
    )
  return last.status ?? <Cut text={last.fault} max={240} />
}

/** A list of deliveries, which grows at its end. */
export function DeliveriesTable({ list }: { readonly list: ReturnType<typeof useDeliveries> }) {
  const navigate = useNavigate()
  if (list.error !== null) return <Fault error={list.error} onRetry={() => void list.refetch()} />
  return (
    <>
      <DataTable
        label="Deliveries"
        columns={COLUMNS}
        rows={list.data?.pages.flatMap(({ deliveries }) => deliveries)}
        keyOf={({ id }) => id}
        onOpen={({ id: deliveryId }) =>
          void navigate({
            to: '/settings/webhooks/deliveries/$deliveryId',
            params: { deliveryId },
          })
        }
        empty={<EmptyState title="No deliveries" text="No delivery matches the filters." />}
      />
      <Pager
        label="deliveries"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
    </>
  )
}
