import type { BrandTotals } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/properties.ts'
import { Batches, totalsOf } from '../../src/books/batches.ts'
import { reverseMovement } from '../../src/books/movement.ts'
import type { Movement } from '../../src/books/order.ts'
import { Settlements } from '../../src/books/settlements.ts'
import { Balance } from '../../src/issuer/balance.ts'

const DAY = '2026-03-14'
const AT = `${DAY}T12:00:00.000Z`
const CURRENCY = '840'
const balance = new Balance('account', '1111', CURRENCY)

function aMovement(key: string, minor: bigint, brand = 'VISA', isRefund = false): Movement {
  return {
    kind: isRefund ? 'refund' : 'capture',
    offset: Number(key),
    balance,
    merchant: 'MERCHANT0001',
    order: {
      kind: 'auth',
      offset: 0,
      balance,
      merchant: 'MERCHANT0001',
      conversion: '',
      authorized: minor,
      approved: minor,
      captured: minor,
      refunded: minor,
      reversed: false,
    },
    rejectedInSettlement: false,
    brand,
    key,
    orderKey: key,
    rrn: '',
    amount: minor,
    voided: 0n,
    batch: '',
    file: 0,
    line: 0,
    settled: 0n,
  }
}

/** The totals of movements, counted again. */
function counted(movements: Iterable<Movement>): BrandTotals[] {
  const figures = (of: readonly Movement[], minor: (one: Movement) => bigint) => ({
    count: of.length,
    minor: of.reduce((sum, one) => sum + minor(one), 0n),
  })
  return [...Map.groupBy(movements, ({ brand }) => brand)]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([brand, all]) => {
      const of = (kind: Movement['kind']) => all.filter((one) => one.kind === kind)
      const gross = ({ amount, voided }: Movement) => amount + voided
      const isVoided = ({ voided }: Movement) => voided > 0n
      return {
        brand,
        sales: figures(of('capture'), gross),
        refunds: figures(of('refund'), gross),
        voidedSales: figures(of('capture').filter(isVoided), ({ voided }) => voided),
        voidedRefunds: figures(of('refund').filter(isVoided), ({ voided }) => voided),
      }
    })
}

/** The keys of the movements that wait for a file. */
function dueOf(settlements: Settlements): string[] {
  const due = settlements.find('MERCHANT0001', CURRENCY)?.due
  return [...(due?.values() ?? [])].map(({ key }) => key).toSorted()
}

test('the totals that a batch keeps are those of its movements, also after moves and voids', () => {
  const step = fc.record({
    kind: fc.constantFrom('capture', 'refund', 'void', 'void', 'move'),
    pick: fc.nat(100),
    brand: fc.constantFrom('VISA', 'MASTERCARD'),
    minor: fc.bigInt(1n, 9n),
  })
  const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const batches = new Batches()
    const settlements = new Settlements()
    const movements: Movement[] = []
    for (const [at, { kind, pick, brand, minor }] of steps.entries()) {
      const known = movements[pick % Math.max(1, movements.length)]
      if (kind === 'capture' || kind === 'refund') {
        const movement = aMovement(String(at), minor, brand, kind === 'refund')
        movements.push(movement)
        const batch = batches.put(movement.key, movement, String(501 + (pick % 2)), DAY)
        if (batch !== null) settlements.expect(batch, movement)
      } else if (kind === 'move' && known !== undefined) {
        const batch = batches.move(known.key, known, '502', DAY)
        if (batch !== null) settlements.expect(batch, known)
      } else if (known !== undefined && known.amount > 0n) {
        const reversed = minor < known.amount ? minor : known.amount
        reverseMovement(known, reversed)
        batches.reverse(known, reversed)
      }
    }
    for (const number of ['501', '502']) {
      const batch = batches.find('MERCHANT0001', number, CURRENCY)
      assert.deepEqual(totalsOf(batch), counted(batch?.movements.values() ?? []))
    }
    settlements.waitBatch(batches.close('MERCHANT0001', '502', CURRENCY, DAY), AT)
    const expected = movements.filter(({ amount, batch }) => batch === '502' && amount > 0n)
    assert.deepEqual(dueOf(settlements), expected.map(({ key }) => key).toSorted())
  })
  fc.assert(property)
})

test('the movements of closed batches wait for a file once, however many they are', () => {
  const batches = new Batches()
  const settlements = new Settlements()
  const keys = Array.from({ length: 2_500 }, (_, at) => String(at))
  for (const key of keys) {
    const number = Number(key) < 1_500 ? '501' : '502'
    const movement = aMovement(key, 100n)
    const batch = batches.put(key, movement, number, DAY)
    if (batch !== null) settlements.expect(batch, movement)
  }

  for (const number of ['501', '502', '501']) {
    settlements.waitBatch(batches.close('MERCHANT0001', number, CURRENCY, DAY), AT)
  }

  const due = settlements.find('MERCHANT0001', CURRENCY)?.due
  assert.equal(due?.size, keys.length)
  assert.deepEqual(dueOf(settlements), keys.toSorted())
  due?.delete('7')
  assert.equal(due?.has('7'), false)
})
