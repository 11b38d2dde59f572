import { Button, Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { MembershipRow } from '@tollgate/portal-contract/answers/customers'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { shownZone } from '../parts/shown-zone.ts'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { call } from '../shell/api.ts'
import type { MembershipsSearch } from './searches.ts'
import { OUTCOMES, STATES, STEPS } from './words.ts'

export function MembershipsPage() {
  const search = useSearch({ from: '/memberships' })
  const navigate = useNavigate()
  const { siteId } = useSiteChoice()
  const { sites } = useSession()
  const change = (changes: MembershipsSearch): void =>
    void navigate({
      to: '/memberships',
      search: { ...search, after: undefined, afterAt: undefined, ...changes },
    })
  const list = useQuery({
    queryKey: ['memberships', siteId, search],
    queryFn: ({ signal }) =>
      call(routes.memberships.list, { query: { ...search, site: siteId }, signal }),
    placeholderData: keepPreviousData,
  })
  const isFailing = search.states === 'past_due'
  const isFiltered = Object.keys(search).length > 0
  const nextPage = list.data?.next ?? null
  const byDate =
    search.order === 'due' ||
    (search.order === undefined && (search.from !== undefined || search.until !== undefined))
  const siteNames =
    siteId === null && sites.length > 1 ? new Map(sites.map(({ id, name }) => [id, name])) : null
  return (
    <Page
      title="Memberships"
      text="Recurring products, with their next charge."
      actions={
        <Button
          variant={isFailing ? 'light' : 'default'}
          color={isFailing ? 'orange' : undefined}
          aria-pressed={isFailing}
          onClick={() => change({ states: isFailing ? undefined : 'past_due' })}
        >
          Failing
        </Button>
      }
    >
      <Group gap="sm" align="flex-end">
        <MultiSelect
          label="States"
          placeholder={search.states === undefined ? 'All' : undefined}
          w={{ base: '100%', xs: 220 }}
          clearable
          data={Object.entries(STATES).map(([value, { title }]) => ({ value, label: title }))}
          value={search.states?.split(',') ?? []}
          onChange={(states) =>
            change({ states: states.length === 0 ? undefined : states.join(',') })
          }
        />
        <SearchField
          width={180}
          label="Product"
          placeholder="Product id"
          value={search.product ?? ''}
          onSearch={(product) => change({ product: product === '' ? undefined : product })}
        />
        {(['from', 'until'] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={`Due ${name} (${shownZone()})`}
            value={search[name] ?? ''}
            onChange={({ currentTarget: { value } }) =>
              change({ [name]: value === '' ? undefined : value })
            }
          />
        ))}
        <Select
          label="Sort by"
          w={150}
          allowDeselect={false}
          data={[
            { value: 'newest', label: 'Newest first' },
            { value: 'due', label: 'Due first' },
          ]}
          value={byDate ? 'due' : 'newest'}
          onChange={(order) => change({ order: order === 'due' ? 'due' : 'newest' })}
        />
      </Group>
      {search.customer !== undefined && (
        <Text size="sm">
          Only memberships of{' '}
          <Link
            className="link"
            to="/customers/$customerId"
            params={{ customerId: search.customer }}
          >
            customer {search.customer}
          </Link>
          .
        </Text>
      )}
      {list.error !== null ? (
        <Fault error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Stack gap="xs" aria-busy={list.isFetching}>
          <DataTable
            label="Memberships"
            columns={columnsWith(siteNames)}
            rows={list.data?.memberships}
            keyOf={({ id }) => id}
            onOpen={({ id }) =>
              void navigate({
                to: '/memberships/$membershipId',
                params: { membershipId: id },
              })
            }
            empty={
              isFailing ? (
                <EmptyState title="No failing memberships" text="Every due renewal is paid." />
              ) : isFiltered ? (
                <EmptyState
                  title="No results"
                  text="No membership matches these filters. Remove a filter to see more."
                  action={
                    <Button
                      variant="default"
                      onClick={() => void navigate({ to: '/memberships', search: {} })}
                    >
                      Clear all filters
                    </Button>
                  }
                />
              ) : (
                <EmptyState
                  title="No memberships yet"
                  text="A membership starts with a payment for a product that has a period."
                  action={
                    <Link className="link" to="/products">
                      Products
                    </Link>
                  }
                />
              )
            }
          />
          <Pager
            label="memberships"
            onFirst={search.after === undefined ? undefined : () => change({})}
            onNext={
              nextPage === null
                ? null
                : () =>
                    change({
                      after: nextPage.id,
                      afterAt: byDate ? (nextPage.at ?? undefined) : undefined,
                    })
            }
          />
        </Stack>
      )}
    </Page>
  )
}

/** `siteNames`: where memberships of several sites are shown. */
const columnsWith = (
  siteNames: ReadonlyMap<string, string> | null,
): readonly Column<MembershipRow>[] => [
  {
    key: 'id',
    title: 'Membership',
    cell: ({ id }) => (
      <Link
        className="link"
        to="/memberships/$membershipId"
        params={{ membershipId: id }}
        tabIndex={-1}
      >
        {id}
      </Link>
    ),
  },
  {
    key: 'customer',
    title: 'Customer',
    cell: ({ customer: { id, name, email } }) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {name || email || `Customer ${id}`}
      </Text>
    ),
  },
  {
    key: 'product',
    title: 'Product',
    cell: ({ product, productName, siteId }) => (
      <>
        {productName || product}
        {siteNames !== null && (
          <Text size="xs" c="dimmed">
            {siteNames.get(siteId) ?? siteId}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'state',
    title: 'State',
    cell: ({ state }) => <StatusBadge state={state} label={STATES[state]?.title ?? state} />,
  },
  {
    key: 'next',
    title: 'Next',
    cell: ({ next, overAt }) => {
      if (next !== null)
        return (
          <>
            {next.kind !== 'renewal' && `${STEPS[next.kind] ?? next.kind} `}
            <When at={next.at} dayOnly />
          </>
        )
      return overAt === null ? (
        'being charged'
      ) : (
        <Text span inherit c="dimmed">
          ended <When at={overAt} dayOnly />
        </Text>
      )
    },
  },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    cell: ({ next, currency }) => {
      const minor = next?.amountMinor ?? null
      return minor !== null && <Amount minor={minor} currency={currency} />
    },
  },
  {
    key: 'last',
    title: 'Last charge',
    cell: ({ lastCharge }) =>
      lastCharge === null ? (
        <Text span inherit c="dimmed">
          none yet
        </Text>
      ) : (
        <Group gap={6} wrap="nowrap">
          <StatusBadge
            state={OUTCOMES[lastCharge.outcome]?.state ?? lastCharge.outcome}
            label={OUTCOMES[lastCharge.outcome]?.title ?? lastCharge.outcome}
          />
          <When at={lastCharge.at} dayOnly />
        </Group>
      ),
  },
]
