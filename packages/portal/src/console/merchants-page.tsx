import { Button, Group, Select, TextInput } from '@mantine/core'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ConsoleMerchantSummary } from '@tollgate/portal-contract/answers/console'
import { consoleMerchants } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { ConsoleLink, useGo } from './console-link.tsx'
import { useMayOperate } from './console-session.ts'
import { NewMerchant } from './merchant-dialogs.tsx'

const STATES = ['all', 'enabled', 'disabled', 'live'] as const
type Shown = (typeof STATES)[number]

const LABELS: Readonly<Record<Shown, string>> = {
  all: 'All merchants',
  enabled: 'Enabled',
  disabled: 'Disabled',
  live: 'With a live site',
}

const COLUMNS: Column<ConsoleMerchantSummary>[] = [
  { key: 'id', title: 'Number', cell: ({ id }) => id },
  {
    key: 'name',
    title: 'Name',
    fills: true,
    cell: ({ id, name }) => (
      <ConsoleLink size="sm" to={`/merchants/${id}`}>
        {name}
      </ConsoleLink>
    ),
  },
  {
    key: 'state',
    title: 'State',
    cell: ({ disabled }) => <StatusBadge state={disabled === null ? 'enabled' : 'disabled'} />,
  },
  { key: 'sites', title: 'Sites', align: 'right', cell: ({ sites }) => sites },
  { key: 'live', title: 'Live sites', align: 'right', cell: ({ liveSites }) => liveSites },
  { key: 'created', title: 'Created', cell: ({ createdAt }) => <When at={createdAt} dayOnly /> },
]

/** All merchants of the gateway. */
export function MerchantsPage() {
  const found = useQuery({
    queryKey: ['merchants'],
    queryFn: ({ signal }) => call(consoleMerchants.list, { signal }),
  })
  const [text, setText] = useState('')
  const [state, setState] = useState<Shown>('all')
  const [creates, setCreates] = useState(false)
  const mayChange = useMayOperate('merchants.change')
  const go = useGo()
  if (found.error !== null)
    return <Fault error={found.error} onRetry={() => void found.refetch()} />
  return (
    <Page
      title="Merchants"
      actions={
        mayChange && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setCreates(true)}>
            Create merchant
          </Button>
        )
      }
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          type="search"
          label="Search"
          placeholder="Name or number"
          leftSection={<IconSearch size={16} aria-hidden />}
          w={{ base: '100%', xs: 340 }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Select
          label="State"
          w={180}
          allowDeselect={false}
          data={STATES.map((value) => ({ value, label: LABELS[value] }))}
          value={state}
          onChange={(value) => setState(STATES.find((each) => each === value) ?? 'all')}
        />
      </Group>
      <DataTable
        label="Merchants"
        columns={COLUMNS}
        rows={found.data?.filter((merchant) => isShown(merchant, text, state))}
        keyOf={({ id }) => id}
        onOpen={({ id }) => go(`/merchants/${id}`)}
        empty={<EmptyState title="No merchant found" text="Change the search or the state." />}
      />
      {creates && <NewMerchant onClose={() => setCreates(false)} />}
    </Page>
  )
}

function isShown(
  { id, name, disabled, liveSites }: ConsoleMerchantSummary,
  text: string,
  state: Shown,
): boolean {
  const wanted = text.trim().toLowerCase()
  const isFound = id === wanted || name.toLowerCase().includes(wanted)
  if (!isFound) return false
  if (state === 'enabled') return disabled === null
  if (state === 'disabled') return disabled !== null
  return state === 'all' || liveSites > 0
}
