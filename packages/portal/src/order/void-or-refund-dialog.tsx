import { Alert, Loader, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { OrderPage } from '@tollgate/portal-contract/answers/order'
import type { VoidOrRefundStep } from '@tollgate/portal-contract/answers/void-or-refund'
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

const STEPS = { void: 'Void', capture_void: 'Capture void', refund: 'Refund' } as const

/** Voids or refunds an amount, as far as each is possible, and shows which before it is done. */
export function VoidOrRefundDialog({
  order,
  onClose,
}: {
  readonly order: OrderPage
  readonly onClose: () => void
}) {
  const { most, offered, limited } = offerOf(order)
  const [key] = useState(newKey)
  const [seen] = useState(order.seen)
  const [amount, setAmount] = useState(() => amountInput(offered, order.currency))
  const [debouncedAmount] = useDebouncedValue(amount, 250)
  const reading = readAmount(amount, order.currency, offered)
  const isAll = reading.minor === most
  const fetched = useQuery({
    queryKey: ['order', order.id, 'void-or-refund', debouncedAmount],
    queryFn: ({ signal }) =>
      call(routes.order.planVoidOrRefund, {
        path: { id: order.id },
        query: { amount: debouncedAmount.trim() },
        signal,
      }),
    enabled: !isAll && readAmount(debouncedAmount, order.currency, offered).minor !== null,
    placeholderData: keepPreviousData,
  })
  const plan = isAll ? order.voidOrRefund : debouncedAmount === amount ? fetched.data : undefined
  const steps = plan?.kind === 'planned' && reading.minor !== null ? plan.steps : []
  const sum = steps.reduce((total, { minor }) => total + BigInt(minor), 0n)
  const isReady = steps.length > 0 && sum === reading.minor

  const send = useOnce(async () => {
    try {
      const { steps: answers } = await call(routes.order.voidOrRefund, {
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

  return (
    <Confirm
      opened
      title={`Void or refund: order ${order.id}`}
      action={isReady ? actionText(steps, amountText(sum, order.currency)) : 'Void or refund'}
      dangerous
      disabled={!isReady}
      onConfirm={send}
      onClose={onClose}
    >
      {offered === 0n && <Text size="sm">{order.allowance?.sentence}</Text>}
      {offered > 0n && (
        <>
          <AmountField
            autoFocus
            label="Amount to return"
            value={amount}
            currency={order.currency}
            fault={reading.fault}
            description={`At most ${amountText(offered, order.currency)}. ${limited}It is voided or refunded, depending on its state at the bank.`}
            onChange={setAmount}
          />
          <Alert variant="light" color="gray" title="Planned steps" role="status">
            {isReady ? (
              <PlannedSteps steps={steps} currency={order.currency} />
            ) : reading.minor === null ? (
              <Text size="sm">Enter an amount to see the steps.</Text>
            ) : fetched.error !== null ? (
              <Text size="sm">{fetched.error.message}</Text>
            ) : (
              <Loader size="xs" aria-label="Loading" />
            )}
          </Alert>
        </>
      )}
    </Confirm>
  )
}

/** All that can be voided and refunded, what the user may take of it, and why it is less. */
function offerOf({ allowance, voidOrRefund }: OrderPage) {
  const steps = voidOrRefund.kind === 'planned' ? voidOrRefund.steps : []
  const most = steps.reduce((sum, { minor }) => sum + BigInt(minor), 0n)
  const offered = allowance === null ? most : BigInt(allowance.voidOrRefundMinor)
  const limited = allowance === null || offered === most ? '' : `${allowance.sentence} `
  return { most, offered, limited }
}

function PlannedSteps({
  steps,
  currency,
}: {
  readonly steps: readonly VoidOrRefundStep[]
  readonly currency: string
}) {
  return (
    <Stack gap={6}>
      {steps.map(({ does, minor, why }) => (
        <Text key={does} size="sm">
          <strong>
            {STEPS[does]} {amountText(minor, currency)}.
          </strong>{' '}
          {why}
        </Text>
      ))}
    </Stack>
  )
}

/** The button of the planned steps: "Void and refund 20.00 USD". */
function actionText(steps: readonly VoidOrRefundStep[], amount: string): string {
  const isVoid = steps.some(({ does }) => does !== 'refund')
  const isRefund = steps.some(({ does }) => does === 'refund')
  return `${isVoid ? (isRefund ? 'Void and refund' : 'Void') : 'Refund'} ${amount}`
}
