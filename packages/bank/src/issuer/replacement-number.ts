import { hasValidCheckDigit } from './card-brands.ts'

/** The digit that differs. It is behind the first eight, so the brand stays. */
const CHANGED = 9

/**
 * The number that a test puts in the place of a card's. It follows from the old number, so a repeat
 * gets the same one and no record needs it.
 */
export function replacementOf(pan: string): string {
  const digit = (Number(pan[CHANGED] ?? '0') + 1) % 10
  const start = `${pan.slice(0, CHANGED)}${digit}${pan.slice(CHANGED + 1, -1)}`
  const right = [...'0123456789'].find((last) => hasValidCheckDigit(start + last))
  return start + (right ?? '0')
}
