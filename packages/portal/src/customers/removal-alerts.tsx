import { Alert, List, Text } from '@mantine/core'
import type { CardRemoval } from '@tollgate/portal-contract/answers/erasures'
import { amountText } from '../parts/amount.tsx'

/** The fault of a removal, the reasons against it, and the refunds that it makes impossible. */
export function RemovalAlerts({
  error,
  against,
  refundable,
  notYet,
  lost,
}: {
  readonly error: Error | null
  readonly against: readonly string[]
  readonly refundable: CardRemoval['refundable']
  /** The title of the reasons against it. */
  readonly notYet: string
  /** Follows an amount and its orders, such as `can still be refunded.` */
  readonly lost: string
}) {
  return (
    <>
      {error !== null && (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
      {against.length > 0 && (
        <Alert color="orange" title={notYet}>
          <List size="sm">
            {against.map((reason) => (
              <List.Item key={reason}>{reason}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {against.length === 0 && refundable.length > 0 && (
        <Alert color="orange" title="Refunds will no longer be possible">
          {refundable.map(({ currency, minor, orders }) => (
            <Text key={currency} size="sm">
              {amountText(minor, currency)} of {orders} {orders === 1 ? 'order' : 'orders'} {lost}
            </Text>
          ))}
        </Alert>
      )}
    </>
  )
}
