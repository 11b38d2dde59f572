import { Switch, Text } from '@mantine/core'
import type { ConsoleAccount } from '@tollgate/portal-contract/answers/console'
import { consoleFeatures } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { REQUESTED } from './disable-dialog.tsx'
import { ReasonField } from './reason-field.tsx'

/** Asks whether an account takes unreferenced credits. */
export function UnreferencedCreditsDialog({
  account: { id, mode, unreferencedCredits },
  onClose,
}: {
  readonly account: ConsoleAccount
  readonly onClose: () => void
}) {
  const [allowed, setAllowed] = useState(unreferencedCredits)
  const [reason, setReason] = useState('')
  const save = async (): Promise<void> => {
    const body = { allowed, reason: reason.trim() }
    const { done } = await call(consoleFeatures.setUnreferencedCredits, { path: { id }, body })
    showDone(done ? `Unreferenced credits of account ${id} were changed.` : REQUESTED)
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`Unreferenced credits of account ${id}`}
      action="Set credits"
      onConfirm={save}
      onClose={onClose}
    >
      <Text size="sm">
        An unreferenced credit pays money to a card without an order.
        {mode === 'live' && ` To allow them: ${REQUESTED}`}
      </Text>
      <Switch
        label="The account takes unreferenced credits"
        checked={allowed}
        onChange={(event) => setAllowed(event.currentTarget.checked)}
      />
      <ReasonField reason={reason} onChange={setReason} />
    </Confirm>
  )
}
