import { parse } from 'csv-parse/sync'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../../test/support/properties.ts'
import { csvRow } from '../../src/base/csv.ts'

/** Values that a cardholder may send as a name or as an order id, each with a formula in it. */
const HOSTILE: Readonly<Record<string, string>> = {
  'an equals sign': '=1+1',
  'a plus sign': '+1+1',
  'a minus sign': '-1+1',
  'an at sign': '@SUM(A1)',
  'a tab in front': '\t=1+1',
  'a line end in front': '\r\n=1+1',
  'spaces in front': '  =1+1',
  'a no-break space in front': '\u00a0=1+1',
  'a zero-width space in front': '\u200b=1+1',
  'a byte order mark in front': '\ufeff=1+1',
  'a soft hyphen in front': '\u00ad=1+1',
  'a variation selector in front': '\ufe0f=1+1',
  'a Hangul filler in front': '\u3164=1+1',
  'a Braille blank in front': '\u2800=1+1',
  'a control character in front': '\u0001=1+1',
  'a full-width equals sign': '＝1+1',
  'a full-width plus sign': '＋1+1',
  'a full-width minus sign': '－1+1',
  'a full-width at sign': '＠SUM(A1)',
  'a small equals sign': '﹦1+1',
  'a semicolon in front': "Eve;=cmd|'/C calc'!A0",
  'a semicolon and spaces in front': 'Eve; \u200b =1+1',
  'a semicolon and a quote in front': 'Eve;"=1+1"',
  'a semicolon and a full-width sign': 'Eve;＝1+1',
  'two semicolons': 'Eve;;=1+1;-2+3',
  'a tab in the middle': 'Eve\t=1+1',
  'a bar in the middle': 'Eve|@SUM(A1)',
  'a line end in the middle': 'Eve\n=1+1',
  'a line separator in the middle': 'Eve\u2028=1+1',
  'a quote and a semicolon': 'Eve";=1+1',
  'a number that goes on behind a semicolon': '-12.50;=1+1',
}

const SEPARATORS = [',', ';', '\t', '|'] as const

/** The cells of one line, as a reader with this separator finds them. It forgives odd quotes. */
function read(line: string, delimiter: string): string[] {
  const rows: string[][] = parse(line, {
    delimiter,
    relax_quotes: true,
    relax_column_count: true,
  })
  return rows.flat()
}

/** Reads as the most careless spreadsheet: each separator begins a cell, and quotes vanish. */
function readCarelessly(line: string): string[] {
  return line.split(/[;\t|\v\f\r\n\u0085\u2028\u2029]|","/u)
}

function isFormula(cell: string): boolean {
  if (/^-\d+(\.\d+)?$/.test(cell)) return false
  const seen = cell.replace(/^[\s"\p{Cc}\p{Cf}\p{DI}\u2800]+/u, '')
  return /^[=+\-@＝＋－＠﹦﹢﹣]/u.test(seen)
}

suite('a line of a CSV file', () => {
  for (const [what, value] of Object.entries(HOSTILE)) {
    test(`has no formula with any separator, from a value with ${what}`, () => {
      const line = csvRow(['601022', value, 'Captured', '-12.50'])
      for (const separator of SEPARATORS) {
        assert.deepEqual(
          read(line, separator).filter((cell) => isFormula(cell)),
          [],
          `separator ${JSON.stringify(separator)} in ${JSON.stringify(line)}`,
        )
      }
      assert.deepEqual(
        readCarelessly(line)
          .filter((cell) => isFormula(cell))
          .filter((cell) => cell !== '-12.50"'),
        [],
      )
    })
  }

  test('gives every reader of RFC 4180 the same values back if none of them has a formula', () => {
    const values = [
      'Jane "JD" Doe',
      'a, b; c | d',
      'two\nlines',
      '',
      '-12.50',
      "O'Hara",
      'x=1',
      '7',
    ]
    assert.deepEqual(parse(csvRow(values)), [values])
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (texts) => {
        const plain = texts.map((text) => text.replace(/[=+\-@＝＋－＠﹦﹢﹣]/gu, ''))
        assert.deepEqual(parse(csvRow(plain)), [plain])
      }),
    )
  })

  test('has no formula with any separator, and with any characters around the signs', () => {
    const piece = fc.constantFrom(...'=-＠;,\t|"\' \u200b\n\r1A')
    fc.assert(
      fc.property(fc.array(fc.array(piece).map((parts) => parts.join(''))), (cells) => {
        const found = readCarelessly(csvRow(cells)).filter((cell) => isFormula(cell))
        assert.deepEqual(
          found.filter((cell) => !/^"*-\d+"*$/.test(cell)),
          [],
        )
      }),
      { examples: [[[',"=']]] },
    )
  })

  test('quotes each cell, so that a separator of another locale splits none', () => {
    assert.equal(csvRow(['Order', 'a;b', '']), '"Order","a;b",""\r\n')
  })
})
