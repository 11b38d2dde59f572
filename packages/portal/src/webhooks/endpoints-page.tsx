import { Button, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { WebhookEndpoint } from '@tollgate/portal-contract/answers/webhooks'
import { useState } from 'react'
import { countText } from '../parts/count-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor, LinkButton } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../session/session.ts'
import { ShownOnce } from '../settings/shown-once.tsx'
import { AddEndpoint } from './endpoint-form.tsx'
import { EndpointNotices } from './endpoint-notices.tsx'
import { EndpointStateBadge, SiteName, typesText } from './endpoint-words.tsx'
import { useEndpoints, webhooksChanged } from './use-endpoints.ts'

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { key: 'id', title: 'Endpoint', cell: ({ id }) => id },
  {
    key: 'url',
    title: 'URL',
    cell: ({ id, url }) => (
      <LinkAnchor inherit to="/settings/webhooks/$endpointId" params={{ endpointId: id }}>
        {url}
      </LinkAnchor>
    ),
  },
  { key: 'site', title: 'Site', cell: ({ siteId }) => <SiteName siteId={siteId} /> },
  { key: 'state', title: 'State', cell: (row) => <EndpointStateBadge endpoint={row} /> },
  { key: 'types', title: 'Events', fills: true, cell: ({ types }) => typesText(types) },
  { key: 'pending', title: 'Pending', align: 'right', cell: ({ pending }) => countText(pending) },
  { key: 'failed', title: 'Failed', align: 'right', cell: ({ failed }) => countText(failed) },
]

/** The addresses of all sites that events are posted to. */
export function EndpointsPage() {
  const list = useEndpoints()
  const mayChange = useMay('webhooks.change')
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string } | null>(null)
  return (
    <Page
      title="Webhooks"
      text="Events of a site are posted to its endpoints, signed with the secret of each."
      actions={
        <>
          <LinkButton variant="default" to="/settings/webhooks/deliveries">
            Deliveries
          </LinkButton>
          {mayChange && (
            <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
              Add endpoint
            </Button>
          )}
        </>
      }
    >
      <Stack gap="sm">
        <EndpointNotices endpoints={list.data?.endpoints ?? []} />
        <EndpointTable list={list} />
      </Stack>
      {isAdding && list.data !== undefined && (
        <AddEndpoint
          known={list.data}
          onClose={() => setAdding(false)}
          onMade={async (added) => {
            await webhooksChanged()
            setAdding(false)
            setMade(added)
          }}
        />
      )}
      <ShownOnce
        secret={made?.secret ?? null}
        title={`Secret of endpoint ${made?.id ?? ''}`}
        text="Your program verifies the signature of each webhook with it."
        onClose={() => setMade(null)}
      />
    </Page>
  )
}

function EndpointTable({ list }: { readonly list: ReturnType<typeof useEndpoints> }) {
  const navigate = useNavigate()
  if (list.error !== null) return <Fault error={list.error} onRetry={() => void list.refetch()} />
  return (
    <DataTable
      label="Endpoints"
      columns={COLUMNS}
      rows={list.data?.endpoints}
      keyOf={({ id }) => id}
      onOpen={({ id: endpointId }) =>
        void navigate({ to: '/settings/webhooks/$endpointId', params: { endpointId } })
      }
      empty={
        <EmptyState
          title="No endpoints yet"
          text="Add the address of your program, and it gets each event within seconds."
        />
      }
    />
  )
}
