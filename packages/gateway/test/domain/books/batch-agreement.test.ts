import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  brandOfTag,
  brandOnTheWire,
  compareDetail,
  waitAfterTry,
  type DetailEntry,
  type OwnEntry,
} from '../../../src/domain/books/batch-agreement.ts'
import { BRAND_PREFIXES } from '../../../src/domain/payments/card.ts'

function bankEntry(messageNumber: bigint, more: Partial<DetailEntry> = {}): DetailEntry {
  return { messageNumber, kind: 'capture', amountMinor: 100n, voidedMinor: 0n, ...more }
}

function ownEntry(messageNumber: bigint, more: Partial<DetailEntry> = {}): OwnEntry {
  const ids = { transactionId: messageNumber + 1000n, orderId: messageNumber + 2000n }
  return { ...bankEntry(messageNumber, more), ...ids }
}

test('entries that are equal in both books are no differences, in any sequence', () => {
  const own = [ownEntry(1n), ownEntry(2n, { kind: 'refund' })]
  const bank = [bankEntry(2n, { kind: 'refund' }), bankEntry(1n)]

  assert.deepEqual(compareDetail(own, bank), [])
})

test('an entry of one book only differs, with nothing on the other side', () => {
  const differences = compareDetail([ownEntry(1n), ownEntry(3n)], [bankEntry(3n), bankEntry(2n)])

  assert.deepEqual(
    differences.map(({ messageNumber, own, bank }) => [messageNumber, own?.orderId, bank === null]),
    [
      [1n, 2001n, true],
      [2n, undefined, false],
    ],
  )
})

for (const [what, more] of Object.entries({
  amount: { amountMinor: 101n },
  'voided amount': { voidedMinor: 1n },
  kind: { kind: 'refund' },
} as const)) {
  test(`an entry with another ${what} at the bank is one difference with both sides`, () => {
    const [own, bank] = [ownEntry(1n), bankEntry(1n, more)]

    assert.deepEqual(compareDetail([own], [bank]), [
      { messageNumber: 1n, kind: 'capture', own, bank },
    ])
  })
}

test('differences stand in the sequence of their messages, whichever book has them', () => {
  const differences = compareDetail([ownEntry(4n), ownEntry(1n)], [bankEntry(3n), bankEntry(2n)])

  assert.deepEqual(
    differences.map(({ messageNumber }) => messageNumber),
    [1n, 2n, 3n, 4n],
  )
})

test('every brand has a name of its own on the wire', () => {
  const names = BRAND_PREFIXES.map(([brand]) => brandOnTheWire(brand))

  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^[A-Z]{1,16}$/)
  assert.equal(brandOnTheWire(''), 'OTHER')
  assert.equal(brandOnTheWire('Abcdefghijklmnopqrst'), 'ABCDEFGHIJKLMNOP')
})

test('the wait between two tries of a 0500 doubles up to a minute', () => {
  assert.deepEqual([1, 2, 3, 8, 100].map(waitAfterTry), [500, 1_000, 2_000, 60_000, 60_000])
})

test('each brand has its name again after its tag, and a tag of no known brand stays as it is', () => {
  for (const [brand] of BRAND_PREFIXES) assert.equal(brandOfTag(brandOnTheWire(brand)), brand)
  assert.equal(brandOfTag('OTHER'), 'OTHER')
})
