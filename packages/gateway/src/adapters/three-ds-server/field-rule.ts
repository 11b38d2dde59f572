import type { FaultCode, Message } from './protocol-fault.ts'
import { isUuid } from './protocol-fault.ts'

/** Versions that have a table, the oldest first. Another one is an entry here and `since` marks. */
export const TABLE_VERSIONS = ['2.1.0', '2.2.0'] as const
export type TableVersion = (typeof TABLE_VERSIONS)[number]

/** `absent`: its condition is false, so that it must not be there. */
export type Presence = 'required' | 'optional' | 'absent'

/** The rule for one element. */
export interface FieldRule {
  /** Since which version it exists; before, it is as unknown as any other name. */
  readonly since: TableVersion
  readonly presence: (message: Message) => Presence
  /** Null when the value will do; nothing is turned from one type into another. */
  readonly fault: (value: unknown, version: TableVersion, message: Message) => FaultCode | null
}

export type FieldRules = Readonly<Record<string, FieldRule>>

type Accepts = (value: unknown, version: TableVersion, message: Message) => boolean

const rule = (accepts: Accepts): FieldRule => ({
  since: '2.1.0',
  presence: () => 'required',
  fault: (value, version, message) => (accepts(value, version, message) ? null : '203'),
})

/** A text of `min` to `max` characters that fits a pattern. */
export function text(min: number, max: number, pattern?: RegExp): FieldRule {
  return rule(
    (value) =>
      typeof value === 'string' &&
      value.length >= min &&
      value.length <= max &&
      (pattern === undefined || pattern.test(value)),
  )
}

export const digits = (min: number, max = min): FieldRule => text(min, max, /^[0-9]+$/)
export const uuid = (): FieldRule => rule(isUuid)
export const bool = (): FieldRule => rule((value) => typeof value === 'boolean')
/** 20 bytes in Base64, written the one way there is. */
export const cavv = (): FieldRule => text(28, 28, /^[A-Za-z0-9+/]{26}[AEIMQUYcgkosw048]=$/)
export const dsOwn = /^[89][0-9]$/

/**
 * One of some values with spaces between them. `later` came with 2.2.0, and `others` are what each
 * Directory Server may add.
 */
export function oneOf(values: string, later = '', others?: RegExp): FieldRule {
  const old = new Set(values.split(' '))
  const all = new Set([...old, ...later.split(' ').filter((value) => value !== '')])
  return rule(
    (value, version) =>
      typeof value === 'string' &&
      ((version === '2.1.0' ? old : all).has(value) || others?.test(value) === true),
  )
}

/** An absolute address without a user in it. */
export function url(max: number, schemes: readonly string[] = ['https:']): FieldRule {
  return rule((value) => typeof value === 'string' && value.length <= max && isUrl(value, schemes))
}

function isUrl(value: string, schemes: readonly string[]): boolean {
  // The parser forgives control characters, spaces and backslashes; who gets the address may not.
  if (!/^https?:\/\/[^\s\\]+$/i.test(value) || !URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  const bare = username === '' && password === ''
  return schemes.includes(protocol) && hostname !== '' && bare
}

export function object(maxLength: number): FieldRule {
  return rule(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      JSON.stringify(value).length <= maxLength,
  )
}

export const list = (
  accepts: (items: readonly unknown[], version: TableVersion) => boolean,
): FieldRule =>
  rule((value, version) => Array.isArray(value) && value.length > 0 && accepts(value, version))

/** A rule with one more condition on a value of the right form. */
export function also(
  base: FieldRule,
  accepts: (value: string, message: Message) => boolean,
  code: FaultCode = '203',
): FieldRule {
  return {
    ...base,
    fault: (value, version, message) =>
      base.fault(value, version, message) ?? (accepts(String(value), message) ? null : code),
  }
}

export const optional = (base: FieldRule): FieldRule => ({ ...base, presence: () => 'optional' })
export const when = (base: FieldRule, presence: FieldRule['presence']): FieldRule => ({
  ...base,
  presence,
})
export const since = (version: TableVersion, base: FieldRule): FieldRule => ({
  ...base,
  since: version,
})

/**
 * The value of an element as text; '' where it is missing, or an object, which may say anything of
 * itself.
 */
export function valueOf(message: Message, name: string): string {
  const value = Object.hasOwn(message, name) ? message[name] : ''
  return typeof value === 'object' ? '' : String(value)
}
