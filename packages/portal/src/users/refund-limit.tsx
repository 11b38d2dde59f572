import { Group, Select, TextInput } from '@mantine/core'
import { CURRENCIES, findCurrency } from '@tollgate/kernel/currency'
import { formatMinor, parseAmount } from '@tollgate/kernel/money'

/** An amount as it is typed; empty for no limit. */
export interface TypedLimit {
  readonly amount: string
  readonly currency: string
}

export interface Limit {
  readonly minor: string
  readonly currency: string
}

export function typedLimit(limit: Limit | null, fallback: string): TypedLimit {
  const currency = limit === null ? null : findCurrency(limit.currency)
  if (limit === null || currency === null) return { amount: '', currency: fallback }
  return { amount: formatMinor(BigInt(limit.minor), currency), currency: limit.currency }
}

/** Null for no limit; undefined for what is no amount. */
export function readLimit({ amount, currency: code }: TypedLimit): Limit | null | undefined {
  const currency = findCurrency(code)
  if (amount.trim() === '') return null
  const read = currency === null ? null : parseAmount(amount.trim(), currency)
  return read?.kind === 'amount' ? { minor: read.minor.toString(), currency: code } : undefined
}

interface RefundLimitProps {
  readonly value: TypedLimit
  readonly onChange: (value: TypedLimit) => void
}

export function RefundLimit({ value, onChange }: RefundLimitProps) {
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap" grow preventGrowOverflow={false}>
      <TextInput
        label="Refund limit"
        description="The most this user can refund per order. Leave empty for no limit."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="decimal"
        value={value.amount}
        error={
          readLimit(value) === undefined
            ? `Enter an amount in ${value.currency}, such as 250`
            : null
        }
        onChange={(event) => onChange({ ...value, amount: event.currentTarget.value })}
      />
      <Select
        label="Currency"
        maw={110}
        searchable
        allowDeselect={false}
        data={CURRENCIES.map(({ code }) => code)}
        value={value.currency}
        onChange={(currency) => currency !== null && onChange({ ...value, currency })}
      />
    </Group>
  )
}
