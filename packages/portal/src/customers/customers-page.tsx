import { Group, Select, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { CustomerRow } from '@tollgate/portal-contract/answers/customers'
import * as routes from '@tollgate/portal-contract/routes'
import { cardText } from '../parts/card-text.ts'
import { Cut } from '../parts/cut.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { When } from '../parts/when.tsx'
import { useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { call } from '../shell/api.ts'
import type { CustomersSearch } from './searches.ts'

export function CustomersPage() {
  const search = useSearch({ from: '/customers' })
  const navigate = useNavigate()
  const { siteId } = useSiteChoice()
  const { sites } = useSession()
  const change = (changes: CustomersSearch): void =>
    void navigate({
      to: '/customers',
      search: { ...search, before: undefined, ...changes },
    })
  const list = useQuery({
    queryKey: ['customers', siteId, search],
    queryFn: ({ signal }) =>
      call(routes.customers.list, { query: { ...search, site: siteId }, signal }),
    placeholderData: keepPreviousData,
  })
  const nextPage = list.data?.next ?? null
  const isFiltered =
    search.search !== undefined || search.cards !== undefined || search.memberships !== undefined
  const showsMode = new Set(sites.map(({ mode }) => mode)).size > 1
  return (
    <Page title="Customers" text="Your customers, with their saved cards and memberships.">
      <Group gap="sm" align="flex-end">
        <SearchField
          placeholder="Name, e-mail, reference, id or last four"
          value={search.search ?? ''}
          onSearch={(text) => change({ search: text === '' ? undefined : text })}
        />
        <Filter label="Saved card" value={search.cards} onChange={(cards) => change({ cards })} />
        <Filter
          label="Membership"
          value={search.memberships}
          onChange={(memberships) => change({ memberships })}
        />
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
            onOpen={({ id }) =>
              void navigate({ to: '/customers/$customerId', params: { customerId: id } })
            }
            empty={
              isFiltered || search.before !== undefined ? (
                <EmptyState
                  title={nextPage === null ? 'No results' : 'No matches on this page'}
                  text={
                    nextPage === null
                      ? 'Search for the beginning of a last name, alone or with the first name. Enter e-mail addresses, references, ids and last four digits in full.'
                      : 'None of the newest customers matches the filter. Continue to older ones.'
                  }
                />
              ) : (
                <EmptyState
                  title="No customers yet"
                  text="Your first payment creates a customer here."
                />
              )
            }
          />
          <Pager
            label="customers"
            onFirst={search.before === undefined ? undefined : () => change({})}
            onNext={nextPage === null ? null : () => change({ before: nextPage })}
          />
        </Stack>
      )}
    </Page>
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
      <Link
        className="link"
        to="/customers/$customerId"
        params={{ customerId: id }}
        tabIndex={-1}
        style={{ whiteSpace: 'nowrap' }}
      >
        {name === '' ? `Customer ${id}` : name}
      </Link>
    ),
  },
  { key: 'email', title: 'E-mail', cell: ({ email }) => <Cut text={email} max={230} /> },
  { key: 'id', title: 'Id', cell: ({ id }) => id },
  {
    key: 'reference',
    title: 'Your id',
    cell: ({ reference }) => <Cut text={reference} max={130} />,
  },
  {
    key: 'card',
    title: 'Card',
    cell: ({ cards, latestCard }) =>
      latestCard === null ? (
        <Text span inherit c="dimmed">
          none
        </Text>
      ) : (
        <Text span inherit style={{ whiteSpace: 'nowrap' }}>
          {cardText(latestCard)}
          {cards > 1 && (
            <Text span inherit c="dimmed">
              {' '}
              and {cards - 1} more
            </Text>
          )}
        </Text>
      ),
  },
  {
    key: 'memberships',
    title: 'Memberships',
    align: 'right',
    cell: ({ memberships }) => (
      <Text span inherit c={memberships === 0 ? 'dimmed' : undefined}>
        {memberships}
      </Text>
    ),
  },
  {
    key: 'last',
    title: 'Last order',
    cell: ({ lastOrderAt }) => lastOrderAt !== null && <When at={lastOrderAt} dayOnly />,
  },
]

const MODE: Column<CustomerRow> = {
  key: 'mode',
  title: 'Mode',
  cell: ({ mode }) => <ModeBadge mode={mode} />,
}
