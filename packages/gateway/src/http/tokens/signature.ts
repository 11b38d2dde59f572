import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../base/secret.ts'

/** The message that a client signs: the three parts with nothing between them. */
export function requestMessage(timestamp: string, uniqueId: string, siteId: string): string {
  return timestamp + uniqueId + siteId
}

/** HMAC-SHA-256 as 64 lower-case hexadecimal digits; the message is read as ISO-8859-1. */
export function sign(key: Secret, message: string): string {
  return createHmac('sha256', key.reveal()).update(message, 'latin1').digest('hex')
}

/** The key that made the signature, compared without regard to case and in constant time. */
export function findSigner(
  keys: readonly Secret[],
  message: string,
  signature: string,
): Secret | null {
  const sent = Buffer.from(signature.toLowerCase(), 'latin1')
  let signer: Secret | null = null
  for (const key of keys) {
    const expected = Buffer.from(sign(key, message), 'latin1')
    if (sent.length === expected.length && timingSafeEqual(sent, expected)) signer ??= key
  }
  return signer
}

const TIMESTAMP = /^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})$/
const VALID_FOR_MS = 300_000

/** Whether a YYYYMMDDHHMMSS in UTC is a time that exists and at most 300 seconds from now. */
export function isTimely(timestamp: string, now: Date): boolean {
  const match = TIMESTAMP.exec(timestamp)
  if (match === null) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map(Number)
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  return formatTimestamp(at) === timestamp && Math.abs(at.getTime() - now.getTime()) <= VALID_FOR_MS
}

/** YYYYMMDDHHMMSS in UTC. */
export function formatTimestamp(at: Date): string {
  return at.toISOString().slice(0, 19).replace(/[-T:]/g, '')
}
