import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import {
  applyBatch,
  commonVersion,
  indexRanges,
} from '../../../src/adapters/three-ds-server/card-ranges.ts'
import type { RangeList, StoredCardRange } from '../../../src/usecases/three-ds/card-range-store.ts'

function range(start: string, end: string, methodUrl: string | null = null): StoredCardRange {
  return { start, end, acsFrom: '2.1.0', acsTo: '2.2.0', methodUrl }
}

const item = (startRange: string, endRange: string, others = {}) => ({
  startRange,
  endRange,
  acsStartProtocolVersion: '2.1.0',
  acsEndProtocolVersion: '2.2.0',
  ...others,
})
const pres = (cardRangeData: readonly object[], serialNum = '2') => ({
  serialNum,
  dsStartProtocolVersion: '2.1.0',
  dsEndProtocolVersion: '2.2.0',
  cardRangeData,
})
const before: RangeList = {
  ranges: [
    range('4000000000001000', '4000000000001999'),
    range('4000000000003000', '4000000000003999'),
  ],
  serialNum: '1',
  dsFrom: '2.1.0',
  dsTo: '2.2.0',
}
const spans = ({ ranges }: RangeList): string[] =>
  ranges.map(({ start, end }) => `${start}-${end}`).toSorted()

describe('a batch', () => {
  test('adds, modifies and deletes the named ranges, and leaves the rest', () => {
    const changed = applyBatch(
      before,
      pres([
        item('4000000000005000', '4000000000005999', { actionInd: 'A' }),
        item('4000000000001000', '4000000000001999', {
          actionInd: 'M',
          acsEndProtocolVersion: '2.1.0',
        }),
        item('4000000000003000', '4000000000003999', { actionInd: 'D' }),
      ]),
    )
    assert.deepEqual(spans(changed), [
      '4000000000001000-4000000000001999',
      '4000000000005000-4000000000005999',
    ])
    assert.equal(changed.ranges.find(({ start }) => start === '4000000000001000')?.acsTo, '2.1.0')
    assert.equal(changed.serialNum, '2')
  })
  test('without an action adds', () => {
    assert.equal(
      applyBatch(before, pres([item('4000000000005000', '4000000000005999')])).ranges.length,
      3,
    )
  })
  test('replaces everything where the question had no serial number, for any action of its items', () => {
    const changed = applyBatch(
      null,
      pres([item('5000000000000000', '5000000000000009', { actionInd: 'D' })]),
    )
    assert.deepEqual(spans(changed), ['5000000000000000-5000000000000009'])
  })
  test('a batch of card ranges may split a range by deleting it first', () => {
    const changed = applyBatch(
      before,
      pres([
        item('4000000000001000', '4000000000001999', { actionInd: 'D' }),
        item('4000000000001000', '4000000000001499'),
        item('4000000000001500', '4000000000001999'),
      ]),
    )
    assert.equal(changed.ranges.length, 3)
  })
  const refused: readonly [string, RangeList | null, readonly object[]][] = [
    ['that overlaps what is known', before, [item('4000000000001999', '4000000000002000')]],
    ['that lies inside of what is known', before, [item('4000000000001500', '4000000000001500')]],
    [
      'whose ranges overlap each other',
      null,
      [item('5000000000000000', '5000000000000009'), item('5000000000000009', '5000000000000010')],
    ],
    [
      'that has a range twice',
      null,
      [item('5000000000000000', '5000000000000009'), item('5000000000000000', '5000000000000009')],
    ],
    [
      'with a range that ends before it starts',
      null,
      [item('5000000000000009', '5000000000000000')],
    ],
    ['with ends of two lengths', null, [item('5000000000000', '50000000000009')]],
    [
      'that deletes what is not there',
      before,
      [item('4000000000001000', '4000000000001998', { actionInd: 'D' })],
    ],
    [
      'that modifies what is not there',
      before,
      [item('6000000000001000', '6000000000001998', { actionInd: 'M' })],
    ],
  ]
  for (const [name, known, items] of refused) {
    test(`${name} is refused as a whole`, () => {
      assert.throws(
        () => applyBatch(known, pres([item('7000000000000000', '7000000000000009'), ...items])),
        {
          code: '203',
          detail: 'cardRangeData',
        },
      )
    })
  }
  test('ranges of numbers of another length are no overlap', () => {
    const changed = applyBatch(
      null,
      pres([item('4000000000000', '4999999999999'), item('4000000000000000', '4999999999999999')]),
    )
    assert.equal(changed.ranges.length, 2)
  })
})

describe('the search for a number', () => {
  const index = indexRanges([
    range('4000000000001000', '4000000000001999', 'https://a.example/'),
    range('4000000000002000', '4000000000002000', 'https://b.example/'),
    range('4000000000003000', '4000000000003999'),
    range('4000000000000', '4000000000999', 'https://c.example/'),
    range('4000000000000000000', '4999999999999999999', 'https://d.example/'),
  ])
  for (const [pan, start] of [
    ['4000000000000999', null],
    ['4000000000001000', '4000000000001000'],
    ['4000000000001999', '4000000000001000'],
    ['4000000000002000', '4000000000002000'],
    ['4000000000002001', null],
    ['4000000000003999', '4000000000003000'],
    ['4000000000004000', null],
    ['4000000000500', '4000000000000'],
    ['4000000001000', null],
    ['4999999999999999999', '4000000000000000000'],
    ['40000000000010', null],
    ['3999999999999999', null],
  ] as const) {
    test(`${pan} is ${start === null ? 'in no range' : `in that of ${start}`}`, () => {
      assert.equal(index.find(pan)?.start ?? null, start)
    })
  }
  test('first digits find every range that they may begin', () => {
    const urls = (digits: string): (string | null)[] =>
      index
        .startingWith(digits)
        .map(({ methodUrl }) => methodUrl)
        .toSorted()
    assert.deepEqual(
      urls('400000'),
      [
        'https://a.example/',
        'https://b.example/',
        'https://c.example/',
        'https://d.example/',
        null,
      ].toSorted(),
    )
    assert.deepEqual(urls('40000001'), ['https://d.example/'])
    assert.deepEqual(urls('500000'), [])
  })
  test('the search finds the same range as a scan of all ranges', () => {
    const digit = fc.integer({ min: 0, max: 400 })
    fc.assert(
      fc.property(
        fc.uniqueArray(digit, { minLength: 2, maxLength: 40 }),
        digit,
        (marks, wanted) => {
          const sorted = marks.toSorted((left, right) => left - right)
          const name = (value: number): string => String(4_000_000_000_000_000 + value)
          const ranges: StoredCardRange[] = []
          for (let at = 0; at + 1 < sorted.length; at += 2)
            ranges.push(range(name(sorted[at] ?? 0), name(sorted[at + 1] ?? 0)))
          const found = indexRanges(ranges).find(name(wanted))
          const expected =
            ranges.find(({ start, end }) => start <= name(wanted) && name(wanted) <= end) ?? null
          assert.deepEqual(found, expected)
          const prefix = name(wanted).slice(0, 15)
          assert.deepEqual(
            new Set(indexRanges(ranges).startingWith(prefix)),
            new Set(
              ranges.filter(({ start, end }) => end >= `${prefix}0` && start <= `${prefix}9`),
            ),
          )
        },
      ),
      { seed: 20_261_121, numRuns: 500 },
    )
  })
})

test('the version is the highest common one', () => {
  const both = { from: '2.1.0', to: '2.2.0' }
  assert.equal(commonVersion([both, both]), '2.2.0')
  assert.equal(commonVersion([both, { from: '2.1.0', to: '2.1.0' }]), '2.1.0')
  assert.equal(
    commonVersion([
      { from: '2.2.0', to: '2.3.1' },
      { from: '2.1.0', to: null },
    ]),
    '2.2.0',
  )
  assert.equal(commonVersion([{ from: '2.3.1', to: '2.3.1' }]), null)
  assert.equal(commonVersion([{ from: '2.1.0', to: '2.10.0' }]), '2.2.0')
  assert.equal(
    commonVersion([
      { from: '2.2.0', to: '2.2.0' },
      { from: '2.1.0', to: '2.1.0' },
    ]),
    null,
  )
})
