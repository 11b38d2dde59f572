import { Text, TextInput } from '@mantine/core'
import type { ConsoleMerchant } from '@tollgate/portal-contract/answers/console'
import { consoleMerchants } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'

export const REQUESTED = 'A second operator has to confirm this within 24 hours.'

interface DisableProps {
  readonly merchant: ConsoleMerchant
  readonly opened: boolean
  readonly onClose: () => void
}

/** Asks for the reason before a merchant is stopped. */
export function DisableDialog({ merchant: { id, name, sites }, opened, onClose }: DisableProps) {
  const [reason, setReason] = useState('')
  const isLive = sites.some(({ mode }) => mode === 'live')
  const disable = async (): Promise<void> => {
    const body = { reason: reason.trim() }
    const { done } = await call(consoleMerchants.disable, { path: { id }, body })
    showDone(done ? `${name} is disabled.` : REQUESTED)
    setReason('')
    await everythingChanged()
  }
  return (
    <Confirm
      opened={opened}
      title={`Disable ${name}`}
      action={isLive ? 'Request' : `Disable ${name}`}
      dangerous
      disabled={reason.trim().length < 3}
      onConfirm={disable}
      onClose={onClose}
    >
      <Text size="sm">
        Payments, captures, refunds, card tokens and renewals are refused within 2 seconds, and all
        portal users are signed out. Queued captures and refunds still go to the bank.
      </Text>
      {isLive && (
        <Text size="sm" fw={500}>
          The merchant has a site in live mode. {REQUESTED}
        </Text>
      )}
      <TextInput
        label="Reason"
        description="3 to 200 characters. The audit log and the lists show it."
        required
        maxLength={200}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </Confirm>
  )
}
