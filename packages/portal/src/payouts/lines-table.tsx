import { Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { PayoutLine, PayoutLines } from '@tollgate/portal-contract/answers/payouts'
import { Amount } from '../parts/amount.tsx'
import { Cut } from '../parts/cut.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Pager } from '../parts/pager.tsx'
import { Day } from './day.tsx'
import { FEES, spoken } from './payout-words.ts'

interface LinesTableProps {
  readonly label: string
  readonly currency: string
  /** Names the lines in the memory of the browser. */
  readonly queryKey: readonly unknown[]
  readonly read: (after: string | null, signal: AbortSignal) => Promise<PayoutLines>
}

/** Lines of settlement files, page by page. */
export function LinesTable({ currency, label, queryKey, read }: LinesTableProps) {
  const list = useInfiniteQuery({
    queryKey: ['payouts', 'lines', ...queryKey],
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  if (list.error !== null) return <Fault error={list.error} onRetry={() => void list.refetch()} />
  const rows = list.data?.pages.flatMap(({ lines }) => lines)
  return (
    <Stack gap="sm">
      <DataTable
        label={label}
        columns={columnsOf(currency, rows ?? [])}
        rows={rows}
        keyOf={({ key }) => key}
        empty={<EmptyState title="No lines" text="This part has no lines." />}
      />
      <Pager
        label="lines"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
    </Stack>
  )
}

/** A kind of fee that no shown line has, needs no column. */
function columnsOf(currency: string, rows: readonly PayoutLine[]): readonly Column<PayoutLine>[] {
  const amount = (
    key: string,
    title: string,
    minorOf: (line: PayoutLine) => string,
  ): Column<PayoutLine> => ({
    key,
    title,
    align: 'right',
    wraps: true,
    cell: (line) => <Amount bare minor={minorOf(line)} currency={currency} />,
  })
  return [
    ...LINE_COLUMNS,
    amount('gross', 'Gross', ({ grossMinor }) => grossMinor),
    ...FEES.filter(([name]) => rows.some(({ fees }) => fees[name] !== '0')).map(([name, title]) =>
      amount(name, `${title} fee`, ({ fees }) => fees[name]),
    ),
    amount('net', `Net ${currency}`, ({ netMinor }) => netMinor),
    {
      key: 'date',
      title: 'Value date',
      cell: ({ valueDate }) => <Day day={valueDate} />,
    },
    {
      key: 'note',
      title: 'Note',
      cell: ({ note }) => (note === '' ? '' : <Cut text={note} max={220} />),
    },
  ]
}

const LINE_COLUMNS: readonly Column<PayoutLine>[] = [
  {
    key: 'line',
    title: 'Line',
    cell: ({ fileSeq, line }) => (
      <Text span inherit c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {fileSeq}/{line}
      </Text>
    ),
  },
  {
    key: 'kind',
    title: 'Kind',
    cell: ({ kind, transactionKind }) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {spoken(kind === 'sale' && transactionKind !== null ? transactionKind : kind)}
      </Text>
    ),
  },
  {
    key: 'order',
    title: 'Order',
    cell: ({ orderId }) =>
      orderId === null ? (
        '–'
      ) : (
        <LinkAnchor to="/orders/$orderId" params={{ orderId }} size="sm">
          {orderId}
        </LinkAnchor>
      ),
  },
  { key: 'brand', title: 'Brand', cell: ({ brand }) => (brand === null ? '–' : spoken(brand)) },
]
