import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { contentHash, fileText, type FileRecord } from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { AT, openBooks, type SettlementBooks } from './settlement-books.ts'

const FILE_2 = '0192f0c4-7b1e-7c55-9a10-3f6f6d1c0418'
const BY = { actor: 'operator:test', address: '' }

suite('the matching of settlement lines', () => {
  let server: TestServer
  let books: SettlementBooks
  let last: { readonly text: string; readonly closing: string } | null
  before(async () => {
    server = await startTestServer()
  })
  beforeEach(async () => {
    books = await openBooks(await server.createDatabase(), 'live')
    last = null
  })
  afterEach(() => books?.close())
  after(() => server?.stop())

  /** Imports the next file of the source with these lines. */
  async function settle(lines: readonly FileRecord[], header: FileRecord = {}): Promise<void> {
    const next =
      last === null
        ? {}
        : { seq: 2, file_id: FILE_2, prev_sha256: contentHash(last.text), opening: last.closing }
    const text = fileText(lines, { mode: 'live', ...next, ...header })
    const outcome = await books.import(text)
    assert.equal(outcome.kind, 'booked')
    last = { text, closing: /"closing":"([^"]+)"/.exec(text)?.[1] ?? '' }
    assert.deepEqual(await books.broken(), [])
  }

  const settled = (): Promise<string[]> =>
    books.rows('select transaction_id, state, net_minor from settled_transactions order by 1')

  test('sales, captures and refunds are settled by the order and its reference number', async () => {
    const sale = await books.order([{ kind: 'sale', minor: 12000 }])
    const parts = await books.order([
      { kind: 'capture', minor: 3000 },
      { kind: 'capture', minor: 2000 },
      { kind: 'refund', minor: 3000 },
    ])
    await settle([
      { kind: 'sale', rrn: parts.rrn, gross: '20.00' },
      { kind: 'sale', order: `${sale.id}`, gross: '120.00', fees: { acquirer: '-0.59' } },
      { kind: 'refund', rrn: parts.rrn, gross: '-30.00', fees: { acquirer: '-0.10' } },
      { kind: 'sale', rrn: parts.rrn, order: `${parts.id}`, gross: '30.00' },
    ])

    assert.deepEqual(await settled(), [
      `${sale.transactions[0]} settled 11941`,
      `${parts.transactions[0]} settled 3000`,
      `${parts.transactions[1]} settled 2000`,
      `${parts.transactions[2]} settled -3010`,
    ])
    assert.deepEqual(await books.differences(), [])
    // Captured and settled: nothing is left that the acquirer owes outside of its balance.
    assert.deepEqual(await books.balances(), {
      acquirer_balance: 13931,
      fee_acquirer: 69,
      merchant_payable: -17000,
      merchant_refunds: 3000,
    })
  })

  test('a line that names a message settles the capture of that message', async () => {
    const { id, rrn, transactions } = await books.order([
      { kind: 'capture', minor: 500 },
      { kind: 'capture', minor: 500 },
    ])
    await books.database.pool.query(
      `insert into advices (id, merchant_id, order_id, transaction_id, sequence, kind, state,
         amount_minor, original_mti, original_number, original_at, message_number, message_at,
         next_try_at, created_at, acknowledged_at)
       values (1, 1, $1, $2, 1, 'capture', 'acknowledged', 500, '0100', 1, $3, 1000000, $3, $3, $3, $3)`,
      [id, transactions[1], AT],
    )
    const line = { kind: 'sale', rrn, ref: '500001/T0000001/000002/1119100000', gross: '5.00' }
    await settle([line, { ...line }])

    assert.deepEqual(await settled(), [`${transactions[1]} settled 500`])
    assert.deepEqual(await books.differences(), ['duplicate 2 nothing 500 open -'])
  })

  test('each kind of contradiction is one difference, and the money of the file is booked', async () => {
    const [cent, yen, twice, sum, voided, other] = [
      await books.order([{ kind: 'sale', minor: 1000 }]),
      await books.order([{ kind: 'sale', minor: 700 }], { currency: 'USD' }),
      await books.order([{ kind: 'sale', minor: 900 }]),
      await books.order([
        { kind: 'capture', minor: 3000 },
        { kind: 'capture', minor: 2000 },
      ]),
      await books.order([{ kind: 'sale', minor: 1100, voided: 1100 }]),
      await books.order([{ kind: 'sale', minor: 1200 }]),
    ] as const
    await settle([
      { kind: 'sale', rrn: cent.rrn, gross: '9.99' },
      { kind: 'sale', rrn: yen.rrn, gross: '7.00' },
      { kind: 'sale', rrn: twice.rrn, gross: '9.00' },
      { kind: 'sale', rrn: twice.rrn, gross: '9.00' },
      { kind: 'sale', rrn: sum.rrn, gross: '50.00' },
      { kind: 'sale', rrn: voided.rrn, gross: '11.00' },
      { kind: 'sale', order: `${other.id}`, rrn: '632310999999', gross: '12.00' },
      { kind: 'sale', order: '5', gross: '13.00' },
      { kind: 'chargeback', order: '5', gross: '-14.00' },
      { kind: 'fee', order: '5', fee_code: 'auth', gross: '0.00', fees: { acquirer: '-0.05' } },
      ...['2026-10', '2026-10', '2026-11'].map((period) => ({
        kind: 'fee',
        fee_code: 'scheme_monthly',
        period,
        gross: '0.00',
        fees: { scheme: '-10.00' },
      })),
    ])

    assert.deepEqual(await books.differences(), [
      'amount 1 1000 999 open -',
      'currency 2 700 700 open -',
      'duplicate 4 nothing 900 open -',
      'amount 5 nothing 5000 open -',
      'state 6 nothing 1100 open -',
      'missing_here 7 nothing 1200 open -',
      'missing_here 8 nothing 1300 open -',
      'dispute_unknown 9 nothing -1400 open -',
      'fee_orphan 10 nothing -5 open -',
      'duplicate 12 nothing -1000 open -',
    ])
    assert.deepEqual(
      await books.rows(`select proposal::text from settlement_differences where n = 5`),
      [`{${sum.transactions.join(',')}}`],
    )
    const { acquirer_balance: balance, suspense } = await books.balances()
    assert.equal(balance, 999 + 700 + 900 + 900 + 5000 + 1100 + 1200 + 1300 - 1400 - 5 - 3000)
    assert.equal(suspense, 1 - 900 - 5000 - 1100 - 1200 - 1300)
  })

  test('a second line for a settled capture is a duplicate in a later file too', async () => {
    const { rrn } = await books.order([{ kind: 'sale', minor: 900 }])
    await settle([{ kind: 'sale', rrn, gross: '9.00' }])
    await settle([{ kind: 'sale', rrn, gross: '9.00' }])
    assert.deepEqual(await books.differences(), ['duplicate 1 nothing 900 open -'])
  })

  test('a reject reverses the revenue and is no difference; money that comes later is one', async () => {
    const { rrn, transactions } = await books.order([{ kind: 'sale', minor: 1500 }])
    const orig = { amount: '15.00', currency: 'EUR' }
    await settle([{ kind: 'reject', rrn, orig, reason: 'R07', gross: '0.00' }])
    assert.deepEqual(await settled(), [`${transactions[0]} rejected 0`])
    assert.deepEqual(await books.differences(), [])
    assert.deepEqual(await books.balances(), {})
    assert.deepEqual(
      await books.rows(`select type, coalesce(transaction_id, object_id), details ->> 'file'
                          from event_outbox order by n`),
      [`capture.rejected ${transactions[0]} 1`, 'settlement.received 1 -'],
    )

    await settle([{ kind: 'sale', rrn, gross: '15.00' }])
    assert.deepEqual(await books.differences(), ['state 1 nothing 1500 open -'])
  })

  test('a reject that names the message of a refund posts the refund back, and not the sale', async () => {
    const { id, rrn, transactions } = await books.order([
      { kind: 'sale', minor: 1500 },
      { kind: 'refund', minor: 400 },
    ])
    await books.database.pool.query(
      `insert into advices (id, merchant_id, order_id, transaction_id, sequence, kind, state,
         amount_minor, original_mti, original_number, original_at, message_number, message_at,
         next_try_at, created_at, acknowledged_at)
       values (1, 1, $1, $2, 1, 'refund', 'acknowledged', 400, '0100', 1, $3, 1000000, $3, $3, $3, $3)`,
      [id, transactions[1], AT],
    )
    const [ref, orig] = ['500001/T0000001/000002/1119100000', { amount: '4.00', currency: 'EUR' }]
    await settle([
      { kind: 'reject', rrn, ref, orig, reason: 'R07', gross: '0.00' },
      { kind: 'sale', rrn, gross: '15.00' },
    ])

    assert.deepEqual(await settled(), [
      `${transactions[0]} settled 1500`,
      `${transactions[1]} rejected 0`,
    ])
    assert.deepEqual(await books.differences(), [])
    assert.deepEqual(
      await books.rows(`select kind, amount_minor from settlement_postings where n = 1`),
      ['refund_rejected 400'],
    )
    assert.deepEqual(
      await books.rows(`select type from event_outbox where transaction_id is not null`),
      ['refund.rejected'],
    )
  })

  test('a conversion posts each currency in balance, and a rate outside the band is a difference', async () => {
    const near = await books.order([{ kind: 'sale', minor: 8000 }], {
      currency: 'USD',
      settledMinor: 7200,
    })
    const far = await books.order([{ kind: 'sale', minor: 8000 }], {
      currency: 'USD',
      settledMinor: 7200,
    })
    const orig = (rate: string) => ({ amount: '80.00', currency: 'USD', rate })
    await settle([
      { kind: 'sale', rrn: near.rrn, orig: orig('0.92'), gross: '73.60' },
      { kind: 'sale', rrn: far.rrn, orig: orig('0.93'), gross: '74.40' },
    ])

    assert.deepEqual(await books.differences(), ['fx_rate 2 8000 8000 open -'])
    assert.deepEqual(
      await books.rows(`
        select currency, account, sum(minor) from (
          select currency, debit as account, amount_minor as minor from account_entries
           union all select currency, credit, -amount_minor from account_entries) e
         group by currency, account having sum(minor) <> 0 order by currency, account`),
      [
        'EUR acquirer_balance 14800',
        'EUR currency_conversion -14400',
        'EUR fx_difference -400',
        'USD currency_conversion 16000',
        'USD merchant_payable -16000',
      ],
    )
  })

  test('an order of the last year is found by its reference number', async () => {
    const at = new Date('2025-12-31T23:30:00Z')
    const { rrn, transactions } = await books.order([{ kind: 'sale', minor: 100 }], { at })
    await settle([{ kind: 'sale', rrn, gross: '1.00' }])
    assert.deepEqual(await settled(), [`${transactions[0]} settled 100`])
  })

  test('a capture in no file is missing on the fourth bank day, and a later file ends that', async () => {
    const late = await books.order([{ kind: 'sale', minor: 500 }])
    const settledInTime = await books.order([{ kind: 'sale', minor: 600 }])
    await books.order([{ kind: 'sale', minor: 700, voided: 700 }])
    await books.order([{ kind: 'sale', minor: 800 }], { at: new Date('2026-10-31T10:00:00Z') })
    await settle([{ kind: 'sale', rrn: settledInTime.rrn, gross: '6.00' }])

    // Captured on a Thursday: the third bank day is the Tuesday after it, in Berlin.
    assert.equal(await books.raiseMissing('2026-11-24T22:59:59Z'), 0)
    assert.equal(await books.raiseMissing('2026-11-24T23:00:00Z'), 1)
    assert.equal(await books.raiseMissing('2026-11-27T12:00:00Z'), 0)
    assert.deepEqual(await books.differences(), ['missing_at_bank no line 500 nothing open -'])

    await settle([{ kind: 'sale', rrn: late.rrn, gross: '5.00' }])
    assert.deepEqual(await books.differences(), [
      'missing_at_bank no line 500 nothing ended matched_late',
    ])
    assert.deepEqual(await books.rows('select batch_id from settlement_checked_batches'), ['417'])
  })

  test('captures of a proposal are not missing as well', async () => {
    const { rrn } = await books.order([
      { kind: 'capture', minor: 3000 },
      { kind: 'capture', minor: 2000 },
    ])
    await settle([{ kind: 'sale', rrn, gross: '50.00' }])
    assert.equal(await books.raiseMissing('2026-12-31T12:00:00Z'), 0)
  })

  test('a line of the acquirer that corrects all of a difference ends it, and a part does not', async () => {
    await settle([
      { kind: 'sale', order: '5', id: 'X-1', gross: '13.00' },
      { kind: 'sale', order: '6', id: 'X-2', gross: '13.00' },
    ])
    await settle([
      { kind: 'adjustment', corrects: 'X-1', gross: '-13.00' },
      { kind: 'adjustment', corrects: 'X-2', gross: '-12.99' },
    ])
    assert.deepEqual(await books.differences(), [
      'missing_here 1 nothing 1300 ended corrected_by_acquirer',
      'missing_here 2 nothing 1300 open -',
    ])
    assert.deepEqual(await books.balances(), { acquirer_balance: 1, suspense: -1 })
  })

  test('the reversal of a refund that failed here ends its difference, and leaves nothing behind', async () => {
    await settle([
      { kind: 'refund', order: '5', id: 'X-1', gross: '-13.00' },
      { kind: 'refund', order: '6', id: 'X-2', gross: '-14.00' },
    ])
    await settle([
      { kind: 'refund_reversal', order: '5', corrects: 'X-1', gross: '13.00' },
      { kind: 'refund_reversal', order: '7', gross: '2.00' },
    ])
    assert.deepEqual(await books.differences(), [
      'missing_here 1 nothing 1300 ended corrected_by_acquirer',
      'missing_here 2 nothing 1400 open -',
    ])
    assert.deepEqual(await books.balances(), {
      acquirer_balance: -1200,
      merchant_refunds: -200,
      suspense: 1400,
    })
  })

  test('a person assigns, notes and ends a difference once; a write-off is posted', async () => {
    const missing = await books.order([{ kind: 'sale', minor: 500 }])
    await settle([{ kind: 'sale', order: '5', gross: '13.00' }])
    await books.raiseMissing('2026-11-25T12:00:00Z')
    const { changes } = books
    assert.deepEqual(await changes.assign(1n, 'ada', BY), { ok: true })
    assert.deepEqual(await changes.note(1n, 'The acquirer was asked.', BY), { ok: true })
    const stranger = await changes.assign(1n, 'ada@example.com', BY)
    assert.equal(stranger.ok ? '' : stranger.kind, 'invalid')
    const ours = await changes.end(2n, 'not_ours', 'No.', BY)
    assert.equal(ours.ok ? '' : ours.kind, 'invalid')

    assert.deepEqual(await changes.end(1n, 'written_off', 'Below the limit.', BY), { ok: true })
    assert.deepEqual(await changes.end(2n, 'written_off', 'Lost.', BY), { ok: true })

    const again = await changes.end(1n, 'not_ours', 'No.', BY)
    assert.equal(again.ok ? '' : again.kind, 'conflict')
    assert.deepEqual(await books.balances(), {
      acquirer_balance: 1300,
      // A gain of 13.00 and a loss of 5.00.
      fee_other: -800,
      merchant_payable: -500,
    })
    assert.deepEqual(
      await books.rows(
        'select owner, content from settlement_differences d join settlement_difference_notes on difference_id = d.id',
      ),
      ['ada The acquirer was asked.'],
    )
    assert.deepEqual(
      await books.rows(`select count(*) from audit_entries
                         where operation = 'settlement.difference_changed'`),
      ['4'],
    )
    // Written off, so its money is a surprise now.
    await settle([{ kind: 'sale', rrn: missing.rrn, gross: '5.00' }])
    assert.ok((await books.differences()).includes('state 1 nothing 500 open -'))
  })
})
