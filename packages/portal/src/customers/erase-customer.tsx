import { Alert, Text } from '@mantine/core'
import { IconEraser } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { CustomerView } from '@tollgate/portal-contract/answers/customers'
import * as routes from '@tollgate/portal-contract/routes'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { RemovalAlerts } from './removal-alerts.tsx'

/** States that the personal data are gone; nothing while they are there. */
export function ErasedNotice({
  customer: { erasedAt },
}: {
  readonly customer: Pick<CustomerView, 'erasedAt'>
}) {
  if (erasedAt === null) return null
  return (
    <Alert color="gray" icon={<IconEraser size={18} />} title="The personal data were erased">
      <Text size="sm">
        They were erased on <When at={erasedAt} dayOnly />. Orders and payments stay on record. The
        customer id can no longer be used for payments.
      </Text>
    </Alert>
  )
}

/** Asks before the personal data of a customer are erased, and lists what stands against it. */
export function EraseCustomer({
  customer,
  onClose,
}: {
  readonly customer: CustomerView
  readonly onClose: () => void
}) {
  const path = { customerId: customer.id }
  const preview = useQuery({
    queryKey: ['customer', customer.id, 'erasure'],
    queryFn: ({ signal }) => call(routes.customers.readErasure, { path, signal }),
    staleTime: 0,
  })
  const against = preview.data?.obstacles ?? []
  return (
    <Confirm
      opened
      title={`Erase the data of customer ${customer.id}`}
      action="Erase data"
      dangerous
      disabled={preview.data === undefined || against.length > 0}
      onClose={onClose}
      onConfirm={async () => {
        await call(routes.customers.erase, { path })
        showDone(`The personal data of customer ${customer.id} were erased.`)
        await everythingChanged()
      }}
    >
      <Text size="sm">
        Tollgate erases the name, contact, addresses, saved cards, mails and requests of this
        customer permanently. Orders, payments and memberships stay on record without them.
      </Text>
      <Text size="sm">
        The customer id can no longer be used. Your notes about orders and the audit log stay.
      </Text>
      <RemovalAlerts
        error={preview.error}
        against={against}
        refundable={preview.data?.refundable ?? []}
        notYet="These data cannot be erased yet"
        lost="can still be refunded. Once the cards are erased, you cannot refund them."
      />
    </Confirm>
  )
}
