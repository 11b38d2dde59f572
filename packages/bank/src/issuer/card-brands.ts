/** The brands whose cards this bank knows. A number of no brand here is refused with DE 39 `14`. */
export type CardBrand =
  | 'amex'
  | 'diners'
  | 'discover'
  | 'jcb'
  | 'maestro'
  | 'mastercard'
  | 'mir'
  | 'unionpay'
  | 'visa'

interface BrandRange {
  readonly brand: CardBrand
  /** First and last prefix of the range, with the same number of digits. */
  readonly from: string
  readonly to: string
  readonly lengths: readonly number[]
}

const LONG = [16, 17, 18, 19]

/** Narrower ranges stand before the wider ones that contain them: the first that fits wins. */
const RANGES: readonly BrandRange[] = [
  { brand: 'mir', from: '2200', to: '2204', lengths: LONG },
  { brand: 'mastercard', from: '2221', to: '2720', lengths: [16] },
  { brand: 'discover', from: '622126', to: '622925', lengths: LONG },
  { brand: 'discover', from: '6011', to: '6011', lengths: LONG },
  { brand: 'discover', from: '644', to: '649', lengths: LONG },
  // Only the 3-D Secure test card is there.
  { brand: 'jcb', from: '3338', to: '3338', lengths: [16] },
  { brand: 'jcb', from: '3528', to: '3589', lengths: LONG },
  { brand: 'diners', from: '300', to: '305', lengths: [14, 16, 19] },
  { brand: 'diners', from: '309', to: '309', lengths: [14, 16, 19] },
  { brand: 'amex', from: '34', to: '34', lengths: [15] },
  { brand: 'amex', from: '37', to: '37', lengths: [15] },
  { brand: 'diners', from: '36', to: '36', lengths: [14, 16, 19] },
  { brand: 'diners', from: '38', to: '39', lengths: [14, 16, 19] },
  { brand: 'discover', from: '65', to: '65', lengths: LONG },
  { brand: 'unionpay', from: '62', to: '62', lengths: [14, 15, 16, 17, 18, 19] },
  { brand: 'unionpay', from: '81', to: '81', lengths: [14, 15, 16, 17, 18, 19] },
  { brand: 'mastercard', from: '51', to: '55', lengths: [16] },
  { brand: 'maestro', from: '50', to: '50', lengths: [12, 13, 14, 15, 16, 17, 18, 19] },
  { brand: 'maestro', from: '56', to: '59', lengths: [12, 13, 14, 15, 16, 17, 18, 19] },
  { brand: 'maestro', from: '6', to: '6', lengths: [12, 13, 14, 15, 16, 17, 18, 19] },
  { brand: 'visa', from: '4', to: '4', lengths: [13, 16, 18, 19] },
]

/** The brand of a card number by its first digits and its length; null when no brand fits. */
export function findBrand(pan: string): CardBrand | null {
  for (const range of RANGES) {
    const prefix = pan.slice(0, range.from.length)
    if (prefix < range.from || prefix > range.to) continue
    return range.lengths.includes(pan.length) ? range.brand : null
  }
  return null
}

/** The check digit of ISO/IEC 7812-1 annex B, over digits only. */
export function hasValidCheckDigit(pan: string): boolean {
  let sum = 0
  for (let index = 0; index < pan.length; index += 1) {
    const digit = pan.charCodeAt(pan.length - 1 - index) - 48
    if (digit < 0 || digit > 9) return false
    const doubled = digit * 2
    if (index % 2 === 0) sum += digit
    else sum += doubled > 9 ? doubled - 9 : doubled
  }
  return pan.length > 0 && sum % 10 === 0
}
