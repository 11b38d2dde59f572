import { Group, Text, TextInput } from '@mantine/core'
import type { ConsoleAccount } from '@tollgate/portal-contract/answers/console'
import { consoleFeatures } from '@tollgate/portal-contract/routes/console'
import { useState, type ReactNode } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { DETAIL_ROWS, readCurrencies, type DetailField } from './account-fields.ts'
import { REQUESTED } from './disable-dialog.tsx'
import { ReasonField } from './reason-field.tsx'

/** Asks for the category code, the place and the currencies of an account. */
export function DetailsDialog({
  account: { id, mode, categoryCode, name, city, country, currencies },
  onClose,
}: {
  readonly account: ConsoleAccount
  readonly onClose: () => void
}) {
  const [typed, setTyped] = useState({
    categoryCode,
    name,
    city,
    country,
    currencies: currencies.join(' '),
  })
  const [reason, setReason] = useState('')
  const save = async (): Promise<void> => {
    const body = { ...typed, currencies: readCurrencies(typed.currencies), reason: reason.trim() }
    const { done } = await call(consoleFeatures.setDetails, { path: { id }, body })
    showDone(done ? `The details of account ${id} were changed.` : REQUESTED)
    await everythingChanged()
  }
  const field = ({ name: key, label, most, description }: DetailField): ReactNode => (
    <TextInput
      key={key}
      label={label}
      description={description}
      maxLength={most}
      data-autofocus={key === 'categoryCode' || undefined}
      value={typed[key]}
      onChange={({ currentTarget: { value } }) => setTyped({ ...typed, [key]: value })}
    />
  )
  return (
    <Confirm
      opened
      title={`Details of account ${id}`}
      action="Set details"
      onConfirm={save}
      onClose={onClose}
    >
      <Text size="sm">
        New payments have the new details. Without a currency, payments and renewals in it are
        declined.
        {mode === 'live' && ` ${REQUESTED}`}
      </Text>
      {DETAIL_ROWS.map((row) => (
        <Group key={row[0]?.name} grow align="flex-end">
          {row.map(field)}
        </Group>
      ))}
      <ReasonField reason={reason} onChange={setReason} />
    </Confirm>
  )
}
