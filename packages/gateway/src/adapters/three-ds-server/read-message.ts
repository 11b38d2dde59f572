import { CARD_RANGE } from './answer-fields.ts'
import { TABLE_VERSIONS } from './field-rule.ts'
import type { FieldRules, TableVersion } from './field-rule.ts'
import { repeatedNames } from './json-text.ts'
import { fieldsOf, hasField, MESSAGES, type MessageType } from './message-tables.ts'
import { MAX_DETAIL, ProtocolFault, type FaultCode, type Message } from './protocol-fault.ts'

/** A message is answered with one code only: which, when there are several faults. */
const SEQUENCE: readonly FaultCode[] = ['203', '304', '306']

/** Extensions that are understood here: none yet. */
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set()

export interface Expected {
  readonly type: MessageType
  /** Of the transaction, where there is one already; a message with another one has changed it. */
  readonly version?: TableVersion
  /** Facts that conditions need and the message lacks. */
  readonly known?: Message
}

/**
 * Checks a parsed message, whose text is `json`, against the table of its version. Throws
 * ProtocolFault in this order: 101 another type, 204 repeated names, 102 and 203 versions, 201,
 * 202, and then faults of single elements.
 *
 * @returns the version, and the elements that the table knows; all others are ignored.
 */
export function readMessage(
  message: Message,
  json: string,
  { type, version: bound, known = {} }: Expected,
): { readonly version: TableVersion; readonly elements: Message } {
  if (own(message, 'messageType') !== type) {
    throw new ProtocolFault('101', `The message expected here is ${type}.`)
  }
  const repeated = repeatedNames(json, message)
  if (repeated.length > 0) throw new ProtocolFault('204', named(repeated))
  const version = versionOf(message, bound)
  const fields = MESSAGES[type]
  const faults = faultsOf(message, fields, version, known)
  const missing = faults.filter(({ code }) => code === '201')
  if (missing.length > 0) throw new ProtocolFault('201', namesIn(missing))
  checkExtensions(own(message, 'messageExtension'))
  const inRanges = type === 'PRes' ? rangeFaults(own(message, 'cardRangeData'), version) : []
  if (inRanges.some(({ code }) => code === '201')) {
    throw new ProtocolFault('201', namesIn(inRanges.filter(({ code }) => code === '201')))
  }
  for (const code of SEQUENCE) {
    const found = [...faults, ...inRanges].filter((fault) => fault.code === code)
    if (found.length > 0) throw new ProtocolFault(code, namesIn(found))
  }
  const elements = Object.fromEntries(
    fieldsOf(fields, version).flatMap(([name]) => {
      const value = own(message, name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  return { version, elements }
}

/**
 * Names of what must not leave like this: elements that break the table of their version, and those
 * that it does not know. Empty when the message may be sent.
 */
export function outboundFaults(
  message: Message,
  type: MessageType,
  version: TableVersion,
): string[] {
  const fields = MESSAGES[type]
  const isUnknown = (name: string): boolean => !hasField(fields, version, name)
  return [
    ...faultsOf(message, fields, version, {}).map(({ name }) => name),
    ...Object.keys(message).filter(isUnknown),
  ]
}

interface Fault {
  readonly code: FaultCode
  readonly name: string
}

function faultsOf(
  message: Message,
  fields: FieldRules,
  version: TableVersion,
  known: Message,
): Fault[] {
  const about = Object.keys(known).length === 0 ? message : { ...known, ...message }
  const faults: Fault[] = []
  for (const [name, rule] of fieldsOf(fields, version)) {
    const value = own(message, name)
    const presence = rule.presence(about)
    if (value === undefined) {
      if (presence === 'required') faults.push({ code: '201', name })
    } else {
      const code = presence === 'absent' ? '203' : rule.fault(value, version, about)
      if (code !== null) faults.push({ code, name })
    }
  }
  return faults
}

/** The elements of card ranges, each fault reported once for all ranges that have it. */
function rangeFaults(ranges: unknown, version: TableVersion): Fault[] {
  if (!Array.isArray(ranges)) return []
  const found = new Map<string, Fault>()
  for (const range of ranges as unknown[]) {
    if (typeof range !== 'object' || range === null || Array.isArray(range)) {
      return [{ code: '203', name: 'cardRangeData' }]
    }
    for (const { code, name } of faultsOf(range as Message, CARD_RANGE, version, {})) {
      found.set(`${code} ${name}`, { code, name: `cardRangeData.${name}` })
    }
  }
  return [...found.values()]
}

function versionOf(message: Message, bound: TableVersion | undefined): TableVersion {
  const said = own(message, 'messageVersion')
  if (said === undefined) throw new ProtocolFault('201', 'messageVersion')
  if (bound !== undefined) {
    if (said === bound) return bound
    throw new ProtocolFault('203', 'messageVersion')
  }
  const version = TABLE_VERSIONS.find((spoken) => spoken === said)
  if (version !== undefined) return version
  if (typeof said === 'string' && /^\d\.\d{1,2}\.\d{1,2}$/.test(said)) {
    throw new ProtocolFault('102', TABLE_VERSIONS.join(','))
  }
  throw new ProtocolFault('203', 'messageVersion')
}

function checkExtensions(value: unknown): void {
  if (!Array.isArray(value)) return
  const unknown: string[] = []
  for (const item of value as unknown[]) {
    const extension = Object(item) as Message
    const id = own(extension, 'id')
    const isCritical = own(extension, 'criticalityIndicator')
    const data = own(extension, 'data')
    const isWhole =
      isText(id, 64) &&
      isText(own(extension, 'name'), 64) &&
      typeof isCritical === 'boolean' &&
      typeof data === 'object' &&
      data !== null &&
      JSON.stringify(data).length <= 8_059
    if (!isWhole) throw new ProtocolFault('203', 'messageExtension')
    if (isCritical && !KNOWN_EXTENSIONS.has(id)) unknown.push(id)
  }
  if (unknown.length > 0) throw new ProtocolFault('202', named(unknown))
}

function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= max
}

function own(message: Message, name: string): unknown {
  return Object.hasOwn(message, name) ? message[name] : undefined
}

const namesIn = (faults: readonly Fault[]): string => named(faults.map(({ name }) => name))

function named(names: readonly string[]): string {
  return [...new Set(names)].join(',').slice(0, MAX_DETAIL)
}
