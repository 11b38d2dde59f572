import { CARD_BRANDS } from './card-brands.ts'
import { ACTION_TEXTS, STATUS_TEXTS } from './order-columns.ts'

/** A word of the lists that can be searched for: a card brand, a status or an action. */
export interface SearchPhrase {
  readonly kind: 'brand' | 'status' | 'action'
  /** The text of the brand; the key of the status or action. */
  readonly value: string
}

const OTHER_NAMES: readonly (readonly [string, SearchPhrase])[] = [
  ['amex', { kind: 'brand', value: 'American Express' }],
  ['mc', { kind: 'brand', value: 'Mastercard' }],
  ['diners', { kind: 'brand', value: 'Diners Club' }],
  ['partially captured', { kind: 'status', value: 'part_captured' }],
  ['partially refunded', { kind: 'status', value: 'part_refunded' }],
]

const PHRASES: ReadonlyMap<string, SearchPhrase> = new Map([
  ...Object.entries(ACTION_TEXTS).flatMap(([value, text]) => {
    const phrase = { kind: 'action', value } as const
    return [
      [text.toLowerCase(), phrase],
      [`${text.toLowerCase()}s`, phrase],
    ] as const
  }),
  ...CARD_BRANDS.map((value) => [value.toLowerCase(), { kind: 'brand', value }] as const),
  ...Object.entries(STATUS_TEXTS).map(
    ([value, text]) => [text.toLowerCase(), { kind: 'status', value }] as const,
  ),
  ...OTHER_NAMES,
])

/** The brand, status or action that a text names as a whole: `amex`, `Partly refunded`, `sales`. */
export function readPhrase(text: string): SearchPhrase | null {
  return PHRASES.get(text.toLowerCase()) ?? null
}

/** The text of a phrase: `Partly refunded`. */
export function phraseText({ kind, value }: SearchPhrase): string {
  const texts: Readonly<Record<string, string>> = kind === 'status' ? STATUS_TEXTS : ACTION_TEXTS
  return kind === 'brand'
    ? value
    : ((Object.hasOwn(texts, value) ? texts[value] : undefined) ?? value)
}
