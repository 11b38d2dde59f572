import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { PLANT_KINDS } from '../../packages/bank/src/settlement/decide-file.ts'
import { systemClock } from '../../packages/gateway/src/base/clock.ts'
import type {
  EntryFacts,
  StatementFacts,
} from '../../packages/gateway/test/adapters/postgres/settlement/statement-xml.ts'
import { fileText } from '../../packages/gateway/test/domain/settlement/file-text.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { comingYear } from '../support/dates.ts'
import { outcome, payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import {
  foundDifferences,
  openMonth,
  SINCE,
  type MonthFile,
  type MonthPayout,
} from '../support/planted-month.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { referenceOf } from '../support/settlement.ts'

/** The first Monday of a February, so that the month has its end and its monthly fee. */
const BEGIN = new Date(Date.UTC(comingYear(2031), 1, 1, 10))
BEGIN.setUTCDate(1 + ((8 - BEGIN.getUTCDay()) % 7))

/** Damages that a reader refuses, each in one finished file. */
const REFUSED: Readonly<Record<string, string>> = {
  cut_off: 'S02',
  changed_digit: 'S07',
  line_removed: 'S03',
  line_removed_recounted: 'S05',
  wrong_account: 'S10',
  wrong_mode: 'S10',
  opening_wrong: 'S14',
  fee_sign: 'S07',
  decimals: 'S09',
}

/** Planted, and a difference of nothing that the gateway knows: it has no terms of fees. */
const UNKNOWN_TERMS = ['interchange_times_10', 'reserve_six_percent', 'release_late']
/** Everything that was planted, with the codes that it must end as. */
const EXPECTED = [
  'missing_at_bank never-settled: open',
  'missing_at_bank settled-on-day-14: matched_late',
  'missing_at_bank refund-never-settled refund: open',
  // A sale under another DE 37 is two: a line without an order, and an order without a line.
  'missing_here sale: open',
  'missing_at_bank other-rrn: open',
  // The sale that was never made.
  'missing_here sale: open',
  'amount cent-less: open',
  'amount times-100: open',
  'amount two-captures with a proposal: open',
  'currency other-currency: open',
  'duplicate doubled: open',
  'duplicate doubled-later: open',
  'duplicate fee scheme_monthly: open',
  'fee_orphan fee authorization: open',
  'fx_rate rate-off: open',
  'dispute_unknown chargeback: open',
  'dispute_unknown good disputed: matched_late',
  'dispute_unknown good-5 disputed: open',
  'state rejected-then-settled: open',
  'state voided: open',
  'payout_missing payout of day 0: open',
  'payout_short payout of day 1: open',
  'payout_unknown entry of 1234: open',
]

suite('a month of settlement with every kind of difference planted', () => {
  let gateway: RunningGateway
  let month: Awaited<ReturnType<typeof openMonth>>
  /** By the day of its file. */
  const payouts = new Map<number, MonthPayout>()
  /** The last bank statement, and the balance after it. */
  let statement: StatementFacts | null = null
  let balance = '0.00'
  /** The order whose chargeback no file has. */
  let disputed = ''
  before(async () => {
    // Another node fetches the files of a shared bank, so the test says when each is imported.
    const shared = { BANK: 'shared', BANK_SECRET: 'secret-of-the-planted-month-of-settlement' }
    const bank = { makesDueFiles: false }
    gateway = await startRunningGateway(shared, undefined, {}, null, systemClock, bank)
    month = await openMonth(gateway, BEGIN)
  })
  after(async () => {
    await month?.close()
    await gateway?.stop()
  })

  /** Books the files of a day, and keeps the payout in US dollars. */
  async function book(day: number, files: readonly MonthFile[]): Promise<void> {
    for (const file of files) {
      assert.equal(await month.import(file), 'booked', file.name)
      const [payout] = file.currency === 'USD' ? await month.payoutsOf(file) : []
      if (payout !== undefined) payouts.set(day, payout)
    }
    await month.raiseOverdue()
  }

  async function settleAndBook(day: number): Promise<void> {
    await book(day, await month.settle(day))
  }

  function dollarsOf(files: readonly MonthFile[]): MonthFile {
    const file = files.find(({ currency }) => currency === 'USD')
    assert.ok(file !== undefined)
    return file
  }

  test('the first week has differences of single lines, and none holds up a file', async () => {
    await month.goTo(0)
    const first = await month.sell('good', '10.00')
    const second = await month.sell('other-rrn', '11.00')
    await month.sell('cent-less', '12.00')
    await month.sell('doubled', '13.00')
    await month.sell('never-settled', '14.00')
    await month.plant('other_rrn', 'USD', { nth: 2 })
    await month.plant('cent_less', 'USD', { nth: 3 })
    await month.plant('doubled', 'USD', { nth: 4 })
    await month.plant('missing_capture', 'USD', { nth: 5, days: 90 })
    await month.plant('unknown_sale', 'USD')
    await month.plant('declined_fee', 'USD')
    await settleAndBook(0)

    await month.goTo(1)
    await month.sell('doubled-later', '20.00')
    await month.captureParts('two-captures', ['30.00', '20.00'], '50.00')
    await month.sell('rejected-then-settled', '21.00')
    await month.sell('rate-off', '7.00', { currency: 'EUR' })
    await month.sell('good-2', '22.00')
    await month.sell('rejected', '9112.10')
    await month.plant('doubled_later', 'USD', { nth: 1 })
    await month.plant('summed', 'USD', { nth: 2 })
    await month.plant('reject_then_settled', 'USD', { nth: 4 })
    await month.plant('rate_off', 'USD', { nth: 5 })
    await month.refund(await month.sell('refund-never-settled', '23.00'), '5.00')
    await month.refund(first, '4.00')
    await month.plant('refund_missing', 'USD', { nth: 1, days: 90 })
    await settleAndBook(1)

    await month.goTo(2)
    await month.chargeBack(first, 2)
    await month.plant('dispute_no_line', 'USD', { nth: 1, days: 12 })
    await month.refund(second, '1.00')
    await month.sell('good-3', '24.00')
    await settleAndBook(2)

    await month.goTo(4)
    await month.sell('good-4', '25.00')
    await month.sell('settled-on-day-14', '26.00')
    await month.sell('times-100', '500', { currency: 'JPY' })
    await month.sell('other-currency', '27.00', { currency: 'EUR' })
    await month.plant('missing_capture', 'USD', { nth: 2, days: 8 })
    await month.plant('times_100', 'JPY')
    await month.plant('other_currency', 'EUR')
    await settleAndBook(4)
  })

  test('damaged files are refused with their codes, and book nothing until they are corrected', async () => {
    await month.goTo(7)
    disputed = await month.sell('good-5', '28.00')
    await month.sell('good-6', '700', { currency: 'JPY' })
    const files = await month.settle(7)
    const before = await postings()
    for (const file of files) {
      for (const [kind, code] of Object.entries(REFUSED)) {
        await month.damage(kind, file)
        assert.equal(await month.import(file), code, `${kind} of ${file.name}`)
      }
      await month.correct(file)
    }
    assert.equal(await postings(), before)
    await book(7, files)
    for (const file of files) {
      assert.equal(await month.import(file), 'repeated')
      await month.damage('same_seq', file)
      assert.equal(await month.import(file), 'S11')
    }
  })

  test('a file that comes too early is refused, and both are booked in their sequence', async () => {
    await month.goTo(9)
    await stateFirst()
    await month.chargeBack(disputed, 9)
    await month.plant('dispute_no_line', 'USD', { nth: 1, days: 90 })
    await month.sell('good-7', '29.00')
    await month.plant('payout_short', 'USD')
    await month.plant('kept_back', 'USD')
    const kept = await month.settle(9)
    await month.goTo(10)
    await month.sell('good-8', '30.00')
    const early = await month.settle(10)
    assert.equal(await month.import(dollarsOf(early)), 'S12')
    await month.correct(dollarsOf(kept))
    await book(9, kept)
    await book(10, early)
  })

  test('a capture and the money of a dispute are missing after their deadlines, and later files end that', async () => {
    await month.goTo(11)
    await stateHalves()
    await month.raiseOverdue()
    const open = await foundDifferences(gateway)
    for (const missing of ['missing_at_bank settled-on-day-14', 'dispute_unknown good disputed']) {
      assert.ok(open.includes(`${missing}: open`), open.join('\n'))
    }
    await month.goTo(14)
    await statePending()
    await month.sell('good-9', '31.00')
    await month.plant('payout_missing', 'USD')
    await month.plant('chargeback_no_case', 'USD')
    await settleAndBook(14)
    assert.equal(payouts.has(14), false)
    await month.goTo(21)
    await month.sell('good-10', '32.00')
    await month.sell('good-11', '33.00', { currency: 'GBP' })
    await settleAndBook(21)
  })

  test('money that another acquirer settles of a voided capture is a difference of its state', async () => {
    const client = gateway.client(1003)
    const currency = 'GBP'
    const sold = await client.sale(payment('34.00', { currency, orderReference: 'voided' }))
    assert.equal(outcome(sold), 'APPROVED 0/100')
    await untilNoAdviceIsQueued(gateway)
    const voided = await client.captureVoid({ orderId: sold.orderId })
    assert.equal(outcome(voided), 'APPROVED 0/100')
    const names = { sender: 'other-bank', receiver: 'gw-01', account: 'MA-2003' }
    const source = { ...names, accountId: 2003n, currency, since: SINCE, fxBandBasisPoints: 0 }
    assert.ok((await month.operator.settlement.putSource(source)).ok)
    const rrn = await referenceOf(gateway, sold.orderId)
    const text = fileText([{ kind: 'sale', rrn, gross: '34.00', id: 'other-1' }], {
      ...names,
      currency,
    })
    assert.equal(await month.importText(text, 'other.jsonl'), 'booked')
  })

  test('the last files of three currencies are refused: a sign, a line of before, a line that is gone', async () => {
    await month.goTo(28)
    await stateLast()
    await month.refund(await month.sell('last-euros', '35.00', { currency: 'EUR' }), '3.00')
    await month.sell('last-pounds', '36.00', { currency: 'GBP' })
    await month.sell('last-yen', '800', { currency: 'JPY' })
    await month.sell('last-dollars', '37.00')
    await month.plant('refund_sign', 'EUR')
    await month.plant('old_line_id', 'GBP')
    await month.plant('line_removed_resummed', 'JPY')
    await month.plant('monthly_fee_twice', 'USD')
    const files = await month.settle(28)
    const outcomes = new Map<string, string>()
    for (const file of files) outcomes.set(file.currency, await month.import(file))
    assert.deepEqual(Object.fromEntries(outcomes), {
      USD: 'booked',
      EUR: 'S08',
      GBP: 'S15',
      // Nothing in the file shows that a line is gone. The next one does not follow it.
      JPY: 'booked',
    })
    await month.sell('after-the-last-yen', '900', { currency: 'JPY' })
    const [next] = await month.settle(28)
    assert.ok(next !== undefined)
    assert.equal(await month.import(next), 'S13')
  })

  test('the differences of the month are exactly the planted ones, and the books are clean', async () => {
    await month.raiseOverdue()

    assert.deepEqual(await found(), EXPECTED.toSorted())

    const used = [...month.planted, ...UNKNOWN_TERMS]
    assert.deepEqual(used.toSorted(), PLANT_KINDS)
    await assertBooksAreClean(gateway)
  })

  /** The differences, with the days of payouts in place of their trace ids. */
  async function found(): Promise<string[]> {
    const days = [...payouts].map(([day, { trace }]) => [trace, `payout of day ${day}`] as const)
    const texts = await foundDifferences(gateway)
    return texts
      .map((text) => days.reduce((all, [trace, name]) => all.replace(trace, name), text))
      .toSorted()
  }

  async function postings(): Promise<string> {
    const { rows } = await gateway.pool.query<{ count: string }>(
      'select count(*) from settlement_postings',
    )
    return rows[0]?.count ?? ''
  }

  function payoutOf(day: number): MonthPayout {
    const payout = payouts.get(day)
    assert.ok(payout !== undefined, `there is no payout of day ${day}`)
    return payout
  }

  function depositOf(day: number) {
    const { amount, trace } = payoutOf(day)
    return { amount, endToEndId: trace }
  }

  /** A statement with these entries, which opens where the last one closed. */
  async function state(day: string, entries: readonly EntryFacts[]): Promise<string> {
    statement = { id: `S${day}`, currency: 'USD', opening: balance, day, entries }
    const booked = entries.filter(({ status }) => status !== 'PDNG')
    balance = sumOf([balance, ...booked.map(({ amount }) => amount)])
    return month.state(statement)
  }

  /** The payout of day 0 never comes. One is short by charges, and one deposit is two payouts. */
  async function stateFirst(): Promise<void> {
    const [two, four] = [payoutOf(2), payoutOf(4)]
    const done = await state(four.arrives, [
      { ...depositOf(1), amount: sumOf([payoutOf(1).amount, '-1.50']), charges: '1.50' },
      { amount: sumOf([two.amount, four.amount]), text: `${two.trace} ${four.trace}` },
    ])
    assert.equal(done, '3 deposited, 0 returned, 0 repeated')
    assert.ok(statement !== null)
    assert.equal(await month.state(statement), '0 deposited, 0 returned, 1 repeated')
  }

  /** A payout comes in two deposits, and the bank announces another. */
  async function stateHalves(): Promise<void> {
    const rest = sumOf([payoutOf(7).amount, '-10.00'])
    const done = await state(payoutOf(9).arrives, [
      { ...depositOf(7), amount: '10.00' },
      { ...depositOf(7), amount: rest },
      { ...depositOf(9), status: 'PDNG' },
    ])
    assert.equal(done, '1 deposited, 0 returned, 0 repeated')
  }

  /** The announced one is booked, and another is deposited. */
  async function statePending(): Promise<void> {
    const done = await state(payoutOf(10).arrives, [depositOf(9), depositOf(10)])
    assert.equal(done, '2 deposited, 0 returned, 0 repeated')
  }

  /** A deposit goes back, and one names no payout. */
  async function stateLast(): Promise<void> {
    const back = { ...depositOf(10), amount: `-${payoutOf(10).amount}`, isReversal: true }
    const stray = { amount: '12.34', text: 'NO TRACE' }
    const done = await state(payoutOf(21).arrives, [back, stray, depositOf(21)])
    assert.equal(done, '1 deposited, 1 returned, 0 repeated')
  }
})

/** The sum of decimal texts with two decimals. */
function sumOf(amounts: readonly string[]): string {
  const cents = amounts.reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0)
  return (cents / 100).toFixed(2)
}
