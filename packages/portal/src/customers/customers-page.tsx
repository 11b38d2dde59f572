import { Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { CustomerList, CustomerRow } from '@tollgate/gateway/portal-api-customers'
import { useEffect, useState } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'
import { useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { api, queryText } from '../shell/api.ts'
import { Pager } from './pager.tsx'
import type { CustomersSearch } from './searches.ts'
import { cardText } from '../parts/card-text.ts'
import { ModeBadge } from '../parts/mode-badge.tsx'

export function CustomersPage() {
  const search = useSearch({ strict: false }) as CustomersSearch
  const navigate = useNavigate()
  const { siteId } = useSiteChoice()
  const { sites } = useSession()
  const change = (changes: CustomersSearch): void =>
    void navigate({ to: '/customers', search: { ...search, before: undefined, ...changes } as never })
  const list = useQuery({
    queryKey: ['customers', siteId, search],
    queryFn: ({ signal }) => api.get<CustomerList>(`/customers${queryText({ ...search, site: siteId })}`, signal),
    placeholderData: keepPreviousData,
  })
  const nextPage = list.data?.next ?? null
  const isFiltered = search.search !== undefined || search.cards !== undefined || search.memberships !== undefined
  const showsMode = new Set(sites.map(({ mode }) => mode)).size > 1
  return (
    <Page title="Customers" text="Everybody who has paid, with their cards and memberships.">
      <Group gap="sm" align="flex-end">
        <SearchBox value={search.search ?? ''} onSearch={(text) => change({ search: text === '' ? undefined : text })} />
        <Filter label="Saved card" value={search.cards} onChange={(cards) => change({ cards })} />
        <Filter label="Membership" value={search.memberships} onChange={(memberships) => change({ memberships })} />
      </Group>
      {list.error !== null ? (
        <Fault error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Stack gap="xs" aria-busy={list.isFetching}>
          <DataTable
            label="Customers"
            columns={showsMode ? [...COLUMNS, MODE] : COLUMNS}
            rows={list.data?.customers}
            keyOf={({ id }) => id}
            onOpen={({ id }) => void navigate({ to: '/customers/$customerId', params: { customerId: id } as never })}
            empty={
              isFiltered || search.before !== undefined ? (
                <EmptyState
                  title={nextPage === null ? 'No customer fits' : 'None among these'}
                  text={
                    nextPage === null
                      ? 'Names are found by how the last name begins, alone or with the first name; e-mail addresses, references, ids and last four digits have to be whole.'
                      : 'The newest customers were looked through and none fits the filter. Go on to older ones.'
                  }
                />
              ) : (
                <EmptyState title="No customers yet" text="A customer is made with the first payment that somebody makes." />
              )
            }
          />
          <Pager
            label="customers"
            isBeyondFirst={search.before !== undefined}
            onFirst={() => change({})}
            onNext={nextPage === null ? null : () => change({ before: nextPage })}
          />
        </Stack>
      )}
    </Page>
  )
}

/** Asks while it is typed, a moment after the last key. */
export function SearchBox({
  value,
  onSearch,
  label = 'Search',
  placeholder = 'Name, e-mail, reference, id or last four',
  width = 340,
}: {
  readonly value: string
  readonly onSearch: (text: string) => void
  readonly label?: string
  readonly placeholder?: string
  readonly width?: number
}) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const later = useDebouncedCallback((text: string) => onSearch(text), 300)
  return (
    <TextInput
      type="search"
      label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} aria-hidden />}
      w={{ base: '100%', xs: width }}
      value={typed}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text)
        if (text.trim().length !== 1) later(text.trim())
      }}
    />
  )
}

function Filter({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: 'yes' | 'no' | undefined
  readonly onChange: (value: 'yes' | 'no' | undefined) => void
}) {
  return (
    <Select
      label={label}
      w={130}
      allowDeselect={false}
      data={[
        { value: 'any', label: 'Any' },
        { value: 'yes', label: 'With' },
        { value: 'no', label: 'Without' },
      ]}
      value={value ?? 'any'}
      onChange={(chosen) => onChange(chosen === 'yes' || chosen === 'no' ? chosen : undefined)}
    />
  )
}

const COLUMNS: readonly Column<CustomerRow>[] = [
  {
    key: 'name',
    title: 'Customer',
    cell: ({ id, name }) => (
      <Link className="link" to="/customers/$customerId" params={{ customerId: id } as never} tabIndex={-1} style={{ whiteSpace: 'nowrap' }}>
        {name === '' ? `Customer ${id}` : name}
      </Link>
    ),
  },
  { key: 'email', title: 'E-mail', cell: ({ email }) => email },
  { key: 'reference', title: 'Your customer id', cell: ({ reference }) => reference },
  { key: 'id', title: 'Id', align: 'right', cell: ({ id }) => id },
  {
    key: 'card',
    title: 'Card',
    cell: ({ cards, latestCard }) =>
      latestCard === null ? (
        <Text span inherit c="dimmed">none</Text>
      ) : (
        <Text span inherit style={{ whiteSpace: 'nowrap' }}>
          {cardText(latestCard)}
          {cards > 1 && <Text span inherit c="dimmed"> and {cards - 1} more</Text>}
        </Text>
      ),
  },
  {
    key: 'memberships',
    title: 'Memberships',
    align: 'right',
    cell: ({ memberships }) => <Text span inherit c={memberships === 0 ? 'dimmed' : undefined}>{memberships}</Text>,
  },
  { key: 'last', title: 'Last order', cell: ({ lastOrderAt }) => lastOrderAt !== null && <When at={lastOrderAt} dayOnly /> },
  { key: 'since', title: 'Since', cell: ({ createdAt }) => <When at={createdAt} dayOnly /> },
]

const MODE: Column<CustomerRow> = {
  key: 'mode',
  title: 'Mode',
  cell: ({ mode }) => <ModeBadge mode={mode} />,
}
