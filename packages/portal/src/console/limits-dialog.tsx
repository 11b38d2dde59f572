import { Group, Select, Text, TextInput } from '@mantine/core'
import { findCurrency } from '@tollgate/kernel/currency'
import { formatMinor } from '@tollgate/kernel/money'
import type { ConsoleAccount } from '@tollgate/portal-contract/answers/console'
import { consoleMerchants } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { REQUESTED } from './disable-dialog.tsx'
import { ReasonField } from './reason-field.tsx'

/** Asks for the limits of an account in a currency. */
export function LimitsDialog({
  account,
  onClose,
}: {
  readonly account: ConsoleAccount
  readonly onClose: () => void
}) {
  const { id, currencies, mode } = account
  const [currency, setCurrency] = useState(account.limits[0]?.currency ?? currencies[0] ?? '')
  const present = typedLimits(account, currency)
  const [typed, setTyped] = useState(present)
  const [reason, setReason] = useState('')
  const save = async (): Promise<void> => {
    const body = { currency, ...typed, reason: reason.trim() }
    const { done } = await call(consoleMerchants.setLimits, { path: { id }, body })
    showDone(done ? `The limits of account ${id} were changed.` : REQUESTED)
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`Limits of account ${id}`}
      action="Set limits"
      onConfirm={save}
      onClose={onClose}
    >
      <Text size="sm">
        Payments above a limit are declined before a bank is asked. An empty field is no limit.
        {mode === 'live' && ` For a higher limit: ${REQUESTED}`}
      </Text>
      <Group grow align="flex-start">
        <Select
          label="Currency"
          allowDeselect={false}
          data={[...currencies]}
          value={currency}
          onChange={(next) => {
            if (next === null) return
            setCurrency(next)
            setTyped(typedLimits(account, next))
          }}
        />
        <TextInput
          label="One payment"
          inputMode="decimal"
          value={typed.payment}
          onChange={({ currentTarget: { value } }) => setTyped({ ...typed, payment: value })}
        />
        <TextInput
          label="A day"
          inputMode="decimal"
          value={typed.day}
          onChange={({ currentTarget: { value } }) => setTyped({ ...typed, day: value })}
        />
      </Group>
      <ReasonField reason={reason} onChange={setReason} />
    </Confirm>
  )
}

function typedLimits({ limits }: ConsoleAccount, code: string) {
  const limit = limits.find(({ currency }) => currency === code)
  const known = findCurrency(code)
  const text = (minor: string | null | undefined): string =>
    minor === null || minor === undefined || known === null ? '' : formatMinor(BigInt(minor), known)
  return { payment: text(limit?.paymentMinor), day: text(limit?.dayMinor) }
}
