/** The headers that a signature adds. */
export interface SignedHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/** The headers of every attempt, beside those of the connection. */
export const SHARED_HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'Tollgate-Webhooks/1',
} as const

/** `webhook-timestamp`: seconds since 1970. */
export function timestampOf(at: Date): string {
  return String(Math.floor(at.getTime() / 1_000))
}

/**
 * The headers that an attempt of the log was sent with; empty where nothing was sent. Attempts of
 * versions that kept no signature lack that header.
 */
export function loggedHeaders(
  eventId: string,
  attempt: { readonly at: Date; readonly requestBytes: number; readonly signature: string },
): Readonly<Record<string, string>> {
  if (attempt.requestBytes === 0) return {}
  return {
    ...SHARED_HEADERS,
    'content-length': String(attempt.requestBytes),
    'webhook-id': eventId,
    'webhook-timestamp': timestampOf(attempt.at),
    ...(attempt.signature === '' ? {} : { 'webhook-signature': attempt.signature }),
  }
}
