/** So many different numbers of one BIN with a right check digit: what a card tester sends. */
export function numbersOf(bin: string, many: number, first = 0): string[] {
  return Array.from({ length: many }, (_, at) => {
    const body = bin + String(first + at).padStart(15 - bin.length, '0')
    return body + checkDigit(body)
  })
}

function checkDigit(body: string): string {
  let sum = 0
  for (const [at, digit] of [...body].toReversed().entries()) {
    const doubled = at % 2 === 0 ? 2 * Number(digit) : Number(digit)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return String((10 - (sum % 10)) % 10)
}
