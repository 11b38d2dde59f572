import { Text } from '@mantine/core'
import type { OrderPage } from '@tollgate/portal-contract/answers/order'
import { Amount } from '../parts/amount.tsx'
import classes from './order.module.css'

/** The amounts of an order, by state. */
export function OrderSums({
  money,
  currency,
  kind,
}: Pick<OrderPage, 'money' | 'currency' | 'kind'>) {
  const ofPayment = [
    ['Authorized', money.authorizedMinor],
    ['Captured', money.capturedMinor],
    ['Left to capture', money.leftToCaptureMinor],
    ['Voided', money.voidedMinor],
    ['Refunded', money.refundedMinor],
    ['Left to refund', money.leftToRefundMinor],
  ] as const
  const sums = [
    ...(money.requestedMinor === money.authorizedMinor
      ? []
      : ([['Requested', money.requestedMinor]] as const)),
    ...(kind === 'unreferenced_credit'
      ? ([['Refunded', money.refundedMinor]] as const)
      : ofPayment),
    ...(money.inFlightMinor === '0' ? [] : ([['In progress', money.inFlightMinor]] as const)),
  ]
  return (
    <dl className={classes.sums} aria-label="Amounts">
      {sums.map(([name, minor]) => (
        <div key={name} className={classes.sum}>
          <Text component="dt" size="xs" c="dimmed">
            {name}
          </Text>
          <dd>
            <Amount minor={minor} currency={currency} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
