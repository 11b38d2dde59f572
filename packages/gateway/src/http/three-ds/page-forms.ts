import type { FastifyInstance, FastifyRequest } from 'fastify'
import { charsetOf } from '../payment/charset.ts'
import { readForm } from '../payment/form.ts'

/** Above any form of a browser here: the longest has a cres. */
const BODY_LIMIT_BYTES = 64 * 1024

/** Has bodies come as they are. */
export function takeForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    (_request, body, done) => done(null, body),
  )
}

const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

/**
 * The named fields of a form; null when the body is no form, or one of them stands in it twice or
 * can't be decoded. Other fields are not looked at. An empty field is ''.
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

/** One field, by the same rules; '' when it is not there, or can't be told. */
export function readField(request: FastifyRequest, name: string): string {
  return readFields(request, [name])?.get(name) ?? ''
}
