import { Alert, Anchor } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { EarlierPayment } from '@tollgate/portal-contract/answers/order'
import { amountText } from '../parts/amount.tsx'
import { When } from '../parts/when.tsx'

/** Shows the payment that looks like the one about to be made. */
export function DuplicateWarning({ earlier }: { readonly earlier: EarlierPayment }) {
  return (
    <Alert
      color="orange"
      role="alert"
      icon={<IconAlertTriangle size={18} />}
      title="Possible duplicate payment"
    >
      {earlier.brand} ending in {earlier.last4}
      {earlier.customer === '' ? '' : ` (${earlier.customer})`} paid{' '}
      {amountText(earlier.amountMinor, earlier.currency)} at <When at={earlier.at} />:{' '}
      <Anchor href={`/portal/orders/${earlier.orderId}`} target="_blank" rel="noreferrer" size="sm">
        order {earlier.orderId}
      </Anchor>
      . Continue only to charge the card twice.
    </Alert>
  )
}
