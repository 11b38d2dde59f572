import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { PortalFault } from './portal-route.ts'

/** What came, in the form that a schema gives it. */
export function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  // Names that nobody knows are whatever was sent, a secret in the wrong place for one.
  if (issue?.code === 'unrecognized_keys') {
    throw new PortalFault(400, 'invalid', 'The request has a field that is not known here.')
  }
  const path = issue?.path.join('.') ?? ''
  const field = /^[a-z][a-z0-9.]{0,60}$/i.test(path) && !/\d{6}/.test(path) ? path : ''
  throw new PortalFault(400, 'invalid', `${field === '' ? 'The request' : field}: ${issue?.message ?? 'it can not be read'}.`, field === '' ? null : field)
}

export function refuse(reply: FastifyReply, { status, code, message, field }: PortalFault): FastifyReply {
  if (status === 429 || status === 503) void reply.header('retry-after', '1')
  return send(reply.code(status), { error: { code, message, ...(field === null ? {} : { field }) } })
}

/** Amounts and ids are larger than what JSON's numbers hold exactly, so they go as text. */
export function send(reply: FastifyReply, value: unknown): FastifyReply {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
  return reply.type('application/json; charset=utf-8').send(text)
}
