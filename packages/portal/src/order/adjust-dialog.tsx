import { Select, Text } from '@mantine/core'
import type { OrderPage } from '@tollgate/portal-contract/answers/order'
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
import { amountInput, readAmount } from './read-amount.ts'

export type Adjustment = 'capture' | 'void' | 'refund'

const WORDS = {
  capture: {
    title: 'Capture',
    verb: 'Capture',
    route: routes.order.capture,
    text: 'The amount is charged to the card and added to the open batch.',
  },
  void: {
    title: 'Void authorization',
    verb: 'Void',
    route: routes.order.void,
    text: 'The amount can no longer be captured, and the customer is not charged.',
  },
  refund: {
    title: 'Refund',
    verb: 'Refund',
    route: routes.order.refund,
    text: "The amount is returned to the card. The customer's bank can take some days to show it.",
  },
} as const

interface AdjustDialogProps {
  readonly order: OrderPage
  readonly does: Adjustment
  readonly onClose: () => void
}

const WHOLE = 'whole'

/** Asks for amount and line, and repeats them on the button. Mounted again for each opening. */
export function AdjustDialog({ order, does, onClose }: AdjustDialogProps) {
  const { title, verb, route, text } = WORDS[does]
  const left = (lineId: string): bigint => {
    const line = order.lines.find(({ id }) => id === lineId)
    const ofLine =
      line === undefined
        ? null
        : does === 'refund'
          ? line.leftToRefundMinor
          : line.leftToCaptureMinor
    return BigInt(
      ofLine ??
        (does === 'refund' ? order.money.leftToRefundMinor : order.money.leftToCaptureMinor),
    )
  }
  const [key] = useState(newKey)
  const [seen] = useState(order.seen)
  const [lineId, setLineId] = useState<string>(WHOLE)
  const allowance = does === 'refund' ? order.allowance : null
  const limit = allowance === null ? null : BigInt(allowance.refundMinor)
  const offered = (id: string): bigint => (limit !== null && limit < left(id) ? limit : left(id))
  const most = offered(lineId)
  const leftText = `${amountText(left(lineId), order.currency)} is left.`
  const [amount, setAmount] = useState(() => amountInput(most, order.currency))
  const reading = readAmount(amount, order.currency, most)
  const lines = order.lines.filter(({ id }) => left(id) > 0n)

  const send = useOnce(async () => {
    try {
      const answer = await call(route, {
        path: { id: order.id },
        body: {
          key,
          amount: amount.trim(),
          lineId: lineId === WHOLE ? null : lineId,
          seen,
        },
      })
      showDone(answer.sentence)
    } finally {
      await everythingChanged()
    }
  })

  return (
    <Confirm
      opened
      title={`${title}: order ${order.id}`}
      action={
        reading.minor === null ? verb : `${verb} ${amountText(reading.minor, order.currency)}`
      }
      dangerous={does !== 'capture'}
      disabled={reading.minor === null}
      onConfirm={send}
      onClose={onClose}
    >
      <Text size="sm">{text}</Text>
      {lines.length > 1 && (
        <Select
          label="Apply to"
          allowDeselect={false}
          data={[
            { value: WHOLE, label: 'Whole order' },
            ...lines.map(({ id, number, product }) => ({
              value: id,
              label: `Line ${number}: ${product} (${amountText(left(id), order.currency)} left)`,
            })),
          ]}
          value={lineId}
          onChange={(value) => {
            const next = value ?? WHOLE
            setLineId(next)
            setAmount(amountInput(offered(next), order.currency))
          }}
        />
      )}
      {limit === 0n ? (
        <Text size="sm">{allowance?.sentence}</Text>
      ) : (
        <AmountField
          autoFocus
          value={amount}
          currency={order.currency}
          fault={reading.fault}
          description={allowance === null ? leftText : `${leftText} ${allowance.sentence}`}
          onChange={setAmount}
        />
      )}
    </Confirm>
  )
}
