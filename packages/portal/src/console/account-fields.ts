import type { AccountDetails } from '@tollgate/portal-contract/answers/console'

/** A field of the details of an account. */
export interface DetailField {
  readonly name: keyof AccountDetails
  readonly label: string
  /** The most characters. */
  readonly most: number
  readonly description?: string
}

/** The fields of the details, in rows. */
export const DETAIL_ROWS: readonly (readonly DetailField[])[] = [
  [
    { name: 'categoryCode', label: 'Category code', most: 4 },
    { name: 'currencies', label: 'Currencies', most: 200, description: 'Such as EUR USD.' },
  ],
  [
    { name: 'name', label: 'Name on statements', most: 25 },
    { name: 'city', label: 'City', most: 13 },
    { name: 'country', label: 'Country', most: 2, description: 'Such as DE.' },
  ],
]

/** The codes of a typed text, between blanks or commas. */
export function readCurrencies(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((code) => code !== '')
}
