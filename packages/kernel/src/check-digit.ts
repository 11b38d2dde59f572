/** Whether the last digit is the check digit that the Luhn formula (ISO/IEC 7812-1) wants. */
export function isLuhnValid(digits: string): boolean {
  let sum = 0
  let doubled = false
  for (let index = digits.length - 1; index >= 0; index -= 1) {
    const digit = digits.charCodeAt(index) - 48
    if (digit < 0 || digit > 9) return false
    const weighted = doubled ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
    doubled = !doubled
  }
  return digits.length > 0 && sum % 10 === 0
}
