import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ClientError } from './client-error.ts'
import { checkBaseUrl, checkSiteId } from './input.ts'

/** The signature of one token request, which a shop's server passes to its page. */
export interface SignedTokenRequest {
  /** X-TIMESTAMP: YYYYMMDDHHMMSS in UTC, valid for 300 seconds. */
  readonly timestamp: string
  /** UNIQUE_ID: valid for one request. */
  readonly uniqueId: string
  /** X-SIGNATURE. */
  readonly signature: string
}

/**
 * Signs one request of a site to the token service. The key stays on the shop's server; the result
 * may go to the customer's page. By default, `at` is now and `uniqueId` is random.
 */
export function signTokenRequest(options: {
  readonly siteId: string | number
  readonly siteKey: string
  readonly at?: Date
  readonly uniqueId?: string
}): SignedTokenRequest {
  const {
    siteId,
    siteKey,
    at = new Date(Date.now()),
    uniqueId = randomBytes(16).toString('hex'),
  } = options
  const timestamp = at.toISOString().slice(0, 19).replace(/[-T:]/g, '')
  return { timestamp, uniqueId, signature: hmac(siteKey, timestamp + uniqueId + String(siteId)) }
}

const VALID_FOR_MS = 300_000

/**
 * Whether an answer of the token service was signed with the site's key at most 300 seconds ago.
 * `body` as it came, with or without the line end after it.
 */
export function isTokenAnswerGenuine(answer: {
  readonly siteKey: string
  readonly body: string
  /** The headers X-TIMESTAMP and X-SIGNATURE. */
  readonly timestamp: string | null
  readonly signature: string | null
  readonly at?: Date
}): boolean {
  const { siteKey, timestamp, signature, at = new Date(Date.now()) } = answer
  if (timestamp === null || signature === null) return false
  const [year = '', month, day, hour, minute, second] = timestamp.match(/^\d{4}|\d{2}/g) ?? []
  const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (!(Math.abs(at.getTime() - signedAt) <= VALID_FOR_MS)) return false
  const body = answer.body.replace(/\r?\n$/, '')
  const id = /"TOKEN_REQID":"?([0-9]*)|<TOKEN_REQID>([0-9]*)</.exec(body)
  const expected = hmac(siteKey, timestamp + (id?.[1] ?? id?.[2] ?? '') + body)
  const sent = Buffer.from(signature.toLowerCase(), 'latin1')
  return sent.length === expected.length && timingSafeEqual(sent, Buffer.from(expected, 'latin1'))
}

function hmac(key: string, message: string): string {
  return createHmac('sha256', key).update(message, 'latin1').digest('hex')
}

export interface TokenClientOptions {
  /** Scheme, host and port, without the path. */
  readonly baseUrl: string
  readonly siteId: string | number
  readonly siteKey: string
  /** How long to wait for an answer, in milliseconds. Default: 30 s. */
  readonly timeoutMs?: number
  /** Replaces the built-in fetch, for example to trust a self-signed certificate. */
  readonly fetch?: typeof fetch
}

export interface CardToken {
  /** For `cardToken` of one payment. */
  readonly token: string
  /** '' if the brand is unknown. */
  readonly brand: string
  readonly requestId: string
}

export interface TokenClient {
  /** Throws TokenRefusedError for a refusal, and ClientError if there is no genuine answer. */
  createToken(card: {
    readonly cardNumber: string
    readonly securityCode?: string
  }): Promise<CardToken>
}

/** The token service refused the request; `code` is ERROR_CODE. Nothing was stored. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError'
  readonly code: string

  constructor(code: string, message: string) {
    super(`The token service refused: ${message} (${code}).`)
    this.code = code
  }
}

const PATH = '/payment/token_service.cfm'

/** Creates card tokens from a server that has the site's key. */
export function createTokenClient(options: TokenClientOptions): TokenClient {
  const { baseUrl, siteId, siteKey, timeoutMs = 30_000 } = options
  checkBaseUrl(baseUrl)
  checkSiteId(siteId)
  const call = options.fetch ?? fetch
  const address = new URL(PATH, baseUrl)
  return {
    async createToken({ cardNumber, securityCode }) {
      const signed = signTokenRequest({ siteId, siteKey })
      const form = new URLSearchParams({
        SITE_ID: String(siteId),
        UNIQUE_ID: signed.uniqueId,
        REQUEST_API_VERSION: '4.14',
        REQUEST_RESPONSE_FORMAT: 'JSON',
        CARD_PAN: cardNumber,
        ...(securityCode === undefined ? {} : { CARD_CVV: securityCode }),
      })
      let body: string
      let headers: Headers
      try {
        const response = await call(address, {
          method: 'POST',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            'x-timestamp': signed.timestamp,
            'x-signature': signed.signature,
          },
          body: form.toString(),
          signal: AbortSignal.timeout(timeoutMs),
          // A redirect would send card data to an address that the merchant did not choose.
          redirect: 'error',
        })
        headers = response.headers
        body = await response.text()
      } catch (cause) {
        throw new ClientError(
          `The token service at ${address.origin} did not answer. Request another token: an unused token costs nothing.`,
          'unknown',
          { cause },
        )
      }
      const answer = readJson(body)
      const code = answer['ERROR_CODE']
      if (code !== undefined)
        throw new TokenRefusedError(String(code), String(answer['ERROR_MESSAGE'] ?? ''))
      const genuine = isTokenAnswerGenuine({
        siteKey,
        body,
        timestamp: headers.get('x-timestamp'),
        signature: headers.get('x-signature'),
      })
      if (!genuine) {
        throw new ClientError(
          `The answer of ${address.origin} is not signed with the key of site ${siteId}. Check baseUrl and siteKey, and the clock of this machine.`,
          'unknown',
        )
      }
      return {
        token: String(answer['TOKEN_GUID'] ?? ''),
        brand: String(answer['CARD_BRAND_NAME'] ?? ''),
        requestId: String(answer['TOKEN_REQID'] ?? ''),
      }
    },
  }
}

function readJson(body: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(body)
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer))
      return { ...answer }
  } catch {
    // Not JSON: the signature, which is checked next, fails as well.
  }
  return {}
}
