import type { ErrorCode, Message } from './protocol-error.ts'

/** The supported versions, oldest first. A new one is one more entry and `since` marks. */
export const VERSIONS = ['2.1.0', '2.2.0'] as const
export type Version = (typeof VERSIONS)[number]

/** The sender and receiver of the message: some elements exist on one leg only. */
export type Leg = 'to_ds' | 'to_acs' | 'to_server'

export interface Situation {
  readonly message: Message
  readonly version: Version
  readonly leg: Leg
}

export type Presence = 'required' | 'optional' | 'absent'

/** The rule for one element of a message. */
export interface FieldRule {
  readonly presence: (situation: Situation) => Presence
  /** Whether a value is valid; no value is converted to another type. */
  readonly accepts: (value: unknown, situation: Situation) => boolean
  /** The error code when the value is not accepted; default 203. */
  readonly code?: (value: unknown) => ErrorCode
  /** Elements of an object. */
  readonly parts?: FieldRules
}

export type FieldRules = Readonly<Record<string, FieldRule>>

type Accepts = FieldRule['accepts']

const always = () => 'required' as const

function rule(accepts: Accepts, more: Partial<FieldRule> = {}): FieldRule {
  return { presence: always, accepts, ...more }
}

/** A text of `min` to `max` characters. */
export function text(min: number, max: number, pattern?: RegExp): FieldRule {
  return rule(
    (value) =>
      typeof value === 'string' &&
      value.length >= min &&
      value.length <= max &&
      (pattern === undefined || pattern.test(value)),
  )
}

export function digits(min: number, max = min): FieldRule {
  return text(min, max, /^[0-9]+$/)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function uuid(): FieldRule {
  return text(36, 36, UUID)
}

/** One of some values, written with spaces between; a `since` part belongs to later versions. */
export function oneOf(values: string, since220 = '', alsoFits?: RegExp): FieldRule {
  const old = values.split(' ')
  const later = since220.split(' ').filter((value) => value !== '')
  return rule(
    (value, { version }) =>
      typeof value === 'string' &&
      (old.includes(value) ||
        (version !== '2.1.0' && later.includes(value)) ||
        alsoFits?.test(value) === true),
  )
}

/** An absolute address without a user in it. */
export function url(max: number, schemes: readonly string[] = ['https:']): FieldRule {
  return rule((value) => {
    if (typeof value !== 'string' || value.length > max || !URL.canParse(value)) return false
    const { host, password, protocol, username } = new URL(value)
    return schemes.includes(protocol) && host !== '' && username === '' && password === ''
  })
}

export function trueOrFalse(): FieldRule {
  return rule((value) => typeof value === 'boolean')
}

export function object(parts: FieldRules = {}): FieldRule {
  return rule((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    parts,
  })
}

export function list(accepts: (items: readonly unknown[]) => boolean): FieldRule {
  return rule((value) => Array.isArray(value) && accepts(value))
}

/** The 20 bytes of a CAVV in Base64. */
export function authenticationValue(): FieldRule {
  return text(28, 28, /^[A-Za-z0-9+/]{26}[AEIMQUYcgkosw048]=$/)
}

/** A rule with one more condition on the value. */
export function also(base: FieldRule, accepts: (value: string) => boolean): FieldRule {
  return { ...base, accepts: (value, at) => base.accepts(value, at) && accepts(String(value)) }
}

/** A rule whose well-formed but wrong values have an error code of their own. */
export function coded(
  base: FieldRule,
  fits: (value: string, at: Situation) => boolean,
  code: ErrorCode,
): FieldRule {
  const at: Situation = { message: {}, version: '2.2.0', leg: 'to_ds' }
  return {
    ...base,
    accepts: (value, where) => base.accepts(value, where) && fits(String(value), where),
    code: (value) => (base.accepts(value, at) ? code : '203'),
  }
}

export function optional(base: FieldRule): FieldRule {
  return { ...base, presence: () => 'optional' }
}

/** Required, optional or absent by what else is there. */
export function when(base: FieldRule, presence: FieldRule['presence']): FieldRule {
  return { ...base, presence }
}

/** An element that older versions do not have. */
export function since(version: Version, base: FieldRule): FieldRule {
  const isThere = (spoken: Version) => VERSIONS.indexOf(spoken) >= VERSIONS.indexOf(version)
  return {
    ...base,
    presence: (at) => (isThere(at.version) ? base.presence(at) : 'absent'),
  }
}
