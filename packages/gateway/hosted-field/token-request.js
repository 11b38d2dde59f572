'use strict'

const TOKEN_SERVICE = '/payment/token_service.cfm'
/** Longer than the gateway takes for any answer. */
const TOKEN_WAIT_MS = 35_000

/**
 * @typedef {{ kind: 'token', token: string, brand: string, requestId: string, timestamp: string,
 *   signature: string, body: string }
 *   | { kind: 'refused', detail: string }
 *   | { kind: 'unreachable' }} TokenAnswer
 */

/**
 * Sends number and code to the token service of this page's own origin. They stand in the body
 * only, so that no address, header or cookie holds them.
 *
 * @param {{ site: string, number: string, code: string, timestamp: string, uniqueId: string,
 *   signature: string }} request What the shop's server signed, and the digits.
 * @returns {Promise<TokenAnswer>} `body` is the answer as it was signed; `detail` is for the shop's developers.
 */
async function askForToken({ site, number, code, timestamp, uniqueId, signature }) {
  const form = new URLSearchParams({
    CARD_PAN: number,
    SITE_ID: site,
    UNIQUE_ID: uniqueId,
    REQUEST_API_VERSION: '4.14',
    REQUEST_RESPONSE_FORMAT: 'JSON',
  })
  if (code !== '') form.set('CARD_CVV', code)
  try {
    const response = await fetch(TOKEN_SERVICE, {
      method: 'POST',
      body: form,
      headers: { 'X-Timestamp': timestamp, 'X-Signature': signature },
      mode: 'same-origin',
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(TOKEN_WAIT_MS),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    // The signature is over bytes, one for each character; TextDecoder would change some of them.
    const body = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('').replace(/\r?\n$/, '')
    if (response.status >= 500) return { kind: 'unreachable' }
    const fields = JSON.parse(body)
    if (typeof fields.TOKEN_GUID !== 'string' || fields.TOKEN_GUID === '') {
      const { ERROR_CODE = response.status, ERROR_MESSAGE = '' } = fields
      return { kind: 'refused', detail: `${ERROR_CODE} ${ERROR_MESSAGE}`.trim() }
    }
    return {
      kind: 'token',
      token: fields.TOKEN_GUID,
      brand: String(fields.CARD_BRAND_NAME ?? ''),
      requestId: String(fields.TOKEN_REQID ?? ''),
      timestamp: response.headers.get('X-Timestamp') ?? '',
      signature: response.headers.get('X-Signature') ?? '',
      body,
    }
  } catch {
    // What went wrong may hold what was sent, and tells the buyer nothing.
    return { kind: 'unreachable' }
  }
}
