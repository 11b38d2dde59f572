// oxlint-disable-next-line no-control-regex -- ASCII is exactly this range
const ASCII = /^[\u0000-\u007f]*$/
const DIGIT = /^\p{Nd}$/u

/**
 * The text in NFKC, with the decimal digits of every script as 0 to 9, because a person reads all
 * of them as a number.
 */
export function withPlainDigits(text: string): string {
  if (ASCII.test(text)) return text
  return text.normalize('NFKC').replace(/(?![0-9])\p{Nd}/gu, (digit) => String(valueOf(digit)))
}

/**
 * Unicode has the ten digits of a script side by side, and scripts that touch begin with a zero
 * again.
 */
function valueOf(digit: string): number {
  const at = digit.codePointAt(0) ?? 0
  let first = at
  while (DIGIT.test(String.fromCodePoint(first - 1))) first -= 1
  return (at - first) % 10
}
