import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { readFeePlanFile } from '../../../src/adapters/operator-files/fee-plan-file.ts'
import { findCurrency } from '../../../src/domain/currency.ts'
import {
  feeMinor,
  monthsToCharge,
  planOn,
  planState,
  rateOf,
  type FeePlan,
  type FeeRate,
} from '../../../src/domain/fees/fee-plan.ts'
import { decidePlan, unpricedCurrencies } from '../../../src/domain/fees/plan-change.ts'
import { planText } from '../../../src/domain/fees/plan-text.ts'
import { sampleFees } from '../../../src/domain/fees/sample-fees.ts'
import { formatMinor, parseAmount } from '../../../src/domain/money.ts'
import { priceMonths, priceTransactions } from '../../../src/usecases/fees/charge-fees.ts'

const PAGE = readFileSync(new URL('../../../../../docs/operators/fees.md', import.meta.url), 'utf8')

function plan(change: Partial<FeePlan> = {}): FeePlan {
  return { startsOn: '2027-01-10', rates: [], monthlyMinor: new Map(), ...change }
}

function rate(change: Partial<FeeRate> = {}): FeeRate {
  return { kind: 'sale', brand: null, millionths: 0n, fixedMinor: new Map(), ...change }
}

function parts(merchantPlan: object) {
  return readFeePlanFile(JSON.stringify({ merchantId: 1, startsOn: '2027-01-01', ...merchantPlan }))
}

suite('fees of a transaction', () => {
  const rows = [...PAGE.matchAll(/^\| ([\d.]+) ([A-Z]{3}) \| (\S+) \| (\S+) \| \S+ \| (\S+) \|$/gm)]
  assert.equal(rows.length, 7)

  for (const [, amount = '', code = '', percent = '', fixed = '', expected = ''] of rows) {
    test(`the fee of ${amount} ${code} at ${percent} % and ${fixed} is ${expected}, as documented`, () => {
      const currency = findCurrency(code)
      assert.ok(currency !== null)
      const read = parts({ rates: [{ kind: 'sale', percent, fixed: { [code]: fixed } }] })
      assert.ok(read.ok, read.ok ? '' : read.faults.join(' '))
      const [first] = read.plan.rates
      const reading = parseAmount(amount, currency)
      assert.ok(first !== undefined && reading.kind === 'amount')
      assert.equal(formatMinor(feeMinor(first, code, reading.minor), currency), expected)
    })
  }

  test('a fee differs from its exact value by half a unit at most', () => {
    const amounts = fc.bigInt({ min: 1n, max: 999_999_999_999n })
    const millionths = fc.bigInt({ min: -1_000_000n, max: 1_000_000n })
    fc.assert(
      fc.property(
        amounts,
        millionths,
        fc.bigInt({ min: -500n, max: 500n }),
        (amount, part, fix) => {
          const priced = rate({ millionths: part, fixedMinor: new Map([['EUR', fix]]) })
          const off =
            feeMinor(priced, 'EUR', amount) * 1_000_000n - amount * part - fix * 1_000_000n
          assert.ok(off <= 500_000n && off >= -500_000n, `${off} millionths`)
        },
      ),
    )
  })

  test('a brand with a rate of its own does not pay the rate of all brands', () => {
    const own = rate({ brand: 'American Express', millionths: 29_000n })
    const all = rate({ millionths: 14_000n })
    const priced = plan({ rates: [all, own] })
    assert.equal(rateOf(priced, 'sale', 'American Express'), own)
    assert.equal(rateOf(priced, 'sale', 'Visa'), all)
    assert.equal(rateOf(priced, 'refund', 'Visa'), null)
  })

  test('a transaction is priced by the plan of its day, and is free before the first plan', () => {
    const first = plan({ startsOn: '2027-01-10', rates: [rate({ millionths: 10_000n })] })
    const second = plan({ startsOn: '2027-02-01', rates: [rate({ millionths: 20_000n })] })
    const at = (day: string) =>
      priceTransactions(
        [second, first],
        [{ id: 1n, kind: 'sale', brand: 'Visa', currency: 'EUR', amountMinor: 1_000n, day }],
      ).map((fee) => `${fee.startsOn} ${fee.feeMinor}`)
    assert.deepEqual(at('2027-01-09'), [])
    assert.deepEqual(at('2027-01-10'), ['2027-01-10 10'])
    assert.deepEqual(at('2027-01-31'), ['2027-01-10 10'])
    assert.deepEqual(at('2027-02-01'), ['2027-02-01 20'])
    assert.equal(planOn([first], '2027-01-09'), null)
    assert.equal(planOn([first, second], '2027-02-01'), second)
    assert.equal(planOn([second, first], '2027-02-01'), second)
  })

  test('a fee of nothing, and a capture voided whole, are not posted', () => {
    const cheap = plan({ rates: [rate({ millionths: 1n })] })
    const sale = {
      id: 1n,
      kind: 'sale',
      brand: 'Visa',
      currency: 'EUR',
      day: '2027-01-10',
    } as const
    assert.deepEqual(priceTransactions([cheap], [{ ...sale, amountMinor: 100n }]), [])
    const fixed = plan({ rates: [rate({ fixedMinor: new Map([['EUR', 5n]]) })] })
    assert.deepEqual(priceTransactions([fixed], [{ ...sale, amountMinor: 0n }]), [])
  })
})

suite('monthly fees', () => {
  const merchantPlan = plan({ startsOn: '2027-01-10', monthlyMinor: new Map([['EUR', 1_000n]]) })

  test('a month is charged when it is over, over the end of a year too', () => {
    const december = plan({ startsOn: '2026-11-30' })
    assert.deepEqual(monthsToCharge([december], null, '2026-11-30'), [])
    assert.deepEqual(monthsToCharge([december], null, '2027-01-31'), ['2026-11-01', '2026-12-01'])
    assert.deepEqual(monthsToCharge([december], '2026-11-01', '2027-01-01'), ['2026-12-01'])
    assert.deepEqual(monthsToCharge([], null, '2027-01-01'), [])
    const later = plan({ startsOn: '2027-05-01' })
    assert.deepEqual(monthsToCharge([later, december], null, '2026-12-01'), ['2026-11-01'])
  })

  test('the month in which the first plan starts costs nothing', () => {
    assert.deepEqual(
      priceMonths([merchantPlan], null, '2027-03-01').map(({ month, amounts }) => [
        month,
        amounts.get('EUR'),
      ]),
      [
        ['2027-01-01', undefined],
        ['2027-02-01', 1_000n],
      ],
    )
  })
})

suite('plans of fees', () => {
  const facts = { today: '2027-01-09', currencies: ['EUR', 'USD'] }

  test('a plan starts tomorrow at the earliest', () => {
    assert.equal(decidePlan(plan({ startsOn: '2027-01-10' }), facts).ok, true)
    const today = decidePlan(plan({ startsOn: '2027-01-09' }), facts)
    assert.ok(!today.ok)
    assert.equal(today.kind, 'conflict')
    assert.match(today.faults[0] ?? '', /starts on 2027-01-09, and it is 2027-01-09/)
  })

  test('a fixed part names every currency of the merchant, or there is none', () => {
    const some = rate({ brand: 'Visa', fixedMinor: new Map([['EUR', 1n]]) })
    const decided = decidePlan(plan({ rates: [some] }), facts)
    assert.ok(!decided.ok)
    assert.match(decided.faults[0] ?? '', /sale of Visa has a fixed part, but none in USD/)
    const whole = rate({ fixedMinor: new Map(facts.currencies.map((code) => [code, 1n])) })
    const free = rate({ millionths: 1n })
    assert.equal(decidePlan(plan({ rates: [whole, free] }), facts).ok, true)
  })

  test('a new currency needs a price in the plan in force and in each later one', () => {
    const priced = (startsOn: string, ...codes: readonly string[]): FeePlan =>
      plan({ startsOn, rates: [rate({ fixedMinor: new Map(codes.map((code) => [code, 1n])) })] })
    const plans = [
      priced('2026-01-01', 'EUR'),
      priced('2027-01-01', 'EUR', 'USD'),
      priced('2027-02-01', 'EUR'),
      plan({ startsOn: '2027-03-01', rates: [rate({ millionths: 1n })] }),
    ]
    const faultsOf = (today: string, ...codes: readonly string[]) =>
      unpricedCurrencies({ today, plans }, codes).map((fault) => fault.slice(0, 74))
    assert.deepEqual(faultsOf('2027-01-09', 'USD'), [
      'The fee plan that starts on 2027-02-01 has fixed parts, but none in USD. S',
    ])
    assert.equal(faultsOf('2026-05-05', 'USD').length, 2)
    assert.deepEqual(faultsOf('2027-01-09', 'EUR'), [])
    assert.deepEqual(faultsOf('2027-03-01', 'USD', 'JPY'), [])
  })

  test('the plan of the documentation is read as it is described', () => {
    const [, text = ''] = /```json\n(.*?)```/s.exec(PAGE) ?? []
    const read = readFeePlanFile(text)
    assert.ok(read.ok, read.ok ? '' : read.faults.join(' '))
    assert.equal(read.merchantId, 1n)
    assert.deepEqual(read.plan, {
      startsOn: '2027-01-01',
      rates: [
        rate({
          millionths: 14_000n,
          fixedMinor: new Map([
            ['USD', 25n],
            ['EUR', 20n],
          ]),
        }),
        rate({ brand: 'American Express', millionths: 29_000n }),
        rate({ kind: 'refund', millionths: -7_000n }),
      ],
      monthlyMinor: new Map([['USD', 1_000n]]),
    })
  })

  const WRONG = [
    ['a percentage of five decimals', { rates: [{ kind: 'sale', percent: '1.23456' }] }, /percent/],
    ['a percentage above 100', { rates: [{ kind: 'sale', percent: '100.0001' }] }, /from -100/],
    ['an unknown currency', { monthly: { XQQ: '1.00' } }, /monthly.XQQ is not a currency/],
    ['too many decimals', { monthly: { JPY: '1.5' } }, /at most 0 decimals/],
    ['a monthly fee below 0', { monthly: { EUR: '-1' } }, /monthly.EUR is below 0/],
    ['an unknown brand', { rates: [{ kind: 'sale', brand: 'Vista' }] }, /rates.0.brand is "Vista"/],
    ['two rates for the same', { rates: [{ kind: 'sale' }, { kind: 'sale' }] }, /rates.1 is a sec/],
    ['a day that does not exist', { startsOn: '2027-02-30' }, /startsOn is "2027-02-30"/],
  ] as const
  for (const [what, change, fault] of WRONG) {
    test(`a plan with ${what} is refused with its fault`, () => {
      const read = parts(change)
      assert.ok(!read.ok)
      assert.match(read.faults.join(' '), fault)
    })
  }
})

suite('a plan of fees before it is set', () => {
  const before = plan({ rates: [rate({ millionths: 10_000n })] })
  const next = plan({
    startsOn: '2027-02-01',
    rates: [
      rate({ millionths: 14_000n, fixedMinor: new Map([['USD', 25n]]) }),
      rate({ brand: 'American Express', millionths: 29_000n }),
      rate({ kind: 'refund', millionths: -7_000n }),
    ],
    monthlyMinor: new Map([['USD', 1_000n]]),
  })

  test('a sample has the fee of each kind and brand, beside that of the plan before it', () => {
    assert.deepEqual(sampleFees(next, [before], 'USD', 10_000n), [
      { kind: 'sale', brand: null, feeMinor: 165n, beforeMinor: 100n },
      { kind: 'sale', brand: 'American Express', feeMinor: 290n, beforeMinor: 100n },
      { kind: 'refund', brand: null, feeMinor: -70n, beforeMinor: 0n },
    ])
  })

  test('a sample names a brand whose own rate ends with the plan', () => {
    const fees = sampleFees(plan({ startsOn: '2027-03-01' }), [before, next], 'USD', 10_000n)
    assert.deepEqual(fees[1], {
      kind: 'sale',
      brand: 'American Express',
      feeMinor: 0n,
      beforeMinor: 290n,
    })
  })

  test('of all plans, the latest that has started is in force', () => {
    const later = plan({ startsOn: '2027-02-02' })
    const states = [before, next, later].map((each) =>
      planState(each, [before, next, later], '2027-02-01'),
    )
    assert.deepEqual(states, ['earlier', 'in_force', 'planned'])
  })

  test('a plan is written with its percentages and amounts in decimals', () => {
    assert.equal(
      planText(next),
      'from 2027-02-01: sale: 1.4 %, 0.25 USD; sale of American Express: 2.9 %; ' +
        'refund: -0.7 %; each month: 10.00 USD',
    )
    assert.equal(planText(plan()), 'from 2027-01-10: free of charge')
  })
})
