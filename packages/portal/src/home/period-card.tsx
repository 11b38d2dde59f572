import { Group, Skeleton, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import type {
  CurrencyAmount,
  HomePeriod,
  PaymentSums,
  PeriodSums,
} from '@tollgate/portal-contract/answers/home'
import type { ReactNode } from 'react'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { Panel } from '../parts/panel.tsx'
import { timeText } from '../parts/when.tsx'
import { CountedLink, type Counted } from './counted-link.tsx'
import classes from './home.module.css'
import { rateOf, rateText } from './rates.ts'

const TITLES = { today: 'Today', yesterday: 'Yesterday', month: 'This month' } as const

/** The period of comparison, in words that are exactly true. */
function beforeText({ key, before }: Pick<PeriodSums, 'key' | 'before'>): string {
  if (key === 'today') return `yesterday up to ${timeText(before.to).slice(11, 16)}`
  if (key === 'yesterday') return 'the day before'
  return 'the same part of last month'
}

/** Today, yesterday or this month, beside the same part of the period before. */
export function PeriodCard({ period }: { readonly period: PeriodSums | undefined }) {
  if (period === undefined) {
    return (
      <Panel title="…">
        <Stack gap={8}>
          {Array.from({ length: 6 }, (_, at) => (
            <Skeleton key={at} height={14} />
          ))}
        </Stack>
      </Panel>
    )
  }
  const { key, sums, sumsBefore } = period
  return (
    <Panel title={TITLES[key]}>
      <div>
        <Group align="baseline" gap={8}>
          <Text fz={30} fw={600} lh={1.1}>
            {countText(sums.approved)}
          </Text>
          <Text c="dimmed" size="sm">
            approved
          </Text>
        </Group>
        <Text c="dimmed" size="xs">
          compared with {beforeText(period)}
        </Text>
      </div>
      <Table
        verticalSpacing={3}
        horizontalSpacing={0}
        className={classes.figures}
        aria-label={`${TITLES[key]}, compared with ${beforeText(period)}`}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <VisuallyHidden>Figure</VisuallyHidden>
            </Table.Th>
            <Table.Th ta="right" fw={500} c="dimmed">
              {key === 'yesterday' ? 'Full day' : 'Now'}
            </Table.Th>
            <Table.Th ta="right" fw={500} c="dimmed" pl="sm">
              Previous
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Counts title="Approved" counted="approved" period={period} />
          <Amounts counted="approved" period={period} />
          <Counts title="Declined" counted="declined" period={period} />
          <Counts title="Refunded" counted="refunded" period={period} />
          <Amounts counted="refunded" period={period} />
          <Line
            title="Approval rate"
            now={rateText(rateOf(sums))}
            before={rateText(rateOf(sumsBefore))}
          />
          {(sums.failed > 0 || sumsBefore.failed > 0) && (
            <Counts title="No answer" counted="failed" period={period} />
          )}
        </Table.Tbody>
      </Table>
    </Panel>
  )
}

interface LineProps {
  readonly title: string
  readonly now: ReactNode
  readonly before: ReactNode
}

function Line({ title, now, before }: LineProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {title}
      </Table.Th>
      <Table.Td ta="right">{now}</Table.Td>
      <Table.Td ta="right" c="dimmed">
        {before}
      </Table.Td>
    </Table.Tr>
  )
}

interface CountsProps {
  readonly title: string
  readonly counted: Counted
  readonly period: PeriodSums
}

function Counts({ counted, period, title }: CountsProps) {
  const count = (sums: PaymentSums, of: HomePeriod): ReactNode =>
    sums[counted] === 0 ? (
      '0'
    ) : (
      <CountedLink counted={counted} period={of}>
        {countText(sums[counted])}
      </CountedLink>
    )
  return (
    <Line
      title={title}
      now={count(period.sums, period)}
      before={count(period.sumsBefore, period.before)}
    />
  )
}

/** A line for each currency that one of the two periods has; currencies are never added. */
function Amounts({
  counted,
  period,
}: {
  readonly counted: 'approved' | 'refunded'
  readonly period: PeriodSums
}) {
  const now = period.sums[`${counted}Amounts`]
  const before = period.sumsBefore[`${counted}Amounts`]
  const currencies = [...new Set([...now, ...before].map(({ currency }) => currency))].toSorted()
  const minorOf = (amounts: readonly CurrencyAmount[], wanted: string): string =>
    amounts.find(({ currency }) => currency === wanted)?.minor ?? '0'
  return currencies.map((currency) => (
    <Table.Tr key={currency} className={classes.currency}>
      <Table.Th scope="row" fw={400} c="dimmed" pl="sm">
        <VisuallyHidden>{counted} in </VisuallyHidden>
        {currency}
      </Table.Th>
      <Table.Td ta="right">
        <CountedLink counted={counted} period={period} currency={currency}>
          <Amount bare minor={minorOf(now, currency)} currency={currency} />
        </CountedLink>
      </Table.Td>
      <Table.Td ta="right">
        <CountedLink counted={counted} period={period.before} currency={currency}>
          <Amount bare minor={minorOf(before, currency)} currency={currency} dimmed />
        </CountedLink>
      </Table.Td>
    </Table.Tr>
  ))
}
