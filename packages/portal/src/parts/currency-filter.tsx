import { Select } from '@mantine/core'

interface CurrencyFilterProps {
  readonly chosen: string | undefined
  /** Of the list as it is filtered now, each with its currency. */
  readonly totals: readonly { readonly currency: string }[]
  readonly onChange: (currency: string | undefined) => void
}

/** Chooses one currency of a list. A list with a single currency needs no choice. */
export function CurrencyFilter({ chosen, onChange, totals }: CurrencyFilterProps) {
  const found = totals.map(({ currency }) => currency)
  const currencies = chosen === undefined || found.includes(chosen) ? found : [chosen, ...found]
  if (chosen === undefined && currencies.length < 2) return null
  return (
    <Select
      label="Currency"
      w={120}
      data={[{ value: '', label: 'Any' }, ...currencies]}
      value={chosen ?? ''}
      onChange={(value) => onChange(value === null || value === '' ? undefined : value)}
      allowDeselect={false}
    />
  )
}
