import { ControlRefusal } from './control-request.ts'

/** The body of a request to the control API. */
export type Json = Readonly<Record<string, unknown>>

/** A form that a text of a request must have, in words for the refusal. */
export interface TextForm {
  readonly pattern: RegExp
  readonly expected: string
}

export const MERCHANT: TextForm = {
  pattern: /^[\x21-\x7e]{1,15}$/,
  expected: 'up to 15 characters of DE 42',
}
export const KEY: TextForm = { pattern: /^[\x21-\x7e]{1,64}$/, expected: 'up to 64 characters' }
/** Keys of messages may have the filling of DE 41 in them. */
export const ORDER_KEY: TextForm = {
  pattern: /^[\x20-\x7e]{1,64}$/,
  expected: 'the key of a 0100: DE 32, DE 41, DE 11 and DE 7 with slashes between',
}
export const RRN: TextForm = { pattern: /^[0-9A-Za-z]{12}$/, expected: '12 letters and digits' }

/** The object in a body. Throws ControlRefusal. */
export function objectIn(body: unknown): Json {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Json
  throw new ControlRefusal(400, 'The body must be a JSON object.')
}

/** A text that the body must have. Throws ControlRefusal. */
export function text(body: Json, name: string, { expected, pattern }: TextForm): string {
  const value = body[name]
  if (typeof value === 'string' && pattern.test(value)) return value
  return refuse(name, value, expected)
}

/** A text that the body may have; null without it. Throws ControlRefusal on another form. */
export function optional(body: Json, name: string, form: TextForm): string | null {
  return body[name] === undefined ? null : text(body, name, form)
}

/** One of a list of words. Throws ControlRefusal. */
export function oneOf<Word extends string>(body: Json, name: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === body[name])
  return found ?? refuse(name, body[name], `one of ${words.join(', ')}`)
}

/** Refuses a value with what was found and what is expected. */
export function refuse(name: string, found: unknown, expected: string): never {
  const shown = found === undefined ? 'missing' : shortened(JSON.stringify(found))
  throw new ControlRefusal(400, `${name} is ${shown}; it must be ${expected}.`)
}

const LONGEST_SHOWN = 80

function shortened(json: string): string {
  return json.length > LONGEST_SHOWN ? `${json.slice(0, LONGEST_SHOWN)}…` : json
}
