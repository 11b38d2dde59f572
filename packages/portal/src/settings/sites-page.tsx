import { Stack, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { SiteRow } from '@tollgate/portal-contract/answers/settings'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Page } from '../parts/page.tsx'
import { GoLiveBanner } from './go-live-banner.tsx'
import { useSites } from './settings-queries.ts'
import { TimeZonePanel } from './time-zone-panel.tsx'

const VELOCITY_RULES = { off: 'off', watch: 'watching', enforce: 'enforced' } as const

const COLUMNS: readonly Column<SiteRow>[] = [
  { key: 'id', title: 'SITE_ID', cell: ({ id }) => id },
  {
    key: 'name',
    title: 'Name',
    cell: ({ id, name }) => (
      <Link className="link" to="/settings/sites/$siteId" params={{ siteId: id }}>
        {name}
      </Link>
    ),
  },
  { key: 'mode', title: 'Mode', cell: ({ mode }) => <ModeBadge mode={mode} /> },
  { key: 'currency', title: 'Default currency', cell: ({ defaultCurrency }) => defaultCurrency },
  {
    key: 'accounts',
    title: 'Merchant accounts',
    cell: ({ accounts }) => accounts.join(', ') || 'none',
  },
  { key: 'catalogue', title: 'Catalogue', cell: ({ catalogue }) => catalogue },
  {
    key: 'velocityRules',
    title: 'Card testing',
    cell: ({ cardTesting }) => VELOCITY_RULES[cardTesting],
  },
]

export function SitesPage() {
  const sites = useSites()
  const navigate = useNavigate()
  return (
    <Page title="Sites" text="Settings of each site: payments, checks and products.">
      <Stack gap="sm">
        <GoLiveBanner />
        {sites.error === null ? (
          <DataTable
            label="Sites"
            columns={COLUMNS}
            rows={sites.data?.sites}
            keyOf={({ id }) => id}
            onOpen={({ id }) =>
              void navigate({ to: '/settings/sites/$siteId', params: { siteId: id } })
            }
            empty={
              <EmptyState
                title="No sites yet"
                text="The operator creates sites and their merchant accounts."
              />
            }
          />
        ) : (
          <Fault error={sites.error} onRetry={() => void sites.refetch()} />
        )}
        <Text size="sm" c="dimmed">
          The operator creates sites and merchant accounts. You manage all other settings here.
        </Text>
        <TimeZonePanel />
      </Stack>
    </Page>
  )
}
