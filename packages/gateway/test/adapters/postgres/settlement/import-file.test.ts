import assert from 'node:assert/strict'
import { after, before, beforeEach, afterEach, suite, test } from 'node:test'
import { createSettlementImportStore } from '../../../../src/adapters/postgres/settlement/import-store.ts'
import {
  contentHash,
  fileText,
  goldenText,
  type FileRecord,
} from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { openBooks, type SettlementBooks } from './settlement-books.ts'

const FILE_2 = '0192f0c4-7b1e-7c55-9a10-3f6f6d1c0418'
const sale = (order: string, gross: string): FileRecord => ({ kind: 'sale', order, gross })

suite('the import of settlement files', () => {
  let server: TestServer
  let books: SettlementBooks
  before(async () => {
    server = await startTestServer()
  })
  beforeEach(async () => {
    books = await openBooks(await server.createDatabase(), 'test')
  })
  afterEach(() => books?.close())
  after(() => server?.stop())

  async function refusal(text: string): Promise<string> {
    const outcome = await books.import(text)
    return outcome.kind === 'refused'
      ? `${outcome.refusal.code} ${outcome.refusal.line}`
      : outcome.kind
  }

  test('the published example is in the ledger to the last cent, and its payout adds up', async () => {
    assert.equal((await books.import(goldenText())).kind, 'booked')

    assert.deepEqual(await books.balances(), {
      adjustments: -50,
      disputes_open: 2700,
      fee_acquirer: 84,
      fee_dispute: 1500,
      fee_interchange: 139,
      fee_scheme: 1030,
      payout_in_transit: 16111,
      reserve_held: 396,
      // No order of these books fits a line: 120.00 + 73.60 + 45.50 - 20.00.
      suspense: -21910,
    })
    assert.deepEqual(
      await books.rows(`select net_minor, gross_minor, refunds_minor, chargebacks_minor, fees_minor,
                               reserve_minor, other_minor, left_minor, trace, arrives::text
                          from settlement_payouts`),
      ['16111 23910 -2000 -2700 -2753 -396 50 0 TG417EUR20261120 2026-11-23'],
    )
    assert.deepEqual(
      await books.rows(`select type, coalesce(details #>> '{data,net}', details #>> '{data,amount}',
                                             details #>> '{data,code}'),
                               details #>> '{data,currency}', details #>> '{data,arrives}'
                          from event_outbox order by n`),
      [
        // No order of these books fits these lines.
        ...Array.from({ length: 5 }, () => 'settlement.difference missing_here - -'),
        'settlement.received 0.00 EUR -',
        'payout.created 161.11 EUR 2026-11-23',
      ],
    )
    assert.deepEqual(await books.broken(), [])
  })

  test('the same bytes again change nothing', async () => {
    const first = await books.import(goldenText())
    const again = await books.import(goldenText())

    assert.deepEqual(again, {
      kind: 'repeated',
      fileId: first.kind === 'booked' ? first.file.id : null,
    })
    assert.deepEqual(
      await books.rows(`select operation, count(*) from audit_entries
                         where operation like 'settlement%' group by operation`),
      ['settlement.imported 1'],
    )
  })

  test('a file that is not the next one of its source is refused and leaves nothing', async () => {
    const first = fileText([sale('1', '5.00')], { seq: 7 })
    const next = { seq: 8, file_id: FILE_2, prev_sha256: contentHash(first), opening: '5.00' }
    assert.equal(await refusal(fileText([], { opening: '1.00' })), 'S14 1')
    assert.equal(await refusal(fileText([], { prev_sha256: 'a'.repeat(64) })), 'S13 1')
    assert.equal(await refusal(first), 'booked')

    assert.equal(await refusal(fileText([], { account: 'MA-1' })), 'S10 1')
    assert.equal(await refusal(fileText([], { ...next, sender: 'other' })), 'S10 1')
    assert.equal(await refusal(fileText([], { ...next, receiver: 'other' })), 'S10 1')
    assert.equal(await refusal(fileText([], { ...next, mode: 'live' })), 'S10 1')
    assert.equal(await refusal(fileText([], { ...next, currency: 'USD' })), 'S10 1')
    assert.equal(await refusal(fileText([], { ...next, seq: 7 })), 'S11 1')
    assert.equal(await refusal(fileText([], { ...next, seq: 9 })), 'S12 1')
    assert.equal(await refusal(fileText([], { ...next, prev_sha256: '0'.repeat(64) })), 'S13 1')
    assert.equal(await refusal(fileText([], { ...next, opening: '5.01' })), 'S14 1')
    assert.equal(await refusal(fileText([{ ...sale('1', '5.00'), id: '7-1' }], next)), 'S15 2')
    assert.equal(
      await refusal(fileText([sale('1', '1.00'), { ...sale('1', '1.00'), id: '8-1' }], next)),
      'S15 3',
    )
    assert.equal(await refusal(fileText([], { ...next, file_id: undefined })), 'S01 1')

    assert.deepEqual(await books.rows('select count(*) from settlement_lines'), ['1'])
    assert.deepEqual(
      await books.rows(`select count(*) from audit_entries where operation = 'settlement.refused'`),
      ['14'],
    )
    assert.equal(await refusal(fileText([], next)), 'booked')
    assert.deepEqual(await books.broken(), [])
  })

  test('another file with the id of a booked one is refused', async () => {
    const first = fileText([])
    assert.equal(await refusal(first), 'booked')
    const next = { seq: 2, prev_sha256: contentHash(first) }
    assert.equal(await refusal(fileText([], next)), 'S11 1')
  })

  test('an import goes on after the death of its process, and books each line once', async () => {
    const text = fileText(Array.from({ length: 6000 }, () => sale('1', '1.00')))
    await assert.rejects(
      books.import(text, () => {
        throw new Error('the process dies')
      }),
    )
    assert.deepEqual(
      await books.rows(`select count(*), (select count(*) from settlement_postings),
                               (select state from settlement_files) from settlement_lines`),
      ['5000 0 staging'],
    )

    // The lines that are stored already would break their key if they were stored again.
    assert.equal(await refusal(text), 'booked')

    assert.deepEqual(await books.rows('select count(*), max(n) from settlement_lines'), [
      '6000 6000',
    ])
    assert.deepEqual(await books.broken(), [])
  })

  test('the lines of a file that was never booked make room for another file of its number', async () => {
    const dead = fileText(Array.from({ length: 5000 }, () => sale('1', '1.00')))
    await assert.rejects(
      books.import(dead, () => {
        throw new Error('the process dies')
      }),
    )

    assert.equal(await refusal(fileText([sale('1', '2.00')])), 'booked')

    assert.deepEqual(await books.rows('select count(*), sum(net_minor) from settlement_lines'), [
      '1 200',
    ])
  })

  test('two processes do not import for one source at once', async () => {
    const store = createSettlementImportStore(books.database.files())
    const outcome = await store.holdSource(1n, () => books.import(fileText([])))
    assert.deepEqual(outcome, { kind: 'busy' })
    assert.equal((await books.import(fileText([]))).kind, 'booked')
  })

  test('the database keeps booked lines and postings as they are', async () => {
    await books.import(goldenText())
    const refused = (sql: string): Promise<void> =>
      assert.rejects(books.database.pool.query(sql), /never change|append-only/)
    await refused('delete from settlement_lines where n = 1')
    await refused('update settlement_lines set net_minor = 0 where n = 5')
    await refused('truncate settlement_lines')
    await refused('delete from settlement_postings')
    await refused('update settlement_postings set amount_minor = 1')
  })
})
