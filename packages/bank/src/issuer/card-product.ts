import type { CardBrand } from './card-brands.ts'

/** The issuer's description of a card, in tag PR. Country is ISO 3166-1 alpha-3. */
export interface CardProduct {
  readonly detail: 'CREDIT' | 'DEBIT'
  readonly type: string
  readonly class: 'CONSUMER' | 'COMMERCIAL' | 'CORPORATE' | 'PURCHASING'
  readonly prepaid: boolean
  readonly country: string
  readonly bank: string
  /** A token of the card network stands for the number in every authorization. */
  readonly networkToken?: true
}

const CONSUMER = { class: 'CONSUMER', prepaid: false, country: 'USA' } as const
const FIRST = { ...CONSUMER, bank: 'First Test Bank' } as const

export const VISA_CREDIT: CardProduct = { ...FIRST, detail: 'CREDIT', type: 'VISA CLASSIC' }
export const VISA_TOKENIZED: CardProduct = { ...VISA_CREDIT, networkToken: true }
export const VISA_DEBIT: CardProduct = { ...FIRST, detail: 'DEBIT', type: 'VISA DEBIT' }
export const VISA_PREPAID: CardProduct = {
  ...FIRST,
  detail: 'DEBIT',
  type: 'VISA PREPAID',
  prepaid: true,
}
export const VISA_BUSINESS: CardProduct = {
  ...FIRST,
  detail: 'CREDIT',
  type: 'VISA BUSINESS',
  class: 'COMMERCIAL',
}
export const VISA_BRITISH: CardProduct = {
  ...VISA_CREDIT,
  country: 'GBR',
  bank: 'Test Bank of London',
}
export const VISA_FRENCH: CardProduct = {
  ...VISA_CREDIT,
  country: 'FRA',
  bank: 'Banque de Test',
}
export const MASTERCARD_CREDIT: CardProduct = {
  ...FIRST,
  detail: 'CREDIT',
  type: 'MASTERCARD STANDARD',
}
export const MASTERCARD_DEBIT: CardProduct = {
  ...FIRST,
  detail: 'DEBIT',
  type: 'MASTERCARD DEBIT',
}
export const MASTERCARD_PREPAID: CardProduct = {
  ...FIRST,
  detail: 'DEBIT',
  type: 'MASTERCARD PREPAID',
  prepaid: true,
}
export const MASTERCARD_BRITISH: CardProduct = {
  ...MASTERCARD_CREDIT,
  country: 'GBR',
  bank: 'Test Bank of London',
}
export const AMEX_CREDIT: CardProduct = { ...FIRST, detail: 'CREDIT', type: 'AMEX GREEN' }
export const DISCOVER_CREDIT: CardProduct = { ...FIRST, detail: 'CREDIT', type: 'DISCOVER' }
export const DINERS_CREDIT: CardProduct = { ...FIRST, detail: 'CREDIT', type: 'DINERS CLUB' }
export const JCB_CREDIT: CardProduct = {
  ...FIRST,
  detail: 'CREDIT',
  type: 'JCB STANDARD',
  country: 'JPN',
  bank: 'Test Bank of Tokyo',
}
export const UNIONPAY_CREDIT: CardProduct = {
  ...FIRST,
  detail: 'CREDIT',
  type: 'UNIONPAY CLASSIC',
  country: 'CHN',
  bank: 'Test Bank of Shanghai',
}
export const UNIONPAY_DEBIT: CardProduct = {
  ...UNIONPAY_CREDIT,
  detail: 'DEBIT',
  type: 'UNIONPAY DEBIT',
}
export const MAESTRO_DEBIT: CardProduct = { ...FIRST, detail: 'DEBIT', type: 'MAESTRO' }
const MIR_DEBIT: CardProduct = { ...FIRST, detail: 'DEBIT', type: 'MIR CLASSIC' }

/** The product of any other card, by its brand. */
const USUAL: Readonly<Record<CardBrand, CardProduct>> = {
  amex: AMEX_CREDIT,
  diners: DINERS_CREDIT,
  discover: DISCOVER_CREDIT,
  jcb: JCB_CREDIT,
  maestro: MAESTRO_DEBIT,
  mastercard: MASTERCARD_CREDIT,
  mir: MIR_DEBIT,
  unionpay: UNIONPAY_CREDIT,
  visa: VISA_CREDIT,
}

export function usualProduct(brand: CardBrand): CardProduct {
  return USUAL[brand]
}

const TEXTS = new Map<CardProduct, string>()

const NOT_DESCRIBED = ';;;0;;'
const WITH_NETWORK_TOKEN = ';1'

/**
 * The value of tag PR (docs/internals/bank-link.md); null where it would state nothing.
 * @param isTokenized whether a test has a token of the card network stand for the number
 */
export function productText(product: CardProduct | null, isTokenized: boolean): string | null {
  if (product === null) return isTokenized ? NOT_DESCRIBED + WITH_NETWORK_TOKEN : null
  let text = TEXTS.get(product)
  if (text === undefined) {
    const { detail, type, prepaid, country, bank } = product
    text = [detail, type, product.class, prepaid ? '1' : '0', country, bank].join(';')
    TEXTS.set(product, text)
  }
  return isTokenized || product.networkToken === true ? text + WITH_NETWORK_TOKEN : text
}
