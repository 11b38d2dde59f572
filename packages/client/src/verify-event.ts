import { createHmac, timingSafeEqual } from 'node:crypto'
import { isEvent, type GatewayEvent } from './events.ts'

/** Headers of a request, as Node or `fetch` have them. */
export type EventHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * A request is not from the gateway, was changed, or is too old. Answer it with HTTP status 400
 * and do nothing else.
 */
export class EventNotVerifiedError extends Error {
  override readonly name = 'EventNotVerifiedError'
}

/** A repeat of an old request is refused, and so is a clock that is far off. */
const TOLERANCE_S = 300
/** Bytes of a secret. */
const SHORTEST_SECRET = 24
const LONGEST_SECRET = 64
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/
const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/

/**
 * The event of a webhook, after its signature was verified (Standard Webhooks, v1).
 * @param body exactly the bytes that came: a body that was parsed and written again fails
 * @param headers webhook-id, webhook-timestamp and webhook-signature, in any case of letters
 * @param secrets one or several secrets `whsec_...`; during a rotation any match is enough
 * @param options `at` is the time of the receipt; now by default
 * @throws EventNotVerifiedError
 * @throws TypeError if a secret has another form, which is a mistake of the configuration
 */
export function verifyEvent(
  body: string | Uint8Array,
  headers: EventHeaders,
  secrets: string | readonly string[],
  options: { readonly at?: Date } = {},
): GatewayEvent {
  const keys = (typeof secrets === 'string' ? [secrets] : secrets).map(readSecret)
  if (keys.length === 0) throw new TypeError('verifyEvent needs at least one secret.')
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!/^[!-~]{1,256}$/.test(id)) throw new EventNotVerifiedError('webhook-id is missing.')
  checkTime(timestamp, options.at ?? new Date(Date.now()))
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body)
  if (!isSigned(bytes, `${id}.${timestamp}.`, signatures, keys)) {
    throw new EventNotVerifiedError('No signature of webhook-signature matches a secret.')
  }
  return readEvent(bytes)
}

/** The messages never contain the secret. */
function readSecret(secret: string): Buffer {
  const [, encoded] = SECRET.exec(secret) ?? []
  const key = Buffer.from(encoded ?? '', 'base64')
  // Other spellings of the same bytes are refused as well.
  const isWritten = encoded !== undefined && key.toString('base64') === encoded
  if (!isWritten || key.length < SHORTEST_SECRET || key.length > LONGEST_SECRET) {
    throw new TypeError('A webhook secret is whsec_ and base64 of 24 to 64 bytes.')
  }
  return key
}

function headerOf(headers: EventHeaders, name: string): string {
  if (typeof headers.get === 'function') {
    return (headers as { get(name: string): string | null }).get(name) ?? ''
  }
  const values = Object.entries(headers).filter(([each]) => each.toLowerCase() === name)
  const [value] = values.map(([, each]) => each)
  // A header that came twice is not from the gateway.
  return values.length === 1 && typeof value === 'string' ? value : ''
}

function checkTime(timestamp: string, at: Date): void {
  if (!/^[1-9]\d{0,11}$/.test(timestamp)) {
    throw new EventNotVerifiedError('webhook-timestamp is no whole number of seconds.')
  }
  const ageS = Math.floor(at.getTime() / 1_000) - Number(timestamp)
  if (Math.abs(ageS) <= TOLERANCE_S) return
  const side = ageS > 0 ? 'old' : 'early'
  throw new EventNotVerifiedError(
    `webhook-timestamp is ${Math.abs(ageS)} seconds too ${side} for this machine's clock; ` +
      `${TOLERANCE_S} are allowed.`,
  )
}

/** Compares each signature with each key, always all of them, in constant time. */
function isSigned(
  body: Buffer,
  head: string,
  signatures: string,
  keys: readonly Buffer[],
): boolean {
  const expected = keys.map((key) => createHmac('sha256', key).update(head).update(body).digest())
  let matches = 0
  for (const entry of signatures.split(' ')) {
    const [, encoded] = SIGNATURE.exec(entry) ?? []
    // Other versions and the blanks of a list are passed over.
    if (encoded === undefined) continue
    const sent = Buffer.from(encoded, 'base64')
    if (sent.toString('base64') !== encoded) continue
    for (const each of expected) if (timingSafeEqual(sent, each)) matches += 1
  }
  return matches > 0
}

function readEvent(bytes: Buffer): GatewayEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (isEvent(event)) return event
  } catch {
    // Falls through to the same error: a signed body that is no event.
  }
  throw new EventNotVerifiedError('The signed body is no event.')
}
