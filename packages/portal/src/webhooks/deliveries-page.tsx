import { Group, Select } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { LinkAnchor } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { DeliveriesTable } from './deliveries-table.tsx'
import { DELIVERY_STATES, isDeliveryState, type DeliverySearch } from './delivery-search.ts'
import { EndpointNotices } from './endpoint-notices.tsx'
import { useDeliveries } from './use-deliveries.ts'
import { useEndpoints } from './use-endpoints.ts'

const ADDRESS = '/settings/webhooks/deliveries'

type Changes = { readonly [Name in keyof DeliverySearch]?: DeliverySearch[Name] | undefined }

/** The log of deliveries to all endpoints. */
export function DeliveriesPage() {
  const search = useSearch({ from: ADDRESS })
  const navigate = useNavigate()
  const { data: known } = useEndpoints()
  const go = (changes: Changes): void => {
    const next = Object.entries({ ...search, ...changes }).filter(([, value]) => value)
    void navigate({ to: ADDRESS, search: Object.fromEntries(next), replace: true })
  }
  const any = { value: '', label: 'Any' }
  return (
    <Page
      title="Deliveries of webhooks"
      text={<LinkAnchor to="/settings/webhooks">All endpoints</LinkAnchor>}
    >
      <EndpointNotices endpoints={known?.endpoints ?? []} />
      <Group gap="sm">
        <Select
          label="State"
          w={140}
          data={[
            any,
            ...Object.entries(DELIVERY_STATES).map(([value, label]) => ({ value, label })),
          ]}
          value={search.state ?? ''}
          onChange={(value) => go({ state: isDeliveryState(value) ? value : undefined })}
          allowDeselect={false}
        />
        <Select
          label="Event type"
          w={260}
          searchable
          data={[any, ...(known?.types ?? []).map(({ type }) => type)]}
          value={search.type ?? ''}
          onChange={(value) => go({ type: value ?? undefined })}
          allowDeselect={false}
        />
        <Select
          label="Endpoint"
          w={320}
          data={[
            any,
            ...(known?.endpoints ?? []).map(({ id, url }) => ({
              value: id,
              label: `${id}: ${url}`,
            })),
          ]}
          value={search.endpoint ?? ''}
          onChange={(value) => go({ endpoint: value ?? undefined })}
          allowDeselect={false}
        />
      </Group>
      <DeliveriesTable list={useDeliveries(search)} />
    </Page>
  )
}
