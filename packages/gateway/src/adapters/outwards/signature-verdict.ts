import { timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../base/secret.ts'
import type { SignatureVerdict } from '../../domain/webhooks/caught-request.ts'
import { signWebhook } from './webhook-signature.ts'

/** As receivers of the documentation have it. */
const OLDEST_MS = 300_000
const MS = 1_000

/**
 * Checks the signature of Standard Webhooks as a merchant's program does.
 * @param body as it arrived
 * @param secrets those of the endpoint, the newest first
 * @param now the machine's time
 */
export function judgeSignature(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Uint8Array,
  secrets: readonly Secret[],
  now: Date,
): SignatureVerdict {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signatures = headers['webhook-signature']
  if (typeof id !== 'string' || typeof signatures !== 'string') return 'missing'
  if (typeof timestamp !== 'string') return 'missing'
  if (!/^\d{1,12}$/.test(timestamp)) return 'wrong'
  const at = new Date(Number(timestamp) * MS)
  const signer = secrets.findIndex((secret) => {
    const expected = signWebhook(id, at, body, [secret])['webhook-signature']
    return signatures.split(' ').some((given) => isSame(given, expected))
  })
  if (signer < 0) return 'wrong'
  if (Math.abs(now.getTime() - at.getTime()) > OLDEST_MS) return 'too_old'
  return signer === 0 ? 'current' : 'previous'
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
