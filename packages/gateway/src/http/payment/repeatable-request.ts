import { Secret } from '../../base/secret.ts'
import type { RepeatableRequest } from '../../usecases/payments/idempotency-key.ts'
import type { Form } from './form.ts'
import { findParameter } from './parameter-names.ts'
import type { Operation } from './parameters.ts'

/** The parameter that stands for the header Idempotency-Key, which a client may send instead. */
export const KEY_PARAMETER = 'IDEMPOTENCY_KEY'
export const KEY_HEADER = 'idempotency-key'

/** The header as Node reads it; undefined: not sent. */
export type KeyHeader = string | readonly string[] | undefined

/** The form with the key that came as a header; two keys that differ are a repeated parameter. */
export function withKeyHeader(form: Form, header: KeyHeader): Form {
  if (header === undefined) return form
  const key = typeof header === 'string' ? header : header.join(', ')
  const sent = form.params.get(KEY_PARAMETER)
  if (sent !== undefined && sent !== key) {
    return { ...form, problem: form.problem ?? { kind: 'repeated', field: KEY_PARAMETER } }
  }
  return { ...form, params: new Map([...form.params, [KEY_PARAMETER, key]]) }
}

/** Parameters that say who asks, and how the answer is written. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'REQ_USERNAME',
  'REQUEST_API_VERSION',
  'REQUEST_RESPONSE_FORMAT',
  KEY_PARAMETER,
])

/**
 * The key of a request, and what a repeat has to have in common with it: every value that the
 * operation reads, as sent. Secrets are left out, except a card token: it names the card.
 */
export function readRepeatable(
  params: ReadonlyMap<string, string>,
  operation: Operation,
): RepeatableRequest | null {
  const key = params.get(KEY_PARAMETER)
  if (key === undefined) return null
  const compared = [...params].filter(([name]) => isCompared(name, operation))
  compared.sort(([one], [other]) => (one < other ? -1 : 1))
  return {
    key: new Secret(key),
    content: new Secret(JSON.stringify([operation, ...compared])),
  }
}

function isCompared(name: string, operation: Operation): boolean {
  if (NOT_COMPARED.has(name)) return false
  const known = findParameter(name)
  if (known === null || !known.parameter.operations.includes(operation)) return false
  return known.parameter.secrecy !== 'removed' || name === 'TOKEN_GUID'
}
