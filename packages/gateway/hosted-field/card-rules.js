'use strict'

/**
 * @typedef {object} BrandForm How a brand's numbers are written.
 * @property {readonly number[]} groups How many digits stand together, from the left.
 * @property {readonly number[]} lengths How many digits a number may have.
 * @property {readonly number[]} codeLengths How many digits a security code may have.
 */

/** @typedef {'empty' | 'short' | 'wrong' | 'valid'} Judgement */

const FOURS = [4, 4, 4, 4, 3]
const ANY_LENGTH = [12, 13, 14, 15, 16, 17, 18, 19]

/** Only what is certain of a brand is told apart; everything else may have any length. */
const BRAND_FORMS = /** @type {Readonly<Record<string, BrandForm>>} */ ({
  Visa: { groups: FOURS, lengths: [13, 16, 19], codeLengths: [3] },
  Mastercard: { groups: FOURS, lengths: [16], codeLengths: [3] },
  'American Express': { groups: [4, 6, 5], lengths: [15], codeLengths: [4] },
  'Diners Club': { groups: FOURS, lengths: [14, 15, 16, 17, 18, 19], codeLengths: [3] },
})
const OTHER_BRAND = { groups: FOURS, lengths: ANY_LENGTH, codeLengths: [3] }
const NO_BRAND = { groups: FOURS, lengths: ANY_LENGTH, codeLengths: [3, 4] }

const COMPARED_DIGITS = 8
/** Fewer digits belong to several brands. */
const BRAND_SHOWS_FROM = 4

const BRAND_RANGES = BRAND_PREFIXES.flatMap(([brand, prefixes]) =>
  prefixes.split(' ').map((span) => {
    const [low = '', high = low] = span.split('-')
    return {
      brand,
      prefixLength: low.length,
      first: Number(low.padEnd(COMPARED_DIGITS, '0')),
      last: Number(high.padEnd(COMPARED_DIGITS, '9')),
    }
  }),
).sort((left, right) => right.prefixLength - left.prefixLength)

/**
 * The brand of a number that may not be complete yet; null while it is open, or unknown.
 *
 * @param {string} digits
 * @returns {string | null}
 */
function brandOf(digits) {
  if (digits.length < BRAND_SHOWS_FROM) return null
  const leading = Number(digits.slice(0, COMPARED_DIGITS).padEnd(COMPARED_DIGITS, '0'))
  const range = BRAND_RANGES.find(({ first, last }) => leading >= first && leading <= last)
  return range === undefined ? null : range.brand
}

/**
 * @param {string | null} brand
 * @returns {BrandForm}
 */
function brandForm(brand) {
  return brand === null ? NO_BRAND : (BRAND_FORMS[brand] ?? OTHER_BRAND)
}

/**
 * Whether the last digit is the check digit of ISO/IEC 7812-1.
 *
 * @param {string} digits
 * @returns {boolean}
 */
function isLuhnValid(digits) {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const weighted = index % 2 === 1 ? Number(digit) * 2 : Number(digit)
    return total + (weighted > 9 ? weighted - 9 : weighted)
  }, 0)
  return digits.length > 0 && sum % 10 === 0
}

/**
 * @param {string} digits
 * @returns {Judgement}
 */
function judgeNumber(digits) {
  const { lengths } = brandForm(brandOf(digits))
  if (digits === '') return 'empty'
  if (lengths.includes(digits.length) && isLuhnValid(digits)) return 'valid'
  return digits.length < Math.max(...lengths) && !lengths.includes(digits.length) ? 'short' : 'wrong'
}

/**
 * Whether more digits may still make a number right; nearly all have sixteen at most.
 *
 * @param {string} digits
 * @returns {boolean}
 */
function mayGrow(digits) {
  return digits.length < Math.min(16, Math.max(...brandForm(brandOf(digits)).lengths))
}

/**
 * @param {string} digits
 * @param {string | null} brand Of the number that the code belongs to.
 * @returns {Judgement}
 */
function judgeCode(digits, brand) {
  const { codeLengths } = brandForm(brand)
  if (digits === '') return 'empty'
  if (codeLengths.includes(digits.length)) return 'valid'
  return digits.length < Math.max(...codeLengths) ? 'short' : 'wrong'
}

const EXPIRY_DIGITS = 4

/**
 * @param {string} digits Month and year, such as 0431.
 * @param {Date} now By the browser's clock: a card is good until the end of its month.
 * @returns {Judgement}
 */
function judgeExpiry(digits, now) {
  if (digits === '') return 'empty'
  const month = Number(digits.slice(0, 2))
  if (digits.length >= 2 && (month < 1 || month > 12)) return 'wrong'
  if (digits.length < EXPIRY_DIGITS) return 'short'
  const isPast = new Date(2000 + Number(digits.slice(2)), month) <= now
  return isPast ? 'wrong' : 'valid'
}

/**
 * The four digits of a date however it was typed, pasted or filled in: 4/31, 04/2031, 2031-04.
 *
 * @param {string} text
 * @returns {string}
 */
function expiryDigits(text) {
  const written = text.normalize('NFKC').trim()
  const [, isoYear = '', isoMonth = ''] = /^20(\d\d)-(\d\d)$/.exec(written) ?? []
  if (isoYear !== '') return isoMonth + isoYear
  // The digits 2 to 9 begin no month, so they are one, as is a digit before a separator.
  const twoDigits = written.replace(/^([2-9])(?!\d)|^([1-9])(?=\s*[/.-])/, '0$1$2')
  return digitsIn(twoDigits).replace(/^(\d\d)20(?=\d\d$)/, '$1')
}

/**
 * @param {string} digits
 * @returns {string}
 */
function writeExpiry(digits) {
  return digits.length < 2 ? digits : `${digits.slice(0, 2)} / ${digits.slice(2)}`
}

/**
 * A number as it is printed on the card.
 *
 * @param {string} digits
 * @returns {string}
 */
function groupDigits(digits) {
  const parts = []
  let rest = digits
  for (const size of brandForm(brandOf(digits)).groups) {
    if (rest === '') break
    parts.push(rest.slice(0, size))
    rest = rest.slice(size)
  }
  return parts.join(' ')
}
