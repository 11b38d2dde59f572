import { Alert, Divider, Group, List, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ConsoleFees, FeePreview } from '@tollgate/portal-contract/answers/console-fees'
import { consoleFees } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Amount } from '../parts/amount.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { call } from '../shell/api.ts'
import { brandText } from './plan-draft.ts'

const PAUSE_MS = 300

type Sample = FeePreview['samples'][number]

/** Judges a text a moment after it was typed. */
export function usePlanPreview({ merchant, currencies }: ConsoleFees, plan: string) {
  const [amount, setAmount] = useState('100.00')
  const [currency, setCurrency] = useState(currencies[0] ?? 'USD')
  const body = { plan, amount, currency }
  const [settled] = useDebouncedValue(JSON.stringify(body), PAUSE_MS)
  const found = useQuery({
    queryKey: ['fee-preview', merchant.id, settled],
    queryFn: ({ signal }) =>
      call(consoleFees.preview, { path: { id: merchant.id }, body: JSON.parse(settled), signal }),
    placeholderData: keepPreviousData,
    retry: false,
  })
  const isCurrent = settled === JSON.stringify(body) && !found.isPlaceholderData
  const { data, error } = found
  return {
    amount,
    setAmount,
    currency,
    setCurrency,
    preview: data,
    error,
    /** Whether the plan that is shown can be set. */
    isValid: isCurrent && error === null && data?.faults.length === 0,
  }
}

/** The faults of a plan, or what it charges for one payment. */
export function PlanPreview({
  judged,
  currencies,
}: {
  readonly judged: ReturnType<typeof usePlanPreview>
  readonly currencies: readonly string[]
}) {
  const { amount, currency, error, preview } = judged
  const faults = error === null ? (preview?.faults ?? []) : [error.message]
  return (
    <Stack gap="sm">
      <Divider label="Fees of one payment" labelPosition="left" />
      <Group align="flex-end">
        <TextInput
          label="Sample payment"
          w={140}
          inputMode="decimal"
          maxLength={15}
          value={amount}
          onChange={({ currentTarget: { value } }) => judged.setAmount(value)}
        />
        <Select
          label="Currency"
          w={110}
          allowDeselect={false}
          data={currencies.length === 0 ? ['USD'] : [...currencies]}
          value={currency}
          onChange={(code) => judged.setCurrency(code ?? currency)}
        />
      </Group>
      {faults.length > 0 && (
        <Alert color="red" role="alert" title="This plan cannot be set">
          <List size="sm">
            {faults.map((fault) => (
              <List.Item key={fault}>{fault}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {faults.length === 0 && preview !== undefined && (
        <Samples preview={preview} currency={currency} />
      )}
    </Stack>
  )
}

function Samples({
  preview: { samples, startsOn, monthly },
  currency,
}: {
  readonly preview: FeePreview
  readonly currency: string
}) {
  const columns: Column<Sample>[] = [
    { key: 'kind', title: 'Of', cell: ({ kind }) => (kind === 'sale' ? 'Sale' : 'Refund') },
    {
      key: 'brand',
      title: 'Brand',
      fills: true,
      cell: (sample) => brandText(sample, samples),
    },
    {
      key: 'before',
      title: 'Without this plan',
      align: 'right',
      cell: ({ beforeMinor }) => <Amount minor={beforeMinor} currency={currency} dimmed />,
    },
    {
      key: 'fee',
      title: 'Fee',
      align: 'right',
      cell: ({ feeMinor }) => <Amount minor={feeMinor} currency={currency} />,
    },
  ]
  const months = Object.entries(monthly).map(([code, text]) => `${text} ${code}`)
  return (
    <>
      <DataTable
        label="Fees of the sample"
        columns={columns}
        rows={samples}
        keyOf={({ kind, brand }) => `${kind} ${brand}`}
        empty={null}
      />
      <Text size="sm" c="dimmed">
        For a payment of {startsOn} or later.
        {months.length > 0 && ` Each whole month: ${months.join(', ')}.`} The merchant receives a
        fee below 0.
      </Text>
    </>
  )
}
