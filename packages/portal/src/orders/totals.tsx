import { Button, Collapse, ScrollArea, Skeleton, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconInfoCircle } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ListTotals } from '@tollgate/portal-contract/answers/orders'
import type { ListName } from '@tollgate/portal-contract/order-columns'
import * as routes from '@tollgate/portal-contract/routes'
import type { ListQuery } from '@tollgate/portal-contract/routes/orders'
import { Amount } from '../parts/amount.tsx'
import { countOf, countText } from '../parts/count-text.ts'
import { call } from '../shell/api.ts'
import { TotalsHelp } from './totals-help.tsx'

const AMOUNTS = {
  orders: ['authorized', 'voided', 'captured', 'refunded'],
  transactions: ['authorized', 'captured', 'refunded'],
} as const

const TITLES = {
  authorized: 'Authorized',
  voided: 'Voided',
  captured: 'Captured',
  refunded: 'Refunded',
} as const

interface TotalsProps {
  readonly list: ListName
  readonly query: ListQuery
}

/**
 * Sums of everything that the filter lets through; asked for by itself, so that the list never
 * waits.
 */
export function Totals({ list, query }: TotalsProps) {
  const [isExplained, { toggle }] = useDisclosure()
  const { data, error, isFetching } = useQuery({
    queryKey: [list, 'totals', query],
    queryFn: ({ signal }) => call(routes.orders.lists[list].totals, { query, signal }),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 30_000,
  })
  if (error !== null)
    return (
      <Text size="sm" c="dimmed">
        The totals could not be calculated: {error.message}
      </Text>
    )
  if (data === undefined) return <Skeleton height={58} aria-label="Calculating totals" />
  if (data.totals === null) {
    return (
      <Text size="sm" c="dimmed">
        Too many rows for totals. Choose a shorter time, such as a month.
      </Text>
    )
  }
  if (data.totals.length === 0) return null
  const open = data.totals.reduce((sum, total) => sum + total.open, 0)
  return (
    <Stack gap={4} align="flex-start" maw="100%">
      <ScrollArea type="auto" opacity={isFetching ? 0.6 : 1} offsetScrollbars="present" maw="100%">
        <TotalsTable list={list} totals={data.totals} />
      </ScrollArea>
      {open > 0 && (
        <Text size="sm" c="dimmed">
          {countOf(open, 'payment')} still open: in no amount above until{' '}
          {open === 1 ? 'it' : 'each'} is approved.
        </Text>
      )}
      <Button
        variant="subtle"
        size="compact-xs"
        leftSection={<IconInfoCircle size={14} aria-hidden />}
        aria-expanded={isExplained}
        onClick={toggle}
      >
        Help with these sums
      </Button>
      <Collapse expanded={isExplained} animateOpacity={false}>
        {isExplained && <TotalsHelp list={list} />}
      </Collapse>
    </Stack>
  )
}

interface TotalsTableProps {
  readonly list: ListName
  readonly totals: readonly ListTotals[]
}

function TotalsTable({ list, totals }: TotalsTableProps) {
  const titles = [
    'Currency',
    list === 'orders' ? 'Orders' : 'Transactions',
    'Approved',
    'Declined',
    ...AMOUNTS[list].map((name) => TITLES[name]),
    'Net',
  ]
  return (
    <Table aria-label="Totals" withRowBorders={false} verticalSpacing={2} w="auto" miw={560}>
      <Table.Thead>
        <Table.Tr>
          {titles.map((title, at) => (
            <Table.Th key={title} ta={at === 0 ? 'left' : 'right'} fz="xs" c="dimmed" fw={500}>
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {totals.map((sum) => (
          <Table.Tr key={sum.currency}>
            <Table.Td fw={600}>{sum.currency}</Table.Td>
            {[sum.count, sum.approved, sum.declined].map((count, at) => (
              <Table.Td key={at} ta="right">
                {countText(count)}
              </Table.Td>
            ))}
            {AMOUNTS[list].map((name) => (
              <Table.Td key={name} ta="right">
                <Amount bare minor={sum[name]} currency={sum.currency} />
              </Table.Td>
            ))}
            <Table.Td ta="right" fw={600}>
              <Amount bare minor={sum.net} currency={sum.currency} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
