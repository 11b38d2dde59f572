import { Alert, Button, Group, Menu, Select, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconDownload, IconShieldCheck } from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { AuditEntry, ChainCheck } from '@tollgate/portal-contract/answers/portal-users'
import * as routes from '@tollgate/portal-contract/routes'
import { useEffect, useRef, useState } from 'react'
import { actorText } from '../parts/actor-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call, fileAddress } from '../shell/api.ts'
import { Details } from './audit-details.tsx'
import { AUDIT_NAMES, auditQuery, type AuditSearch } from './audit-search.ts'
import classes from './portal-users.module.css'

const route = getRouteApi('/audit')

/** The audit log: actor, operation, time, address and result. */
export function AuditPage() {
  const search: AuditSearch = route.useSearch()
  const operations = useQuery({
    queryKey: ['audit operations'],
    queryFn: ({ signal }) => call(routes.audit.operations, { signal }),
    staleTime: Infinity,
  })
  // Each reading is an entry itself, so the list is read again only on request.
  const found = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ pageParam, signal }) =>
      call(routes.audit.page, {
        query: { ...auditQuery(search), before: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    staleTime: Infinity,
    // A user who comes back to the page requests it, and sees the entries since.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const check = useMutation({ mutationFn: () => call(routes.audit.check) })
  const rows = found.data?.pages.flatMap(({ entries }) => entries)
  const meaning = operations.data ?? {}

  const columns: Column<AuditEntry>[] = [
    {
      key: 'at',
      title: 'Time',
      cell: ({ at, number }) => (
        <>
          <When at={at} />
          <Text size="xs" c="dimmed">
            entry {number}
          </Text>
        </>
      ),
    },
    {
      key: 'actor',
      title: 'Actor',
      cell: ({ actor, address }) => (
        <div className={classes.actor}>
          {actorText(actor)}
          <Text size="xs" c="dimmed">
            {address === '' ? 'on the server' : `from ${address}`}
          </Text>
        </div>
      ),
    },
    {
      key: 'operation',
      title: 'Operation',
      cell: ({ operation, object }) => (
        <div className={classes.operation}>
          <Text size="sm">{meaning[operation] ?? operation}</Text>
          <Text size="xs" c="dimmed">
            {object === '' ? operation : `${operation} · ${object}`}
          </Text>
        </div>
      ),
    },
    { key: 'details', title: 'Details', cell: ({ details }) => <Details details={details} /> },
    {
      key: 'result',
      title: 'Result',
      cell: ({ result }) => (
        <div className={classes.short}>
          <StatusBadge state={result === 'done' ? 'acknowledged' : result} label={result} />
        </div>
      ),
    },
  ]

  return (
    <Page
      title="Audit log"
      text="Operations of portal users, API users and operators. Viewing the log adds an entry, too."
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconShieldCheck size={16} />}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            Verify log
          </Button>
          <Export search={search} />
        </>
      }
    >
      <ChainVerdict verdict={check.data} error={check.error} />
      <Filters search={search} operations={meaning} />
      {found.error !== null && rows === undefined ? (
        <Fault error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <DataTable
          label="Audit log"
          columns={columns}
          rows={rows}
          keyOf={({ number }) => number}
          empty={
            <EmptyState
              title={found.hasNextPage ? 'No results in the newest entries' : 'No results'}
              text={
                found.hasNextPage
                  ? 'Search older entries, or remove a filter.'
                  : 'Remove a filter to see more.'
              }
            />
          }
        />
      )}
      <Pager
        label="the audit log"
        text={!found.hasNextPage && (rows?.length ?? 0) > 0 ? 'End of the log.' : ''}
        nextLabel="Search older entries"
        isLoading={found.isFetchingNextPage}
        onNext={found.hasNextPage ? () => void found.fetchNextPage() : null}
      />
    </Page>
  )
}

/** Whether two addresses narrow the list alike. */
function isSame(one: AuditSearch, other: AuditSearch): boolean {
  return AUDIT_NAMES.every((name) => (one[name] ?? '') === (other[name] ?? ''))
}

function Filters({
  search,
  operations,
}: {
  readonly search: AuditSearch
  readonly operations: Readonly<Record<string, string>>
}) {
  const navigate = route.useNavigate()
  const [typed, setTyped] = useState(search)
  // A link or the browser's Back leads elsewhere, and the fields follow. A search that they sent
  // themselves is there already.
  const sent = useRef(search)
  useEffect(() => {
    if (isSame(search, sent.current)) return
    sent.current = search
    setTyped(search)
  }, [search])
  const narrow = (next: AuditSearch): void => {
    const wanted: AuditSearch = Object.fromEntries(
      Object.entries(next).filter(([, value]) => value !== ''),
    )
    sent.current = wanted
    void navigate({ to: '.', search: () => wanted, replace: true })
  }
  const narrowLater = useDebouncedCallback(narrow, 400)
  const change = (name: keyof AuditSearch, value: string, now: boolean): void => {
    const next = { ...typed, [name]: value }
    setTyped(next)
    if (now) narrow(next)
    else narrowLater(next)
  }
  const text = (name: 'actor' | 'object', label: string, placeholder: string) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      size="xs"
      w={{ base: '100%', xs: 165 }}
      maxLength={200}
      value={typed[name] ?? ''}
      onChange={(event) => change(name, event.currentTarget.value, false)}
    />
  )
  const day = (name: 'since' | 'until', label: string) => (
    <TextInput
      label={label}
      type="date"
      size="xs"
      w={{ base: '100%', xs: 135 }}
      value={typed[name] ?? ''}
      onChange={(event) => change(name, event.currentTarget.value, true)}
    />
  )
  const groups = [
    ...new Set(Object.keys(operations).map((operation) => `${operation.split('.')[0] ?? ''}.`)),
  ]
  return (
    <Group gap="xs" align="flex-end" role="search" aria-label="Filters">
      {text('actor', 'Actor', 'anna@, api:, operator:')}
      <Select
        label="Operation"
        placeholder="Any"
        size="xs"
        w={{ base: '100%', xs: 205 }}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'Remove this filter' }}
        data={[
          { group: 'Groups', items: groups.map((group) => ({ value: group, label: `${group}*` })) },
          {
            group: 'Single operations',
            items: Object.keys(operations).map((operation) => ({
              value: operation,
              label: operation,
            })),
          },
        ]}
        value={typed.operation ?? null}
        onChange={(operation) => change('operation', operation ?? '', true)}
      />
      {text('object', 'Object', 'portal user anna@, site 1001')}
      <Select
        label="Result"
        placeholder="Any"
        size="xs"
        w={{ base: '100%', xs: 100 }}
        clearable
        clearButtonProps={{ 'aria-label': 'Remove this filter' }}
        data={['done', 'refused', 'failed']}
        value={typed.result ?? null}
        onChange={(result) => change('result', result ?? '', true)}
      />
      {day('since', 'From day')}
      {day('until', 'To day')}
      {Object.keys(search).length > 0 && (
        <Button
          size="xs"
          variant="subtle"
          onClick={() => {
            setTyped({})
            narrow({})
          }}
        >
          Clear
        </Button>
      )}
    </Group>
  )
}

function Export({ search }: { readonly search: AuditSearch }) {
  const file = (format: 'csv' | 'json'): string =>
    fileAddress(routes.audit.file, { query: { ...auditQuery(search), format } })
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />}>
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>All filtered entries</Menu.Label>
        <Menu.Item component="a" href={file('csv')} download>
          CSV, for spreadsheets
        </Menu.Item>
        <Menu.Item component="a" href={file('json')} download>
          JSON, one entry per line
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function ChainVerdict({
  verdict,
  error,
}: {
  readonly verdict: ChainCheck | undefined
  readonly error: Error | null
}) {
  if (error !== null)
    return (
      <Alert color="red" role="alert">
        {error.message}
      </Alert>
    )
  if (verdict === undefined) return null
  if (!verdict.whole) {
    return (
      <Alert color="red" role="alert" title="The log is damaged">
        {verdict.fault} The entries before it are intact. Inform the operator, who can confirm this
        with <code>tollgate audit verify</code>.
      </Alert>
    )
  }
  return (
    <Alert
      color="green"
      role="status"
      title={`The log is intact: ${verdict.checked} entries verified`}
    >
      No entry was changed, removed or added. To let an operator prove this again later, store this
      hash of the last entry elsewhere:
      <Text size="xs" className={classes.details} mt={4}>
        {verdict.head}
      </Text>
    </Alert>
  )
}
