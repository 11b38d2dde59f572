import { MESSAGE_FIELDS } from './answer-fields.ts'
import type { MessageType } from './answer-fields.ts'
import { findDuplicateNames } from './duplicate-names.ts'
import { VERSIONS } from './field-rule.ts'
import type { FieldRule, FieldRules, Leg, Situation, Version } from './field-rule.ts'
import { ProtocolError } from './protocol-error.ts'
import type { ErrorCode, Message } from './protocol-error.ts'

const MAX_DEPTH = 16

/** The order in which faults are reported: one message is answered with one code. */
const CODES: readonly ErrorCode[] = ['201', '203', '304', '306']

/** Extensions that this simulator supports: none. */
const KNOWN_EXTENSIONS: readonly string[] = []

/** A JSON object from its text. Throws ProtocolError 101. */
export function parseMessage(json: string): Message {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new ProtocolError('101', 'The message is not JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProtocolError('101', 'The message is not a JSON object.')
  }
  if (depthOf(json) > MAX_DEPTH) throw new ProtocolError('101', 'The message is nested too deep.')
  return value as Message
}

export interface Expected {
  readonly type: MessageType
  readonly leg: Leg
  /** The version of the transaction; a message with another one has changed it. */
  readonly version?: Version
}

/**
 * Checks a message by its table. `json` is its text, for names that it has twice. Throws
 * ProtocolError: 101 another message, 102 an unsupported version, 204, 201, 202, 203 and the codes
 * of single elements, in this order.
 */
export function checkMessage(message: Message, json: string, expected: Expected): Version {
  const { leg, type, version: bound } = expected
  if (message['messageType'] !== type) {
    throw new ProtocolError('101', `The messageType expected here is ${type}.`)
  }
  // A text that is written the same way again has lost no name, and needs no reading by tokens.
  const duplicates = JSON.stringify(message) === json ? [] : findDuplicateNames(json)
  if (duplicates.length > 0) throw new ProtocolError('204', namesOf(duplicates))
  const spoken = message['messageVersion']
  if (spoken === undefined) throw new ProtocolError('201', 'messageVersion')
  const version = VERSIONS.find((known) => known === spoken)
  if (version === undefined) {
    const isVersion = typeof spoken === 'string' && /^\d\.\d+\.\d+$/.test(spoken)
    if (bound !== undefined || !isVersion) throw new ProtocolError('203', 'messageVersion')
    throw new ProtocolError('102', VERSIONS.join(','))
  }
  if (bound !== undefined && version !== bound) throw new ProtocolError('203', 'messageVersion')
  const situation = { message, version, leg }
  const faults = findFaults(message, MESSAGE_FIELDS[type], situation, '')
  const missing = faults.filter(({ code }) => code === '201')
  if (missing.length > 0) throw new ProtocolError('201', namesOf(missing.map(({ name }) => name)))
  checkExtensions(message['messageExtension'])
  for (const code of CODES) {
    const names = faults.filter((fault) => fault.code === code).map(({ name }) => name)
    if (names.length > 0) throw new ProtocolError(code, namesOf(names))
  }
  return version
}

interface Fault {
  readonly code: ErrorCode
  readonly name: string
}

function findFaults(
  values: Message,
  rules: FieldRules,
  situation: Situation,
  path: string,
): Fault[] {
  const faults: Fault[] = []
  for (const [short, rule] of entriesOf(rules)) {
    const value = Object.hasOwn(values, short) ? values[short] : undefined
    const presence = rule.presence(situation)
    const name = path + short
    if (value === undefined) {
      if (presence === 'required') faults.push({ code: '201', name })
    } else if (presence === 'absent') faults.push({ code: '203', name })
    else if (!rule.accepts(value, situation)) {
      faults.push({ code: rule.code?.(value) ?? '203', name })
    } else if (rule.parts !== undefined) {
      faults.push(...findFaults(value as Message, rule.parts, situation, `${name}.`))
    }
  }
  return faults
}

const entries = new WeakMap<FieldRules, readonly (readonly [string, FieldRule])[]>()

/** The rules of a table, listed once: each message of its type goes through all of them. */
function entriesOf(rules: FieldRules): readonly (readonly [string, FieldRule])[] {
  const known = entries.get(rules)
  if (known !== undefined) return known
  const listed = Object.entries(rules)
  entries.set(rules, listed)
  return listed
}

function checkExtensions(value: unknown): void {
  if (!Array.isArray(value)) return
  const unknown: string[] = []
  for (const item of value as unknown[]) {
    const { criticalityIndicator, data, id, name } = Object(item) as Message
    const isText = (found: unknown, max: number) =>
      typeof found === 'string' && found.length > 0 && found.length <= max
    const isWhole =
      isText(id, 64) &&
      isText(name, 64) &&
      typeof criticalityIndicator === 'boolean' &&
      typeof data === 'object' &&
      data !== null &&
      JSON.stringify(data).length <= 8059
    if (!isWhole) throw new ProtocolError('203', 'messageExtension')
    if (criticalityIndicator && !KNOWN_EXTENSIONS.includes(String(id))) unknown.push(String(id))
  }
  if (unknown.length > 0) throw new ProtocolError('202', namesOf(unknown))
}

function namesOf(names: readonly string[]): string {
  return [...new Set(names)].join(',').slice(0, 2048)
}

function depthOf(json: string): number {
  const opened = json.match(/[{[]/g)?.length ?? 0
  if (opened <= MAX_DEPTH) return opened
  let [depth, deepest] = [0, 0]
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, (depth += 1))
    else if (token === '}' || token === ']') depth -= 1
  }
  return deepest
}
