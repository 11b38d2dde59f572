import { Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { EarlierPayment, OrderPage } from '@tollgate/portal-contract/answers/order'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { amountText } from '../parts/amount.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { newKey } from '../parts/operation-key.ts'
import { useOnce } from '../parts/use-once.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { AmountField } from './amount-field.tsx'
import { DuplicateWarning } from './duplicate-warning.tsx'
import { amountInput, readAmount } from './read-amount.ts'

/** Charges the card of an order once more, as an order of its own. */
export function ChargeDialog({
  order,
  onClose,
}: {
  readonly order: OrderPage
  readonly onClose: () => void
}) {
  const [key] = useState(newKey)
  const [amount, setAmount] = useState(() =>
    amountInput(order.money.requestedMinor, order.currency),
  )
  const [reference, setReference] = useState('')
  const [earlier, setEarlier] = useState<EarlierPayment | null>(null)
  const reading = readAmount(amount, order.currency, null)
  const navigate = useNavigate()

  const send = useOnce(async () => {
    const answer = await call(routes.order.charge, {
      path: { id: order.id },
      body: {
        key,
        amount: amount.trim(),
        reference: reference.trim(),
        duplicateOk: earlier !== null,
      },
    })
    if (answer.kind === 'duplicate') {
      setEarlier(answer.earlier)
      throw new Error(
        'Nothing was charged yet. The same card paid the same amount in the last 24 hours.',
      )
    }
    if (answer.kind === 'refused') throw new Error(answer.sentence)
    await everythingChanged()
    if (answer.state === 'approved') showDone(answer.sentence)
    await navigate({ to: '/orders/$orderId', params: { orderId: answer.orderId } })
  })

  const what =
    reading.minor === null ? 'Charge' : `Charge ${amountText(reading.minor, order.currency)}`
  return (
    <Confirm
      opened
      title="Charge card again"
      action={earlier === null ? what : `${what} anyway`}
      dangerous={earlier !== null}
      disabled={reading.minor === null}
      onConfirm={send}
      onClose={onClose}
    >
      <Text size="sm">
        {order.card.brand} ending in {order.card.last4}
        {order.customer.name === '' ? '' : ` of ${order.customer.name}`} is charged as a new order,
        as a merchant-initiated payment. Make sure the customer agreed.
      </Text>
      {earlier !== null && <DuplicateWarning earlier={earlier} />}
      <AmountField
        autoFocus
        value={amount}
        currency={order.currency}
        fault={reading.fault}
        onChange={(value) => {
          setAmount(value)
          setEarlier(null)
        }}
      />
      <TextInput
        label="Your order id"
        description="Optional"
        maxLength={64}
        value={reference}
        onChange={(event) => setReference(event.currentTarget.value)}
      />
    </Confirm>
  )
}
