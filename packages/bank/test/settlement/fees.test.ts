import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextBankDay } from '../../src/settlement/bank-days.ts'
import { FEE_PLANS, planOf } from '../../src/settlement/fee-plans.ts'
import { feeOf, refundFees, saleFees } from '../../src/settlement/fees.ts'

/** Published examples: share in millionths, amount and fee in minor units. */
const VECTORS: readonly [rate: bigint, minor: bigint, currency: string, fee: bigint][] = [
  [2_000n, 4550n, '978', 9n],
  [2_000n, 250n, '978', 1n],
  [50_000n, 23_910n, '978', 1196n],
  [20_000n, 125n, '978', 3n],
  [2_000n, -250n, '978', -1n],
  [15_000n, 45n, '392', 1n],
]

for (const [rateMillionths, minor, currency, fee] of VECTORS) {
  test(`${rateMillionths} millionths of ${minor} in ${currency} are a fee of ${fee}`, () => {
    assert.equal(feeOf({ rateMillionths, fixedMillionths: 0n }, minor, currency), fee)
  })
}

test('share and fixed part of a fee are added before they are rounded', () => {
  const part = { rateMillionths: 1_500n, fixedMillionths: 4_000n }
  assert.equal(feeOf(part, 100n, '840'), 1n)
})

test('a refund gets its interchange back and is charged for itself', () => {
  const plan = planOf('2026-11-19')
  assert.deepEqual(saleFees(plan, 'visa', 2000n, '978'), {
    interchange: -4n,
    scheme: -1n,
    acquirer: -13n,
  })
  assert.deepEqual(refundFees(plan, 'visa', 2000n, '978'), { interchange: 4n, acquirer: -10n })
})

test('a plan counts from its first day, and a brand without fees of its own has those of others', () => {
  const [old, next] = FEE_PLANS
  assert.equal(planOf('2026-12-31'), old)
  assert.equal(planOf('2027-01-01'), next)
  assert.equal(planOf('1999-01-01'), old)
  const { other } = planOf('2026-01-01').brands
  assert.deepEqual(saleFees(planOf('2026-01-01'), 'toString', 1_000_000n, '840'), {
    interchange: -(other.interchange?.rateMillionths ?? 0n),
    scheme: -800n,
    acquirer: -2510n,
  })
})

test('the bank day behind a Friday is Monday', () => {
  assert.equal(nextBankDay('2026-11-20'), '2026-11-23')
  assert.equal(nextBankDay('2028-02-28'), '2028-02-29')
})
