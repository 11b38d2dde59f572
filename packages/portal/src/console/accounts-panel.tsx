import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { findCurrency } from '@tollgate/kernel/currency'
import { formatMinor } from '@tollgate/kernel/money'
import type { ConsoleAccount, CurrencyLimit } from '@tollgate/portal-contract/answers/console'
import { consoleMerchants } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { amountText } from '../parts/amount.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Panel } from '../parts/panel.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { REQUESTED } from './disable-dialog.tsx'

interface AccountsProps {
  readonly accounts: readonly ConsoleAccount[]
  readonly mayChange: boolean
}

/** The accounts of a merchant, with their limits. */
export function AccountsPanel({ accounts, mayChange }: AccountsProps) {
  const [changing, setChanging] = useState<ConsoleAccount | null>(null)
  const columns: Column<ConsoleAccount>[] = [
    { key: 'id', title: 'Number', cell: ({ id }) => id },
    { key: 'mode', title: 'Mode', cell: ({ mode }) => <ModeBadge mode={mode} /> },
    {
      key: 'bank',
      title: 'Bank',
      cell: ({ processorName, link }) =>
        link === null ? processorName : `${processorName} (${link})`,
    },
    { key: 'sites', title: 'Sites', cell: ({ sites }) => sites.join(', ') },
    { key: 'currencies', title: 'Currencies', cell: ({ currencies }) => currencies.join(', ') },
    { key: 'limits', title: 'Limits', cell: (account) => <Limits account={account} /> },
    {
      key: 'change',
      title: '',
      cell: (account) =>
        mayChange && (
          <Button size="compact-xs" variant="default" onClick={() => setChanging(account)}>
            Change limits
          </Button>
        ),
    },
  ]
  return (
    <Panel title="Accounts">
      <DataTable
        label="Accounts"
        columns={columns}
        rows={accounts}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No accounts" text="tollgate accounts put makes one." />}
      />
      {changing !== null && (
        <LimitsDialog key={changing.id} account={changing} onClose={() => setChanging(null)} />
      )}
    </Panel>
  )
}

function Limits({ account: { limits, countries } }: { readonly account: ConsoleAccount }) {
  if (limits.length === 0 && countries === null) {
    return (
      <Text size="sm" c="dimmed">
        none
      </Text>
    )
  }
  return (
    <Stack gap={2}>
      {limits.map((limit) => (
        <Text size="sm" key={limit.currency}>
          {limitText(limit)}
        </Text>
      ))}
      {countries !== null && <Text size="sm">Countries: {countries}</Text>}
    </Stack>
  )
}

function limitText({ currency, paymentMinor, dayMinor, todayMinor }: CurrencyLimit): string {
  const text = (minor: string): string => amountText(minor, currency)
  return [
    ...(paymentMinor === null ? [] : [`${text(paymentMinor)} for one payment`]),
    ...(dayMinor === null ? [] : [`${text(dayMinor)} for a day, ${text(todayMinor ?? '0')} today`]),
  ].join('; ')
}

function LimitsDialog({
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
      <TextInput
        label="Reason"
        description="For the second operator, if one has to confirm."
        maxLength={200}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
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
