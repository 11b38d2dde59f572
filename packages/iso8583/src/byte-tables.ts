/** Marks of a byte value, so that a check is one look-up for each character. */
export const DIGIT = 1
export const ALPHANUMERIC = 2
export const PRINTABLE = 4
export const HEX = 8

/** By byte value: which of the marks above it carries. Bytes over 126 carry none. */
export const MARKS: Uint8Array = Uint8Array.from({ length: 256 }, (_, code) => {
  const char = String.fromCharCode(code)
  return (
    (/[0-9]/.test(char) ? DIGIT : 0) |
    (/[0-9A-Za-z]/.test(char) ? ALPHANUMERIC : 0) |
    (code >= 32 && code <= 126 ? PRINTABLE : 0) |
    (/[0-9A-F]/.test(char) ? HEX : 0)
  )
})

/** By byte value: the two decimal digits it stands for in BCD; an empty text when it is no BCD. */
export const BCD_TEXT: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte >> 4 > 9 || (byte & 15) > 9 ? '' : `${byte >> 4}${byte & 15}`,
)

/** By byte value: its two upper-case hexadecimal digits. */
export const HEX_TEXT: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).toUpperCase().padStart(2, '0'),
)

/** The value of one upper-case hexadecimal digit, given as its character code. */
export function hexValue(code: number): number {
  return code < 65 ? code - 48 : code - 55
}

/** The character code of one upper-case hexadecimal digit, given as its value. */
export function hexCode(value: number): number {
  return value < 10 ? value + 48 : value + 55
}

/** True when every character from `start` to `end` carries the mark. */
export function hasMark(text: string, start: number, end: number, mark: number): boolean {
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index)
    // A code over 255 has no entry, and `undefined & mark` is 0: refused like any other.
    if (((MARKS[code] ?? 0) & mark) === 0) return false
  }
  return true
}
