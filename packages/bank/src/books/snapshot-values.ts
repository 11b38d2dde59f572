/** A value of a snapshot's line. */
export type LineValue = string | number | boolean | null

/** Reads the values of a line by their places; throws TypeError where another kind stands. */
export function valuesOf(values: readonly LineValue[]) {
  const text = (index: number): string => {
    const value = values[index]
    if (typeof value !== 'string') throw new TypeError('A snapshot line lacks a text.')
    return value
  }
  const whole = (index: number): number => {
    const value = values[index]
    if (typeof value !== 'number') throw new TypeError('A snapshot line lacks a number.')
    return value
  }
  return { text, whole, money: (index: number): bigint => BigInt(text(index)) }
}
