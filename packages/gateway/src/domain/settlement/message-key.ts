/** DE 32, DE 41, DE 11 and DE 7 of a message of a gateway, with slashes between. */
const KEY = /^\d{1,11}\/T(\d{7})\/(\d{6})\/\d{10}$/
/** STANs of a terminal: 000001 to 999999. */
const STANS = 999_999n

/**
 * The number of the message that a key names, as the bundled bank writes keys; null for a key of
 * another form.
 */
export function messageOfKey(key: string | null): bigint | null {
  const match = key === null ? null : KEY.exec(key)
  if (match === null) return null
  const [, terminal = '0', stan = '0'] = match
  return BigInt(terminal) * STANS + BigInt(stan) - 1n
}

/** The key of a message of a gateway, as the bundled bank writes keys. */
export function keyOfMessage(
  acquirerId: string,
  { at, number }: { readonly number: bigint; readonly at: Date },
): string {
  const terminal = (number / STANS).toString().padStart(7, '0')
  const stan = ((number % STANS) + 1n).toString().padStart(6, '0')
  // DE 7: MMDDhhmmss, without the signs of ISO 8601.
  const sentAt = at.toISOString().slice(5, 19).replace(/\D/g, '')
  return `${acquirerId}/T${terminal}/${stan}/${sentAt}`
}
