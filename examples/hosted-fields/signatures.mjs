import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What the shop's page needs for one token. It holds no secret, and is good for five minutes. */
export function signTokenRequest({ siteKey, siteId, now = new Date() }) {
  const timestamp = now.toISOString().replace(/\D/g, '').slice(0, 14)
  const uniqueId = randomBytes(16).toString('hex')
  return { timestamp, uniqueId, signature: hmac(siteKey, `${timestamp}${uniqueId}${siteId}`) }
}

/** Whether the gateway made this answer: pages can be tampered with, signatures can't. */
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
