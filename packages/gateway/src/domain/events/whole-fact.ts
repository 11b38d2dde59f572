import { invariant } from '../../base/invariant.ts'
import { findCurrency } from '../currency.ts'
import { formatMinor } from '../money.ts'
import type { EventData, EventOrigin } from './event.ts'

/** Minor units as text, and the currency. */
type StoredAmount = readonly [minor: string, currency: string]

/** The content of a rare fact, whose event needs no further row. */
export interface WholeFact {
  readonly mode: 'test' | 'live' | null
  readonly origin: EventOrigin
  /** As the audit log names a portal user; null or absent for everyone else. */
  readonly actor?: string | null
  readonly data: EventData
  /** Further members of `data`. */
  readonly amounts?: Readonly<Record<string, StoredAmount | null>>
}

/** The data of a fact, with its amounts as decimal texts. */
export function dataOf({ amounts, data }: WholeFact): EventData {
  const texts = Object.entries(amounts ?? {}).map(([name, amount]) => [
    name,
    amount === null ? null : amountText(amount),
  ])
  return { ...data, ...Object.fromEntries(texts) }
}

function amountText([minor, code]: StoredAmount): string {
  const currency = findCurrency(code)
  invariant(currency !== null, 'an event has an amount of an unknown currency')
  return formatMinor(BigInt(minor), currency)
}
