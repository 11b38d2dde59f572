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
import { AccountThreeDsDialog } from './account-three-ds-dialog.tsx'
import { CountriesDialog } from './countries-dialog.tsx'
import { DemandsDialog } from './demands-dialog.tsx'
import { DetailsDialog } from './details-dialog.tsx'
import { LimitsDialog } from './limits-dialog.tsx'
import { NewAccount } from './new-account.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { UnreferencedCreditsDialog } from './unreferenced-credits-dialog.tsx'

interface AccountsProps {
  readonly merchant: ConsoleMerchant
  readonly mayChange: boolean
}

type Change = 'details' | 'limits' | 'countries' | 'demands' | 'three-ds' | 'credits' | 'name'
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
    { key: 'three-ds', title: '3-D Secure', cell: ({ threeDs }) => (threeDs ? 'on' : 'off') },
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
      {opened !== null && <Opening opened={opened} merchant={merchant} onClose={close} />}
    </Panel>
  )
}

/** The dialog of a change, or of a new account. */
function Opening({
  opened,
  merchant,
  onClose,
}: {
  readonly opened: Opened
  readonly merchant: ConsoleMerchant
  readonly onClose: () => void
}) {
  if (opened.what === 'new') return <NewAccount merchant={merchant} onClose={onClose} />
  const { account, what } = opened
  const { demandable } = merchant
  const renamed = { what: 'account', id: account.id, name: account.processorName } as const
  switch (what) {
    case 'details':
      return <DetailsDialog account={account} onClose={onClose} />
    case 'limits':
      return <LimitsDialog account={account} onClose={onClose} />
    case 'countries':
      return <CountriesDialog account={account} onClose={onClose} />
    case 'demands':
      return <DemandsDialog account={account} demandable={demandable} onClose={onClose} />
    case 'three-ds':
      return <AccountThreeDsDialog account={account} onClose={onClose} />
    case 'credits':
      return <UnreferencedCreditsDialog account={account} onClose={onClose} />
    case 'name':
      return <RenameDialog renamed={renamed} onClose={onClose} />
  }
}

const CHANGES: readonly (readonly [what: Change, text: string, label: string])[] = [
  ['details', 'Details', 'Details of account'],
  ['limits', 'Change limits', 'Change limits of account'],
  ['countries', 'Countries', 'Countries of account'],
  ['demands', 'Demands', 'Demands of account'],
  ['three-ds', '3-D Secure', '3-D Secure of account'],
  ['credits', 'Credits', 'Credits of account'],
  ['name', 'Rename', 'Rename account'],
]

function Changes({ id, onOpen }: { readonly id: string; readonly onOpen: (what: Change) => void }) {
  return (
    <Group gap={6} miw={270}>
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

function Limits({
  account: { limits, countries, unreferencedCredits },
}: {
  readonly account: ConsoleAccount
}) {
  if (limits.length === 0 && countries === null && !unreferencedCredits) {
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
      {unreferencedCredits && <Text size="sm">Takes unreferenced credits</Text>}
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
