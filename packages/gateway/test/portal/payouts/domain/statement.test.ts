import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import {
  accountsOfRow,
  STATEMENT_ROWS,
  statementRows,
  type StatementMovement,
} from '../../../../src/portal/payouts/domain/statement.ts'
import { makeStatement } from '../../../../src/portal/payouts/usecases/make-statement.ts'
import type { StatementRange } from '../../../../src/portal/payouts/usecases/payouts.ts'

const movement = (
  account: string,
  direction: 'in' | 'out',
  minor: bigint,
  count = 1,
): StatementMovement => ({ account, direction, minor, count })

const sumOf = (movements: readonly StatementMovement[], name: string): string => {
  const row = statementRows(movements).find((each) => each.name === name)
  return `${row?.minor} ${row?.count}`
}

suite('the rows of a statement', () => {
  test('captures raise the balance and refunds lower it, also after a conversion', () => {
    const movements = [
      movement('acquirer_receivable', 'in', 500n, 2),
      movement('currency_conversion', 'in', 70n),
      movement('acquirer_receivable', 'out', 120n),
      movement('currency_conversion', 'out', 5n),
      movement('merchant_refunds', 'in', 20n),
    ]
    assert.equal(sumOf(movements, 'captures'), '570 3')
    assert.equal(sumOf(movements, 'refunds'), '-105 3')
  })

  test('every account that lines may post to has a row', () => {
    const sql = readFileSync(
      new URL('../../../../../../migrations/0044_settlement.sql', import.meta.url),
      'utf8',
    )
    const accounts = [...sql.matchAll(/\('from_\w+', 'acquirer_balance', '(\w+)'\)/g)].map(
      ([, account = '']) => account,
    )
    assert.ok(accounts.length > 10)
    for (const account of accounts) {
      const rows = statementRows([movement(account, 'in', 1n)])
      assert.equal(rows.length, STATEMENT_ROWS.length)
      assert.equal(rows.filter(({ minor }) => minor === 1n).length, 1, account)
    }
  })

  test('the accounts of a row are those whose postings it sums up', () => {
    for (const row of STATEMENT_ROWS) {
      const accounts = accountsOfRow(row)
      assert.ok(accounts.length > 0, row)
      for (const { account, direction } of accounts) {
        const directions = direction === null ? (['in', 'out'] as const) : [direction]
        for (const each of directions) {
          assert.match(sumOf([movement(account, each, 1n)], row), /^-?1 1$/, `${row} ${account}`)
        }
      }
    }
  })

  test('an account without a row is refused', () => {
    assert.throws(() => statementRows([movement('mystery', 'in', 1n)]), /account mystery/)
  })
})

suite('a statement', () => {
  const asked = {
    merchantId: 1n,
    sourceId: 7n,
    month: '2026-11',
    timeZone: 'Europe/Berlin',
    now: new Date('2026-11-30T23:00:00Z'),
  }
  const figures = (closingMinor: bigint) => ({
    source: {
      id: 7n,
      accountId: 2001n,
      mode: 'test' as const,
      processorName: 'acme',
      currency: 'EUR',
    },
    files: 1,
    openingMinor: 100n,
    closingMinor,
    movements: [movement('acquirer_receivable', 'in', 50n)],
    operatorFees: { salesMinor: 0n, refundsMinor: 0n, monthlyMinor: 0n },
  })

  test("a month begins and ends at midnight in the merchant's time zone", async () => {
    const ranges: StatementRange[] = []
    const made = await makeStatement(
      {
        read(_merchantId, _sourceId, range) {
          ranges.push(range)
          return Promise.resolve(figures(150n))
        },
      },
      asked,
    )
    assert.deepEqual(ranges, [
      { from: new Date('2026-10-31T23:00:00Z'), until: new Date('2026-11-30T23:00:00Z') },
    ])
    assert.equal(made?.isOver, true)
  })

  test('rows that do not lead to the closing balance are refused', async () => {
    await assert.rejects(
      makeStatement({ read: () => Promise.resolve(figures(151n)) }, asked),
      /does not add up. Its rows lead to 150 minor units. The last file of the month states 151/,
    )
  })
})
