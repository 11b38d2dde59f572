import { Table, Text } from '@mantine/core'
import type { OrderPage } from '@tollgate/portal-contract/answers/order'
import { Fragment } from 'react'
import { Amount } from '../parts/amount.tsx'
import { Panel } from '../parts/panel.tsx'
import { When } from '../parts/when.tsx'

/** The ledger postings of the order: each debits one account and credits another. */
export function LedgerPanel({ ledger, currency }: Pick<OrderPage, 'ledger' | 'currency'>) {
  const total = ledger.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n)
  return (
    <Panel title="Ledger">
      {ledger.length === 0 ? (
        <Text size="sm" c="dimmed">
          No postings: no money was held or moved.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={520} type="native">
          <Table aria-label="Postings" verticalSpacing={3}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Posted</Table.Th>
                <Table.Th>Account</Table.Th>
                <Table.Th ta="right">Debit</Table.Th>
                <Table.Th ta="right">Credit</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {ledger.map(({ at, transactionId, kind, debit, credit, amountMinor }) => (
                <Fragment key={`${transactionId} ${kind}`}>
                  <Table.Tr>
                    <Table.Td rowSpan={2} valign="top">
                      <When at={at} />
                      <Text size="xs" c="dimmed">
                        {spoken(kind)}, transaction {transactionId}
                      </Text>
                    </Table.Td>
                    <Table.Td>{spoken(debit)}</Table.Td>
                    <Table.Td ta="right">
                      <Amount minor={amountMinor} currency={currency} />
                    </Table.Td>
                    <Table.Td />
                  </Table.Tr>
                  <Table.Tr>
                    <Table.Td>{spoken(credit)}</Table.Td>
                    <Table.Td />
                    <Table.Td ta="right">
                      <Amount minor={amountMinor} currency={currency} />
                    </Table.Td>
                  </Table.Tr>
                </Fragment>
              ))}
            </Table.Tbody>
            <Table.Tfoot>
              <Table.Tr>
                <Table.Th colSpan={2}>Debits equal credits</Table.Th>
                <Table.Th ta="right">
                  <Amount minor={total} currency={currency} />
                </Table.Th>
                <Table.Th ta="right">
                  <Amount minor={total} currency={currency} />
                </Table.Th>
              </Table.Tr>
            </Table.Tfoot>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  )
}

function spoken(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}
