import { Breadcrumbs, Button, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLock } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { BatchTransaction, BatchView } from '@tollgate/portal-contract/answers/batches'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount, amountText } from '../parts/amount.tsx'
import { cardText } from '../parts/card-text.ts'
import { Confirm } from '../parts/confirm.tsx'
import { countOf } from '../parts/count-text.ts'
import { Cut } from '../parts/cut.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Found } from '../parts/found.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import print from '../parts/print.module.css'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call, fileAddress } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { AgreementPanel, readAgainAfter } from './batch-agreement.tsx'
import { BatchContents } from './batch-contents.tsx'
import { BatchSettlementPanel } from './batch-settlement.tsx'
import { ACTIONS, refundsOf, netOf, salesOf, transactionsOf } from './batch-sums.ts'
import { SettlementNote } from './batches-page.tsx'

/** One batch: its sums, and everything in it. */
export function BatchPage() {
  const { batchId } = useParams({ from: '/batches/$batchId' })
  const batch = useQuery({
    queryKey: ['batches', 'one', batchId],
    queryFn: ({ signal }) => call(routes.batches.read, { path: { id: batchId }, signal }),
    refetchInterval: ({ state }) => readAgainAfter(state.data?.state),
  })
  const contents = useContents(batchId)
  return (
    <Found
      query={batch}
      title={`Batch ${batchId}`}
      missing={{
        title: `Batch ${batchId} not found`,
        text: 'Check the number. Batches of other merchants are not shown.',
        action: <LinkAnchor to="/batches">All batches</LinkAnchor>,
      }}
    >
      {(found) => <Shown batch={found} contents={contents} onLook={() => void batch.refetch()} />}
    </Found>
  )
}

interface ShownProps {
  readonly batch: BatchView
  readonly contents: ReturnType<typeof useContents>
  /** Loads the values that the question before the batch close shows. */
  readonly onLook: () => void
}

function Shown({ batch, contents, onLook }: ShownProps) {
  const { id: batchId, sums } = batch
  const mayClose = useMay('batches.close')
  const [isClosing, closing] = useDisclosure()
  const isOpen = batch.closedAt === null
  const close = async (): Promise<void> => {
    try {
      const done = await call(routes.batches.close, { path: { id: batchId } })
      showDone(
        `Batch ${batchId} closed with ${countOf(transactionsOf(done.batch.sums), 'transaction')}.`,
      )
    } finally {
      await everythingChanged()
    }
  }
  return (
    <Page
      title={`Batch ${batchId}`}
      text={
        <Breadcrumbs component="span" separatorMargin={4} className={print.unprinted}>
          <LinkAnchor to="/batches" size="sm">
            All batches
          </LinkAnchor>
          <LinkAnchor to="/transactions" search={{ batch: batchId }} size="sm">
            Find in transactions
          </LinkAnchor>
        </Breadcrumbs>
      }
      actions={
        <>
          <PageFiles csv={fileAddress(routes.batches.csv, { path: { id: batchId } })} />
          {mayClose && isOpen && (
            <Button
              leftSection={<IconLock size={16} aria-hidden />}
              disabled={sums.length === 0}
              onClick={() => {
                onLook()
                closing.open()
              }}
            >
              Close batch
            </Button>
          )}
        </>
      }
    >
      {isOpen ? <SettlementNote /> : <AgreementPanel batch={batch} />}
      <BatchContents batch={batch} />
      {!isOpen && <BatchSettlementPanel batchId={batchId} />}
      <Contents list={contents} />
      <Confirm
        opened={isClosing}
        title={`Close batch ${batchId}?`}
        action={`Close batch ${batchId}`}
        onConfirm={close}
        onClose={closing.close}
      >
        <Text size="sm">
          It holds {countOf(transactionsOf(sums), 'transaction')}: sales of{' '}
          {amountsText(salesOf(sums))}, refunds of {amountsText(refundsOf(sums))}, net{' '}
          {amountsText(netOf(sums))}. Transactions that arrive before the batch closes are included.
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>Its captures can no longer be voided, only refunded.</List.Item>
          <List.Item>You cannot reopen it. The account's next batch opens immediately.</List.Item>
          <List.Item>The bank confirms its totals.</List.Item>
        </List>
      </Confirm>
    </Page>
  )
}

function amountsText(
  amounts: readonly { readonly currency: string; readonly minor: bigint }[],
): string {
  return amounts.length === 0
    ? 'none'
    : amounts.map(({ currency, minor }) => amountText(minor, currency)).join(', ')
}

const COLUMNS: readonly Column<BatchTransaction>[] = [
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
      orderReference === '' ? (
        <Text span inherit c="dimmed">
          –
        </Text>
      ) : (
        <Cut text={orderReference} max={150} />
      ),
  },
  { key: 'action', title: 'Action', cell: ({ action }) => ACTIONS[action] },
  {
    key: 'card',
    title: 'Card',
    cell: (row) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {cardText(row)}
      </Text>
    ),
  },
  { key: 'at', title: 'When', cell: ({ at }) => <When at={at} /> },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    cell: ({ action, amountMinor, currency }) => (
      <Amount minor={action === 'refund' ? `-${amountMinor}` : amountMinor} currency={currency} />
    ),
  },
  {
    key: 'voided',
    title: 'Voided',
    align: 'right',
    cell: ({ voidedMinor, currency }) => <Amount minor={voidedMinor} currency={currency} dimmed />,
  },
]

function useContents(batchId: string) {
  return useInfiniteQuery({
    queryKey: ['batches', 'contents', batchId],
    queryFn: ({ pageParam, signal }) =>
      call(routes.batches.transactions, {
        path: { id: batchId },
        query: { after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
}

function Contents({ list }: { readonly list: ReturnType<typeof useContents> }) {
  if (list.error !== null) return <Fault error={list.error} onRetry={() => void list.refetch()} />
  return (
    <Stack gap="sm">
      <DataTable
        label="Transactions of the batch"
        columns={COLUMNS}
        rows={list.data?.pages.flatMap(({ transactions }) => transactions)}
        keyOf={({ id }) => id}
        empty={
          <EmptyState
            title="This batch is empty"
            text="Approved sales, captures and refunds of the account are added to its open batch."
          />
        }
      />
      <Pager
        label="transactions"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
    </Stack>
  )
}
