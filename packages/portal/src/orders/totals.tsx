import { ScrollArea, Skeleton, Table, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ListName } from '@tollgate/portal-contract/order-columns'
import * as routes from '@tollgate/portal-contract/routes'
import type { ListQuery } from '@tollgate/portal-contract/routes/orders'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { call } from '../shell/api.ts'

/**
 * Sums of everything that the filter lets through; asked for by itself, so that the list never
 * waits.
 */
export function Totals({ list, query }: { readonly list: ListName; readonly query: ListQuery }) {
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
  return (
    <ScrollArea type="auto" opacity={isFetching ? 0.6 : 1}>
      <Table aria-label="Totals" withRowBorders={false} verticalSpacing={2} w="auto" miw={560}>
        <Table.Thead>
          <Table.Tr>
            {[
              'Currency',
              list === 'orders' ? 'Orders' : 'Transactions',
              'Approved',
              'Declined',
              'Authorized',
              'Captured',
              'Refunded',
              'Net',
            ].map((title, at) => (
              <Table.Th key={title} ta={at === 0 ? 'left' : 'right'} fz="xs" c="dimmed" fw={500}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.totals.map((sum) => (
            <Table.Tr key={sum.currency}>
              <Table.Td fw={600}>{sum.currency}</Table.Td>
              {[sum.count, sum.approved, sum.declined].map((count, at) => (
                <Table.Td key={at} ta="right">
                  {countText(count)}
                </Table.Td>
              ))}
              {[sum.authorized, sum.captured, sum.refunded].map((minor, at) => (
                <Table.Td key={at} ta="right">
                  <Amount bare minor={minor} currency={sum.currency} />
                </Table.Td>
              ))}
              <Table.Td ta="right" fw={600}>
                <Amount bare minor={sum.net} currency={sum.currency} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}
