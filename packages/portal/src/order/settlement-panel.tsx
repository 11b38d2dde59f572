import { Table, Text } from '@mantine/core'
import type { OrderPage } from '@tollgate/portal-contract/answers/order'
import { Amount } from '../parts/amount.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { useMay } from '../session/session.ts'

/** The settled captures and refunds of an order, each with its deposit. */
export function SettlementPanel({ settlements }: Pick<OrderPage, 'settlements'>) {
  const mayPayouts = useMay('batches.see')
  if (settlements.length === 0) return null
  return (
    <Panel title="Settlement">
      <Table.ScrollContainer minWidth={520} type="native">
        <Table aria-label="Settlement" verticalSpacing={3}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Transaction</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Value date</Table.Th>
              <Table.Th ta="right">Gross</Table.Th>
              <Table.Th ta="right">Net</Table.Th>
              <Table.Th>Payout</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {settlements.map((each) => (
              <Table.Tr key={each.transactionId}>
                <Table.Td>
                  {each.kind}{' '}
                  <Text span size="xs" c="dimmed">
                    {each.transactionId}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <StatusBadge state={each.state} />
                </Table.Td>
                <Table.Td>{each.day}</Table.Td>
                <Table.Td ta="right">
                  <Amount minor={each.grossMinor} currency={each.currency} />
                </Table.Td>
                <Table.Td ta="right">
                  <Amount minor={each.netMinor} currency={each.currency} />
                </Table.Td>
                <Table.Td>{payoutOf(each.payoutId, mayPayouts)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  )
}

function payoutOf(payoutId: string | null, mayPayouts: boolean) {
  if (payoutId === null) return 'not announced yet'
  if (!mayPayouts) return payoutId
  return (
    <LinkAnchor to="/payouts/$payoutId" params={{ payoutId }} size="sm">
      Payout {payoutId}
    </LinkAnchor>
  )
}
