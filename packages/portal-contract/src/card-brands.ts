/** The card brands that an order can have, as lists name them. */
export const CARD_BRANDS = [
  'Visa',
  'Mastercard',
  'American Express',
  'Discover',
  'Diners Club',
  'JCB',
  'UnionPay',
  'Maestro',
  'Mir',
  'Elo',
  'RuPay',
  'Troy',
  'Verve',
] as const

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')

const BY_LETTERS: ReadonlyMap<string, string> = new Map([
  ...CARD_BRANDS.map((brand) => [lettersOf(brand), brand] as const),
  ['amex', 'American Express'],
  ['diners', 'Diners Club'],
])

/** The name of the brand that a file calls `AMERICANEXPRESS` or `amex`; else the text itself. */
export function brandName(text: string): string {
  return BY_LETTERS.get(lettersOf(text)) ?? text
}
