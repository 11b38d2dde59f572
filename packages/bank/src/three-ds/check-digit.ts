/** A number with its check digit of ISO/IEC 7812-1 annex B behind it. */
export function withCheckDigit(digits: string): string {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const doubled = Number(digits[digits.length - 1 - index]) * (index % 2 === 0 ? 2 : 1)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return `${digits}${(10 - (sum % 10)) % 10}`
}
