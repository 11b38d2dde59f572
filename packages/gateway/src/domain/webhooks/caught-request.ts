import { maskText } from '../../base/card-masking.ts'

/** The result of the check of a signature: which secret signed, or what is wrong. */
export type SignatureVerdict = 'current' | 'previous' | 'wrong' | 'missing' | 'too_old'

/** A request as a receiver keeps it, with card numbers masked. */
export interface CaughtRequest {
  /** Empty if the request names no event. */
  readonly eventId: string
  readonly eventType: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly bodyBytes: number
}

/** In bytes: above every event. */
export const CAUGHT_BODY_LIMIT = 65_536
/** Of one site. */
export const MOST_CAUGHT = 200

const MOST_HEADERS = 40
const LONGEST_HEADER = 500
const LONGEST_NAME = 80
/** A request of another program may carry a login. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
])

/** The kept parts of a request. Any program that knows the address may have sent it. */
export function describeCaught(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Uint8Array,
): CaughtRequest {
  const text = new TextDecoder().decode(body)
  const kept = Object.entries(headers)
    .slice(0, MOST_HEADERS)
    .map(([name, value]) => {
      const shown = SECRET_HEADERS.has(name) ? '(not kept)' : [value ?? ''].flat().join(', ')
      return [maskText(name), cleaned(shown, LONGEST_HEADER)] as const
    })
  const id = headers['webhook-id']
  return {
    eventId: typeof id === 'string' ? cleaned(id, LONGEST_NAME) : '',
    eventType: cleaned(typeOf(text), LONGEST_NAME),
    headers: kept,
    body: maskText(withoutNull(text)),
    bodyBytes: body.byteLength,
  }
}

function cleaned(text: string, longest: number): string {
  return withoutNull(maskText(text)).slice(0, longest)
}

/** PostgreSQL stores no such character. */
function withoutNull(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

/** The member `type` of a JSON object; '' for anything else. */
function typeOf(text: string): string {
  try {
    const value = JSON.parse(text) as { readonly type?: unknown } | null
    return typeof value?.type === 'string' ? value.type : ''
  } catch {
    return ''
  }
}
