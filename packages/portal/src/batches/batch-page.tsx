import { Breadcrumbs, Button, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDownload, IconLock } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type {
  BatchSum,
  BatchTransaction,
  BatchView,
} from '@tollgate/portal-contract/answers/batches'
import * as routes from '@tollgate/portal-contract/routes'
import { actorText } from '../parts/actor-text.ts'
import { Amount, amountText } from '../parts/amount.tsx'
import { cardText } from '../parts/card-text.ts'
import { Confirm } from '../parts/confirm.tsx'
import { countOf, countText } from '../parts/count-text.ts'
import { Cut } from '../parts/cut.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { Fault } from '../parts/fault.tsx'
import { Found } from '../parts/found.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call, fileAddress } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { AgreementPanel, readAgainAfter } from './batch-agreement.tsx'
import { refundsOf, netOf, salesOf, transactionsOf } from './batch-sums.ts'
import { SettlementNote } from './batches-page.tsx'

const ACTIONS = { sale: 'Sale', capture: 'Capture', refund: 'Refund' } as const

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
        <Breadcrumbs component="span" separatorMargin={4}>
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
          <Button
            component="a"
            href={fileAddress(routes.batches.csv, { path: { id: batchId } })}
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            CSV
          </Button>
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
      <BatchHead batch={batch} />
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

/** Contents of one currency. */
interface CurrencySums {
  readonly currency: string
  readonly count: number
  readonly sales: bigint
  readonly refunds: bigint
  readonly net: bigint
}

function sumsByCurrency(sums: readonly BatchSum[]): readonly CurrencySums[] {
  return netOf(sums).map(({ currency, minor: net }) => {
    const own = sums.filter((sum) => sum.currency === currency)
    return {
      currency,
      count: transactionsOf(own),
      sales: salesOf(own)[0]?.minor ?? 0n,
      refunds: refundsOf(own)[0]?.minor ?? 0n,
      net,
    }
  })
}

const CURRENCY_COLUMNS: readonly Column<CurrencySums>[] = [
  { key: 'currency', title: 'Currency', cell: ({ currency }) => currency },
  { key: 'count', title: 'Transactions', align: 'right', cell: ({ count }) => countText(count) },
  {
    key: 'sales',
    title: 'Sales',
    align: 'right',
    cell: ({ sales, currency }) => <Amount bare minor={sales} currency={currency} />,
  },
  {
    key: 'refunds',
    title: 'Refunds',
    align: 'right',
    cell: ({ refunds, currency }) => <Amount bare minor={refunds} currency={currency} />,
  },
  {
    key: 'net',
    title: 'Net',
    align: 'right',
    cell: ({ net, currency }) => (
      <strong>
        <Amount bare minor={net} currency={currency} />
      </strong>
    ),
  },
]

const SUM_COLUMNS: readonly Column<BatchSum>[] = [
  { key: 'currency', title: 'Currency', cell: ({ currency }) => currency },
  { key: 'brand', title: 'Brand', cell: ({ brand }) => brand },
  { key: 'action', title: 'Action', cell: ({ action }) => ACTIONS[action] },
  {
    key: 'count',
    title: 'Transactions',
    align: 'right',
    cell: ({ transactions }) => countText(transactions),
  },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    cell: ({ action, amountMinor, currency }) => (
      <Amount
        bare
        minor={action === 'refund' ? `-${amountMinor}` : amountMinor}
        currency={currency}
      />
    ),
  },
  {
    key: 'voided',
    title: 'Voided',
    align: 'right',
    cell: ({ voidedMinor, currency }) => (
      <Amount bare minor={voidedMinor} currency={currency} dimmed />
    ),
  },
]

function BatchHead({ batch }: { readonly batch: BatchView }) {
  const { sums } = batch
  const [opened, { toggle }] = useDisclosure()
  return (
    <Panel
      title="Contents"
      actions={
        sums.length > 0 && (
          <Button size="xs" variant="default" aria-expanded={opened} onClick={toggle}>
            {opened ? 'Show by currency' : 'Show by brand and action'}
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ['State', <StatusBadge key="state" state={batch.state} />],
          [
            'Merchant account',
            `${batch.accountId}, ${batch.processorName}${batch.mode === 'test' ? ' (test)' : ''}`,
          ],
          ['Opened', <When key="opened" at={batch.openedAt} />],
          ['Closed', batch.closedAt === null ? null : <When key="closed" at={batch.closedAt} />],
          ['Closed by', actorText(batch.closedBy)],
        ]}
      />
      {sums.length === 0 ? (
        <Text size="sm" c="dimmed">
          This batch is empty.
        </Text>
      ) : opened ? (
        <DataTable
          label="By brand and action"
          columns={SUM_COLUMNS}
          rows={sums}
          keyOf={({ currency, action, brand }) => `${currency} ${action} ${brand}`}
          empty={null}
        />
      ) : (
        <DataTable
          label="By currency"
          columns={CURRENCY_COLUMNS}
          rows={sumsByCurrency(sums)}
          keyOf={({ currency }) => currency}
          empty={null}
        />
      )}
    </Panel>
  )
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
