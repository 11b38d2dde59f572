import { Badge, Button, Group, Loader, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import type { ClockAgenda, SiteClock } from '@tollgate/portal-contract/answers/developer'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showFault } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { Panel } from '../parts/panel.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import classes from './developer.module.css'
import { useTestSite } from './test-site.tsx'

const CLOCKS = ['developer', 'clocks']
const STEPS = [
  ['P1D', 'one day'],
  ['P1W', 'one week'],
  ['P1M', 'one month'],
  ['P1Y', 'one year'],
] as const

type Change = {
  readonly action: 'jump' | 'step' | 'speed' | 'stop' | 'reset'
  readonly argument?: string
}
type Entry = ClockAgenda['entries'][number]

/** The clock of a test site: what it shows, how to move it, and what happens next. */
export function ClockPage() {
  const mayChange = useMay('developer.change')
  const [siteId, choice] = useTestSite()
  const clocks = useQuery({
    queryKey: CLOCKS,
    queryFn: () => call(routes.testSites.clocks, { background: true }),
    refetchInterval: ({ state }) =>
      state.data?.clocks.some(({ clock }) => clock.target !== null) === true
        ? 1_000
        : state.data?.clocks.some(({ clock }) => clock.hasOwnClock) === true
          ? 5_000
          : false,
  })
  const site = clocks.data?.clocks.find((one) => one.siteId === siteId)
  return (
    <Page
      title="Clocks of test sites"
      text="Give a test site its own clock to run a year of renewals in seconds. Each due event runs at its own time. A clock never goes back."
      actions={choice}
    >
      {clocks.error !== null && (
        <Fault error={clocks.error} onRetry={() => void clocks.refetch()} />
      )}
      {clocks.data !== undefined && site === undefined && (
        <EmptyState title="No test sites" text="Live sites use real time." />
      )}
      {site !== undefined && (
        <>
          <div className={classes.halves}>
            <Shown site={site} />
            {mayChange && <Controls site={site} />}
          </div>
          <Agenda
            siteId={site.siteId}
            at={site.clock.target ?? (site.clock.hasOwnClock ? 'own' : 'real')}
          />
        </>
      )}
    </Page>
  )
}

function Shown({ site: { clock } }: { readonly site: SiteClock }) {
  const { target, movedFrom, done } = clock
  const doneText = Object.entries(done)
    .map(([kind, count]) => `${kind}: ${count}`)
    .join(', ')
  return (
    <Panel
      title="Now"
      actions={
        <Badge color={clock.hasOwnClock ? 'blue' : 'gray'}>
          {clock.hasOwnClock ? 'own clock' : 'real time'}
        </Badge>
      }
    >
      <Facts
        facts={[
          [
            'Site time',
            <Text key="time" span fw={600} data-clock>
              <When at={clock.time} />
            </Text>,
          ],
          ['Real time', <When key="real" at={clock.machineTime} />],
          [
            'Speed',
            clock.speed === 0
              ? 'stopped'
              : clock.speed === 1
                ? 'real-time speed'
                : `${clock.speed} times real time`,
          ],
          ['Last moved from', movedFrom === null ? null : <When key="from" at={movedFrom} />],
          ['Events processed', movedFrom === null ? null : doneText === '' ? 'none' : doneText],
        ]}
      />
      {target !== null && (
        <Group gap="xs" mt="sm" role="status">
          <Loader size="xs" aria-hidden />
          <Text size="sm">
            Advancing to <When at={target} />: {progress(clock)} %
          </Text>
        </Group>
      )}
    </Panel>
  )
}

function progress({ movedFrom, target, time }: SiteClock['clock']): number {
  if (movedFrom === null || target === null) return 100
  const whole = Date.parse(target) - Date.parse(movedFrom)
  return whole <= 0
    ? 100
    : Math.min(100, Math.floor((100 * (Date.parse(time) - Date.parse(movedFrom))) / whole))
}

function Controls({ site }: { readonly site: SiteClock }) {
  const [to, setTo] = useState('')
  const [speed, setSpeed] = useState<string | number>(86_400)
  const change = useMutation({
    mutationFn: (request: Change) =>
      call(routes.testSites.changeClock, { path: { id: site.siteId }, body: request }),
    // Everything due on the way has happened: renewals, expiries, batches.
    onSettled: () => void everythingChanged(),
    onError: (error) => showFault(error),
  })
  const isBusy = change.isPending || site.clock.target !== null
  const at = to === '' ? null : new Date(to)
  return (
    <Panel title="Move the clock">
      <Stack gap="sm">
        <Group gap="xs">
          {STEPS.map(([argument, label]) => (
            <Button
              key={argument}
              variant="default"
              disabled={isBusy}
              onClick={() => change.mutate({ action: 'step', argument })}
            >
              Advance {label}
            </Button>
          ))}
        </Group>
        <Group
          gap="xs"
          align="flex-end"
          component="form"
          onSubmit={(event) => {
            event.preventDefault()
            if (at !== null && !isBusy)
              change.mutate({ action: 'jump', argument: at.toISOString() })
          }}
        >
          <TextInput
            label="Jump to"
            type="datetime-local"
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
            w={220}
          />
          <Button
            type="submit"
            variant="default"
            disabled={isBusy || at === null || Number.isNaN(at.getTime())}
          >
            Jump
          </Button>
        </Group>
        <Group gap="xs" align="flex-end">
          <NumberInput
            label="Speed"
            description="86,400 means one day per second"
            min={0}
            max={1_000_000}
            allowDecimal={false}
            thousandSeparator=","
            value={speed}
            onChange={setSpeed}
            w={220}
          />
          <Button
            variant="default"
            disabled={isBusy || speed === ''}
            onClick={() => change.mutate({ action: 'speed', argument: String(speed) })}
          >
            Set
          </Button>
          <Button
            variant="default"
            disabled={isBusy}
            onClick={() => change.mutate({ action: 'stop' })}
          >
            Stop
          </Button>
        </Group>
        <Group gap="xs">
          <Button
            variant="default"
            disabled={isBusy || !site.clock.hasOwnClock}
            onClick={() => change.mutate({ action: 'reset' })}
          >
            Return to real time
          </Button>
          {change.isPending && (
            <Text size="sm" c="dimmed" role="status">
              The first change takes a few seconds, until every process has it.
            </Text>
          )}
        </Group>
      </Stack>
    </Panel>
  )
}

const COLUMNS: readonly Column<Entry>[] = [
  { key: 'at', title: 'At', cell: ({ at }) => <When at={at} /> },
  { key: 'what', title: 'Event', cell: ({ what }) => what },
  { key: 'object', title: 'Object', cell: ({ object }) => <ObjectLink object={object} /> },
]

/** `order 600123` and `membership 5001` lead to their pages. */
function ObjectLink({ object }: { readonly object: string }) {
  const [, kind, id] = /^(order|membership) (\d+)$/.exec(object) ?? []
  if (id === undefined) return object
  return kind === 'order' ? (
    <LinkAnchor to="/orders/$orderId" params={{ orderId: id }} inherit>
      {object}
    </LinkAnchor>
  ) : (
    <LinkAnchor to="/memberships/$membershipId" params={{ membershipId: id }} inherit>
      {object}
    </LinkAnchor>
  )
}

function Agenda({ siteId, at }: { readonly siteId: string; readonly at: string }) {
  const agenda = useInfiniteQuery({
    queryKey: ['developer', 'agenda', siteId, at],
    queryFn: ({ signal, pageParam }) =>
      call(routes.testSites.agenda, {
        path: { id: siteId },
        query: { after: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  return (
    <Panel title="Upcoming events">
      {agenda.error !== null ? (
        <Fault error={agenda.error} onRetry={() => void agenda.refetch()} />
      ) : (
        <DataTable
          label="Agenda"
          columns={COLUMNS}
          rows={agenda.data?.pages.flatMap(({ entries }) => entries)}
          keyOf={({ at: moment, what, object }) => `${moment} ${what} ${object}`}
          empty={
            <EmptyState
              title="Nothing scheduled"
              text="Upcoming events of the site's authorizations, memberships, tokens and challenges appear here."
            />
          }
        />
      )}
      <Pager
        label="the agenda"
        nextLabel="Show more"
        isLoading={agenda.isFetchingNextPage}
        onNext={agenda.hasNextPage ? () => void agenda.fetchNextPage() : null}
      />
    </Panel>
  )
}
