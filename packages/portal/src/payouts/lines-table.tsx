import { Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { PayoutLine } from '@tollgate/portal-contract/answers/payouts'
import { brandName } from '@tollgate/portal-contract/card-brands'
import { Amount } from '../parts/amount.tsx'
import { Cut } from '../parts/cut.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Pager } from '../parts/pager.tsx'
import { useMay } from '../session/session.ts'
import { Day } from './day.tsx'
import { FEES, spoken } from './payout-words.ts'

interface LinesTableProps<Line extends PayoutLine> {
  readonly label: string
  readonly currency: string
  /** Names the lines in the memory of the browser. */
  readonly queryKey: readonly unknown[]
  readonly read: (
    after: string | null,
    signal: AbortSignal,
  ) => Promise<{ readonly lines: readonly Line[]; readonly next: string | null }>
  /** Columns behind the order, where phones show them. */
  readonly more?: readonly Column<Line>[]
}

/** Lines of settlement files, page by page. */
export function LinesTable<Line extends PayoutLine>({
  currency,
  label,
  more = [],
  queryKey,
  read,
}: LinesTableProps<Line>) {
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
        columns={columnsOf(currency, rows ?? [], more)}
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

/** A kind of fee that no shown line has, needs no column. Nor do differences. */
function columnsOf<Line extends PayoutLine>(
  currency: string,
  rows: readonly Line[],
  more: readonly Column<Line>[],
): readonly Column<Line>[] {
  const amount = (
    key: string,
    title: string,
    minorOf: (line: PayoutLine) => string,
  ): Column<Line> => ({
    key,
    title,
    align: 'right',
    wraps: true,
    cell: (line) => <Amount bare minor={minorOf(line)} currency={currency} />,
  })
  return [
    ...LINE_COLUMNS,
    ...more,
    ...ORDER_COLUMNS,
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
    ...(rows.some(({ differenceId }) => differenceId !== null) ? [DIFFERENCE_COLUMN] : []),
  ]
}

const DIFFERENCE_COLUMN: Column<PayoutLine> = {
  key: 'difference',
  title: 'Difference',
  cell: ({ differenceId }) => differenceId !== null && <DifferenceLink id={differenceId} />,
}

function DifferenceLink({ id }: { readonly id: string }) {
  const maySee = useMay('recon.see')
  if (!maySee) return id
  return (
    <LinkAnchor to="/settlement-differences/$differenceId" params={{ differenceId: id }} size="sm">
      {id}
    </LinkAnchor>
  )
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
]

const ORDER_COLUMNS: readonly Column<PayoutLine>[] = [
  {
    key: 'reference',
    title: 'Your order id',
    cell: ({ orderReference }) =>
      orderReference === '' ? '–' : <Cut text={orderReference} max={150} />,
  },
  {
    key: 'brand',
    title: 'Brand',
    cell: ({ brand }) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {brand === null ? '–' : spoken(brandName(brand))}
      </Text>
    ),
  },
]
