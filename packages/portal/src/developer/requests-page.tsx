import { Button, Checkbox, Group, Select, Switch } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowsDiff, IconFilter } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { RequestRow } from '@tollgate/portal-contract/answers/developer'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { TypedField } from '../parts/typed-field.tsx'
import { timeText } from '../parts/when.tsx'
import { useSiteChoice } from '../session/site.ts'
import { call } from '../shell/api.ts'
import { momentOf, useAddress } from './address.ts'
import { REQUEST_COLUMNS } from './request-columns.tsx'

const FILTERS = [
  'action',
  'outcome',
  'api',
  'service',
  'user',
  'address',
  'from',
  'to',
  'order',
  'id',
] as const
/** Behind a button, until one of them is used. */
const FURTHER = FILTERS.filter((name) => name !== 'action' && name !== 'outcome' && name !== 'id')
const OUTCOMES = [
  { value: 'approved', label: 'Approved' },
  { value: 'declined', label: 'Declined' },
  { value: 'failed', label: 'Failed' },
  { value: 'pending', label: 'Pending' },
  { value: 'refused', label: 'Refused' },
  { value: 'answered', label: 'Answered' },
]
const TAIL_EVERY_MS = 2_000

/** Every request of the merchant, the newest first. */
export function RequestsPage() {
  const navigate = useNavigate()
  const { siteId } = useSiteChoice()
  const [address, change] = useAddress('/developer/requests')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const { after, tail } = address
  const isTailing = tail === 'on' && after === undefined
  const filter = Object.fromEntries(FILTERS.map((name) => [name, address[name]]))
  const query = {
    ...filter,
    from: momentOf(filter['from']),
    to: momentOf(filter['to']),
    site: siteId,
    after,
  }
  const list = useQuery({
    queryKey: ['developer', 'requests', query],
    // Automatic refreshes are no sign that a user is present.
    queryFn: ({ signal }) =>
      isTailing
        ? call(routes.requests.list, { query, background: true })
        : call(routes.requests.list, { query, signal }),
    refetchInterval: isTailing ? TAIL_EVERY_MS : false,
    placeholderData: keepPreviousData,
  })
  const [opened, { toggle }] = useDisclosure(FURTHER.some((name) => address[name] !== undefined))
  const isNarrowed = FILTERS.some((name) => address[name] !== undefined)
  const narrow = (changes: Readonly<Record<string, string | null>>): void =>
    change({ after: null, ...changes })
  const choice: Column<RequestRow> = {
    key: 'choice',
    title: '',
    cell: ({ id }) => (
      <Checkbox
        size="xs"
        aria-label={`Compare request ${id}`}
        checked={chosen.includes(id)}
        onClick={(event) => event.stopPropagation()}
        onChange={() =>
          setChosen((before) =>
            before.includes(id)
              ? before.filter((other) => other !== id)
              : [...before.slice(-1), id],
          )
        }
      />
    ),
  }
  const { next = null, lookedBackTo = null, rows, actions = [] } = list.data ?? {}
  return (
    <Page
      title="Request log"
      text="Every request sent with your API users, including refused ones. Card data and secrets are masked before they are stored."
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconArrowsDiff size={16} aria-hidden />}
            disabled={chosen.length !== 2}
            onClick={() =>
              void navigate({
                to: '/developer/requests/diff',
                search: { a: chosen[0], b: chosen[1] },
              })
            }
          >
            Compare
          </Button>
          <Switch
            label="Live"
            checked={isTailing}
            onChange={(event) =>
              change({ after: null, tail: event.currentTarget.checked ? 'on' : null })
            }
          />
        </>
      }
    >
      <Group gap="xs" align="flex-end">
        <TypedField
          label="Any id"
          placeholder="request, order, transaction"
          value={address['id']}
          onApply={(id) => narrow({ id: /^\d*$/.test(id) ? id : null })}
          w={210}
        />
        <Select
          label="Action"
          w={170}
          searchable
          clearable
          placeholder="Any"
          data={[...actions]}
          value={address['action'] ?? null}
          onChange={(action) => narrow({ action })}
        />
        <Select
          label="Outcome"
          w={130}
          clearable
          placeholder="Any"
          data={OUTCOMES}
          value={address['outcome'] ?? null}
          onChange={(outcome) => narrow({ outcome })}
        />
        <Button
          variant="default"
          leftSection={<IconFilter size={16} aria-hidden />}
          onClick={toggle}
          aria-expanded={opened}
        >
          {opened ? 'Fewer filters' : 'More filters'}
        </Button>
        {isNarrowed && (
          <Button
            variant="subtle"
            onClick={() => narrow(Object.fromEntries(FILTERS.map((name) => [name, null])))}
          >
            Clear all
          </Button>
        )}
      </Group>
      {opened && (
        <Group gap="xs" align="flex-end">
          <TypedField
            label="API code"
            value={address['api']}
            onApply={(api) => narrow({ api: /^\d{0,4}$/.test(api) ? api : null })}
            w={90}
          />
          <TypedField
            label="SERVICE code"
            value={address['service']}
            onApply={(service) => narrow({ service: /^\d{0,4}$/.test(service) ? service : null })}
            w={110}
          />
          <TypedField
            label="User"
            value={address['user']}
            onApply={(user) => narrow({ user })}
            w={190}
          />
          <TypedField
            label="From address"
            value={address['address']}
            onApply={(from) => narrow({ address: from })}
            w={140}
          />
          <Select
            label="Order"
            w={140}
            clearable
            placeholder="Any"
            data={[
              { value: 'yes', label: 'With an order' },
              { value: 'no', label: 'Without an order' },
            ]}
            value={address['order'] ?? null}
            onChange={(order) => narrow({ order })}
          />
          <TypedField
            label="From"
            type="datetime-local"
            value={address['from']}
            onApply={(from) => narrow({ from })}
            w={200}
          />
          <TypedField
            label="Before"
            type="datetime-local"
            value={address['to']}
            onApply={(to) => narrow({ to })}
            w={200}
          />
        </Group>
      )}
      {list.error !== null ? (
        <Fault error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label="Requests"
          columns={[choice, ...REQUEST_COLUMNS]}
          rows={rows}
          keyOf={({ id }) => id}
          onOpen={({ id }) =>
            void navigate({ to: '/developer/requests/$requestId', params: { requestId: id } })
          }
          empty={
            lookedBackTo !== null ? (
              <EmptyState
                title="No results yet"
                text={`No request back to ${timeText(lookedBackTo)} matches. Continue searching, or remove a filter.`}
              />
            ) : isNarrowed || siteId !== null ? (
              <EmptyState
                title="No results"
                text="No request matches these filters. Remove a filter, or choose another site."
              />
            ) : (
              <EmptyState
                title="No requests yet"
                text="The first request that a program sends with one of your API users will appear here."
              />
            )
          }
        />
      )}
      <Pager
        label="requests"
        text={
          isTailing
            ? 'New requests appear within two seconds.'
            : lookedBackTo === null
              ? ''
              : `Searched back to ${timeText(lookedBackTo)}.`
        }
        onFirst={after === undefined ? undefined : () => change({ after: null })}
        onNext={next === null ? null : () => change({ after: next, tail: null })}
        nextLabel={lookedBackTo === null ? 'Next page' : 'Continue searching'}
      />
    </Page>
  )
}
