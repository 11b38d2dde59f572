import type { FastifyRequest } from 'fastify'
import { charsetOf } from '../payment/charset.ts'
import { readForm } from '../payment/form.ts'

const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

/**
 * The named fields of a form. Null when the body is no form, or when one of them is repeated or
 * cannot be decoded. Other fields are ignored. An empty field is ''.
 */
export function readFields(
  request: FastifyRequest,
  names: readonly string[],
): ReadonlyMap<string, string> | null {
  const charset = charsetOf(request)
  if (charset === null || !FORM_TYPE.test(request.headers['content-type'] ?? '')) return null
  const known = new Map(names.map((name) => [name.toLowerCase(), name]))
  const form = readForm(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0), {
    charset,
    lookUp: (sent) => known.get(sent.toLowerCase()) ?? null,
    mayBeEmpty: new Set(names),
  })
  return form.problem === null ? form.params : null
}

/** One field, by the same rules; '' when it is missing or cannot be read. */
export function readField(request: FastifyRequest, name: string): string {
  return readFields(request, [name])?.get(name) ?? ''
}
