import { OneOrAny } from './one-or-any.tsx'

interface CurrencyFilterProps {
  readonly chosen: string | undefined
  /** Of the list as it is filtered now, each with its currency. */
  readonly totals: readonly { readonly currency: string }[]
  readonly onChange: (currency: string | undefined) => void
}

/** Chooses one currency of a list. A list with a single currency needs no choice. */
export function CurrencyFilter({ chosen, onChange, totals }: CurrencyFilterProps) {
  if (chosen === undefined && totals.length < 2) return null
  return (
    <OneOrAny
      label="Currency"
      width={120}
      any="Any"
      options={totals.map(({ currency }) => currency)}
      chosen={chosen}
      onChange={onChange}
    />
  )
}
