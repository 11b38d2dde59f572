import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { replaceCardNumbers } from '../../base/card-number-text.ts'
import { PortalFault } from './portal-route.ts'

/** The received value, in the form of a schema. */
export function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  if (holdsNul(value))
    throw new PortalFault(400, 'invalid', 'The request contains a character that cannot be stored.')
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  // Unknown names are arbitrary input, possibly a secret in the wrong place.
  if (issue?.code === 'unrecognized_keys') {
    throw new PortalFault(400, 'invalid', 'The request contains an unknown field.')
  }
  const path = issue?.path.join('.') ?? ''
  const field = /^[a-z][a-z0-9.]{0,60}$/i.test(path) && !/\d{6}/.test(path) ? path : ''
  throw new PortalFault(
    400,
    'invalid',
    `${field === '' ? 'The request' : field}: ${issue?.message ?? 'it is invalid'}.`,
    field === '' ? null : field,
  )
}

/** The database takes no text with it. Values may be nested to any depth. */
function holdsNul(value: unknown): boolean {
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'string' && next.includes('\0')) return true
    if (typeof next === 'object' && next !== null)
      for (const part of Object.values(next)) left.push(part)
  }
  return false
}

/** Answers with a fault, as JSON. */
export function refuse(
  reply: FastifyReply,
  { status, code, message, field }: PortalFault,
): FastifyReply {
  if (status === 429 || status === 503) void reply.header('retry-after', '1')
  return send(reply.code(status), {
    error: { code, message: withoutCardNumbers(message), ...(field === null ? {} : { field }) },
  })
}

/** A time with seconds has 14 digits, and the check digit fits one time in ten. */
const WRITTEN_TIME = /\b(20\d\d-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?)/

/** Sentences repeat what was wrong, which may be a card number that got into the wrong field. */
function withoutCardNumbers(sentence: string): string {
  return sentence
    .split(WRITTEN_TIME)
    .map((part) =>
      WRITTEN_TIME.test(part) ? part : replaceCardNumbers(part, 'groups', () => '[removed]'),
    )
    .join('')
}

/** Amounts and ids are larger than what JSON's numbers hold exactly, so they go as text. */
export function send(reply: FastifyReply, value: unknown): FastifyReply {
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  )
  return reply.type('application/json; charset=utf-8').send(text)
}
