import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { BatchSum, BatchView } from '@tollgate/portal-contract/answers/batches'
import { actorText } from '../parts/actor-text.ts'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Facts } from '../parts/facts.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { Listed, LISTED } from './batch-link.tsx'
import { ACTIONS, netOf, refundsOf, salesOf, transactionsOf } from './batch-sums.ts'

/** The facts of a batch and its sums, each of which leads to its transactions. */
export function BatchContents({ batch }: { readonly batch: BatchView }) {
  const { id, sums } = batch
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
          columns={sumColumns(id)}
          rows={sums}
          keyOf={({ currency, action, brand }) => `${currency} ${action} ${brand}`}
          empty={null}
        />
      ) : (
        <DataTable
          label="By currency"
          columns={currencyColumns(id)}
          rows={sumsByCurrency(sums)}
          keyOf={({ currency }) => currency}
          empty={null}
        />
      )}
    </Panel>
  )
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

function currencyColumns(batch: string): readonly Column<CurrencySums>[] {
  const sum = (
    key: 'sales' | 'refunds' | 'net',
    title: string,
    action: string | null,
  ): Column<CurrencySums> => ({
    key,
    title,
    align: 'right',
    cell: ({ currency, [key]: minor }) => (
      <Listed search={{ batch, currency, ...(action === null ? {} : { action }) }}>
        <Amount bare minor={minor} currency={currency} />
      </Listed>
    ),
  })
  return [
    { key: 'currency', title: 'Currency', cell: ({ currency }) => currency },
    { key: 'count', title: 'Transactions', align: 'right', cell: ({ count }) => countText(count) },
    sum('sales', 'Sales', LISTED.sales),
    sum('refunds', 'Refunds', LISTED.refund),
    sum('net', 'Net', null),
  ]
}

/** How the list of transactions calls the voids of an action. */
const VOIDS: Readonly<Record<BatchSum['action'], string>> = {
  sale: 'sale_void',
  capture: 'capture_void,full_void',
  refund: '',
}

function sumColumns(batch: string): readonly Column<BatchSum>[] {
  return [
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
      cell: ({ action, amountMinor, brand, currency }) => (
        <Listed search={{ batch, currency, brand, action: LISTED[action] }}>
          <Amount
            bare
            minor={action === 'refund' ? `-${amountMinor}` : amountMinor}
            currency={currency}
          />
        </Listed>
      ),
    },
    {
      key: 'voided',
      title: 'Voided',
      align: 'right',
      cell: ({ action, brand, currency, voidedMinor }) => {
        const amount = <Amount bare minor={voidedMinor} currency={currency} dimmed />
        if (voidedMinor === '0') return amount
        return <Listed search={{ batch, currency, brand, action: VOIDS[action] }}>{amount}</Listed>
      },
    },
  ]
}
