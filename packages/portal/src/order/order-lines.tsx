import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { OrderLineView } from '@tollgate/portal-contract/answers/order'
import { Amount } from '../parts/amount.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { useMay } from '../session/session.ts'

export function OrderLines({
  lines,
  currency,
}: {
  readonly lines: readonly OrderLineView[]
  readonly currency: string
}) {
  const maySee = useMay('memberships.see')
  const amount = (
    key: string,
    title: string,
    of: (line: OrderLineView) => string,
  ): Column<OrderLineView> => ({
    key,
    title,
    align: 'right',
    cell: (line) => <Amount minor={of(line)} currency={currency} />,
  })
  return (
    <DataTable
      label="Lines"
      rows={lines}
      keyOf={({ id }) => id}
      empty={
        <Text size="sm" c="dimmed">
          This order has no lines.
        </Text>
      }
      columns={[
        { key: 'number', title: 'Line', cell: ({ number }) => number },
        {
          key: 'product',
          title: 'Product',
          cell: ({ product, merchantProduct, membershipId }) => (
            <>
              {product}
              {merchantProduct === '' ? '' : ` (${merchantProduct})`}
              {membershipId !== null && (
                <>
                  ,{' '}
                  {maySee ? (
                    <Link
                      className="link"
                      style={{ textDecoration: 'underline' }}
                      to="/memberships/$membershipId"
                      params={{ membershipId }}
                    >
                      membership {membershipId}
                    </Link>
                  ) : (
                    `membership ${membershipId}`
                  )}
                </>
              )}
            </>
          ),
        },
        { key: 'count', title: 'Quantity', align: 'right', cell: ({ count }) => count },
        amount('amount', 'Amount', ({ amountMinor }) => amountMinor),
        amount('captured', 'Captured', ({ capturedMinor }) => capturedMinor),
        amount('leftToCapture', 'Left to capture', ({ leftToCaptureMinor }) => leftToCaptureMinor),
        amount('refunded', 'Refunded', ({ refundedMinor }) => refundedMinor),
        amount('leftToRefund', 'Left to refund', ({ leftToRefundMinor }) => leftToRefundMinor),
      ]}
    />
  )
}
