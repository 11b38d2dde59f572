import { Alert, Loader, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
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
import { AmountField, amountInput, readAmount } from './amount-field.tsx'

const STEPS = { void: 'Void', capture_void: 'Void', refund: 'Refund' } as const

/** Voids or refunds an amount, as far as each is possible, and shows which before it is done. */
export function UndoDialog({
  order,
  onClose,
}: {
  readonly order: OrderPage
  readonly onClose: () => void
}) {
  const most =
    order.undo.kind === 'planned'
      ? order.undo.steps.reduce((sum, { minor }) => sum + BigInt(minor), 0n)
      : 0n
  const [key] = useState(newKey)
  const [seen] = useState(order.seen)
  const [amount, setAmount] = useState(() => amountInput(most, order.currency))
  const [debouncedAmount] = useDebouncedValue(amount, 250)
  const reading = readAmount(amount, order.currency, most)
  const isAll = reading.minor === most
  const asked = useQuery({
    queryKey: ['order', order.id, 'undo', debouncedAmount],
    queryFn: ({ signal }) =>
      call(routes.order.planUndo, {
        path: { id: order.id },
        query: { amount: debouncedAmount.trim() },
        signal,
      }),
    enabled: !isAll && readAmount(debouncedAmount, order.currency, most).minor !== null,
    placeholderData: keepPreviousData,
  })
  const plan = isAll ? order.undo : debouncedAmount === amount ? asked.data : undefined
  const steps = plan?.kind === 'planned' && reading.minor !== null ? plan.steps : []
  const sum = steps.reduce((total, { minor }) => total + BigInt(minor), 0n)
  const isReady = steps.length > 0 && sum === reading.minor

  const send = useOnce(async () => {
    try {
      const { steps: answers } = await call(routes.order.undo, {
        path: { id: order.id },
        body: {
          key,
          currency: order.currency,
          steps: steps.map(({ does, minor, whole }) => ({ does, minor, whole })),
          seen,
        },
      })
      const failed = answers.find(({ kind }) => kind === 'refused')
      const done = answers
        .filter(({ kind }) => kind === 'done')
        .map(({ sentence }) => sentence)
        .join(' ')
      if (failed !== undefined) throw new Error(`${done} The next step failed: ${failed.sentence}`)
      showDone(done)
    } finally {
      await everythingChanged()
    }
  })

  const action = isReady
    ? `${[...new Set(steps.map(({ does }) => STEPS[does]))].join(' and ').toLowerCase()} ${amountText(sum, order.currency)}`
    : 'undo'
  return (
    <Confirm
      opened
      title={`Undo: order ${order.id}`}
      action={action.charAt(0).toUpperCase() + action.slice(1)}
      dangerous
      disabled={!isReady}
      onConfirm={send}
      onClose={onClose}
    >
      <AmountField
        autoFocus
        label="Amount to return"
        value={amount}
        currency={order.currency}
        fault={reading.fault}
        description={`At most ${amountText(most, order.currency)}. It is voided or refunded, depending on its state at the bank.`}
        onChange={setAmount}
      />
      <Alert variant="light" color="gray" title="Planned steps" role="status">
        {isReady ? (
          <Stack gap={6}>
            {steps.map(({ does, minor, why }) => (
              <Text key={does} size="sm">
                <strong>
                  {STEPS[does]} {amountText(minor, order.currency)}.
                </strong>{' '}
                {why}
              </Text>
            ))}
          </Stack>
        ) : reading.minor === null ? (
          <Text size="sm">Enter an amount to see the steps.</Text>
        ) : asked.error !== null ? (
          <Text size="sm">{asked.error.message}</Text>
        ) : (
          <Loader size="xs" aria-label="Loading" />
        )}
      </Alert>
    </Confirm>
  )
}
