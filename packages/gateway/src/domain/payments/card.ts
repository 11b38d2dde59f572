/** The name of a card brand, as merchants see it. */
export type CardBrand =
  | 'Visa'
  | 'Mastercard'
  | 'American Express'
  | 'Discover'
  | 'Diners Club'
  | 'JCB'
  | 'UnionPay'
  | 'Maestro'
  | 'Mir'
  | 'Elo'
  | 'Hiper'
  | 'Hipercard'
  | 'Troy'
  | 'Verve'
  | 'Naranja'
  | 'RuPay'
  | 'Dankort'
  | 'UATP'

/**
 * Leading digits by brand, as single prefixes or spans of prefixes of one length; the longest
 * prefix that fits decides, and no prefix stands twice. The tests compare it with the
 * credit-card-type package (10.3.0) and name each range where the two differ. 622126 to 622925 is
 * UnionPay's although Discover's network carries those cards in the United States: the brand is
 * what is printed on the card.
 */
export const BRAND_PREFIXES: readonly (readonly [brand: CardBrand, prefixes: string])[] = [
  ['Visa', '4'],
  ['Mastercard', '51-55 2221-2720'],
  ['American Express', '34 37'],
  ['Discover', '6011 644-649 65'],
  ['Diners Club', '300-305 309 36 38-39'],
  ['JCB', '3338 3528-3589 1800 2131'],
  ['UnionPay', '62 810 8110-8171'],
  ['Maestro', '493698 50 56-59 6'],
  ['Mir', '2200-2204'],
  [
    'Elo',
    '401178-401179 431274 438935 451416 457393 457631-457632 504175 506699-506778 509000-509999 ' +
      '627780 636297 636368 650031-650033 650035-650051 650405-650439 650485-650538 ' +
      '650541-650598 650700-650718 650720-650727 650901-650922 650924-650978 651652-651679 ' +
      '655000-655019 655021-655058',
  ],
  ['Hiper', '637095 637568 637599 637609 637612 63737423 63743358'],
  ['Hipercard', '606282'],
  [
    'Troy',
    '9792 650052 650082-650083 650092 650161 650170 650173 650175 650268 650271 650273-650274 ' +
      '650456-650457 650836 650846-650850 650923 650987 650990 654997 657366 657998 658758 ' +
      '658767-658768 65083700-65083704 65085800-65085804 65085900-65085901 65086000 ' +
      '65086100-65086105 65086200-65086203 65875000-65875003 65875009 65875101-65875104 65875200 ' +
      '65875501 65875601 65875900 65876000-65876002 65876100-65876103 65876110 65876115-65876116 ' +
      '65876200-65876201 65876500 65876504-65876505 65876600-65876602 65877100-65877101 ' +
      '65877600-65877602 65877700 65877801-65877802 65878200-65878202 65878300-65878311 ' +
      '65878400-65878405 65878500-65878505 65878600-65878601 65879800 65880800 65880900',
  ],
  [
    'Verve',
    '506099-506127 506129 506133-506150 506158-506163 506166 506168 506170 506173 ' +
      '506176-506180 506184 506187-506188 506191 506195 506197 507865-507866 507868-507877 ' +
      '507880-507888 507900 507941',
  ],
  ['Naranja', '402918 527572 589562'],
  ['RuPay', '508 60 81 82'],
  ['Dankort', '5019'],
  ['UATP', '1'],
]

interface BrandRange {
  readonly brand: CardBrand
  readonly prefixLength: number
  /** The span that the prefixes cover, as the first eight digits of a card number. */
  readonly first: number
  readonly last: number
}

const COMPARED_DIGITS = 8

const BRAND_RANGES: readonly BrandRange[] = BRAND_PREFIXES.flatMap(([brand, prefixes]) =>
  prefixes.split(' ').map((span) => readSpan(brand, span)),
).toSorted((left, right) => right.prefixLength - left.prefixLength)

function readSpan(brand: CardBrand, span: string): BrandRange {
  const [low = '', high = low] = span.split('-')
  return {
    brand,
    prefixLength: low.length,
    first: Number(low.padEnd(COMPARED_DIGITS, '0')),
    last: Number(high.padEnd(COMPARED_DIGITS, '9')),
  }
}

/** Every brand that owns a range. */
export const CARD_BRANDS: readonly CardBrand[] = BRAND_PREFIXES.map(([brand]) => brand)

/**
 * The brand of a card number, or of its first six or eight digits; null when no brand owns the
 * range. Lengths are not judged.
 */
export function cardBrand(digits: string): CardBrand | null {
  const leading = Number(digits.slice(0, COMPARED_DIGITS).padEnd(COMPARED_DIGITS, '0'))
  for (const range of BRAND_RANGES) {
    if (leading >= range.first && leading <= range.last) return range.brand
  }
  return null
}

export type PanReading =
  | { readonly kind: 'pan'; readonly digits: string }
  | { readonly kind: 'refused'; readonly reason: 'not_numeric' | 'wrong_length' }

const ONLY_DIGITS = /^\d+$/
const MIN_PAN_LENGTH = 12
const MAX_PAN_LENGTH = 19

/** A card number without the blanks and dashes that people group it with. */
export function normalizePan(text: string): string {
  return ONLY_DIGITS.test(text) ? text : text.replace(/[\s-]/g, '')
}

/** Reads a card number as people write it: 12 to 19 digits, blanks and dashes ignored. */
export function readPan(text: string): PanReading {
  const digits = normalizePan(text)
  if (!ONLY_DIGITS.test(digits)) return { kind: 'refused', reason: 'not_numeric' }
  if (digits.length < MIN_PAN_LENGTH || digits.length > MAX_PAN_LENGTH) {
    return { kind: 'refused', reason: 'wrong_length' }
  }
  return { kind: 'pan', digits }
}

/** The last month in which a card is good. */
export interface Expiry {
  /** 1 to 12. */
  readonly month: number
  /** Four digits. */
  readonly year: number
}

const EXPIRY = /^(0[1-9]|1[0-2])\/?(\d{4})$/

/** Reads MMYYYY or MM/YYYY; null for anything else. */
export function readExpiry(text: string): Expiry | null {
  const match = EXPIRY.exec(text)
  return match === null ? null : { month: Number(match[1]), year: Number(match[2]) }
}

/** A card is good through the last day of its month, in UTC. */
export function isExpired(expiry: Expiry, now: Date): boolean {
  // The month counts from 1 here and from 0 there, so this is the first instant of the next one.
  return now.getTime() >= Date.UTC(expiry.year, expiry.month, 1)
}
