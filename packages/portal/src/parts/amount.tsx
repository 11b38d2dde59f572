import { Text } from '@mantine/core'
import { findCurrency } from '@tollgate/kernel/currency'
import { formatMinor } from '@tollgate/kernel/money'

/**
 * `1,234.50 EUR`, with the decimals that the currency has. `minor`: minor units, as the API sends
 * them.
 */
export function amountText(minor: string | bigint, currency: string): string {
  const known = findCurrency(currency)
  if (known === null) return `${minor} ${currency}`
  const [whole = '', fraction] = formatMinor(BigInt(minor), known).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  return `${grouped}${fraction === undefined ? '' : `.${fraction}`} ${known.code}`
}

interface AmountProps {
  readonly minor: string | bigint
  readonly currency: string
  /** Without the currency, where its row or column names it. */
  readonly bare?: boolean
  readonly dimmed?: boolean
}

/** An amount that does not break and lines up with those above and below. */
export function Amount({ minor, currency, bare = false, dimmed = false }: AmountProps) {
  const isNothing = BigInt(minor) === 0n
  return (
    <Text
      span
      inherit
      style={{ whiteSpace: 'nowrap' }}
      c={dimmed || isNothing ? 'dimmed' : undefined}
    >
      {bare ? amountText(minor, currency).replace(/ \S+$/, '') : amountText(minor, currency)}
    </Text>
  )
}
