import { Group, Skeleton, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import type {
  CurrencyAmount,
  PaymentSums,
  PeriodSums,
} from '@tollgate/portal-contract/answers/home'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { Panel } from '../parts/panel.tsx'
import { timeText } from '../parts/when.tsx'
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
          <Line
            title="Approved"
            of={(each) => countText(each.approved)}
            sums={sums}
            before={sumsBefore}
          />
          <Amounts
            title="approved"
            now={sums.approvedAmounts}
            before={sumsBefore.approvedAmounts}
          />
          <Line
            title="Declined"
            of={(each) => countText(each.declined)}
            sums={sums}
            before={sumsBefore}
          />
          <Line
            title="Refunded"
            of={(each) => countText(each.refunded)}
            sums={sums}
            before={sumsBefore}
          />
          <Amounts
            title="refunded"
            now={sums.refundedAmounts}
            before={sumsBefore.refundedAmounts}
          />
          <Line
            title="Approval rate"
            of={(each) => rateText(rateOf(each))}
            sums={sums}
            before={sumsBefore}
          />
          {(sums.failed > 0 || sumsBefore.failed > 0) && (
            <Line
              title="No answer"
              of={(each) => countText(each.failed)}
              sums={sums}
              before={sumsBefore}
            />
          )}
        </Table.Tbody>
      </Table>
    </Panel>
  )
}

interface LineProps {
  readonly title: string
  readonly of: (sums: PaymentSums) => string
  readonly sums: PaymentSums
  readonly before: PaymentSums
}

function Line({ title, of, sums, before }: LineProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {title}
      </Table.Th>
      <Table.Td ta="right">{of(sums)}</Table.Td>
      <Table.Td ta="right" c="dimmed">
        {of(before)}
      </Table.Td>
    </Table.Tr>
  )
}

/** A line for each currency that one of the two periods has; currencies are never added. */
function Amounts({
  title,
  now,
  before,
}: {
  readonly title: string
  readonly now: readonly CurrencyAmount[]
  readonly before: readonly CurrencyAmount[]
}) {
  const currencies = [...new Set([...now, ...before].map(({ currency }) => currency))].toSorted()
  const minorOf = (amounts: readonly CurrencyAmount[], wanted: string): string =>
    amounts.find(({ currency }) => currency === wanted)?.minor ?? '0'
  return currencies.map((currency) => (
    <Table.Tr key={currency} className={classes.currency}>
      <Table.Th scope="row" fw={400} c="dimmed" pl="sm">
        <VisuallyHidden>{title} in </VisuallyHidden>
        {currency}
      </Table.Th>
      <Table.Td ta="right">
        <Amount bare minor={minorOf(now, currency)} currency={currency} />
      </Table.Td>
      <Table.Td ta="right">
        <Amount bare minor={minorOf(before, currency)} currency={currency} dimmed />
      </Table.Td>
    </Table.Tr>
  ))
}
