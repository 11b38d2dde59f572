import { MultiSelect, Text } from '@mantine/core'
import type { ConsoleAccount, ConsoleMerchant } from '@tollgate/portal-contract/answers/console'
import { consoleMerchants } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { REQUESTED } from './disable-dialog.tsx'
import { ReasonField } from './reason-field.tsx'

/** Asks for the brands and fields that the acquirer of an account demands. */
export function DemandsDialog({
  account,
  demandable,
  onClose,
}: {
  readonly account: ConsoleAccount
  readonly demandable: ConsoleMerchant['demandable']
  readonly onClose: () => void
}) {
  const { id, mode } = account
  const [brands, setBrands] = useState([...(account.brands ?? [])])
  const [requiredFields, setFields] = useState([...account.requiredFields])
  const [reason, setReason] = useState('')
  const save = async (): Promise<void> => {
    const body = { brands, requiredFields, reason: reason.trim() }
    const { done } = await call(consoleMerchants.setDemands, { path: { id }, body })
    showDone(done ? `The demands of account ${id} were changed.` : REQUESTED)
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`Demands of account ${id}`}
      action="Set demands"
      onConfirm={save}
      onClose={onClose}
    >
      <Text size="sm">
        Payments with another brand, or without a field, are declined before a bank is asked.
        {mode === 'live' && ` For a further brand or fewer fields: ${REQUESTED}`}
      </Text>
      <MultiSelect
        label="Brands"
        description="None chosen takes every brand."
        searchable
        data={[...demandable.brands]}
        value={brands}
        onChange={setBrands}
      />
      <MultiSelect
        label="Required fields"
        searchable
        data={demandable.fields.map((field) => ({
          value: field,
          label: field.replaceAll('_', ' '),
        }))}
        value={requiredFields}
        onChange={setFields}
      />
      <ReasonField reason={reason} onChange={setReason} />
    </Confirm>
  )
}
