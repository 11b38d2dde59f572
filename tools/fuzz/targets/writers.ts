import assert from 'node:assert/strict'
import { write } from '../../../packages/gateway/src/http/payment/formats/format.ts'
import {
  number,
  text,
  type EventTable,
  type Field,
} from '../../../packages/gateway/src/http/payment/record.ts'
import { fc } from '../../../test/support/properties.ts'
import { readPaymentAnswer, type Format, type ReadAnswer } from '../payment-answer.ts'
import { tryProperty } from '../properties.ts'
import type { Target } from '../target.ts'

const SEPARATORS = [
  ']]>',
  '||',
  '|',
  '\r\n',
  '\n',
  '\r',
  '=',
  '&amp;',
  '&#0;',
  '</RESPONSE>',
  '"',
  '\\',
]

/** Any text: every code unit, halves of pairs too, and the separators of the formats. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)))
    .map((units) => units.join('')),
  fc.array(fc.oneof(fc.constantFrom(...SEPARATORS), fc.string())).map((parts) => parts.join('')),
  fc
    .tuple(fc.string({ unit: 'binary', minLength: 1 }), fc.integer({ min: 1, max: 3_000 }))
    .map(([part, times]) => part.repeat(times)),
)
const anyNumber = fc.oneof(
  fc.bigInt(),
  fc.integer(),
  fc.constantFrom('', '-0', '007', '1e5', '0.10', '-12.50', '123456789012345', '1234567890123456'),
)
const fields = fc
  .array(
    fc.oneof(
      anyText,
      anyNumber.map((value) => ({ number: value })),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((values) =>
    values.map((value, at): Field =>
      typeof value === 'string' ? text(`FIELD_${at}`, value) : number(`FIELD_${at}`, value.number),
    ),
  )
const events = fc.array(fc.record({ transactionId: fc.integer({ min: 1 }).map(String), fields }), {
  minLength: 1,
  maxLength: 4,
})

type Body =
  | { readonly kind: 'record'; readonly record: Field[] }
  | { readonly kind: 'events'; readonly events: EventTable[] }

const body: fc.Arbitrary<Body> = fc.oneof(
  fields.map((record) => ({ kind: 'record' as const, record })),
  events.map((list) => ({ kind: 'events' as const, events: list })),
)

const SUMMARY = {
  apiCode: '0',
  serviceCode: 100,
  refField: '',
  state: '',
  orderId: null,
  transactionId: null,
}

/** The three writers: for any value, a reader finds the same fields and the same values. */
export const target: Target = {
  name: 'writers',
  what: 'records of any text at all through the XML, JSON and PIPES writers, read back strictly',
  needs: 'nothing',
  fuzz: (run) => tryProperty(run, fc.property(body, comesBack)),
}

/** Throws unless the body is read from each format as far as the format has room for it. */
export function comesBack(given: Body): void {
  for (const format of ['XML', 'JSON', 'PIPES'] as const) {
    const { type, body: written } = write(
      { body: given, httpStatus: 200, summary: SUMMARY },
      format,
    )
    const headers = new Map([['content-type', type]])
    const onTheWire = Buffer.from(written).toString('utf8')
    const read = readPaymentAnswer({ status: 200, headers, body: onTheWire })
    assert.deepEqual(comparable(read, format), expected(given, format), format)
  }
}

function comparable({ record, events: read }: ReadAnswer, format: Format): unknown {
  if (record !== null) return [...record]
  // In JSON all events have the columns of the widest one.
  const filled = (event: ReadonlyMap<string, string>) =>
    [...event].filter(([, value]) => format !== 'JSON' || value !== '')
  return (read ?? []).map(filled)
}

function expected(given: Body, format: Format): unknown {
  const kept = ({ name, text: value }: Field): [string, string] => [name, KEPT[format](value)]
  if (given.kind === 'record') return given.record.map(kept)
  return given.events.map(({ transactionId, fields: all }) =>
    [['TRANS_ID', transactionId], ...all.map(kept)].filter(
      ([, value]) => format !== 'JSON' || value !== '',
    ),
  )
}

/**
 * The values that each format can hold, as docs/integrators/gaps-and-answers.md says (A1 to A3).
 */
const KEPT: Readonly<Record<Format, (value: string) => string>> = {
  JSON: (value) => value,
  XML: (value) => [...value].filter(isXmlCharacter).join(''),
  PIPES: (value) =>
    value
      .replace(/[\r\n]/g, ' ')
      .replaceAll('|', '¦')
      .toWellFormed(),
}

function isXmlCharacter(sign: string): boolean {
  const code = sign.codePointAt(0) ?? 0
  if (code < 0x20) return code === 9 || code === 10 || code === 13
  return !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfffe && code !== 0xffff
}
