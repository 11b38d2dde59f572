/**
 * The text behind Base64url; null for anything that is not exactly that. Trailing `=` of senders
 * that pad are accepted.
 */
export function decodeBase64Url(text: string): string | null {
  const bare = text.replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9_-]+$/.test(bare)) return null
  const bytes = Buffer.from(bare, 'base64url')
  return bytes.toString('base64url') === bare ? bytes.toString('utf8') : null
}

/** A message as browsers carry it. */
export function encodeBase64Url(message: unknown): string {
  return Buffer.from(JSON.stringify(message), 'utf8').toString('base64url')
}
