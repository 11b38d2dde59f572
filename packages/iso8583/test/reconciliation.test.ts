import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DETAIL_ROWS_A_PAGE, decodeDetail, encodeDetail } from '../src/batch-detail.ts'
import type { DetailRow } from '../src/batch-detail.ts'
import { HOUSE_PROFILE, MAX_MESSAGE_BYTES, compileProfile } from '../src/index.ts'
import { decodeTotals, encodeTotals } from '../src/reconciliation.ts'
import type { BrandTotals } from '../src/reconciliation.ts'

const NONE = { count: 0, minor: 0n }

function totals(brand: string, more: Partial<BrandTotals>): BrandTotals {
  const none = { sales: NONE, refunds: NONE, voidedSales: NONE, voidedRefunds: NONE }
  return { brand, ...none, ...more }
}

test('the worked example of the bank link has the fields that its page states', () => {
  const { fields, byBrand } = encodeTotals([
    totals('VISA', { sales: { count: 3, minor: 24_550n }, refunds: { count: 1, minor: 2_000n } }),
  ])

  assert.deepEqual(fields, {
    74: '0000000001',
    75: '0000000000',
    76: '0000000003',
    77: '0000000000',
    86: '0000000000002000',
    87: '0000000000000000',
    88: '0000000000024550',
    89: '0000000000000000',
    97: 'D0000000000022550',
  })
  assert.equal(byBrand, 'VISA:3,24550,1,2000,0,0,0,0')
})

test('totals of several brands are read back in the sequence of their names', () => {
  const jcb = totals('JCB', { refunds: { count: 2, minor: 70n } })
  const visa = totals('VISA', {
    sales: { count: 2, minor: 30n },
    voidedSales: { count: 1, minor: 10n },
    voidedRefunds: { count: 1, minor: 5n },
  })

  assert.deepEqual(decodeTotals(encodeTotals([visa, jcb])), [jcb, visa])
  assert.deepEqual(decodeTotals(encodeTotals([])), [])
})

test('totals whose sums are not those of their brands are refused', () => {
  const encoded = encodeTotals([totals('VISA', { sales: { count: 1, minor: 100n } })])

  assert.throws(
    () => decodeTotals({ ...encoded, fields: { ...encoded.fields, 88: '0000000000000101' } }),
    /DE 88 is not the sum of tag TB/,
  )
  assert.throws(() => decodeTotals({ ...encoded, byBrand: 'VISA:1,100' }), /eight numbers/)
})

test('a full page of detail fits into one message and is read back row by row', () => {
  const rows = Array.from({ length: DETAIL_ROWS_A_PAGE }, (_, index): DetailRow => ({
    terminal: 'T0000001',
    stan: String(index + 1).padStart(6, '0'),
    transmissionTime: '1123120000',
    kind: index % 3 === 0 ? 'refund' : 'capture',
    amountMinor: BigInt(index * 100),
    voidedMinor: BigInt(index),
  }))
  const codec = compileProfile(HOUSE_PROFILE)

  const bytes = codec.encode({ mti: '0610', fields: { 7: '1123120000', ...encodeDetail(rows) } })

  assert.ok(bytes.length < MAX_MESSAGE_BYTES - 500)
  assert.deepEqual(decodeDetail(codec.decode(bytes).fields), rows)
})

test('a field that ends inside a row is refused', () => {
  assert.throws(() => decodeDetail({ 120: 'T0000001' }), /DE 120 is not made of rows/)
})
