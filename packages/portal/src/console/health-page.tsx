import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ConsoleHealth } from '@tollgate/portal-contract/answers/console'
import { consoleHealth } from '@tollgate/portal-contract/routes/console'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Facts } from '../parts/facts.tsx'
import { Fault } from '../parts/fault.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { ConsoleLink } from './console-link.tsx'

type RowOf<Name extends keyof ConsoleHealth> = ConsoleHealth[Name] extends readonly (infer Row)[]
  ? Row
  : never

const READ_EVERY_MS = 15_000
/** Certificates that end within this time are marked. */
const SOON_MS = 30 * 24 * 60 * 60 * 1_000

const since = (at: string | null) => (at === null ? '' : <When at={at} />)

const WAITING: Column<RowOf<'waiting'>>[] = [
  { key: 'what', title: 'Work', fills: true, cell: ({ what }) => what },
  { key: 'count', title: 'Waiting', align: 'right', cell: ({ count }) => count },
  { key: 'oldest', title: 'Oldest since', cell: ({ oldestAt }) => since(oldestAt) },
]

const MERCHANTS: Column<RowOf<'merchants'>>[] = [
  {
    key: 'name',
    title: 'Merchant',
    fills: true,
    cell: ({ id, name }) => (
      <ConsoleLink size="sm" to={`/merchants/${id}`}>
        {name}
      </ConsoleLink>
    ),
  },
  { key: 'queued', title: 'Advices', align: 'right', cell: ({ queuedAdvices }) => queuedAdvices },
  { key: 'oldest', title: 'Oldest since', cell: ({ oldestAdviceAt }) => since(oldestAdviceAt) },
  {
    key: 'settlement',
    title: 'Settlement differences',
    align: 'right',
    cell: ({ settlementDifferences }) => settlementDifferences,
  },
  {
    key: 'recon',
    title: 'Reconciliation differences',
    align: 'right',
    cell: ({ reconDifferences }) => reconDifferences,
  },
]

const LINKS: Column<RowOf<'links'>>[] = [
  { key: 'name', title: 'Link', cell: ({ name }) => name },
  { key: 'mode', title: 'Mode', cell: ({ mode }) => <ModeBadge mode={mode} /> },
  {
    key: 'states',
    title: 'Processes',
    fills: true,
    cell: ({ states }) =>
      states.length === 0
        ? 'No process has reported within 15 seconds.'
        : states.map(({ worker, state, address, lastError }) => (
            <Text size="sm" key={worker}>
              {worker}: {state.replaceAll('_', ' ')} {address} {lastError}
            </Text>
          )),
  },
]

const CERTIFICATES: Column<RowOf<'certificates'>>[] = [
  { key: 'what', title: 'Certificate', fills: true, cell: ({ what }) => what },
  {
    key: 'ends',
    title: 'Ends',
    cell: ({ endsAt }) => (
      <Group gap="xs">
        <When at={endsAt} dayOnly />
        {new Date(endsAt).getTime() < Date.now() + SOON_MS && (
          <StatusBadge state="failing" label="soon" />
        )}
      </Group>
    ),
  },
]

const NODES: Column<RowOf<'nodes'>>[] = [
  { key: 'name', title: 'Process', fills: true, cell: ({ name }) => name },
  { key: 'tollgate', title: 'Tollgate', cell: ({ tollgate }) => tollgate ?? 'unknown' },
  { key: 'node', title: 'Node.js', cell: ({ node }) => node ?? 'unknown' },
  { key: 'started', title: 'Started', cell: ({ startedAt }) => <When at={startedAt} /> },
]

/** The state of the gateway: what waits and differs, links, certificates, and processes. */
export function HealthPage() {
  const found = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => call(consoleHealth.read, { signal, background: true }),
    refetchInterval: READ_EVERY_MS,
  })
  const { data } = found
  if (found.error !== null && data === undefined)
    return <Fault error={found.error} onRetry={() => void found.refetch()} />
  return (
    <Page title="Health" text="Read every 15 seconds. Alarms belong to the metrics.">
      <Stack gap="md">
        <Part title="Waiting work" columns={WAITING} rows={data?.waiting} keyOf={what} />
        <Part title="Merchants" columns={MERCHANTS} rows={data?.merchants} keyOf={({ id }) => id} />
        <Part title="Links" columns={LINKS} rows={data?.links} keyOf={({ name }) => name} />
        <Part title="Certificates" columns={CERTIFICATES} rows={data?.certificates} keyOf={what} />
        <Part title="Processes" columns={NODES} rows={data?.nodes} keyOf={({ name }) => name} />
        {data !== undefined && (
          <Panel title="Versions">
            <Facts
              facts={[
                ['Schema', data.schema],
                ['Data key since', since(data.dataKeySince)],
              ]}
            />
          </Panel>
        )}
      </Stack>
    </Page>
  )
}

function what(row: { readonly what: string }): string {
  return row.what
}

function Part<Row>({
  title,
  columns,
  rows,
  keyOf,
}: {
  readonly title: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[] | undefined
  readonly keyOf: (row: Row) => string
}) {
  return (
    <Panel title={title}>
      <DataTable
        label={title}
        columns={columns}
        rows={rows}
        keyOf={keyOf}
        empty={
          <Text size="sm" c="dimmed">
            {NOTHING[title] ?? ''}
          </Text>
        }
      />
    </Panel>
  )
}

const NOTHING: Readonly<Record<string, string>> = {
  Merchants: 'No merchant has work that waits or differs.',
  Links: 'There is no processor link.',
  Certificates: 'There is no certificate.',
  Processes: 'No process has started.',
}
