import { Text, TextInput } from '@mantine/core'
import type { ConsoleAccount } from '@tollgate/portal-contract/answers/console'
import { consoleFeatures } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { REQUESTED } from './disable-dialog.tsx'
import { ReasonField } from './reason-field.tsx'

/** Asks for the registration of an account with the card networks. */
export function AccountThreeDsDialog({
  account: { id, mode, threeDs },
  onClose,
}: {
  readonly account: ConsoleAccount
  readonly onClose: () => void
}) {
  const [requestorId, setRequestorId] = useState(threeDs?.requestorId ?? '')
  const [requestorUrl, setRequestorUrl] = useState(threeDs?.requestorUrl ?? '')
  const [reason, setReason] = useState('')
  const save = async (): Promise<void> => {
    const body = { requestorId, requestorUrl, reason: reason.trim() }
    const { done } = await call(consoleFeatures.setAccountThreeDs, { path: { id }, body })
    showDone(done ? `3-D Secure of account ${id} was changed.` : REQUESTED)
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`3-D Secure of account ${id}`}
      action="Set 3-D Secure"
      onConfirm={save}
      onClose={onClose}
    >
      <Text size="sm">
        An account takes part if the card networks registered its merchant. Two empty fields end it.
        {mode === 'live' && threeDs !== null && ` To change or end it: ${REQUESTED}`}
      </Text>
      <TextInput
        label="Requestor id"
        description="threeDSRequestorID, at most 35 characters."
        maxLength={35}
        value={requestorId}
        onChange={(event) => setRequestorId(event.currentTarget.value)}
      />
      <TextInput
        label="Requestor URL"
        description="threeDSRequestorURL, an https address."
        maxLength={2048}
        value={requestorUrl}
        onChange={(event) => setRequestorUrl(event.currentTarget.value)}
      />
      <ReasonField reason={reason} onChange={setReason} />
    </Confirm>
  )
}
