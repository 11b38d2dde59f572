import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The signature for one token. It contains no secret, and is valid for five minutes. */
export function signTokenRequest({ siteKey, siteId, now = new Date() }) {
  const timestamp = now.toISOString().replace(/\D/g, '').slice(0, 14)
  const uniqueId = randomBytes(16).toString('hex')
  return { timestamp, uniqueId, signature: hmac(siteKey, `${timestamp}${uniqueId}${siteId}`) }
}

/** Whether the gateway made this answer: a page can be manipulated, a signature cannot. */
export function isAnswerOfGateway({ siteKey, timestamp, requestId, body, signature }) {
  const expected = Buffer.from(
    hmac(siteKey, Buffer.from(`${timestamp}${requestId}${body}`, 'latin1')),
  )
  const found = Buffer.from(String(signature).toLowerCase())
  return found.length === expected.length && timingSafeEqual(found, expected)
}

function hmac(key, message) {
  return createHmac('sha256', key).update(message).digest('hex')
}
