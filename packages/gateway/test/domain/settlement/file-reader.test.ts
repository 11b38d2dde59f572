import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { FileReader } from '../../../src/domain/settlement/file-reader.ts'
import { FileRefusedError, type FileLine } from '../../../src/domain/settlement/file-record.ts'
import { fileText, goldenText, sha256, type FileRecord } from './file-text.ts'

const SALE: FileRecord = {
  kind: 'sale',
  order: '880101',
  gross: '120.00',
  fees: { interchange: '-0.24', acquirer: '-0.30' },
}

function read(text: string | Uint8Array, chunkBytes = 65_536) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const reader = new FileReader(sha256())
  const lines: FileLine[] = []
  for (let from = 0; from < bytes.length; from += chunkBytes) {
    lines.push(...reader.push(bytes.subarray(from, from + chunkBytes)))
  }
  return { ...reader.end(), lines }
}

/** Code and line of the refusal; 'read' for a file that is not refused. */
function refusalOf(text: string | Uint8Array): string {
  try {
    read(text)
    return 'read'
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error
    assert.match(error.refusal.reason, /\.$/)
    return `${error.refusal.code} ${error.refusal.line}`
  }
}

suite('the reader of settlement files', () => {
  test('the published example is read to the last cent', () => {
    const { header, lines, trailer } = read(goldenText())

    assert.equal(`${header.sender} ${header.account} ${header.seq}`, 'bank-demo MA-1042 417')
    assert.equal(lines.length, 13)
    assert.equal(
      lines.reduce((sum, { net }) => sum + net, 0n),
      trailer.net,
    )
    assert.equal(trailer.fees, -2753n)
    assert.deepEqual(lines[1]?.orig, { minor: 8000n, currency: 'USD', rate: '0.92' })
    assert.equal(lines[12]?.trace, 'TG417EUR20261120')
  })

  test('a file is read alike in chunks of any size', () => {
    const whole = read(goldenText())
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700 }), (bytes) => {
        assert.deepEqual(read(goldenText(), bytes), whole)
      }),
      { numRuns: 40 },
    )
  })

  test('a file without lines is whole', () => {
    assert.equal(read(fileText([])).trailer.closing, 0n)
  })

  test('a change of any byte of a file refuses it', () => {
    const bytes = new TextEncoder().encode(goldenText())
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: bytes.length - 2 }),
        fc.integer({ min: 1, max: 255 }),
        (at, by) => {
          const changed = bytes.slice()
          changed[at] = (changed[at] ?? 0) ^ by
          assert.notEqual(refusalOf(changed), 'read')
        },
      ),
      { numRuns: 500 },
    )
  })

  test('a field that this version does not know is kept', () => {
    const { lines } = read(fileText([{ ...SALE, points: { earned: 12 } }]))
    assert.deepEqual(lines[0]?.extra, { points: { earned: 12 } })
  })

  test('a sale whose fees exceed it is read', () => {
    const small = { ...SALE, gross: '0.10', fees: { acquirer: '-0.25' } }
    assert.equal(read(fileText([small])).lines[0]?.net, -15n)
  })

  const damaged = goldenText()
  const lines = damaged.trimEnd().split('\n')
  const joined = (some: readonly string[]): string => `${some.join('\n')}\n`
  const refusals: readonly (readonly [string, string | Uint8Array, string])[] = [
    ['a line that is not JSON', joined(['{', ...lines.slice(1)]), 'S01 1'],
    ['a line that is not UTF-8', Buffer.from(damaged.replace('visa', '\xff'), 'latin1'), 'S01 2'],
    ['a byte order mark', `\ufeff${damaged}`, 'S01 1'],
    ['an unknown kind', fileText([{ ...SALE, kind: 'gift' }]), 'S01 2'],
    ['an amount that is a number', damaged.replace('"gross":"120.00"', '"gross":120'), 'S01 2'],
    ['a sale without a key', fileText([{ ...SALE, order: undefined }]), 'S01 2'],
    ['a date that does not exist', fileText([{ ...SALE, value_date: '2026-02-30' }]), 'S01 2'],
    ['a sequence number of zero', fileText([], { seq: 0 }), 'S01 1'],
    ['the last 100 bytes cut off', damaged.slice(0, -100), 'S02 15'],
    ['the trailer removed', joined(lines.slice(0, -1)), 'S02 14'],
    ['the header removed', joined(lines.slice(1)), 'S02 1'],
    ['an empty file', '', 'S02 1'],
    ['a line behind the trailer', `${damaged}${lines[1]}\n`, 'S02 16'],
    ['a line removed', joined(lines.toSpliced(3, 1)), 'S03 4'],
    ['another count in the trailer', fileText([SALE], {}, { lines: 2 }), 'S04 3'],
    [
      'another count of a kind',
      fileText([SALE], {}, { by_kind: { sale: [2, '119.46'] } }),
      'S04 3',
    ],
    ['another sum in the trailer', fileText([SALE], {}, { gross: '120.01' }), 'S05 3'],
    ['another closing balance', fileText([SALE], {}, { closing: '0.00' }), 'S05 3'],
    ['a changed order number', damaged.replace('"880101"', '"880102"'), 'S06 15'],
    ['one digit of an amount changed', damaged.replace('"120.00"', '"120.01"'), 'S07 2'],
    ['the sign of a fee turned', damaged.replace('"-0.24"', '"0.24"'), 'S07 2'],
    [
      'a conversion that is off by two cents',
      fileText([{ ...SALE, orig: { amount: '130.41', currency: 'USD', rate: '0.92' } }]),
      'S07 2',
    ],
    ['a refund with the sign of a sale', fileText([{ ...SALE, kind: 'refund' }]), 'S08 2'],
    ['a reject with money', fileText([{ ...SALE, kind: 'reject' }]), 'S08 2'],
    ['three decimals of an euro', fileText([{ ...SALE, gross: '12.345', net: '11.80' }]), 'S09 2'],
    ['decimals of a yen', fileText([], { currency: 'JPY', opening: '0.00' }), 'S09 1'],
    ['another version', fileText([], { v: 2 }), 'S16 1'],
    ['another format', fileText([], { format: 'other' }), 'S16 1'],
    ['a line of more than 64 KiB', fileText([{ ...SALE, note: 'x'.repeat(65_536) }]), 'S17 2'],
  ]
  for (const [what, text, expected] of refusals) {
    test(`${what} is refused as ${expected.replace(' ', ' in line ')}`, () => {
      assert.equal(refusalOf(text), expected)
    })
  }

  test('a refusal masks a card number that a field holds', () => {
    const text = fileText([{ ...SALE, kind: 'sale 4111111111111111' }])
    assert.throws(
      () => read(text),
      (error) => error instanceof FileRefusedError && !error.message.includes('411111111111'),
    )
  })
})
