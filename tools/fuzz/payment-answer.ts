import { XMLParser, XMLValidator } from 'fast-xml-parser'
import {
  healthAnswer,
  SERVICE_AVAILABLE,
} from '../../packages/gateway/src/http/payment/health-record.ts'
import {
  membershipRefusalAnswer,
  refusalAnswer,
} from '../../packages/gateway/src/http/payment/refusal-record.ts'
import { REFUSALS } from '../../packages/gateway/src/http/payment/refusals.ts'
import { readHead } from '../../packages/gateway/src/http/payment/request-head.ts'
import type { HttpAnswer } from './http-answers.ts'
import { readPipes } from './pipes-reader.ts'

export type Format = 'XML' | 'JSON' | 'PIPES'

/** A flat record, or the events of an order. */
export interface ReadAnswer {
  readonly format: Format
  readonly record: ReadonlyMap<string, string> | null
  readonly events: readonly ReadonlyMap<string, string>[] | null
}

const TYPES: Readonly<Record<string, Format>> = {
  'application/xml; charset=utf-8': 'XML',
  'application/json; charset=utf-8': 'JSON',
  'text/plain; charset=utf-8': 'PIPES',
}

const STATES = new Set(['', 'APPROVED', 'DECLINED', 'PENDING', 'RUNNING', 'FAILED'])
const API_CODES = new Set([
  '0',
  '',
  ...Object.values(REFUSALS).flatMap(({ tier, code }) => (tier === 'api' ? [String(code)] : [])),
])

const OUTCOME = ['P3DS_ECI', 'P3DS_PROCTRANSID', 'P3DS_PROCVERSION', 'P3DS_TRANSID']
const CHALLENGE = ['P3DS_ACS_URL', 'P3DS_PAYLOAD', ...OUTCOME, 'P3DS_JWT']
/** Fields that only answers to 3-D Secure have. */
const THREE_DS = [OUTCOME, CHALLENGE].flatMap((names) => [
  names,
  [...names, 'P3DS_CARDHOLDER_INFO'],
])

/** The layouts of flat answers, by the names of their fields. */
const LAYOUTS: readonly (readonly string[])[] = layouts()

function layouts(): string[][] {
  const echo = { ...readHead(new Map(), 'XML').echo, requestId: 1n }
  const [record = [], ...others] = [
    refusalAnswer(REFUSALS.value_invalid, '', echo),
    membershipRefusalAnswer(REFUSALS.membership_not_found, '', echo),
    healthAnswer(SERVICE_AVAILABLE, echo),
  ].map(({ body }) => (body.kind === 'record' ? body.record.map(({ name }) => name) : []))
  const behind = record.indexOf('P3DS_RESPONSE') + 1
  const withThreeDs = THREE_DS.map((names) => record.toSpliced(behind, 0, ...names))
  return [record, ...others, ...withThreeDs]
}

const LINE_FIELD = /^(?:PO_LI_ID|PO_LI_COUNT|PO_LI_AMOUNT|PO_LI_PROD_ID|MBSHP_ID)_([1-9][0-9]?)$/

/** Reads an answer of the payment address, in the format that its type names; throws a sentence. */
export function readPaymentAnswer(answer: HttpAnswer): ReadAnswer {
  const type = answer.headers.get('content-type') ?? ''
  const format = TYPES[type]
  if (format === undefined) throw new Error(`The answer's type is ${JSON.stringify(type)}.`)
  const { body } = answer
  const read =
    format === 'XML' ? readXml(body) : format === 'JSON' ? readJson(body) : readLines(body)
  return { format, ...read }
}

/** A flat record in XML under another root, or in JSON; throws a sentence. */
export function readFlatAnswer(
  { headers, body }: HttpAnswer,
  root: string,
): ReadonlyMap<string, string> {
  const format = TYPES[headers.get('content-type') ?? '']
  if (format !== 'XML' && format !== 'JSON') throw new Error('The answer is neither JSON nor XML.')
  const { record } = format === 'XML' ? readXml(body.trimEnd(), root) : readJson(body)
  if (record === null) throw new Error('The answer is no flat record.')
  return record
}

/** The violation in a payment answer by itself; null: none. */
export function wrongInAnswer(answer: HttpAnswer, asked: Format | null): string | null {
  let read: ReadAnswer
  try {
    read = readPaymentAnswer(answer)
  } catch (error) {
    return `${String(error)} The body: ${answer.body.slice(0, 500)}`
  }
  if (asked !== null && read.format !== asked) return `${asked} was asked for, ${read.format} came.`
  const { record } = read
  if (record === null) return wrongInEvents(read.events ?? [])
  const names = [...record.keys()].filter((name) => !LINE_FIELD.test(name))
  if (!LAYOUTS.some((layout) => layout.join() === names.join())) {
    return `The fields are those of no documented layout: ${names.join(' ')}`
  }
  return wrongInValues(record)
}

function wrongInValues(record: ReadonlyMap<string, string>): string | null {
  const state = record.get('TRANS_STATUS_NAME') ?? ''
  if (!STATES.has(state)) return `TRANS_STATUS_NAME is ${JSON.stringify(state)}.`
  const api = record.get('API_RESPONSE') ?? ''
  if (api === '120') return `API 120: ${[...record.values()].join('|')}`
  if (!API_CODES.has(api)) return `API_RESPONSE is ${JSON.stringify(api)}.`
  const lines = [...record.keys()].filter((name) => LINE_FIELD.test(name)).length
  if (lines % 5 !== 0) return `There are ${lines} line fields, which is no number of lines.`
  if (record.has('P3DS_JWT') !== (state === 'PENDING'))
    return `A challenge is reported, and the state is ${state}.`
  if (record.get('P3DS_ACS_URL') !== (record.get('PROC_REDIRECT_URL') || undefined)) {
    return 'P3DS_ACS_URL is not PROC_REDIRECT_URL.'
  }
  if (state === 'APPROVED') {
    for (const name of ['PO_ID', 'TRANS_ID', 'TRANS_VALUE', 'PO_LI_ID_1']) {
      if (record.get(name) === '') return `${name} of an APPROVED answer is empty.`
    }
    if (lines === 0) return 'An APPROVED answer has no line.'
  }
  return null
}

function wrongInEvents(events: readonly ReadonlyMap<string, string>[]): string | null {
  if (events.length === 0) return 'An order has no event.'
  for (const event of events) {
    for (const name of ['TRANS_ID', 'REQUEST_ACTION', 'PO_ID', 'REQUEST_API_VERSION']) {
      if (!event.get(name)) return `${name} of an event is empty.`
    }
    const state = event.get('TRANS_STATUS_NAME') ?? ''
    if (!STATES.has(state)) return `TRANS_STATUS_NAME of an event is ${JSON.stringify(state)}.`
  }
  return null
}

type Read = Pick<ReadAnswer, 'record' | 'events'>

const xml = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  ignoreAttributes: false,
  parseAttributeValue: false,
  htmlEntities: true,
  preserveOrder: true,
  processEntities: { enabled: true, maxTotalExpansions: 1_000_000, maxExpandedLength: 10_000_000 },
})

interface XmlNode {
  readonly [name: string]: XmlNode[] | string | Readonly<Record<string, string>>
}

function readXml(body: string, name = 'RESPONSE'): Read {
  const valid = XMLValidator.validate(body)
  if (valid !== true) throw new Error(`The XML is not well-formed: ${valid.err.msg}`)
  const forbidden = forbiddenInXml(body)
  if (forbidden !== null) throw new Error(forbidden)
  const root = (xml.parse(body) as XmlNode[]).find((node) => name in node)?.[name]
  if (!Array.isArray(root)) throw new Error(`The XML has no element ${name}.`)
  if (!root.every((node) => 'TRANSACTION' in node)) return { record: fieldsOf(root), events: null }
  const events = root.map((node) => {
    const attributes = node[':@'] as Readonly<Record<string, string>> | undefined
    const inside = node['TRANSACTION']
    const fields = Array.isArray(inside) ? fieldsOf(inside) : new Map<string, string>()
    return new Map([['TRANS_ID', attributes?.['@_TRANS_ID'] ?? ''], ...fields])
  })
  return { record: null, events }
}

/** A character at which a strict XML 1.0 parser stops, and that a lenient one accepts. */
export function forbiddenInXml(text: string): string | null {
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0
    const isAllowed =
      code === 9 ||
      code === 10 ||
      code === 13 ||
      (code >= 0x20 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) ||
      code >= 0x10000
    if (!isAllowed) return `The XML holds the character U+${code.toString(16)}.`
  }
  return /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/.test(text)
    ? 'The XML holds an & that begins no entity.'
    : text.includes(']]>')
      ? 'The XML holds a bare ]]>.'
      : null
}

function fieldsOf(nodes: readonly XmlNode[]): Map<string, string> {
  const fields = new Map<string, string>()
  for (const node of nodes) {
    const name = Object.keys(node).find((key) => key !== ':@') ?? ''
    const inside = node[name]
    if (!Array.isArray(inside)) throw new Error(`${name} stands beside the fields.`)
    if (fields.has(name)) throw new Error(`The field ${name} is there twice.`)
    fields.set(name, inside.map((part) => String(part['#text'] ?? '')).join(''))
  }
  return fields
}

function readJson(body: string): Read {
  const value = JSON.parse(body) as Record<string, unknown>
  const { COLUMNS: columns, DATA: rows } = value
  if (Array.isArray(columns) && Array.isArray(rows)) {
    const events = rows.map((row: unknown) => {
      if (!Array.isArray(row) || row.length !== columns.length) throw new Error('A row is ragged.')
      return new Map(row.map((cell, at) => [String(columns[at]), textOf(cell)]))
    })
    return { record: null, events }
  }
  return {
    record: new Map(Object.entries(value).map(([name, cell]) => [name, textOf(cell)])),
    events: null,
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw new Error(`A field is neither text nor number: ${JSON.stringify(value)}.`)
}

function readLines(body: string): Read {
  const lines = body.split('\n').map(readPipes)
  const [first] = lines
  const isEvents = first?.keys().next().value === 'TRANS_ID'
  if (isEvents) return { record: null, events: lines }
  if (lines.length !== 1 || first === undefined) throw new Error('A record has several lines.')
  return { record: first, events: null }
}
