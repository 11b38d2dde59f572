import { Button, Group } from '@mantine/core'
import type { ConsoleMerchant, ConsoleSite } from '@tollgate/portal-contract/answers/console'
import { useState } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Panel } from '../parts/panel.tsx'
import { NewSite } from './merchant-dialogs.tsx'
import { RenameDialog, type Renamed } from './rename-dialog.tsx'
import { SiteThreeDsDialog } from './site-three-ds-dialog.tsx'

interface SitesProps {
  readonly merchant: ConsoleMerchant
  readonly mayChange: boolean
}

const COLUMNS: Column<ConsoleSite>[] = [
  { key: 'id', title: 'Number', cell: ({ id }) => id },
  { key: 'name', title: 'Name', fills: true, cell: ({ name }) => name },
  { key: 'mode', title: 'Mode', cell: ({ mode }) => <ModeBadge mode={mode} /> },
  {
    key: 'three-ds',
    title: '3-D Secure',
    cell: ({ threeDs }) =>
      `${threeDs.required ? 'required' : 'optional'}, ${threeDs.whenUnavailable} if unavailable`,
  },
  { key: 'currency', title: 'Default currency', cell: ({ defaultCurrency }) => defaultCurrency },
]

/** The sites of a merchant. */
export function SitesPanel({ merchant, mayChange }: SitesProps) {
  const [creates, setCreates] = useState(false)
  const [secured, setSecured] = useState<ConsoleSite | null>(null)
  const [renamed, setRenamed] = useState<Renamed | null>(null)
  const change: Column<ConsoleSite> = {
    key: 'change',
    title: '',
    cell: (site) =>
      mayChange && (
        <Group gap={6} wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`3-D Secure of site ${site.id}`}
            onClick={() => setSecured(site)}
          >
            3-D Secure
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Rename site ${site.id}`}
            onClick={() => setRenamed({ what: 'site', id: site.id, name: site.name })}
          >
            Rename
          </Button>
        </Group>
      ),
  }
  return (
    <Panel
      title="Sites"
      actions={
        mayChange ? (
          <Button variant="default" onClick={() => setCreates(true)}>
            Create site
          </Button>
        ) : undefined
      }
    >
      <DataTable
        label="Sites"
        columns={[...COLUMNS, change]}
        rows={merchant.sites}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No sites" text="A merchant needs one to take payments." />}
      />
      {creates && <NewSite merchant={merchant} onClose={() => setCreates(false)} />}
      {secured !== null && <SiteThreeDsDialog site={secured} onClose={() => setSecured(null)} />}
      {renamed !== null && <RenameDialog renamed={renamed} onClose={() => setRenamed(null)} />}
    </Panel>
  )
}
