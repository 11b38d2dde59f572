import { Select, Text, TextInput } from '@mantine/core'
import type { ConsoleAccount } from '@tollgate/portal-contract/answers/console'
import { consoleMerchants } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { REQUESTED } from './disable-dialog.tsx'
import { ReasonField } from './reason-field.tsx'

const RULES = [
  { value: 'any', label: 'Every country' },
  { value: 'allow', label: 'Only these countries' },
  { value: 'refuse', label: 'Every country except these' },
] as const
type Rule = (typeof RULES)[number]['value']

/** Asks for the billing countries that an account takes. */
export function CountriesDialog({
  account: { id, mode },
  onClose,
}: {
  readonly account: ConsoleAccount
  readonly onClose: () => void
}) {
  const [rule, setRule] = useState<Rule>('any')
  const [codes, setCodes] = useState('')
  const [reason, setReason] = useState('')
  const save = async (): Promise<void> => {
    const body = { rule, codes, reason: reason.trim() }
    const { done } = await call(consoleMerchants.setCountries, { path: { id }, body })
    showDone(done ? `The countries of account ${id} were changed.` : REQUESTED)
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`Countries of account ${id}`}
      action="Set countries"
      disabled={rule !== 'any' && codes.trim() === ''}
      onConfirm={save}
      onClose={onClose}
    >
      <Text size="sm">
        Payments with another billing country are declined before a bank is asked.
        {mode === 'live' && ` For a further country: ${REQUESTED}`}
      </Text>
      <Select
        label="Takes"
        allowDeselect={false}
        data={RULES}
        value={rule}
        onChange={(value) => setRule(RULES.find((each) => each.value === value)?.value ?? 'any')}
      />
      {rule !== 'any' && (
        <TextInput
          label="Countries"
          description="Two capital letters each, such as DE."
          required
          maxLength={800}
          value={codes}
          onChange={(event) => setCodes(event.currentTarget.value)}
        />
      )}
      <ReasonField reason={reason} onChange={setReason} />
    </Confirm>
  )
}
