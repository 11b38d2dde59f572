import { Secret } from '../../base/secret.ts'
import type { RepeatableRequest } from '../../usecases/payments/idempotency-key.ts'
import type { Form } from './form.ts'
import { findParameter } from './parameter-names.ts'
import type { Operation, ParameterName } from './parameters.ts'
import { TEST_PARAMETER } from './test-parameter.ts'

/** The parameter that stands for the header Idempotency-Key, which a client may send instead. */
export const KEY_PARAMETER = 'IDEMPOTENCY_KEY'
export const KEY_HEADER = 'idempotency-key'

/** The header as Node reads it; undefined: not sent. */
export type SentHeader = string | readonly string[] | undefined

/**
 * The form with the parameter that came as a header; two values that differ are a repeated one.
 */
export function withHeader(form: Form, parameter: ParameterName, header: SentHeader): Form {
  if (header === undefined) return form
  const value = typeof header === 'string' ? header : header.join(', ')
  const sent = form.params.get(parameter)
  if (sent !== undefined && sent !== value) {
    return { ...form, problem: form.problem ?? { kind: 'repeated', field: parameter } }
  }
  return { ...form, params: new Map([...form.params, [parameter, value]]) }
}

/** Parameters that say who asks, and how the answer is written. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'REQ_USERNAME',
  'REQUEST_API_VERSION',
  'REQUEST_RESPONSE_FORMAT',
  KEY_PARAMETER,
  // A retry is the same request, whether its test is left out by then or not.
  TEST_PARAMETER,
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
