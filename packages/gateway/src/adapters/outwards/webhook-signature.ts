import { createHmac, randomBytes } from 'node:crypto'
import { Secret } from '../../base/secret.ts'
import { timestampOf, type SignedHeaders } from '../../usecases/webhooks/attempt-headers.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** `whsec_` and the base64 text of 32 random bytes. */
export function newWebhookSecret(): Secret {
  return new Secret(`${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`)
}

/**
 * Signs one attempt by Standard Webhooks, version 1, with every secret, so that receivers of either
 * one accept it.
 * @param at the machine's time: receivers compare it with their own
 */
export function signWebhook(
  id: string,
  at: Date,
  body: Uint8Array,
  secrets: readonly Secret[],
): SignedHeaders {
  const timestamp = timestampOf(at)
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.reveal().slice(PREFIX.length), 'base64')
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
