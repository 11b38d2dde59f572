import { holdsCardSecret } from '../../base/card-masking.ts'

/** The place of a sender's request in a trace. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const NOTHING = /^0+$/

/**
 * Reads the header `traceparent` of W3C Trace Context. Null for none and for one that does not
 * count: a header that is malformed, or whose ids may hold a card number. One in a hundred random
 * ids looks like one. The sender's flags do not count either: the gateway decides what it records.
 */
export function readTraceParent(header: unknown): TraceParent | null {
  if (typeof header !== 'string' || header.length > 512) return null
  const [, version, traceId = '', spanId = '', more] = FORM.exec(header) ?? []
  if (version === undefined || version === 'ff') return null
  // Only later versions may be longer.
  if (version === '00' && more !== undefined) return null
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return null
  return holdsCardSecret(`${traceId} and ${spanId}`) ? null : { traceId, spanId }
}
