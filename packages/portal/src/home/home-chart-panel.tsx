import {
  Box,
  Button,
  Group,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Table,
  Text,
  VisuallyHidden,
} from '@mantine/core'
import { IconChartLine, IconTable } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ChartPoint, HomeChart } from '@tollgate/portal-contract/answers/home'
import * as routes from '@tollgate/portal-contract/routes'
import { Fragment, lazy, Suspense } from 'react'
import { amountText } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { Fault } from '../parts/fault.tsx'
import { Panel } from '../parts/panel.tsx'
import { shownZone } from '../parts/shown-zone.ts'
import { timeText } from '../parts/when.tsx'
import { useSiteChoice } from '../session/site.ts'
import { call } from '../shell/api.ts'
import { CountedLink } from './counted-link.tsx'
import classes from './home.module.css'
import { pointText } from './point-text.ts'
import { rateOf, rateText } from './rates.ts'

const PaymentChart = lazy(() =>
  import('./payment-chart.tsx').then(({ PaymentChart }) => ({ default: PaymentChart })),
)

const RANGES = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '12m', label: '12 months' },
] as const
type Range = (typeof RANGES)[number]['value']

/**
 * Approval rate and volume over time, as a chart or as its table, and why payments were declined.
 */
export function HomeChartPanel() {
  const { siteId } = useSiteChoice()
  const { range = '24h', table = false } = useSearch({ from: '/' })
  const navigate = useNavigate()
  const go = (search: { range?: Range; table?: true }): void =>
    void navigate({ to: '/', search: search, replace: true })
  const chart = useQuery({
    queryKey: ['home-chart', siteId, range],
    queryFn: ({ signal }) => call(routes.home.chart, { query: { site: siteId, range }, signal }),
    refetchInterval: 60_000,
    placeholderData: (before) => before,
  })
  return (
    <>
      <Panel
        title="Approval rate and volume"
        actions={
          <Group gap="xs">
            <SegmentedControl
              aria-label="Period"
              size="xs"
              data={[...RANGES]}
              value={range}
              onChange={(value) => go({ range: value as Range, ...(table ? { table: true } : {}) })}
            />
            <Button
              size="xs"
              variant="default"
              leftSection={
                table ? (
                  <IconChartLine size={14} aria-hidden />
                ) : (
                  <IconTable size={14} aria-hidden />
                )
              }
              onClick={() => go({ range, ...(table ? {} : { table: true }) })}
            >
              {table ? 'Show as chart' : 'Show as table'}
            </Button>
          </Group>
        }
      >
        {chart.error !== null && <Fault error={chart.error} onRetry={() => void chart.refetch()} />}
        {chart.data === undefined ? (
          chart.error === null && <Skeleton height={280} />
        ) : table ? (
          <ChartTable chart={chart.data} />
        ) : (
          <>
            <Suspense fallback={<Skeleton height={280} />}>
              <PaymentChart chart={chart.data} />
            </Suspense>
            <VisuallyHidden>{summaryOf(chart.data)} The table shows every value.</VisuallyHidden>
          </>
        )}
      </Panel>
      {chart.data !== undefined && chart.data.declined > 0 && <Declines chart={chart.data} />}
    </>
  )
}

function summaryOf({ points, from }: HomeChart): string {
  const sum = (what: 'approved' | 'declined'): number =>
    points.reduce((total, point) => total + point[what], 0)
  const all = { approved: sum('approved'), declined: sum('declined') }
  return `Since ${timeText(from)}: ${all.approved} approved, ${all.declined} declined, approval rate ${rateText(rateOf(all))}.`
}

function ChartTable({ chart }: { readonly chart: HomeChart }) {
  return (
    <Box className={classes.scroll} tabIndex={0} role="region" aria-label="Chart data">
      <Table aria-label="Approval rate and volume" stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>From ({shownZone()})</Table.Th>
            <Table.Th ta="right">Approved</Table.Th>
            <Table.Th ta="right">Declined</Table.Th>
            <Table.Th ta="right">Approval rate</Table.Th>
            <Table.Th ta="right">Approved amount</Table.Th>
            <Table.Th ta="right">Refunded</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {chart.points
            .map((point, at) => (
              <PointRow
                key={point.from}
                point={point}
                to={chart.points[at + 1]?.from ?? chart.now}
                unit={chart.unit}
              />
            ))
            .toReversed()}
        </Table.Tbody>
      </Table>
    </Box>
  )
}

interface PointRowProps {
  readonly point: ChartPoint
  /** The start of the next point. */
  readonly to: string
  readonly unit: HomeChart['unit']
}

function PointRow({ point, to, unit }: PointRowProps) {
  const period = { from: point.from, to }
  const count = (counted: 'approved' | 'declined') =>
    point[counted] === 0 ? (
      '0'
    ) : (
      <CountedLink counted={counted} period={period}>
        {countText(point[counted])}
      </CountedLink>
    )
  const amounts = (counted: 'approved' | 'refunded') => {
    const found = point[`${counted}Amounts`]
    return found.length === 0
      ? '–'
      : found.map(({ currency, minor }, at) => (
          <Fragment key={currency}>
            {at > 0 && ', '}
            <CountedLink counted={counted} period={period} currency={currency}>
              {amountText(minor, currency)}
            </CountedLink>
          </Fragment>
        ))
  }
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {pointText(point.from, unit)}
      </Table.Th>
      <Table.Td ta="right">{count('approved')}</Table.Td>
      <Table.Td ta="right">{count('declined')}</Table.Td>
      <Table.Td ta="right">{rateText(rateOf(point))}</Table.Td>
      <Table.Td ta="right">{amounts('approved')}</Table.Td>
      <Table.Td ta="right">{amounts('refunded')}</Table.Td>
    </Table.Tr>
  )
}

/** Decline reasons, each with its way to the payments. */
function Declines({ chart }: { readonly chart: HomeChart }) {
  const { declines, declined, from, now } = chart
  const period = { from, to: now }
  const shown = declines.reduce((sum, { payments }) => sum + payments, 0)
  return (
    <Panel title="Decline reasons">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing={6}>
        {declines.map(({ serviceCode, reason, payments }) => (
          <div key={serviceCode} className={classes.decline}>
            <Box miw={0}>
              <CountedLink counted="declined" period={period} reason={serviceCode}>
                {reason}
              </CountedLink>
              <Text span size="xs" c="dimmed">
                {' '}
                · {serviceCode}
              </Text>
            </Box>
            <Text size="sm" ta="right">
              {countText(payments)}
            </Text>
            <Text size="sm" ta="right" c="dimmed">
              {rateText(payments / declined)}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {shown < declined && (
        <Text size="xs" c="dimmed" mt="xs">
          and {countText(declined - shown)} for other reasons
        </Text>
      )}
    </Panel>
  )
}
