import { List, Stack, Text } from '@mantine/core'
import type { ListName } from '@tollgate/portal-contract/order-columns'
import { LinkAnchor } from '../parts/links.tsx'

/** Explains the totals of a list, and how those of the other list differ. */
export function TotalsHelp({ list }: { readonly list: ListName }) {
  return (
    <Stack gap={6} maw={760} pb="xs">
      {list === 'orders' ? <OrdersHelp /> : <TransactionsHelp />}
    </Stack>
  )
}

function OrdersHelp() {
  return (
    <>
      <Text size="sm">
        These are the sums of the listed orders as they are now. An order belongs to the time at
        which it was created. Later captures, voids and refunds therefore change the sums of an
        earlier period.
      </Text>
      <List size="sm" spacing={2}>
        <List.Item>Authorized: amounts that the bank approved.</List.Item>
        <List.Item>Voided: voided amounts, and authorizations that expired.</List.Item>
        <List.Item>Captured: captures and sales, without voided captures.</List.Item>
        <List.Item>Refunded: refunds and unreferenced credits.</List.Item>
        <List.Item>Net: captured less refunded.</List.Item>
      </List>
      <Text size="sm">
        For figures of a period that stay as they are, use{' '}
        <LinkAnchor to="/transactions" size="sm">
          Transactions
        </LinkAnchor>
        .
      </Text>
    </>
  )
}

function TransactionsHelp() {
  return (
    <>
      <Text size="sm">
        Each sum adds up a column: <em>Effect on authorized</em>, <em>on captured</em> or{' '}
        <em>on refunded</em>. Each transaction counts once, at its own time, so a period that is
        over does not change.
      </Text>
      <List size="sm" spacing={2}>
        <List.Item>
          An authorization adds to authorized; a sale to authorized and captured.
        </List.Item>
        <List.Item>A capture adds to captured, a refund to refunded.</List.Item>
        <List.Item>
          A void subtracts its amount from authorized, and the captured part of it from captured.
        </List.Item>
        <List.Item>
          An authorization that expires has no transaction, so it stays in authorized.
        </List.Item>
        <List.Item>Net: captured less refunded.</List.Item>
      </List>
      <Text size="sm">
        <LinkAnchor to="/orders" size="sm">
          Orders
        </LinkAnchor>{' '}
        counts later changes at the time of the order, so the sums of a period differ there.
      </Text>
    </>
  )
}
