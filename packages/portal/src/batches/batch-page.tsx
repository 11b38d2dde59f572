import { Anchor, Breadcrumbs, Button, Center, Group, List, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDownload, IconLock } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { BatchTransaction, BatchTransactions, BatchView } from '@tollgate/gateway/portal-api-batches'
import { Amount, amountText } from '../parts/amount.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { tellDone } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { api } from '../shell/api.ts'
import { creditsOf, netOf, salesOf, transactionsOf } from './batch-sums.ts'
import { SettlementNote } from './batches-page.tsx'

const ACTIONS = { sale: 'Sale', capture: 'Capture', credit: 'Refund' } as const

/** One batch: its sums, and everything in it. */
export function BatchPage() {
  const { batchId = '' } = useParams({ strict: false }) as { batchId?: string }
  const mayClose = useMay('batches.close')
  const [isClosing, closing] = useDisclosure()
  const queries = useQueryClient()
  const batch = useQuery({
    queryKey: ['batches', 'one', batchId],
    queryFn: ({ signal }) => api.get<BatchView>(`/batches/${batchId}`, signal),
  })
  if (batch.error !== null) {
    return (
      <Page title={`Batch ${batchId}`}>
        <Fault error={batch.error} onRetry={() => void batch.refetch()} />
      </Page>
    )
  }
  const { data } = batch
  const isOpen = data?.closedAt === null
  const close = async (): Promise<void> => {
    try {
      const done = await api.post<{ batch: BatchView }>(`/batches/${batchId}/close`)
      tellDone(`Batch ${batchId} was closed with ${transactionsOf(done.batch.sums)} transactions.`)
    } finally {
      await queries.invalidateQueries({ queryKey: ['batches'] })
    }
  }
  return (
    <Page
      title={`Batch ${batchId}`}
      text={
        <Breadcrumbs component="span" separatorMargin={4}>
          <Anchor component={Link} to="/batches" size="sm">All batches</Anchor>
          <Anchor component={Link} to="/transactions" search={{ batch: batchId } as never} size="sm">Search and filter its transactions</Anchor>
        </Breadcrumbs>
      }
      actions={
        <>
          <Button component="a" href={`/portal/api/batches/${batchId}/transactions.csv`} variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
            CSV
          </Button>
          {mayClose && isOpen && (
            <Button leftSection={<IconLock size={16} aria-hidden />} disabled={data.sums.length === 0} onClick={() => {
              // What the question names is what is there now.
              void batch.refetch()
              closing.open()
            }}>
              Close now
            </Button>
          )}
        </>
      }
    >
      {isOpen && <SettlementNote />}
      {data === undefined ? <Skeleton height={180} /> : <BatchHead batch={data} />}
      <Contents batchId={batchId} />
      {data !== undefined && (
        <Confirm opened={isClosing} title={`Close batch ${batchId}?`} action={`Close batch ${batchId}`} onConfirm={close} onClose={closing.close}>
          <Text size="sm">
            It holds {transactionsOf(data.sums)} transactions: sales of {amountsText(salesOf(data.sums))}, refunds of{' '}
            {amountsText(creditsOf(data.sums))}, net {amountsText(netOf(data.sums))}. What comes in until it is closed is closed with it.
          </Text>
          <List size="sm" spacing={4}>
            <List.Item>Its captures can no longer be voided, only refunded.</List.Item>
            <List.Item>It can not be opened again. The account's next batch is opened at once.</List.Item>
            <List.Item>Nothing is sent to the bank by closing it.</List.Item>
          </List>
        </Confirm>
      )}
    </Page>
  )
}

function amountsText(amounts: readonly { readonly currency: string; readonly minor: bigint }[]): string {
  return amounts.length === 0 ? 'nothing' : amounts.map(({ currency, minor }) => amountText(minor, currency)).join(' and ')
}

function BatchHead({ batch }: { readonly batch: BatchView }) {
  const { sums } = batch
  return (
    <Group align="stretch" gap="md">
      <Paper withBorder p="md" miw={260}>
        <Facts
          facts={[
            ['State', <StatusBadge key="state" state={batch.closedAt === null ? 'open' : 'closed'} />],
            ['Merchant account', `${batch.accountId}, ${batch.processorName}${batch.mode === 'test' ? ' (test)' : ''}`],
            ['Opened', <When key="opened" at={batch.openedAt} />],
            ['Closed', batch.closedAt === null ? null : <When key="closed" at={batch.closedAt} />],
            ['Closed by', batch.closedBy.replace(/^person:/, '')],
            ['Sales', amountsText(salesOf(sums))],
            ['Refunds', amountsText(creditsOf(sums))],
            ['Net', <strong key="net">{amountsText(netOf(sums))}</strong>],
          ]}
        />
      </Paper>
      <Paper withBorder p="md" flex={1} miw={{ base: '100%', sm: 420 }}>
        <Title order={2} size="h5" mb="xs">By brand and action</Title>
        {sums.length === 0 ? (
          <Text size="sm" c="dimmed">Nothing is in it yet.</Text>
        ) : (
          <Table.ScrollContainer minWidth={440} type="native" tabIndex={0} role="group" aria-label="By brand and action">
            <Table aria-label="By brand and action" horizontalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Brand</Table.Th>
                  <Table.Th>Action</Table.Th>
                  <Table.Th ta="right">Count</Table.Th>
                  <Table.Th ta="right">Amount</Table.Th>
                  <Table.Th ta="right">Taken back</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {sums.map((sum) => (
                  <Table.Tr key={`${sum.currency} ${sum.action} ${sum.brand}`}>
                    <Table.Td>{sum.brand}</Table.Td>
                    <Table.Td>{ACTIONS[sum.action]}</Table.Td>
                    <Table.Td ta="right">{sum.transactions}</Table.Td>
                    <Table.Td ta="right"><Amount minor={sum.action === 'credit' ? `-${sum.amountMinor}` : sum.amountMinor} currency={sum.currency} /></Table.Td>
                    <Table.Td ta="right"><Amount minor={sum.undoneMinor} currency={sum.currency} dimmed /></Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Paper>
    </Group>
  )
}

const COLUMNS: readonly Column<BatchTransaction>[] = [
  { key: 'id', title: 'Transaction', cell: ({ id }) => id },
  { key: 'order', title: 'Order', cell: ({ orderId }) => <Anchor component={Link} to={`/orders/${orderId}`} size="sm">{orderId}</Anchor> },
  { key: 'reference', title: 'Your order id', cell: ({ orderReference }) => orderReference || <Text span inherit c="dimmed">–</Text> },
  { key: 'action', title: 'Action', cell: ({ action }) => ACTIONS[action] },
  { key: 'card', title: 'Card', cell: ({ brand, last4 }) => `${brand} ${last4}` },
  { key: 'at', title: 'When', cell: ({ at }) => <When at={at} /> },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    cell: ({ action, amountMinor, currency }) => <Amount minor={action === 'credit' ? `-${amountMinor}` : amountMinor} currency={currency} />,
  },
  { key: 'undone', title: 'Taken back', align: 'right', cell: ({ undoneMinor, currency }) => <Amount minor={undoneMinor} currency={currency} dimmed /> },
]

function Contents({ batchId }: { readonly batchId: string }) {
  const list = useInfiniteQuery({
    queryKey: ['batches', 'contents', batchId],
    queryFn: ({ pageParam, signal }) =>
      api.get<BatchTransactions>(`/batches/${batchId}/transactions${pageParam === null ? '' : `?after=${pageParam}`}`, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  if (list.error !== null) return <Fault error={list.error} onRetry={() => void list.refetch()} />
  return (
    <Stack gap="sm">
      <DataTable
        label="Transactions of the batch"
        columns={COLUMNS}
        rows={list.data?.pages.flatMap(({ transactions }) => transactions)}
        keyOf={({ id }) => id}
        empty={<EmptyState title="Nothing is in it yet" text="Sales, captures and refunds of the account come into its open batch when they are approved." />}
      />
      {list.hasNextPage && (
        <Center>
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Show more</Button>
        </Center>
      )}
    </Stack>
  )
}

