import { Breadcrumbs } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import type { SettledTransaction } from '@tollgate/portal-contract/answers/batches'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { Cut } from '../parts/cut.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import print from '../parts/print.module.css'
import { call } from '../shell/api.ts'
import { ACTIONS } from './batch-sums.ts'

const STATES = {
  settled: 'Settled',
  rejected: 'Rejected',
  waiting: 'In no settlement file yet',
} as const

/** The transactions of a batch in one payout, or in none yet. */
export function BatchSettlementPage() {
  const { batchId } = useParams({ from: '/batches/$batchId/settlement' })
  const search = useSearch({ from: '/batches/$batchId/settlement' })
  const { currency = '', payout, state = 'settled' } = search
  const list = useInfiniteQuery({
    queryKey: ['batches', 'settled', batchId, search],
    queryFn: ({ pageParam, signal }) =>
      call(routes.batches.settled, {
        path: { id: batchId },
        query: { currency, payout, state, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  return (
    <Page
      title={`${STATES[state]}: batch ${batchId}, ${currency}`}
      text={
        <Breadcrumbs component="span" separatorMargin={4} className={print.unprinted}>
          <LinkAnchor to="/batches/$batchId" params={{ batchId }} size="sm">
            Batch {batchId}
          </LinkAnchor>
          {payout !== undefined && (
            <LinkAnchor to="/payouts/$payoutId" params={{ payoutId: payout }} size="sm">
              Payout {payout}
            </LinkAnchor>
          )}
        </Breadcrumbs>
      }
      actions={<PageFiles />}
    >
      {list.error !== null ? (
        <Fault error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label="Settlement of transactions"
          columns={columnsOf(currency)}
          rows={list.data?.pages.flatMap(({ transactions }) => transactions)}
          keyOf={({ id }) => id}
          empty={
            <EmptyState
              title="No transactions"
              text="This batch has no transaction in this state."
            />
          }
        />
      )}
      <Pager
        label="transactions"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
    </Page>
  )
}

function columnsOf(currency: string): readonly Column<SettledTransaction>[] {
  return [
    { key: 'id', title: 'Transaction', cell: ({ id }) => id },
    {
      key: 'order',
      title: 'Order',
      cell: ({ orderId }) => (
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
    { key: 'action', title: 'Action', cell: ({ action }) => ACTIONS[action] },
    {
      key: 'line',
      title: 'Settlement line',
      cell: ({ fileSeq, line }) => (fileSeq === null ? '–' : `${fileSeq}/${line ?? ''}`),
    },
    {
      key: 'gross',
      title: 'Gross',
      align: 'right',
      cell: ({ grossMinor }) => <Amount bare minor={grossMinor} currency={currency} />,
    },
    {
      key: 'net',
      title: `Net ${currency}`,
      align: 'right',
      cell: ({ netMinor }) =>
        netMinor === null ? '–' : <Amount bare minor={netMinor} currency={currency} />,
    },
  ]
}
