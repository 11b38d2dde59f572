import { Alert, Button, Group, Select, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { BatchView } from '@tollgate/portal-contract/answers/batches'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { call } from '../shell/api.ts'
import { Listed, LISTED } from './batch-link.tsx'
import { refundsOf, netOf, salesOf, transactionsOf, type CurrencyMinor } from './batch-sums.ts'
import { CutoffDialog } from './cutoff-dialog.tsx'

interface BatchSearch {
  readonly account?: string
  readonly state?: 'open' | 'closed'
}

/** Batches of all merchant accounts, newest first. */
export function BatchesPage() {
  const { siteId } = useSiteChoice()
  const search = useSearch({ from: '/batches' })
  const navigate = useNavigate()
  const mayClose = useMay('batches.close')
  const [isCutoffOpen, setCutoffOpen] = useState(false)
  const { account, state } = search
  const list = useInfiniteQuery({
    queryKey: ['batches', 'list', siteId, account, state],
    queryFn: ({ pageParam, signal }) =>
      call(routes.batches.list, {
        query: { site: siteId, account, state, before: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const accounts = list.data?.pages[0]?.accounts ?? []
  const go = (changes: {
    account?: string | undefined
    state?: BatchSearch['state'] | undefined
  }): void => {
    const next = { ...search, ...changes }
    void navigate({
      to: '/batches',
      search: Object.fromEntries(Object.entries(next).filter(([, value]) => value)),
      replace: true,
    })
  }
  return (
    <Page
      title="Batches"
      text="Sales, captures and refunds of each merchant account, grouped by batch close."
      actions={
        mayClose &&
        accounts.length > 0 && (
          <Button
            variant="default"
            leftSection={<IconClock size={16} aria-hidden />}
            onClick={() => setCutoffOpen(true)}
          >
            Daily cut-off
          </Button>
        )
      }
    >
      <SettlementNote />
      <Group gap="sm">
        <Select
          label="State"
          w={180}
          data={[
            { value: '', label: 'Any' },
            { value: 'open', label: 'Open' },
            { value: 'closed', label: 'Closed' },
          ]}
          value={state ?? ''}
          onChange={(value) =>
            go({ state: value === 'open' || value === 'closed' ? value : undefined })
          }
          allowDeselect={false}
        />
        {accounts.length > 1 && (
          <Select
            label="Merchant account"
            w={260}
            data={[
              { value: '', label: 'Any' },
              ...accounts.map(({ id, processorName, mode }) => ({
                value: id,
                label: `${id}, ${processorName}${mode === 'test' ? ' (test)' : ''}`,
              })),
            ]}
            value={accounts.some(({ id }) => id === account) ? (account ?? '') : ''}
            onChange={(value) => go({ account: value || undefined })}
            allowDeselect={false}
          />
        )}
      </Group>
      {list.error !== null ? (
        <Fault error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label="Batches"
          columns={COLUMNS}
          rows={list.data?.pages.flatMap(({ batches }) => batches)}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/batches/$batchId', params: { batchId: id } })}
          empty={
            <EmptyState
              title="No results"
              text="No batch matches these filters. Every merchant account has one open batch."
            />
          }
        />
      )}
      <Pager
        label="batches"
        nextLabel="Show more"
        isLoading={list.isFetchingNextPage}
        onNext={list.hasNextPage ? () => void list.fetchNextPage() : null}
      />
      <CutoffDialog
        accounts={accounts}
        opened={isCutoffOpen}
        onClose={() => setCutoffOpen(false)}
      />
    </Page>
  )
}

/** The effect of a batch close, and its limits. */
export function SettlementNote() {
  return (
    <Alert color="blue" variant="light" py={6}>
      Closing a batch fixes its contents, and the bank confirms its totals. Each capture and refund
      is sent to the bank when it is made. One that the bank has not answered yet goes into the next
      batch.
    </Alert>
  )
}

const COLUMNS: readonly Column<BatchView>[] = [
  {
    key: 'id',
    title: 'Batch',
    cell: ({ id }) => (
      <Link className="link" to="/batches/$batchId" params={{ batchId: id }} tabIndex={-1}>
        {id}
      </Link>
    ),
  },
  {
    key: 'account',
    title: 'Account',
    cell: ({ accountId, mode, processorName }) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {accountId} {processorName}
        {mode === 'test' && ' (test)'}
      </Text>
    ),
  },
  {
    key: 'state',
    title: 'State',
    cell: ({ state }) => <StatusBadge state={state} />,
  },
  { key: 'opened', title: 'Opened', cell: ({ openedAt }) => <When at={openedAt} dayOnly /> },
  {
    key: 'closed',
    title: 'Closed',
    cell: ({ closedAt }) =>
      closedAt === null ? (
        <Text span c="dimmed">
          –
        </Text>
      ) : (
        <When at={closedAt} />
      ),
  },
  {
    key: 'transactions',
    title: 'Transactions',
    align: 'right',
    cell: ({ sums }) => countText(transactionsOf(sums)),
  },
  {
    key: 'sales',
    title: 'Sales',
    align: 'right',
    cell: ({ id, sums }) => <Amounts batch={id} action={LISTED.sales} amounts={salesOf(sums)} />,
  },
  {
    key: 'refunds',
    title: 'Refunds',
    align: 'right',
    cell: ({ id, sums }) => <Amounts batch={id} action={LISTED.refund} amounts={refundsOf(sums)} />,
  },
  {
    key: 'net',
    title: 'Net',
    align: 'right',
    cell: ({ id, sums }) => <Amounts batch={id} action={null} amounts={netOf(sums)} />,
  },
]

interface AmountsProps {
  readonly batch: string
  /** Of the transactions in the amounts; null for all of the batch. */
  readonly action: string | null
  readonly amounts: readonly CurrencyMinor[]
}

/** Each sum leads to its transactions. */
function Amounts({ action, amounts, batch }: AmountsProps) {
  if (amounts.length === 0)
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    )
  return amounts.map(({ currency, minor }) => (
    <div key={currency}>
      <Listed search={{ batch, currency, ...(action === null ? {} : { action }) }} inRow>
        <Amount minor={minor} currency={currency} />
      </Listed>
    </div>
  ))
}
