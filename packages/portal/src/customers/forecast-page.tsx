import { SimpleGrid, Paper, Skeleton, Stack, Text, Select, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SiteForecast } from '@tollgate/portal-contract/answers/customers'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Amount } from '../parts/amount.tsx'
import { countOf } from '../parts/count-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { call } from '../shell/api.ts'
import { ForecastChart } from './forecast-chart.tsx'

interface DayRow {
  readonly day: string
  readonly currency: string
  readonly renewals: number
  readonly retries: number
  readonly minor: bigint
  readonly ends: number
}

export function ForecastPage() {
  const { siteId } = useSiteChoice()
  const { sites } = useSession()
  const forecast = useQuery({
    queryKey: ['forecast', siteId],
    queryFn: ({ signal }) => call(routes.memberships.forecast, { query: { site: siteId }, signal }),
    staleTime: 60_000,
  })
  const names = new Map(
    sites.map(({ id, name, mode }) => [id, `${name}${mode === 'test' ? ' (test)' : ''}`]),
  )
  return (
    <Page
      title="Renewals in the next 30 days"
      text="Expected charges if every charge is approved, with due retries, product changes and memberships that end. Days follow each site's clock, in UTC."
    >
      {forecast.error !== null ? (
        <Fault error={forecast.error} onRetry={() => void forecast.refetch()} />
      ) : forecast.data === undefined ? (
        <Stack>
          <Skeleton height={90} />
          <Skeleton height={260} />
        </Stack>
      ) : (
        <Shown forecasts={forecast.data.sites} names={names} />
      )}
    </Page>
  )
}

function Shown({
  forecasts,
  names,
}: {
  readonly forecasts: readonly SiteForecast[]
  readonly names: ReadonlyMap<string, string>
}) {
  const totals = totalsOf(forecasts)
  const [chosen, setChosen] = useState<string | null>(null)
  const ends = forecasts.flatMap(({ days }) => days).reduce((sum, day) => sum + day.ends, 0)
  if (totals.length === 0 && ends === 0) {
    return (
      <EmptyState
        title="Nothing due"
        text="No membership renews or ends in the next 30 days."
        action={
          <Link className="link" to="/memberships">
            Memberships
          </Link>
        }
      />
    )
  }
  const currency = totals.some((total) => total.currency === chosen)
    ? chosen
    : (totals[0]?.currency ?? null)
  const rows = rowsOf(forecasts)
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }} spacing="sm">
        {totals.map(({ currency: code, minor, renewals, retries }) => (
          <Paper key={code} withBorder p="sm">
            <Text size="xs" c="dimmed">
              Expected charges in {code}
            </Text>
            <Text fz="xl" fw={600}>
              <Amount minor={minor} currency={code} />
            </Text>
            <Text size="sm" c="dimmed">
              {countOf(renewals, 'renewal')}
              {retries > 0 && `, ${countOf(retries, 'retry', 'retries')}`}
            </Text>
          </Paper>
        ))}
        <Paper withBorder p="sm">
          <Text size="xs" c="dimmed">
            Ending memberships
          </Text>
          <Text fz="xl" fw={600}>
            {ends}
          </Text>
          <Text size="sm" c="dimmed">
            cancelled, or ending after one period
          </Text>
        </Paper>
      </SimpleGrid>
      {currency !== null && (
        <Panel
          title={`Per day, in ${currency}`}
          actions={
            totals.length > 1 && (
              <Select
                aria-label="Currency"
                size="xs"
                w={100}
                allowDeselect={false}
                data={totals.map((total) => total.currency)}
                value={currency}
                onChange={setChosen}
              />
            )
          }
        >
          <ForecastChart
            days={calendar(forecasts)}
            charges={rows.filter((row) => row.currency === currency)}
            currency={currency}
          />
        </Panel>
      )}
      {forecasts.length > 1 && (
        <Panel title="By site">
          <DataTable
            label="By site"
            columns={siteColumns(names)}
            rows={siteRows(forecasts)}
            keyOf={(row) => `${row.siteId} ${row.currency}`}
            empty={null}
          />
        </Panel>
      )}
      <Panel title="By day">
        <DataTable
          label="By day"
          columns={DAY_COLUMNS}
          rows={rows}
          keyOf={({ day, currency: code }) => `${day} ${code}`}
          empty={null}
        />
      </Panel>
      <Group gap="md">
        {forecasts.map(({ siteId, now }) => (
          <Text key={siteId} size="xs" c="dimmed">
            {names.get(siteId) ?? siteId}: its clock shows {now.slice(0, 16).replace('T', ' ')} UTC.
          </Text>
        ))}
      </Group>
    </>
  )
}

interface Total {
  readonly currency: string
  readonly minor: bigint
  readonly renewals: number
  readonly retries: number
}

function totalsOf(forecasts: readonly Pick<SiteForecast, 'days'>[]): readonly Total[] {
  const totals = new Map<string, Total>()
  for (const { currency, minor, renewals, retries } of forecasts
    .flatMap(({ days }) => days)
    .flatMap(({ charges }) => charges)) {
    const old = totals.get(currency) ?? { currency, minor: 0n, renewals: 0, retries: 0 }
    totals.set(currency, {
      currency,
      minor: old.minor + BigInt(minor),
      renewals: old.renewals + renewals,
      retries: old.retries + retries,
    })
  }
  return [...totals.values()].toSorted((left, right) => left.currency.localeCompare(right.currency))
}

/** All sites together, a row for each day and currency. */
function rowsOf(forecasts: readonly SiteForecast[]): readonly DayRow[] {
  const days = new Map<string, SiteForecast['days'][number][]>()
  for (const day of forecasts.flatMap((forecast) => forecast.days))
    days.set(day.day, [...(days.get(day.day) ?? []), day])
  return [...days]
    .toSorted(([left], [right]) => left.localeCompare(right))
    .flatMap(([day, parts]): DayRow[] => {
      const ends = parts.reduce((sum, part) => sum + part.ends, 0)
      const totals = totalsOf([{ days: parts }])
      if (totals.length === 0)
        return [{ day, currency: '', renewals: 0, retries: 0, minor: 0n, ends }]
      return totals.map((total, at) => ({ day, ...total, ends: at === 0 ? ends : 0 }))
    })
}

function siteRows(
  forecasts: readonly SiteForecast[],
): readonly (Total & { readonly siteId: string })[] {
  return forecasts.flatMap((forecast) =>
    totalsOf([forecast]).map((total) => ({ siteId: forecast.siteId, ...total })),
  )
}

/** Every day from the earliest clock's today to the last day of any site. */
function calendar(forecasts: readonly SiteForecast[]): readonly string[] {
  const starts = forecasts.map(({ now }) => Date.parse(now.slice(0, 10)))
  const ends = forecasts.map(({ until }) => Date.parse(until.slice(0, 10)))
  const days: string[] = []
  for (
    let at = Math.min(...starts);
    at <= Math.max(...ends) && days.length < 400;
    at += 86_400_000
  ) {
    days.push(new Date(at).toISOString().slice(0, 10))
  }
  return days
}

const DAY_COLUMNS: readonly Column<DayRow>[] = [
  {
    key: 'day',
    title: 'Day',
    cell: ({ day }) => (
      <Link className="link" to="/memberships" search={{ from: day, until: day }}>
        {day}
      </Link>
    ),
  },
  { key: 'renewals', title: 'Renewals', align: 'right', cell: ({ renewals }) => renewals },
  {
    key: 'retries',
    title: 'Retries',
    align: 'right',
    cell: ({ retries }) => (
      <Text span inherit c={retries === 0 ? 'dimmed' : undefined}>
        {retries}
      </Text>
    ),
  },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    cell: ({ minor, currency }) => currency !== '' && <Amount minor={minor} currency={currency} />,
  },
  {
    key: 'ends',
    title: 'Ends',
    align: 'right',
    cell: ({ ends }) => (
      <Text span inherit c={ends === 0 ? 'dimmed' : undefined}>
        {ends}
      </Text>
    ),
  },
]

function siteColumns(
  names: ReadonlyMap<string, string>,
): readonly Column<Total & { readonly siteId: string }>[] {
  return [
    { key: 'site', title: 'Site', cell: ({ siteId }) => names.get(siteId) ?? siteId },
    { key: 'renewals', title: 'Renewals', align: 'right', cell: ({ renewals }) => renewals },
    { key: 'retries', title: 'Retries', align: 'right', cell: ({ retries }) => retries },
    {
      key: 'amount',
      title: 'Amount',
      align: 'right',
      cell: ({ minor, currency }) => <Amount minor={minor} currency={currency} />,
    },
  ]
}
