/**
 * A value of the address: the router puts what looks like a number into quotes, so that it stays a
 * text.
 */
export function addressText(value: string): string {
  if (!/^".*"$/s.test(value)) return value
  try {
    return String(JSON.parse(value))
  } catch {
    return value
  }
}
