import { Button, Group, Stack, Text } from '@mantine/core'
import type {
  ConsoleAccount,
  ConsoleMerchant,
  CurrencyLimit,
} from '@tollgate/portal-contract/answers/console'
import { useState } from 'react'
import { amountText } from '../parts/amount.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Panel } from '../parts/panel.tsx'
import { CountriesDialog } from './countries-dialog.tsx'
import { DemandsDialog } from './demands-dialog.tsx'
import { LimitsDialog } from './limits-dialog.tsx'
import { NewAccount } from './new-account.tsx'
import { RenameDialog } from './rename-dialog.tsx'

interface AccountsProps {
  readonly merchant: ConsoleMerchant
  readonly mayChange: boolean
}

type Change = 'limits' | 'countries' | 'demands' | 'name'
type Opened = { readonly what: 'new' } | { readonly what: Change; readonly account: ConsoleAccount }

/** The accounts of a merchant, with their limits and demands. */
export function AccountsPanel({ merchant, mayChange }: AccountsProps) {
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = (): void => setOpened(null)
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
    { key: 'demands', title: 'Demands', cell: (account) => <Demands account={account} /> },
    {
      key: 'change',
      title: '',
      cell: (account) =>
        mayChange && <Changes id={account.id} onOpen={(what) => setOpened({ what, account })} />,
    },
  ]
  return (
    <Panel
      title="Accounts"
      actions={
        mayChange ? (
          <Button variant="default" onClick={() => setOpened({ what: 'new' })}>
            Create account
          </Button>
        ) : undefined
      }
    >
      <DataTable
        label="Accounts"
        columns={columns}
        rows={merchant.accounts}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No accounts" text="A site needs one to take payments." />}
      />
      {opened?.what === 'new' && <NewAccount merchant={merchant} onClose={close} />}
      {opened?.what === 'limits' && <LimitsDialog account={opened.account} onClose={close} />}
      {opened?.what === 'countries' && <CountriesDialog account={opened.account} onClose={close} />}
      {opened?.what === 'demands' && (
        <DemandsDialog account={opened.account} demandable={merchant.demandable} onClose={close} />
      )}
      {opened?.what === 'name' && (
        <RenameDialog
          renamed={{
            what: 'account',
            id: opened.account.id,
            name: opened.account.processorName,
          }}
          onClose={close}
        />
      )}
    </Panel>
  )
}

const CHANGES: readonly (readonly [what: Change, text: string, label: string])[] = [
  ['limits', 'Change limits', 'Change limits of account'],
  ['countries', 'Countries', 'Countries of account'],
  ['demands', 'Demands', 'Demands of account'],
  ['name', 'Rename', 'Rename account'],
]

function Changes({ id, onOpen }: { readonly id: string; readonly onOpen: (what: Change) => void }) {
  return (
    <Group gap={6} wrap="nowrap">
      {CHANGES.map(([what, text, label]) => (
        <Button
          key={what}
          size="compact-xs"
          variant="default"
          aria-label={`${label} ${id}`}
          onClick={() => onOpen(what)}
        >
          {text}
        </Button>
      ))}
    </Group>
  )
}

function Demands({ account: { brands, requiredFields } }: { readonly account: ConsoleAccount }) {
  return (
    <Stack gap={2}>
      {brands !== null && <Text size="sm">Brands: {brands.join(', ')}</Text>}
      {requiredFields.length > 0 && (
        <Text size="sm">
          Fields: {requiredFields.map((field) => field.replaceAll('_', ' ')).join(', ')}
        </Text>
      )}
      {brands === null && requiredFields.length === 0 && (
        <Text size="sm" c="dimmed">
          none
        </Text>
      )}
    </Stack>
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
