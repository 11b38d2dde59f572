import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DisputeMonth, DisputeStanding } from '@tollgate/portal-contract/answers/disputes'
import { brandName } from '@tollgate/portal-contract/card-brands'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import print from '../parts/print.module.css'
import { StatusBadge } from '../parts/status-badge.tsx'
import { call } from '../shell/api.ts'

/** How near each month came to the limits of the networks' monitoring programmes. */
export function MonitoringPage() {
  const query = useQuery({
    queryKey: ['disputes', 'monitoring'],
    queryFn: ({ signal }) => call(routes.disputes.monitoring, { signal }),
  })
  const { data, error } = query
  return (
    <Page
      title="Monitoring programmes"
      text={
        <>
          Networks charge merchants with too many disputes. Both limits of a programme must be
          reached together.{' '}
          <LinkAnchor
            to="/disputes"
            size="sm"
            underline="always"
            className={print.unprinted}
            style={{ whiteSpace: 'nowrap' }}
          >
            All disputes
          </LinkAnchor>
        </>
      }
      actions={<PageFiles />}
    >
      {error !== null ? (
        <Fault error={error} onRetry={() => void query.refetch()} />
      ) : (
        <DataTable
          label="Months with disputes"
          columns={COLUMNS}
          rows={data?.months}
          keyOf={({ brand, merchantAccountId, month }) => `${month} ${merchantAccountId} ${brand}`}
          empty={
            <EmptyState
              title="No disputes"
              text="The last six months have no chargeback and no report of fraud."
            />
          }
        />
      )}
    </Page>
  )
}

const COLUMNS: readonly Column<DisputeMonth>[] = [
  {
    key: 'month',
    title: 'Month',
    cell: ({ month }) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {month}
      </Text>
    ),
  },
  { key: 'account', title: 'Account', cell: ({ merchantAccountId }) => merchantAccountId },
  { key: 'brand', title: 'Brand', cell: ({ brand }) => brandName(brand) },
  {
    key: 'disputes',
    title: 'Disputes',
    align: 'right',
    cell: (row) => <Counted row={row} group="charged" count={row.disputes} />,
  },
  {
    key: 'fraud',
    title: 'Fraud reports',
    align: 'right',
    cell: (row) => <Counted row={row} group="reported" count={row.fraudReports} />,
  },
  {
    key: 'sales',
    title: 'Sales',
    align: 'right',
    cell: ({ brand, merchantAccountId, month, sales }) =>
      sales === 0 ? (
        countText(sales)
      ) : (
        <LinkAnchor
          to="/transactions"
          search={{
            account: merchantAccountId,
            brand: brandName(brand),
            settled: month,
            action: 'sale,renewal,capture',
          }}
          size="sm"
        >
          {countText(sales)}
        </LinkAnchor>
      ),
  },
  {
    key: 'amounts',
    title: 'Disputed',
    align: 'right',
    cell: (row) =>
      row.amounts.map(({ currency, minor }) => (
        <div key={currency}>
          <LinkAnchor
            to="/disputes"
            search={{ ...casesOf(row), group: 'charged', currency }}
            size="sm"
          >
            <Amount minor={minor} currency={currency} />
          </LinkAnchor>
        </div>
      )),
  },
  {
    key: 'standings',
    title: 'Programmes',
    cell: (row) =>
      row.standings.length === 0 ? (
        'none of this brand'
      ) : (
        <Stack gap={2}>
          {row.standings.map((standing) => (
            <Standing key={standing.programme} row={row} standing={standing} />
          ))}
        </Stack>
      ),
  },
]

/** The filters that leave the cases of a row. */
function casesOf({ brand, merchantAccountId, month }: DisputeMonth) {
  return { account: merchantAccountId, brand, month }
}

interface CountedProps {
  readonly row: DisputeMonth
  readonly group: 'charged' | 'reported' | 'counted'
  readonly count: number
  /** Among words, a link needs more than its colour. */
  readonly inText?: boolean
}

const UNDERLINED = { style: { textDecoration: 'underline' } } as const

/** A count leads to its cases. */
function Counted({ count, group, inText = false, row }: CountedProps) {
  if (count === 0) return countText(count)
  return (
    <LinkAnchor
      to="/disputes"
      search={{ ...casesOf(row), group }}
      size="sm"
      {...(inText ? UNDERLINED : {})}
    >
      {countText(count)}
    </LinkAnchor>
  )
}

interface StandingProps {
  readonly row: DisputeMonth
  readonly standing: DisputeStanding
}

function Standing({ row, standing }: StandingProps) {
  const { counts, events, mostBasisPoints, mostEvents, programme, ratioBasisPoints, warning } =
    standing
  const ratio =
    ratioBasisPoints === null
      ? 'without sales to compare with'
      : `${percentText(ratioBasisPoints)} of ${percentText(mostBasisPoints)}`
  return (
    <Text size="sm">
      {programme}:{' '}
      <Counted
        row={row}
        group={counts === 'disputes' ? 'charged' : 'counted'}
        count={events}
        inText
      />{' '}
      of {countText(mostEvents)}, {ratio}{' '}
      {warning !== null && (
        <StatusBadge
          state={warning >= 90 ? 'failed' : 'past_due'}
          label={warning >= 100 ? 'reached' : `${warning} % reached`}
        />
      )}
    </Text>
  )
}

function percentText(basisPoints: number): string {
  // A no-break space keeps the sign beside its number.
  return `${(basisPoints / 100).toFixed(2)}\u00a0%`
}
