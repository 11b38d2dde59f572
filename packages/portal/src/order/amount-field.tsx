import { Text, TextInput } from '@mantine/core'

interface AmountFieldProps {
  readonly label?: string
  readonly value: string
  readonly currency: string
  readonly fault: string | null
  readonly description?: string
  readonly autoFocus?: boolean
  readonly onChange: (value: string) => void
}

export function AmountField({
  label = 'Amount',
  value,
  currency,
  fault,
  description,
  autoFocus = false,
  onChange,
}: AmountFieldProps) {
  return (
    <TextInput
      label={label}
      description={description}
      inputMode="decimal"
      autoComplete="off"
      value={value}
      error={fault}
      {...(autoFocus ? { 'data-autofocus': true } : {})}
      rightSectionWidth={52}
      rightSection={
        <Text span size="sm" c="dimmed">
          {currency}
        </Text>
      }
      styles={{ input: { textAlign: 'right', fontVariantNumeric: 'tabular-nums' } }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
