import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { DecimalAmounts } from '@tollgate/portal-contract/answers/console-fees'
import { newRate, type PlanDraft, type RateDraft } from './plan-draft.ts'

const KINDS = [
  { value: 'sale', label: 'Sales' },
  { value: 'refund', label: 'Refunds' },
]

interface PlanFormProps {
  readonly draft: PlanDraft
  readonly currencies: readonly string[]
  readonly brands: readonly string[]
  readonly onChange: (draft: PlanDraft) => void
}

/** The fields of a plan of fees. The gateway judges them. */
export function PlanForm({ draft, currencies, brands, onChange }: PlanFormProps) {
  const { startsOn, rates, monthly } = draft
  const change = (changed: RateDraft): void => {
    const next = rates.map((rate) => (rate.key === changed.key ? changed : rate))
    onChange({ ...draft, rates: next })
  }
  const add = (): void => {
    const key = Math.max(-1, ...rates.map((rate) => rate.key)) + 1
    onChange({ ...draft, rates: [...rates, newRate(key)] })
  }
  return (
    <Stack gap="md">
      <TextInput
        label="Starts on"
        description="Tomorrow or later, in the merchant's time zone."
        type="date"
        w={330}
        value={startsOn}
        onChange={({ currentTarget: { value } }) => onChange({ ...draft, startsOn: value })}
      />
      {rates.map((rate, at) => (
        <Rate
          key={rate.key}
          rate={rate}
          number={at + 1}
          currencies={currencies}
          brands={brands}
          onChange={change}
          onRemove={() =>
            onChange({ ...draft, rates: rates.filter(({ key }) => key !== rate.key) })
          }
        />
      ))}
      {rates.length === 0 && (
        <Text size="sm" c="dimmed">
          Without a rate, transactions are free.
        </Text>
      )}
      <Group>
        <Button variant="default" onClick={add}>
          Add a rate
        </Button>
      </Group>
      <Amounts
        amounts={monthly}
        currencies={currencies}
        label="Each month"
        onChange={(next) => onChange({ ...draft, monthly: next })}
      />
    </Stack>
  )
}

function Rate({
  rate,
  number,
  currencies,
  brands,
  onChange,
  onRemove,
}: {
  readonly rate: RateDraft
  readonly number: number
  readonly currencies: readonly string[]
  readonly brands: readonly string[]
  readonly onChange: (rate: RateDraft) => void
  readonly onRemove: () => void
}) {
  return (
    <Group align="flex-end" gap="xs" role="group" aria-label={`Rate ${number}`}>
      <Select
        label="Of"
        w={110}
        allowDeselect={false}
        data={KINDS}
        value={rate.kind}
        onChange={(kind) => onChange({ ...rate, kind: kind === 'refund' ? 'refund' : 'sale' })}
      />
      <Select
        label="Brand"
        w={190}
        allowDeselect={false}
        data={[{ value: '', label: 'All other brands' }, ...brands]}
        value={rate.brand}
        onChange={(brand) => onChange({ ...rate, brand: brand ?? '' })}
      />
      <TextInput
        label="Percent"
        w={90}
        inputMode="decimal"
        maxLength={9}
        value={rate.percent}
        onChange={({ currentTarget: { value } }) => onChange({ ...rate, percent: value })}
      />
      <Amounts
        amounts={rate.fixed}
        currencies={currencies}
        label="Fixed"
        onChange={(fixed) => onChange({ ...rate, fixed })}
      />
      <ActionIcon
        variant="default"
        size="input-sm"
        aria-label={`Remove rate ${number}`}
        onClick={onRemove}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </Group>
  )
}

/** A field for each currency of the merchant, and for those that the plan names besides. */
function Amounts({
  amounts,
  currencies,
  label,
  onChange,
}: {
  readonly amounts: DecimalAmounts
  readonly currencies: readonly string[]
  readonly label: string
  readonly onChange: (amounts: DecimalAmounts) => void
}) {
  return (
    <Group gap="xs" align="flex-end">
      {[...new Set([...currencies, ...Object.keys(amounts)])].map((code) => (
        <TextInput
          key={code}
          label={`${label}, ${code}`}
          w={150}
          inputMode="decimal"
          maxLength={15}
          value={amounts[code] ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ ...amounts, [code]: value })}
        />
      ))}
    </Group>
  )
}
