import { Breadcrumbs, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { ChargedFee, Statement } from '@tollgate/portal-contract/answers/payouts'
import { brandName } from '@tollgate/portal-contract/card-brands'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { Cut } from '../parts/cut.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { Panel } from '../parts/panel.tsx'
import print from '../parts/print.module.css'
import { call, fileAddress } from '../shell/api.ts'
import { Day } from './day.tsx'
import { OPERATOR_FEES, sourceText, spoken, type FeesSearch } from './payout-words.ts'
import { StatementFound } from './statement-found.tsx'

/** The operator's fees behind one sum of a statement. */
export function FeesPage() {
  const { fee, month, source } = useSearch({ from: '/statements/fees' })
  const query = { source: source ?? '', month: month ?? '' }
  return (
    <StatementFound query={query} title="Operator's fees">
      {(found) => <Shown statement={found} query={{ ...query, fee: fee ?? 'sales' }} />}
    </StatementFound>
  )
}

interface ShownProps {
  readonly statement: Statement
  readonly query: Required<FeesSearch>
}

function Shown({ query, statement }: ShownProps) {
  const { operatorFees, source } = statement
  const { minorOf, title } = OPERATOR_FEES[query.fee]
  return (
    <Page
      title={`Operator's fees: ${title.toLowerCase()}, ${query.month}`}
      text={
        <Breadcrumbs component="span" separatorMargin={4} className={print.unprinted}>
          <LinkAnchor
            to="/statements"
            search={{ source: query.source, month: query.month }}
            size="sm"
          >
            Statement of {query.month}
          </LinkAnchor>
        </Breadcrumbs>
      }
      actions={<PageFiles csv={fileAddress(routes.payouts.statementFeesCsv, { query })} />}
    >
      <Panel title={sourceText(source)}>
        <Facts
          facts={[
            [
              'In the statement',
              <strong key="sum">
                <Amount minor={minorOf(operatorFees)} currency={source.currency} />
              </strong>,
            ],
          ]}
        />
      </Panel>
      <Fees query={query} currency={source.currency} />
    </Page>
  )
}

interface FeesProps {
  readonly query: Required<FeesSearch>
  readonly currency: string
}

function Fees({ currency, query }: FeesProps) {
  const list = useInfiniteQuery({
    queryKey: ['payouts', 'fees', query],
    queryFn: ({ pageParam, signal }) =>
      call(routes.payouts.statementFees, { query: { ...query, after: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  if (list.error !== null) return <Fault error={list.error} onRetry={() => void list.refetch()} />
  return (
    <>
      <DataTable
        label="Operator's fees"
        columns={query.fee === 'monthly' ? monthColumns(currency) : feeColumns(currency)}
        rows={list.data?.pages.flatMap(({ fees }) => fees)}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No fees" text="The operator charged no fee of this kind." />}
      />
      <Pager
        label="fees"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
    </>
  )
}

function feeColumns(currency: string): readonly Column<ChargedFee>[] {
  return [
    { key: 'day', title: 'Day', cell: ({ day }) => <Day day={day} /> },
    { key: 'kind', title: 'Kind', cell: ({ kind }) => spoken(kind ?? 'monthly fee') },
    {
      key: 'order',
      title: 'Order',
      cell: ({ orderId }) =>
        orderId !== null && (
          <LinkAnchor to="/orders/$orderId" params={{ orderId }} size="sm">
            {orderId}
          </LinkAnchor>
        ),
    },
    {
      key: 'reference',
      title: 'Your order id',
      cell: ({ orderReference }) =>
        orderReference === '' ? '–' : <Cut text={orderReference} max={150} />,
    },
    { key: 'brand', title: 'Brand', cell: ({ brand }) => brandName(brand ?? '') },
    {
      key: 'batch',
      title: 'Batch',
      cell: ({ batchId }) =>
        batchId !== null && (
          <LinkAnchor to="/batches/$batchId" params={{ batchId }} size="sm">
            {batchId}
          </LinkAnchor>
        ),
    },
    {
      key: 'amount',
      title: 'Amount',
      align: 'right',
      cell: ({ amountMinor }) =>
        amountMinor !== null && <Amount bare minor={amountMinor} currency={currency} />,
    },
    feeColumn(currency),
  ]
}

function monthColumns(currency: string): readonly Column<ChargedFee>[] {
  return [
    { key: 'month', title: 'Month', cell: ({ day }) => <Text size="sm">{day.slice(0, 7)}</Text> },
    feeColumn(currency),
  ]
}

function feeColumn(currency: string): Column<ChargedFee> {
  return {
    key: 'fee',
    title: `Fee ${currency}`,
    align: 'right',
    cell: ({ feeMinor }) => (
      <strong>
        <Amount bare minor={feeMinor} currency={currency} />
      </strong>
    ),
  }
}
