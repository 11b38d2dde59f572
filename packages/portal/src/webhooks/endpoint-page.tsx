import { Alert, Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { WebhookEndpoint, WebhookEndpoints } from '@tollgate/portal-contract/answers/webhooks'
import { countText } from '../parts/count-text.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { DeliveriesTable } from './deliveries-table.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { causeOf } from './endpoint-notices.tsx'
import { EndpointStateBadge, SiteName, typesText } from './endpoint-words.tsx'
import { useDeliveries } from './use-deliveries.ts'
import { useEndpoints } from './use-endpoints.ts'

/** One endpoint: its state, its secrets, and its newest deliveries. */
export function EndpointPage() {
  const { endpointId } = useParams({ from: '/settings/webhooks/$endpointId' })
  const title = `Endpoint ${endpointId}`
  return (
    <Found
      query={useEndpoints()}
      title={title}
      missing={{ title: 'No endpoints', text: '', action: null }}
    >
      {(known) => {
        const endpoint = known.endpoints.find(({ id }) => id === endpointId)
        if (endpoint !== undefined) return <Shown endpoint={endpoint} known={known} />
        return (
          <Page title={title}>
            <EmptyState
              title={`Endpoint ${endpointId} not found`}
              text="It was removed, or it belongs to another merchant."
              action={<LinkAnchor to="/settings/webhooks">All endpoints</LinkAnchor>}
            />
          </Page>
        )
      }}
    </Found>
  )
}

interface ShownProps {
  readonly endpoint: WebhookEndpoint
  readonly known: WebhookEndpoints
}

function Shown({ endpoint, known }: ShownProps) {
  const { id, siteId } = endpoint
  const mayChange = useMay('webhooks.change')
  const deliveries = useDeliveries({ endpoint: id })
  return (
    <Page
      title={`Endpoint ${id}`}
      text={<LinkAnchor to="/settings/webhooks">All endpoints</LinkAnchor>}
      actions={mayChange && <EndpointActions endpoint={endpoint} known={known} />}
    >
      {endpoint.state !== 'enabled' && (
        <Alert color={endpoint.state === 'paused' ? 'orange' : 'red'} role="status">
          {causeOf(endpoint)}
        </Alert>
      )}
      <Panel title="Settings">
        <Facts
          facts={[
            ['URL', endpoint.url],
            ['Site', <SiteName key="site" siteId={siteId} />],
            ['State', <EndpointStateBadge key="state" endpoint={endpoint} />],
            ['Events', typesText(endpoint.types)],
            ['Created', <When key="created" at={endpoint.createdAt} />],
            ['Secrets', <Secrets key="secrets" madeAt={endpoint.secretsMadeAt} />],
            ['Pending deliveries', countText(endpoint.pending)],
            ['Failed deliveries', countText(endpoint.failed)],
            ['Failures in a row', endpoint.failures === 0 ? null : countText(endpoint.failures)],
            [
              'Failing since',
              endpoint.failingSince === null ? null : (
                <When key="failing" at={endpoint.failingSince} />
              ),
            ],
            [
              'Waits until',
              endpoint.waitUntil === null ? null : <When key="wait" at={endpoint.waitUntil} />,
            ],
          ]}
        />
      </Panel>
      <Panel
        title="Newest deliveries"
        actions={
          <LinkAnchor size="sm" to="/settings/webhooks/deliveries" search={{ endpoint: id }}>
            All deliveries of endpoint {id}
          </LinkAnchor>
        }
      >
        <DeliveriesTable list={deliveries} />
      </Panel>
    </Page>
  )
}

function Secrets({ madeAt: [newest, older] }: { readonly madeAt: readonly string[] }) {
  if (newest === undefined) return null
  return (
    <Stack gap={0}>
      <span>
        created <When at={newest} />
      </span>
      {older !== undefined && (
        <span>
          older one, created <When at={older} />, signs too until you remove it
        </span>
      )}
    </Stack>
  )
}
