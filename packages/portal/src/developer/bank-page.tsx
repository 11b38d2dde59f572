import { Button, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { findCurrency } from '@tollgate/kernel/currency'
import { formatMinor, parseAmount } from '@tollgate/kernel/money'
import type { BankAccount, BankLine, BankRule } from '@tollgate/portal-contract/answers/developer'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Amount } from '../parts/amount.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { showDone, showFault } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import { useAddress } from './address.ts'
import classes from './developer.module.css'
import { actionText } from './fault-words.ts'
import { TestSitePanel } from './sandbox-panel.tsx'
import { useTestSite } from './test-site.tsx'

const FAULTS = ['developer', 'bank', 'faults']
/** Rules know minor units only: amounts are written with two decimals, as most currencies have. */
const DECIMALS = findCurrency('USD')

/** The test bank: what it does wrong on purpose, its accounts and their statements. */
export function BankPage() {
  const [{ account = '', q = '' }, change] = useAddress('/developer/bank')
  const accounts = useQuery({
    queryKey: ['developer', 'bank', 'accounts'],
    queryFn: ({ signal }) => call(routes.testBank.accounts, { signal }),
  })
  const opened = accounts.data?.accounts.find(({ id }) => id === account)
  const rows = accounts.data?.accounts.filter((row) =>
    `${numberText(row)} ${row.meaning} ${row.status}`.toLowerCase().includes(q.toLowerCase()),
  )
  return (
    <Page
      title="Test bank"
      text="The bundled bank behind all test sites. It decides by published tables. Here you see its accounts and can inject faults."
    >
      <TestSitePanel />
      <FaultDial />
      <Panel
        title="Accounts"
        actions={
          <TextInput
            aria-label="Search accounts"
            placeholder="Search, such as 0308 or stolen"
            w={260}
            value={q}
            onChange={(event) => change({ q: event.currentTarget.value })}
          />
        }
      >
        {accounts.error !== null ? (
          <Fault error={accounts.error} onRetry={() => void accounts.refetch()} />
        ) : (
          <DataTable
            label="Accounts"
            columns={ACCOUNT_COLUMNS}
            rows={rows}
            keyOf={({ id }) => id}
            onOpen={({ id }) => change({ account: id })}
            empty={
              <EmptyState title="No results" text="No test bank account matches your search." />
            }
          />
        )}
        <Text size="sm" c="dimmed" mt="xs">
          The behavior of an account is fixed, so tests stay stable. For another answer, add a fault
          for its last four digits.
        </Text>
      </Panel>
      {account !== '' && (
        <Dialog
          opened
          onClose={() => change({ account: null })}
          size="xl"
          title={opened === undefined ? 'Statement' : `Statement of ${numberText(opened)}`}
        >
          <Statement account={account} />
        </Dialog>
      )}
    </Page>
  )
}

function numberText({ first6, last4 }: Pick<BankAccount, 'first6' | 'last4'>): string {
  return first6 === null ? `... ${last4}` : `${first6} ... ${last4}`
}

function limitsText({ limits, funds }: BankAccount): string {
  const { perTransaction, perDay, approvalsPerDay } = limits
  return [
    funds === null
      ? ''
      : `has ${funds.opening}.00 ${funds.restored === 'daily' ? 'a day' : 'each time'}`,
    perTransaction === null ? '' : `${perTransaction}.00 at a time`,
    perDay === null ? '' : `${perDay}.00 a day`,
    approvalsPerDay === null ? '' : `${approvalsPerDay} approvals a day`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

const ACCOUNT_COLUMNS: readonly Column<BankAccount>[] = [
  {
    key: 'number',
    title: 'Card',
    cell: (row) => <span className={classes.plain}>{numberText(row)}</span>,
  },
  { key: 'status', title: 'Status', cell: ({ status }) => <StatusBadge state={status} /> },
  {
    key: 'meaning',
    title: 'Behavior',
    cell: ({ meaning }) => <div className={classes.meaning}>{meaning}</div>,
  },
  { key: 'limits', title: 'Funds and limits', cell: limitsText },
  {
    key: 'available',
    title: 'Available',
    align: 'right',
    // Other cards can pay anything: what they stand at says nothing.
    cell: ({ balances, funds }) =>
      funds === null
        ? null
        : balances.map(({ currency, availableMinor }) => (
            <div key={currency}>
              <Amount minor={availableMinor} currency={currency} />
            </div>
          )),
  },
  {
    key: 'held',
    title: 'Held',
    align: 'right',
    cell: ({ balances }) =>
      balances
        .filter(({ heldMinor }) => heldMinor !== '0')
        .map(({ currency, heldMinor }) => (
          <div key={currency}>
            <Amount minor={heldMinor} currency={currency} />
          </div>
        )),
  },
]

function Statement({ account }: { readonly account: string }) {
  const statement = useQuery({
    queryKey: ['developer', 'bank', 'statement', account],
    queryFn: ({ signal }) => call(routes.testBank.statement, { query: { account }, signal }),
  })
  if (statement.error !== null)
    return <Fault error={statement.error} onRetry={() => void statement.refetch()} />
  return (
    <Stack gap="xs">
      <DataTable
        label="Statement"
        columns={LINE_COLUMNS}
        rows={statement.data?.lines}
        keyOf={({ key, kind }) => `${key} ${kind}`}
        empty={
          <EmptyState
            title="No payments yet"
            text="No payment of your sites was approved for this account."
          />
        }
      />
      <Text size="sm" c="dimmed">
        The latest 200 payments of your sites. A reversed authorization holds no funds.
      </Text>
    </Stack>
  )
}

const LINE_COLUMNS: readonly Column<BankLine>[] = [
  { key: 'at', title: 'Sent (UTC)', cell: ({ key }) => sentText(key) },
  { key: 'kind', title: 'What', cell: ({ kind }) => kind },
  { key: 'state', title: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} />,
  },
  {
    key: 'held',
    title: 'Held',
    align: 'right',
    cell: ({ heldMinor, currency }) => <Amount minor={heldMinor} currency={currency} />,
  },
  {
    key: 'captured',
    title: 'Captured',
    align: 'right',
    cell: ({ capturedMinor, currency }) => <Amount minor={capturedMinor} currency={currency} />,
  },
  {
    key: 'refunded',
    title: 'Refunded',
    align: 'right',
    cell: ({ refundedMinor, currency }) => <Amount minor={refundedMinor} currency={currency} />,
  },
]

/** Month, day and time stand at the end of a message's key. */
function sentText(key: string): string {
  const [, month = '', day = '', hour = '', minute = '', second = ''] =
    /(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(key) ?? []
  return `${month}-${day} ${hour}:${minute}:${second}`
}

interface Preset {
  readonly value: string
  readonly label: string
  readonly says: string
  readonly action: BankRule['action']
}

const PRESETS: readonly Preset[] = [
  {
    value: 'silent',
    label: 'Silent',
    says: 'The bank never answers and books nothing.',
    action: { kind: 'silent', applied: false },
  },
  {
    value: 'lost',
    label: 'Approve and lose the answer',
    says: 'The bank books the payment, but its answer never arrives. The gateway reverses the payment.',
    action: { kind: 'silent', applied: true },
  },
  {
    value: 'slow',
    label: 'Slow',
    says: 'The answer arrives some seconds late.',
    action: { kind: 'slow', delayMs: 3_000 },
  },
  {
    value: 'code',
    label: 'Other code',
    says: 'The bank answers with this code and books nothing.',
    action: { kind: 'code', code: '05', applied: false },
  },
  {
    value: 'twice',
    label: 'Answer twice',
    says: 'The same answer arrives twice.',
    action: { kind: 'twice' },
  },
  {
    value: 'close',
    label: 'Close the connection',
    says: 'The bank books the payment and closes the connection before it answers.',
    action: { kind: 'close' },
  },
  {
    value: 'wrong_amount',
    label: 'Wrong amount',
    says: "The answer's amount is one minor unit too high.",
    action: { kind: 'wrong_amount' },
  },
]

const MESSAGES = [
  { value: '0100', label: 'Authorizations and sales' },
  { value: '0220', label: 'Captures and refunds' },
  { value: '0420', label: 'Reversals' },
]

function FaultDial() {
  const mayChange = useMay('developer.change')
  const [opened, setOpened] = useState(false)
  const faults = useQuery({
    queryKey: FAULTS,
    queryFn: () => call(routes.testBank.faults, { background: true }),
    refetchInterval: 2_000,
  })
  const remove = useMutation({
    mutationFn: (id: number) => call(routes.testBank.removeFault, { path: { id: String(id) } }),
    onSuccess: () => {
      showDone('Fault removed.')
      void queryClient.invalidateQueries({ queryKey: FAULTS })
    },
    onError: (error) => showFault(error),
  })
  const columns: readonly Column<BankRule>[] = [
    { key: 'action', title: 'Behavior', cell: ({ action }) => actionText(action) },
    { key: 'match', title: 'Applies to', cell: ({ match }) => matchText(match) },
    {
      key: 'left',
      title: 'Remaining',
      align: 'right',
      cell: ({ count, done }) =>
        count === null ? 'unlimited' : `${Math.max(0, count - done)} of ${count}`,
    },
    { key: 'done', title: 'Applied', align: 'right', cell: ({ done }) => done },
    {
      key: 'remove',
      title: 'Remove',
      cell: (rule) =>
        mayChange && rule.isOwn ? (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => remove.mutate(rule.id)}
            aria-label={`Remove fault ${rule.id}`}
          >
            Remove
          </Button>
        ) : rule.isOwn ? null : (
          'set by the operator'
        ),
    },
  ]
  return (
    <Panel
      title="Faults"
      actions={
        mayChange && (
          <Button
            size="compact-sm"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => setOpened(true)}
          >
            Add fault
          </Button>
        )
      }
    >
      {faults.error !== null ? (
        <Fault error={faults.error} onRetry={() => void faults.refetch()} />
      ) : (
        <DataTable
          label="Faults"
          columns={columns}
          rows={faults.data?.rules}
          keyOf={({ id }) => String(id)}
          empty={
            <EmptyState
              title="No faults"
              text="Add a fault to test how your shop handles a silent, slow or wrong bank. A restart of the bank removes all faults."
            />
          }
        />
      )}
      {opened && <AddFault onClose={() => setOpened(false)} />}
    </Panel>
  )
}

function AddFault({ onClose }: { readonly onClose: () => void }) {
  const [siteId, choice] = useTestSite()
  const [preset, setPreset] = useState(PRESETS[0]?.value ?? '')
  const [mti, setMti] = useState<string | null>('0100')
  const [code, setCode] = useState('05')
  const [seconds, setSeconds] = useState<string | number>(3)
  const [count, setCount] = useState<string | number>(1)
  const [last4, setLast4] = useState('')
  const [amount, setAmount] = useState('')
  const chosen = PRESETS.find(({ value }) => value === preset)
  const add = useMutation({
    mutationFn: () => {
      const reading =
        amount === '' || DECIMALS === null ? null : parseAmount(amount.trim(), DECIMALS)
      if (reading !== null && reading.kind !== 'amount')
        throw new Error('Enter the amount with digits and a point, such as 12.50.')
      return call(routes.testBank.addFault, {
        body: {
          site: siteId ?? '',
          mti,
          last4: last4 === '' ? null : last4,
          amountMinor: reading === null ? null : String(reading.minor),
          count: count === '' ? null : Number(count),
          action: {
            ...(chosen?.action ?? { kind: '' }),
            ...(preset === 'code' ? { code: code.toUpperCase() } : {}),
            ...(preset === 'slow' ? { delayMs: Math.round(Number(seconds) * 1_000) } : {}),
          },
        },
      })
    },
    onSuccess: () => {
      showDone('Fault added.')
      void queryClient.invalidateQueries({ queryKey: FAULTS })
      onClose()
    },
  })
  return (
    <Dialog opened onClose={onClose} title="Add fault">
      <Stack
        gap="sm"
        component="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!add.isPending) add.mutate()
        }}
      >
        <Select
          label="Behavior"
          description={chosen?.says}
          allowDeselect={false}
          data={PRESETS.map(({ value, label }) => ({ value, label }))}
          value={preset}
          onChange={(value) => setPreset(value ?? '')}
          data-autofocus
        />
        {preset === 'code' && (
          <TextInput
            label="Code (DE 39)"
            maxLength={2}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {preset === 'slow' && (
          <NumberInput label="Seconds" min={0.1} max={120} value={seconds} onChange={setSeconds} />
        )}
        {choice}
        <Select
          label="Messages"
          clearable
          placeholder="All"
          data={MESSAGES}
          value={mti}
          onChange={setMti}
        />
        <Group grow align="flex-start">
          <TextInput
            label="Only this card"
            placeholder="last four digits"
            inputMode="numeric"
            maxLength={4}
            value={last4}
            onChange={(event) => setLast4(event.currentTarget.value)}
          />
          <TextInput
            label="Only this amount"
            placeholder="12.50"
            value={amount}
            onChange={(event) => setAmount(event.currentTarget.value)}
          />
        </Group>
        <NumberInput
          label="Number of times"
          description="Leave empty to apply it until removed"
          min={1}
          max={1_000_000}
          value={count}
          onChange={setCount}
        />
        {add.error !== null && (
          <Text c="var(--mantine-color-error)" size="sm" role="alert">
            {add.error.message}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add fault
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function matchText(match: BankRule['match']): string {
  const { mti, last4, amountFrom, amountTo, merchant } = match
  const messages = MESSAGES.find(({ value }) => value === mti)?.label ?? mti ?? 'all messages'
  const minor = (text: string): string =>
    DECIMALS === null ? text : formatMinor(BigInt(text), DECIMALS)
  const amounts =
    amountFrom === undefined && amountTo === undefined
      ? ''
      : amountFrom === amountTo
        ? `amount ${minor(amountFrom ?? '')}`
        : `amount ${minor(amountFrom ?? '0')} to ${amountTo === undefined ? 'any' : minor(amountTo)}`
  return [
    messages,
    last4 === undefined ? '' : `card ... ${last4}`,
    amounts,
    merchant === undefined ? 'every merchant' : `account ${merchant}`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}
