import { Ajv } from 'ajv'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { MAPPING_SCHEMA, mappingSchemaText } from '../../../../../tools/docs/mapping-schema.ts'
import { sumForeignFile } from '../../../src/adapters/settlement-files/convert-file.ts'
import {
  mappingSchema,
  readMappingFile,
} from '../../../src/adapters/settlement-files/mapping-file.ts'
import { converted, faultsOf, fileOf, smallMapping, workedExample } from './support/mapped-file.ts'

const HEAD = 'id;kind;day;net;order\n'

function readExample() {
  const read = readMappingFile(workedExample().json)
  assert.ok(read.ok, read.ok ? '' : read.faults.join('\n'))
  return read.mapping
}

test('the example of the page becomes a file that the reader of the import takes', async () => {
  const { lines, header, trailer } = await converted(workedExample().csv, readExample())
  assert.deepEqual(
    lines.map(({ kind, gross, net }) => [kind, gross, net]),
    [
      ['sale', 12_000n, 11_941n],
      ['sale', 7_360n, 7_203n],
      ['refund', -2_000n, -2_010n],
      ['chargeback', -6_000n, -6_000n],
      ['fee', 0n, -32n],
      ['reserve_hold', -1_196n, -1_196n],
      ['payout', -9_906n, -9_906n],
    ],
  )
  assert.deepEqual(lines[1]?.orig, { minor: 8_000n, currency: 'USD', rate: '0.92' })
  assert.equal(lines[6]?.trace, 'TX417')
  assert.equal(lines[0]?.trace, null)
  assert.equal(header.seq, 417n)
  assert.equal(header.account, 'MA-1042')
  assert.equal(header.businessDate, '2026-11-20')
  assert.equal(header.created, '2026-11-20T04:40:00Z')
  assert.equal(trailer.net, 0n)
})

test('the same file by the same mapping becomes the same bytes', async () => {
  const [one, other] = [
    await converted(workedExample().csv, readExample()),
    await converted(workedExample().csv, readExample()),
  ]
  assert.equal(one.text, other.text)
})

test('two equal rows without an id get two ids, which depend on their count only', async () => {
  const { csv } = workedExample()
  const fee = csv.split('\n').find((row) => row.includes(',Fee,')) ?? ''
  const twice = csv.replace(fee, `${fee}\n${fee}`).replace('99.06,,,', '98.74,,,')
  const { lines } = await converted(twice, readExample())
  const [once] = (await converted(csv, readExample())).lines.filter(({ kind }) => kind === 'fee')
  const fees = lines.filter(({ kind }) => kind === 'fee').map(({ id }) => id)
  assert.equal(fees.length, 2)
  assert.notEqual(fees[0], fees[1])
  assert.equal(fees[0], once?.id)
})

const DAMAGES: readonly (readonly [from: string, to: string, fault: RegExp])[] = [
  [
    'Settled,MOD',
    'Sold,MOD',
    /Line 2, column "Type": found "Sold"; expected a value of "kind.map"/,
  ],
  [
    'DemoShop,880102',
    'Other,880102',
    /Line 3, column "Merchant Account": found "Other"; expected "DemoShop"/,
  ],
  ['0.92', '0.93', /Line 3: found a sale that the format refuses with S07/],
  ['119.41', '119.43', /Line 2, column "Gross Credit \(GC\)".*gross amount of 12002 minor units/],
  ['20.10,,,0.10', '20.10,20.10,,0.10', /Line 4, column "Net Debit \(NC\)".*expected nothing/],
  [
    '20.10,,,0.10',
    ',,,0.10',
    /Line 4, column "Net Debit \(NC\)": found nothing; expected an amount/,
  ],
  [
    '11.96',
    '11.965',
    /Line 7, column "Net Debit \(NC\)": found "11.965"; expected at most 2 decimals/,
  ],
  ['11.96', "'11.96", /Line 7.*expected no apostrophe in front/],
  ['880101', '8.80101E+15', /Line 2, column "Merchant Reference".*all of its digits/],
  ['11:40:00,CET', '11:40:00,PST', /Line 3, column "TimeZone": found "PST"; expected a zone/],
  ['2026-11-19 11', '2026-02-30 11', /Line 3, column "Creation Date".*a date that exists/],
  ['EUR,20.10', 'CHF,20.10', /Line 4, column "Net Currency": found "CHF"; expected EUR/],
  ['1.10,417', '1.10,418', /Line 3, column "Batch Number": found "418"; expected 417/],
  [
    '99.06',
    '99.05',
    /column "Batch Number": found a sum of 1 minor units for "417"; expected zero/,
  ],
  ['880101', '4111111111111111', /found "411111\*{6}1111"; expected no card number/],
  ['DemoShop,880101,visa', 'DemoShop,880101,extra,visa', /Line 2: found 20 columns; expected 19/],
  ['Net Debit (NC)', 'Net Debit', /Line 1: found the columns.*expected also "Net Debit \(NC\)"/],
  ['DemoShop,880101,visa', 'DemoShop,"880101"x,visa', /Line 2: found a quote in the wrong place/],
  [
    ',880101,',
    ',,',
    /Line 2: found a sale that the format refuses with S01: A sale has none of order/,
  ],
]

test('each damage of the example is a fault with its line, column, value and expectation', async () => {
  const mapping = readExample()
  for (const [from, to, expected] of DAMAGES) {
    const { csv } = workedExample()
    assert.ok(csv.includes(from), from)
    const faults = await faultsOf(csv.replace(from, to), mapping)
    assert.match(faults.join('\n'), expected, `${from} to ${to}`)
    assert.doesNotMatch(faults.join('\n'), /4111111111111111/)
  }
})

test('a file with decimal commas, quoted line breaks, CRLF and a byte order mark is read', async () => {
  const rows =
    '\uFEFFid;kind;day;net;order\r\na;S;19.11.2026;"1.234,5";"7\r\n7"\r\nb;P;20.11.2026;-1234,50;\r\n'
  const input = { ...smallMapping({}).input, thousands: '.' }
  const { lines } = await converted(rows, smallMapping({ input }))
  assert.deepEqual(
    lines.map(({ net, order }) => [net, order]),
    [
      [123_450n, '7 7'],
      [-123_450n, null],
    ],
  )
})

test('the line of a fault counts the line breaks in quotes before it', async () => {
  const rows = `${HEAD}a;S;19.11.2026;1,00;"7\n7"\nb;X;20.11.2026;1,00;8\n`
  const [fault = ''] = await faultsOf(rows, smallMapping({}))
  assert.match(fault, /^Line 4, column "kind": found "X"/)
})

test('groups of three digits are read only where they stand in the right places', async () => {
  const input = { ...smallMapping({}).input, thousands: '.' }
  for (const wrong of ['1.23,00', '12.3456,00', '.123,00', '1..234,00']) {
    const faults = await faultsOf(`${HEAD}a;S;19.11.2026;${wrong};7\n`, smallMapping({ input }))
    assert.match(faults.join(), /expected an amount such as 12,50/, wrong)
  }
})

test('Latin-1 is read as such, and bytes of another encoding are refused', async () => {
  const bytes = Buffer.from(`${HEAD}a;S;19.11.2026;1,00;M\u00fcller\n`, 'latin1')
  const latin = smallMapping({ input: { ...smallMapping({}).input, encoding: 'latin1' } })
  const { lines } = await converted(bytes, latin)
  assert.equal(lines[0]?.order, 'M\u00fcller')
  assert.match(
    (await faultsOf(bytes, smallMapping({}))).join(),
    /bytes that are no text; expected utf-8/,
  )
})

test('an apostrophe in front goes away only where the mapping says so', async () => {
  const input = { ...smallMapping({}).input, apostrophe: 'strip' }
  const { lines } = await converted(
    `${HEAD}'001;S;19.11.2026;1,00;'0042\n`,
    smallMapping({ input }),
  )
  assert.equal(lines[0]?.id, '001')
  assert.equal(lines[0]?.order, '0042')
})

test('an id that looks like a card number becomes a hash, the same each time', async () => {
  const rows = `${HEAD}4111111111111111;S;19.11.2026;1,00;7\n`
  const [one, other] = [
    await converted(rows, smallMapping({})),
    await converted(rows, smallMapping({})),
  ]
  assert.match(one.lines[0]?.id ?? '', /^h-[0-9a-f]{40}$/)
  assert.equal(one.text, other.text)
  assert.doesNotMatch(one.text, /4111111111111111/)
})

test('JSON Lines keep all digits of numbers, and name inner fields with a dot', async () => {
  const mapping = smallMapping({
    input: {
      type: 'jsonl',
      encoding: 'utf-8',
      bom: 'refuse',
      decimal: '.',
      amounts: 'minor_units',
    },
    order: 'source.order',
    net: { column: 'net', indicator: { column: 'dc', debit: ['DR'], credit: ['CR'] } },
  })
  const row =
    '{"id":"a","kind":"S","day":"19.11.2026","net":900719925474099,"dc":"CR","source":{"order":90071992547409932}}\n'
  const { lines } = await converted(row, mapping)
  assert.equal(lines[0]?.net, 900_719_925_474_099n)
  assert.equal(lines[0]?.order, '90071992547409932')
})

test('a mapping reports each fault with its setting and what it must be', () => {
  const { json } = workedExample()
  const faults = (from: string, to: string): string => {
    assert.ok(json.includes(from), from)
    const read = readMappingFile(json.replace(from, to))
    return read.ok ? 'taken' : read.faults.join('\n')
  }
  assert.match(
    faults('"else": "refuse"', '"else": "skip"'),
    /kind.else is "skip"; it must be "refuse"/,
  )
  assert.match(
    faults('"Settled": "sale"', '"Settled": "sold"'),
    /kind.map.Settled is "sold"; it must be/,
  )
  assert.match(faults('"-": "reserve_hold"', '"-": "reserve_release"'), /never below zero/)
  assert.match(faults('(TX\\\\d+)', '(T+)+'), /trace.regex repeats a group/)
  assert.match(
    faults('"CET": "Europe/Berlin"', '"CET": "Middle"'),
    /the zone "Middle"; it must be an IANA/,
  )
  assert.match(
    faults('yyyy-MM-dd HH:mm:ss', 'yy-MM-dd'),
    /date.format is "yy-MM-dd"; it must be "iso"/,
  )
  assert.match(faults('"orig"', '"origin"'), /There is no setting origin; take it out/)
  assert.match(faults('"v": 1', '"v": 0'), /v is 0; it must be a whole number/)
})

test('the published schema is the one of the code, and takes the example', () => {
  const path = new URL(`../../../../../${MAPPING_SCHEMA}`, import.meta.url)
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), JSON.parse(mappingSchemaText()))
  const validate = new Ajv({ strict: false }).compile(mappingSchema())
  const example = JSON.parse(workedExample().json) as Record<string, unknown>
  assert.ok(validate(example), JSON.stringify(validate.errors))
  assert.equal(validate({ ...example, kinds: {} }), false)
})

test('any bytes end in faults or lines, never in another error', async () => {
  const mapping = readExample()
  const { csv } = workedExample()
  const damage = fc.tuple(
    fc.nat(csv.length),
    fc.nat(40),
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('"', '\n', ',', '\0', "'"),
    ),
  )
  await fc.assert(
    fc.asyncProperty(damage, async ([at, length, text]) => {
      const path = fileOf(csv.slice(0, at) + text + csv.slice(at + length))
      const { summary } = await sumForeignFile(path, mapping, null)
      if (summary.faultCount === 0) assert.equal(summary.net, 0n)
    }),
    { numRuns: 60 },
  )
})
