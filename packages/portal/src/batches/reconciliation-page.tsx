import {
  Alert,
  Badge,
  Button,
  Center,
  Group,
  Loader,
  Paper,
  Select,
  SegmentedControl,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReconciliationView, ReconRun } from '@tollgate/portal-contract/answers/reconciliation'
import * as routes from '@tollgate/portal-contract/routes'
import { useEffect } from 'react'
import { actorText } from '../parts/actor-text.ts'
import { countOf, countText } from '../parts/count-text.ts'
import { showDone, showFault } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { DifferenceCard } from './difference-card.tsx'

const LOOK_AGAIN_MS = 1_000

/**
 * Gateway, ledger and bank beside each other: comparisons, and what portal users do about what
 * differs.
 */
export function ReconciliationPage() {
  const mayResolve = useMay('recon.resolve')
  const queries = useQueryClient()
  const view = useQuery({
    queryKey: ['reconciliation', 'view'],
    queryFn: ({ signal }) => call(routes.reconciliation.overview, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.runs.some(isUnderWay) === true ? LOOK_AGAIN_MS : 30_000,
  })
  const [latest] = view.data?.runs ?? []
  const underWay = latest !== undefined && isUnderWay(latest)
  // The result of a comparison is shown as soon as it is complete.
  useEffect(() => {
    if (!underWay) void queries.invalidateQueries({ queryKey: ['reconciliation', 'differences'] })
  }, [underWay, latest?.id, queries])
  const start = useMutation({
    mutationFn: () => call(routes.reconciliation.request),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['reconciliation', 'view'] }),
    onError: showFault,
  })
  const { bundled = 0, others = 0 } = view.data?.accounts ?? {}
  return (
    <Page
      title="Reconciliation"
      text="Compares each order's approved, captured and refunded amounts in the gateway, its ledger and the bank."
      actions={
        mayResolve &&
        bundled > 0 && (
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={start.isPending}
            disabled={underWay}
            onClick={() => start.mutate()}
          >
            Compare now
          </Button>
        )
      }
    >
      {view.error !== null && <Fault error={view.error} onRetry={() => void view.refetch()} />}
      {others > 0 && (
        <Alert color="blue" variant="light" py={6}>
          {bundled > 0
            ? 'Only accounts with the bundled bank are compared. The gateway cannot read the books of other banks: check those against their statements.'
            : "There is nothing to compare: the gateway cannot read the books of your banks. Check your accounts against the banks' statements."}
        </Alert>
      )}
      {view.data !== undefined && bundled > 0 && (
        <>
          {underWay && <Progress run={latest} />}
          {latest?.state === 'failed' && (
            <Alert color="red" role="alert" title="The last comparison failed">
              {latest.fault}
            </Alert>
          )}
          <Differences view={view.data} mayResolve={mayResolve} />
          <Runs view={view.data} mayResolve={mayResolve} />
        </>
      )}
    </Page>
  )
}

function isUnderWay({ state }: ReconRun): boolean {
  return state === 'waiting' || state === 'running'
}

function Progress({ run }: { readonly run: ReconRun }) {
  return (
    <Alert color="blue" variant="light" py={8} role="status">
      <Group gap="sm">
        <Loader size={16} />
        {run.state === 'waiting'
          ? 'The comparison is about to start.'
          : `Comparing: ${run.doing}${run.ordersSeen === 0 ? '' : `, ${countOf(run.ordersSeen, 'order')} so far`}. Differences are checked twice, because some are only messages in transit.`}
      </Group>
    </Alert>
  )
}

function Differences({
  view,
  mayResolve,
}: {
  readonly view: ReconciliationView
  readonly mayResolve: boolean
}) {
  const { show } = useSearch({ from: '/reconciliation' })
  const navigate = useNavigate()
  const list = useInfiniteQuery({
    queryKey: ['reconciliation', 'differences', show ?? 'open'],
    queryFn: ({ pageParam, signal }) =>
      call(routes.reconciliation.differences, {
        query: { show, before: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const shown = list.data?.pages.flatMap(({ differences }) => differences)
  const wasCompared = view.runs.some(({ state }) => state === 'done')
  return (
    <Stack gap="sm" component="section" aria-label="Differences">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Differences
        </Title>
        <SegmentedControl
          aria-label="Filter differences"
          size="xs"
          data={[
            { value: 'open', label: 'Open' },
            { value: 'resolved', label: 'Resolved' },
            { value: 'gone', label: 'Resolved by itself' },
            { value: 'all', label: 'All' },
          ]}
          value={show ?? 'open'}
          onChange={(value) =>
            void navigate({
              to: '/reconciliation',
              search: value === 'open' ? {} : { show: value },
              replace: true,
            })
          }
        />
      </Group>
      {list.error !== null && <Fault error={list.error} onRetry={() => void list.refetch()} />}
      {list.data === undefined && list.error === null && (
        <Center py="lg">
          <Loader size="sm" aria-label="Loading" />
        </Center>
      )}
      {shown?.length === 0 && (
        <Paper withBorder>
          <EmptyState
            title={
              show === undefined && wasCompared
                ? 'No open differences'
                : wasCompared
                  ? 'None'
                  : 'Not compared yet'
            }
            text={
              wasCompared
                ? show === undefined
                  ? 'Every difference that was found is resolved.'
                  : 'No differences match this filter.'
                : 'A comparison reads every order in the three books. It changes nothing, and payments continue while it runs.'
            }
          />
        </Paper>
      )}
      {shown?.map((difference) => (
        <DifferenceCard
          key={difference.id}
          difference={difference}
          portalUsers={view.portalUsers}
          mayResolve={mayResolve}
        />
      ))}
      <Pager
        label="differences"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
    </Stack>
  )
}

function Runs({
  view,
  mayResolve,
}: {
  readonly view: ReconciliationView
  readonly mayResolve: boolean
}) {
  const { runs } = view
  return (
    <Stack gap="sm" component="section" aria-label="Comparisons">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Comparisons
        </Title>
        {mayResolve && <DailyChoice hour={view.dailyHour} />}
      </Group>
      {runs.length === 0 && (
        <Text size="sm" c="dimmed">
          No comparisons yet. Manual and daily comparisons appear here.
        </Text>
      )}
      {runs.length > 0 && (
        <Paper withBorder>
          <Table.ScrollContainer minWidth={620} type="native">
            <Table aria-label="Comparisons">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Comparison</Table.Th>
                  <Table.Th>Requested</Table.Th>
                  <Table.Th>By</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th ta="right">Orders</Table.Th>
                  <Table.Th ta="right">Differences</Table.Th>
                  <Table.Th />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {runs.map((run) => (
                  <Table.Tr key={run.id}>
                    <Table.Td>{run.id}</Table.Td>
                    <Table.Td>
                      <When at={run.requestedAt} />
                    </Table.Td>
                    <Table.Td>
                      {run.requestedBy === 'gateway' ? 'daily' : actorText(run.requestedBy)}
                    </Table.Td>
                    <Table.Td>
                      <StatusBadge state={run.state} />
                    </Table.Td>
                    <Table.Td ta="right">
                      {run.orders === null ? '–' : countText(run.orders)}
                    </Table.Td>
                    <Table.Td ta="right">
                      {run.differences === null ? (
                        '–'
                      ) : run.differences === 0 ? (
                        <Badge color="green">0</Badge>
                      ) : (
                        <Badge color="orange">{run.differences}</Badge>
                      )}
                    </Table.Td>
                    <Table.Td ta="right">
                      {run.state === 'done' && (
                        <LinkAnchor
                          to="/reconciliation/runs/$runId"
                          params={{ runId: run.id }}
                          size="sm"
                        >
                          {run.differences === 0 ? 'Certificate' : 'Totals'}
                        </LinkAnchor>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Paper>
      )}
    </Stack>
  )
}

/** Whether the gateway compares by itself, and when. */
function DailyChoice({ hour }: { readonly hour: number | null }) {
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: (next: number | null) =>
      call(routes.reconciliation.setDaily, { body: { hour: next } }),
    onSuccess: async (_, next) => {
      await queries.invalidateQueries({ queryKey: ['reconciliation', 'view'] })
      showDone(
        next === null ? 'The daily comparison is off.' : `Compared every day at ${hourText(next)}.`,
      )
    },
    onError: showFault,
  })
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed" id="daily-label">
        Compare daily
      </Text>
      <Select
        aria-labelledby="daily-label"
        size="xs"
        w={140}
        data={[
          { value: '', label: 'never' },
          ...Array.from({ length: 24 }, (_, at) => ({
            value: String(at),
            label: `at ${hourText(at)}`,
          })),
        ]}
        value={hour === null ? '' : String(hour)}
        onChange={(value) => save.mutate(value === null || value === '' ? null : Number(value))}
        allowDeselect={false}
        disabled={save.isPending}
      />
    </Group>
  )
}

function hourText(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00 UTC`
}
