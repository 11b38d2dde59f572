import { XMLParser } from 'fast-xml-parser'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { writeJson, writeJsonTable } from '../../../src/http/payment/formats/json.ts'
import { writePipes, writePipesEvents } from '../../../src/http/payment/formats/pipes.ts'
import { writeXml, writeXmlEvents } from '../../../src/http/payment/formats/xml.ts'
import { number, text } from '../../../src/http/payment/record.ts'

// A1 to A4 are explained in docs/integrators/gaps-and-answers.md.

const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  ignoreAttributes: false,
  parseAttributeValue: false,
  htmlEntities: true,
  processEntities: { enabled: true, maxTotalExpansions: 100_000 },
})

test('A1: JSON keeps the order and shows numbers as numbers and absent values as empty strings', () => {
  const record = [number('A', '12.5'), number('B', ''), text('C', '0002'), number('D', null)]
  assert.equal(writeJson(record), '{"A":12.5,"B":"","C":"0002","D":""}')
})

for (const [written, json] of [
  ['0', '0'],
  ['-10.5', '-10.5'],
  ['007', '"007"'],
  ['R1', '"R1"'],
  ['1234567890123456', '"1234567890123456"'],
  ['.5', '".5"'],
  ['-0', '"-0"'],
  ['12.50', '"12.50"'],
] as const) {
  test(`A1: a numeric field that holds ${written} is ${json} in JSON`, () => {
    assert.equal(writeJson([number('A', written)]), `{"A":${json}}`)
  })
}

test('A1: any text is read from JSON as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      assert.deepEqual(JSON.parse(writeJson([text('A', value)])), { A: value })
    }),
  )
})

test('A2: XML has its declaration, its root and self-closing empty elements', () => {
  const xml = writeXml([text('A', ''), text('B', ' '), text('C', 'x')])
  assert.equal(
    xml,
    '<?xml version="1.0" encoding="UTF-8"?><RESPONSE><A/><B> </B><C>x</C></RESPONSE>',
  )
})

test('A2: characters that XML 1.0 forbids are dropped, and no others', () => {
  const xml = writeXml([text('A', 'a\u0000\u0008\u000b\u001f\ufffe\uffff\ud800b\t😀')])
  assert.match(xml, /<A>ab\t😀<\/A>/u)
})

test('A2: any text without forbidden characters is read from XML as it was', () => {
  const unit = fc.constantFrom(...'&<>"\'] \t\n;#xa0é€😀|=')
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1 }), (value) => {
      const read = parser.parse(writeXml([text('A', value)])) as { RESPONSE: { A: string } }
      assert.equal(read.RESPONSE.A, value)
    }),
  )
})

test('A2: a carriage return is written so that a reader does not turn it into a line feed', () => {
  assert.match(writeXml([text('A', 'a\r\nb')]), /<A>a&#13;\nb<\/A>/)
})

test('A3: PIPES joins pairs by two pipes and takes pipes and line ends out of values', () => {
  const line = writePipes([text('A', 'x|'), text('B', 'l1\r\nl2'), number('C', 1), text('D', '||')])
  assert.equal(line, 'A=x¦||B=l1  l2||C=1||D=¦¦')
})

test('A3: a PIPES line can be cut at its double pipes with any values', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom(...'|a\n\r=') }), { minLength: 1 }),
      (values) => {
        const record = values.map((value, at) => text(`F${at}`, value))
        const fields = writePipes(record).split('||')
        assert.deepEqual(
          fields.map((field) => field.split('=')[0]),
          record.map(({ name }) => name),
        )
      },
    ),
  )
})

const EVENTS = [
  {
    transactionId: '1',
    fields: [text('REQUEST_ACTION', 'CCAUTHORIZE'), number('TRANS_VALUE', '40')],
  },
  {
    transactionId: '2',
    fields: [
      text('REQUEST_ACTION', 'CCCREDIT'),
      number('TRANS_VALUE', '-5'),
      text('PO_LI_ID_1', '7'),
    ],
  },
]

test('O9: in JSON the events are a table whose rows all have every column', () => {
  assert.deepEqual(JSON.parse(writeJsonTable(EVENTS)), {
    COLUMNS: ['TRANS_ID', 'REQUEST_ACTION', 'TRANS_VALUE', 'PO_LI_ID_1'],
    DATA: [
      [1, 'CCAUTHORIZE', 40, ''],
      [2, 'CCCREDIT', -5, '7'],
    ],
  })
})

test('O9: in XML each event is a TRANSACTION whose id is an attribute', () => {
  const read = parser.parse(writeXmlEvents(EVENTS)) as {
    RESPONSE: { TRANSACTION: { '@_TRANS_ID': string; TRANS_VALUE: string }[] }
  }
  const shown = read.RESPONSE.TRANSACTION.map((event) => [event['@_TRANS_ID'], event.TRANS_VALUE])
  assert.deepEqual(shown, [
    ['1', '40'],
    ['2', '-5'],
  ])
})

test('O9: in PIPES there is one line an event', () => {
  assert.deepEqual(writePipesEvents(EVENTS).split('\n'), [
    'TRANS_ID=1||REQUEST_ACTION=CCAUTHORIZE||TRANS_VALUE=40',
    'TRANS_ID=2||REQUEST_ACTION=CCCREDIT||TRANS_VALUE=-5||PO_LI_ID_1=7',
  ])
})
