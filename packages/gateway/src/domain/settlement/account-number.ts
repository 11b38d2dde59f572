/** The longest number of an account: an IBAN has at most 34 characters. */
const NUMBER = /^[0-9A-Z]{4,34}$/
const IBAN = /^[A-Z]{2}\d{2}[0-9A-Z]{11,30}$/

/** The number of a bank account as statements have it: capitals without blanks. */
export function accountNumberOf(text: string): string {
  return text.replaceAll(/\s+/gu, '').toUpperCase()
}

/**
 * Why a text is no number of a bank account, or null. The sentence does not repeat the number.
 * A number that begins like an IBAN must have its check digits (ISO 13616). Other numbers have 4 to
 * 34 letters and digits.
 */
export function accountNumberFault(text: string): string | null {
  const number = accountNumberOf(text)
  if (!NUMBER.test(number)) {
    return `The number has ${number.length} characters; expected 4 to 34 letters and digits.`
  }
  if (!/^[A-Z]{2}\d{2}/.test(number)) return null
  if (IBAN.test(number) && remainderOf(number) === 1n) return null
  return `The IBAN ending in ${number.slice(-4)} has wrong check digits; compare it with the bank.`
}

/** The remainder by 97 of ISO 7064, with the first four characters at the end. */
function remainderOf(iban: string): bigint {
  const digits = [...(iban.slice(4) + iban.slice(0, 4))]
    .map((sign) => Number.parseInt(sign, 36).toString())
    .join('')
  return BigInt(digits) % 97n
}
