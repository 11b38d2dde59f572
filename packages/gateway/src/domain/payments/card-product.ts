/** The issuer's description of a card, as the bank sends it; '' for each part that it omits. */
export interface CardProduct {
  /** For example CLASSIC. */
  readonly detail: string
  /** For example CREDIT. */
  readonly type: string
  readonly class: string
  readonly prepaid: boolean
  /** ISO 3166-1 alpha-3. */
  readonly country: string
  readonly bank: string
  /** A token of the card network stood for the number in this authorization. */
  readonly networkToken: boolean
}

export const NO_CARD_PRODUCT: CardProduct = parseCardProduct('')

/**
 * Reads `detail;type;class;prepaid;country;bank;token`, the form of tag PR in DE 48 and of the
 * column `transactions.card_product`. Missing parts are '', and further ones are ignored.
 */
export function parseCardProduct(text: string): CardProduct {
  const [detail = '', type = '', cardClass = '', prepaid, country = '', bank = '', token] =
    text.split(';')
  return {
    detail,
    type,
    class: cardClass,
    prepaid: prepaid === '1',
    country,
    bank,
    networkToken: token === '1',
  }
}

/** The text that `parseCardProduct` reads; '' where nothing is known. */
export function cardProductText(product: CardProduct): string {
  const { detail, type, class: cardClass, prepaid, country, bank, networkToken } = product
  const parts = [detail, type, cardClass, prepaid ? '1' : '0', country, bank]
  if (networkToken) return `${parts.join(';')};1`
  const isKnown = prepaid || parts.some((part) => part !== '' && part !== '0')
  return isKnown ? parts.join(';') : ''
}
