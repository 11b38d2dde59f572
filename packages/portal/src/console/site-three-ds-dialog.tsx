import { Text } from '@mantine/core'
import type { ConsoleSite } from '@tollgate/portal-contract/answers/console'
import type { ThreeDsPolicy } from '@tollgate/portal-contract/answers/settings'
import { consoleFeatures } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { ThreeDsFields } from '../settings/three-ds-fields.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { REQUESTED } from './disable-dialog.tsx'
import { ReasonField } from './reason-field.tsx'

/** Asks for the 3-D Secure settings of a site, which its portal users have too. */
export function SiteThreeDsDialog({
  site: { id, mode, threeDs },
  onClose,
}: {
  readonly site: ConsoleSite
  readonly onClose: () => void
}) {
  const [policy, setPolicy] = useState<ThreeDsPolicy>(threeDs)
  // Another change meanwhile is not overwritten.
  const [seen] = useState(threeDs)
  const [reason, setReason] = useState('')
  const save = async (): Promise<void> => {
    const body = { policy, seen, reason: reason.trim() }
    const { done } = await call(consoleFeatures.setSiteThreeDs, { path: { id }, body })
    showDone(done ? `3-D Secure of site ${id} was changed.` : REQUESTED)
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`3-D Secure of site ${id}`}
      action="Set 3-D Secure"
      onConfirm={save}
      onClose={onClose}
    >
      <Text size="sm">
        For payments that ask for 3-D Secure.
        {mode === 'live' && ` To let the site authorize more: ${REQUESTED}`}
      </Text>
      <ThreeDsFields
        values={policy}
        set={(name, value) => setPolicy({ ...policy, [name]: value })}
        fault={null}
        onTyped={() => undefined}
      />
      <ReasonField reason={reason} onChange={setReason} />
    </Confirm>
  )
}
