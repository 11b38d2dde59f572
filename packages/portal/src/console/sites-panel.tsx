import { Button } from '@mantine/core'
import type { ConsoleMerchant, ConsoleSite } from '@tollgate/portal-contract/answers/console'
import { useState } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Panel } from '../parts/panel.tsx'
import { NewSite } from './merchant-dialogs.tsx'
import { RenameDialog, type Renamed } from './rename-dialog.tsx'

interface SitesProps {
  readonly merchant: ConsoleMerchant
  readonly mayChange: boolean
}

const COLUMNS: Column<ConsoleSite>[] = [
  { key: 'id', title: 'Number', cell: ({ id }) => id },
  { key: 'name', title: 'Name', fills: true, cell: ({ name }) => name },
  { key: 'mode', title: 'Mode', cell: ({ mode }) => <ModeBadge mode={mode} /> },
  { key: 'currency', title: 'Default currency', cell: ({ defaultCurrency }) => defaultCurrency },
]

/** The sites of a merchant. */
export function SitesPanel({ merchant, mayChange }: SitesProps) {
  const [creates, setCreates] = useState(false)
  const [renamed, setRenamed] = useState<Renamed | null>(null)
  const change: Column<ConsoleSite> = {
    key: 'change',
    title: '',
    cell: ({ id, name }) =>
      mayChange && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Rename site ${id}`}
          onClick={() => setRenamed({ what: 'site', id, name })}
        >
          Rename
        </Button>
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
      {renamed !== null && <RenameDialog renamed={renamed} onClose={() => setRenamed(null)} />}
    </Panel>
  )
}
