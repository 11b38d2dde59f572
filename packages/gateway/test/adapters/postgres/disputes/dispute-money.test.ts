import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { contentHash, fileText, type FileRecord } from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { BY, openDisputeBooks, type DisputeBooks } from './dispute-books.ts'

const FILE_2 = '0192f0c4-7b1e-7c55-9a10-3f6f6d1c04'

suite('the money of disputes', () => {
  let server: TestServer
  let books: DisputeBooks
  let last: { readonly text: string; readonly closing: string; readonly seq: number } | null
  before(async () => {
    server = await startTestServer()
  })
  beforeEach(async () => {
    books = await openDisputeBooks(await server.createDatabase(), 'test')
    last = null
  })
  afterEach(() => books?.close())
  after(() => server?.stop())

  /** Imports the next file of the source with these lines. */
  async function settle(lines: readonly FileRecord[]): Promise<void> {
    const seq = (last?.seq ?? 0) + 1
    const next =
      last === null
        ? {}
        : {
            prev_sha256: contentHash(last.text),
            opening: last.closing,
            file_id: `${FILE_2}${10 + seq}`,
          }
    const text = fileText(lines, { seq, ...next })
    assert.equal((await books.import(text)).kind, 'booked')
    last = { text, seq, closing: /"closing":"([^"]+)"/.exec(text)?.[1] ?? '' }
    assert.deepEqual(await books.broken(), [])
  }

  async function told(...events: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    const outcome = await books.notices(events)
    assert.equal(outcome.kind, 'recorded', 'reason' in outcome ? outcome.reason : '')
    assert.deepEqual(await books.broken(), [])
  }

  const moneyOf = async (): Promise<Record<string, number>> => {
    const { chargeback_loss: loss = 0, disputes_open: open = 0 } = await books.balances()
    return { loss, open }
  }

  /** A settled sale of 120.00, and the line of its chargeback. */
  async function layCase(): Promise<{ readonly id: number; readonly taken: FileRecord }> {
    const { id, rrn } = await books.order([{ kind: 'sale', minor: 12000 }])
    await settle([{ kind: 'sale', order: `${id}`, gross: '120.00' }])
    return { id, taken: { kind: 'chargeback', order: `${id}`, rrn, case: 'C-1', gross: '-120.00' } }
  }

  test('a lost case becomes a loss once, whichever of notice and line comes last', async () => {
    const { id, taken } = await layCase()
    await told({ order: `${id}` }, { order: `${id}`, event: 'lost' })
    assert.deepEqual(await moneyOf(), { loss: 0, open: 0 })
    await settle([taken])
    assert.deepEqual(await moneyOf(), { loss: 12000, open: 0 })

    const other = await books.order([{ kind: 'sale', minor: 5000 }])
    const key = { order: `${other.id}`, case: 'C-2', amount: '50.00' }
    await told({ ...key })
    await settle([{ kind: 'chargeback', ...key, amount: undefined, gross: '-50.00' }])
    assert.deepEqual(await moneyOf(), { loss: 12000, open: 5000 })
    await told({ ...key, event: 'lost' })
    assert.deepEqual(await moneyOf(), { loss: 17000, open: 0 })
    assert.deepEqual(
      await books.rows(
        'select dispute_id, n, kind, amount_minor from dispute_postings order by 1, 2',
      ),
      ['1 1 chargeback_loss 12000', '2 1 chargeback_loss 5000'],
    )
  })

  test('a won case gives its money back, and money that is taken again is a loss', async () => {
    const { id, taken } = await layCase()
    await told({ order: `${id}` })
    await settle([taken])
    await told({ order: `${id}`, event: 'won' })
    assert.deepEqual(await moneyOf(), { loss: 0, open: 12000 })
    await settle([{ ...taken, kind: 'dispute_reversal', gross: '120.00' }])
    assert.deepEqual(await moneyOf(), { loss: 0, open: 0 })
    await settle([{ ...taken, kind: 'chargeback_again' }])
    assert.deepEqual(await moneyOf(), { loss: 0, open: 12000 })
    await told({ order: `${id}`, event: 'lost' })
    assert.deepEqual(await moneyOf(), { loss: 12000, open: 0 })
    await told({ order: `${id}`, event: 'won' })
    assert.deepEqual(await moneyOf(), { loss: 0, open: 12000 })
  })

  test('a rapid resolution is a refund and no loss, and a corrected one gives it back', async () => {
    const { id, taken } = await layCase()
    await told({ order: `${id}`, event: 'rapid_resolution' })
    await settle([taken])
    assert.deepEqual(await moneyOf(), { loss: 0, open: 0 })
    assert.equal((await books.balances())['merchant_refunds'], 12000)
    await told({ order: `${id}`, event: 'won' })
    assert.deepEqual(await moneyOf(), { loss: 0, open: 12000 })
    assert.equal((await books.balances())['merchant_refunds'] ?? 0, 0)
  })

  test('money that came back before a case is lost is no loss', async () => {
    const { id, taken } = await layCase()
    await told({ order: `${id}` })
    await settle([taken, { ...taken, kind: 'dispute_reversal', gross: '80.00' }])
    await told({ order: `${id}`, event: 'lost' })
    assert.deepEqual(await moneyOf(), { loss: 4000, open: 0 })
  })

  test('files that take more for a case than its notice states raise a difference, until the rest comes back', async () => {
    const { id, taken } = await layCase()
    await told({ order: `${id}`, amount: '100.00' })
    await settle([taken])
    assert.deepEqual(await books.differences(), ['amount 1 10000 12000 open -'])
    await settle([{ ...taken, kind: 'dispute_reversal', gross: '20.00' }])
    assert.deepEqual(await books.differences(), ['amount 1 10000 12000 ended matched_late'])
    await settle([{ ...taken, kind: 'chargeback_again', gross: '-0.01' }])
    const [, again] = await books.differences()
    assert.equal(again, 'amount 1 10000 10001 open -')
  })

  test('files that take less for a case than its notice states raise a difference, until the rest is taken', async () => {
    const { id, taken } = await layCase()
    await settle([{ ...taken, gross: '-119.99' }])
    await told({ order: `${id}` })
    assert.deepEqual(await books.differences(), ['amount 1 12000 11999 open -'])
    await settle([{ ...taken, gross: '-0.01' }])
    assert.deepEqual(await books.differences(), ['amount 1 12000 11999 ended matched_late'])
  })

  test('a case that came back in part and was taken again has no difference of amounts', async () => {
    const { id, taken } = await layCase()
    await told({ order: `${id}` })
    await settle([taken])
    await settle([{ ...taken, kind: 'dispute_reversal', gross: '80.00' }])
    await settle([{ ...taken, kind: 'chargeback_again', gross: '-80.00' }])
    await told({ order: `${id}`, event: 'lost', amount: '40.00' })
    assert.deepEqual(await books.differences(), [])
  })

  test('a line without a case is a difference after five bank days, and ends with its notice', async () => {
    const { id, taken } = await layCase()
    await settle([taken])
    assert.deepEqual(await books.watch('2026-11-26T12:00:00Z'), { raised: 0, overdue: 0 })
    assert.deepEqual(await books.watch('2026-11-27T12:00:00Z'), { raised: 1, overdue: 0 })
    assert.deepEqual(await books.differences(), ['dispute_unknown 1 nothing -12000 open -'])
    assert.deepEqual(await books.watch('2026-11-30T12:00:00Z'), { raised: 0, overdue: 0 })
    await told({ order: `${id}` })
    assert.deepEqual(await books.differences(), [
      'dispute_unknown 1 nothing -12000 ended matched_late',
    ])
  })

  test('a case without its line is a difference after five bank days, and ends with the line', async () => {
    const { id, taken } = await layCase()
    await told({ order: `${id}` })
    assert.equal((await books.watch('2026-11-27T12:00:00Z')).raised, 0)
    assert.equal((await books.watch('2026-11-30T12:00:00Z')).raised, 1)
    assert.deepEqual(await books.differences(), ['dispute_unknown no line 12000 nothing open -'])
    await settle([taken])
    assert.deepEqual(await books.differences(), [
      'dispute_unknown no line 12000 nothing ended matched_late',
    ])
    await told({ order: `${id}`, event: 'won', at: '2026-12-01T09:00:00Z' })
    assert.equal((await books.watch('2026-12-08T12:00:00Z')).raised, 0)
    assert.equal((await books.watch('2026-12-09T12:00:00Z')).raised, 1)
    await settle([{ ...taken, kind: 'dispute_reversal', gross: '120.00' }])
    assert.deepEqual(
      (await books.differences()).map((row) => row.split(' ').at(-1)),
      ['matched_late', 'matched_late'],
    )
  })

  test('a case without its line that a person ended is raised again only after it moved on', async () => {
    const { id, taken } = await layCase()
    await told({ order: `${id}` })
    assert.equal((await books.watch('2026-11-30T12:00:00Z')).raised, 1)
    const [number = ''] = await books.rows('select id from settlement_differences')
    const ended = await books.changes.end(BigInt(number), 'corrected_by_acquirer', 'By phone.', BY)
    assert.equal(ended.ok, true)

    assert.equal((await books.watch('2026-12-01T12:00:00Z')).raised, 0)

    await settle([taken])
    await told({ order: `${id}`, event: 'won', at: '2026-12-02T09:00:00Z' })
    assert.equal((await books.watch('2026-12-11T12:00:00Z')).raised, 1)
  })

  test('the fee of a case is shown with it and is no money of the dispute', async () => {
    const { id, taken } = await layCase()
    const fee = {
      kind: 'dispute_fee',
      order: `${id}`,
      case: 'C-1',
      gross: '0.00',
      fees: { dispute: '-15.00' },
    }
    await settle([taken, fee])
    await told({ order: `${id}` }, { order: `${id}`, event: 'accepted' })
    assert.deepEqual(await moneyOf(), { loss: 12000, open: 0 })
    assert.equal((await books.balances())['fee_dispute'], 1500)
    const shown = await books.reader.read(1n, null, new Date('2026-11-21T00:00:00Z'))
    assert.deepEqual(
      shown?.movements.map(({ feeMinor, kind, takenMinor }) => [kind, takenMinor, feeMinor]),
      [
        ['chargeback', 12000n, 0n],
        ['dispute_fee', 0n, 1500n],
      ],
    )
    assert.deepEqual(shown.lossMinor, [{ currency: 'EUR', minor: 12000n }])
    assert.deepEqual(shown.fees, [{ currency: 'EUR', minor: 1500n }])
  })

  test('more in dispute than was captured is blocked, and a difference until a case is won', async () => {
    const { id } = await layCase()
    await told({ order: `${id}` }, { order: `${id}`, case: 'C-2', amount: '1.00' })
    assert.deepEqual(await books.rows('select disputed_minor, is_excess from disputed_orders'), [
      '12100 true',
    ])
    assert.deepEqual(await books.differences(), ['amount no line 12000 12100 open -'])
    await told({ order: `${id}`, case: 'C-2', amount: '1.00', event: 'won' })
    assert.deepEqual(await books.differences(), ['amount no line 12000 12100 ended matched_late'])
    assert.deepEqual(await books.rows('select disputed_minor, is_excess from disputed_orders'), [
      '12000 false',
    ])
  })

  test('the database refuses a refund of disputed money, and an excess without its mark', async () => {
    const { id } = await layCase()
    const { pool } = books.database
    const refund = 'update orders set refunded_minor = 1 where id = $1'
    await told({ order: `${id}`, event: 'inquiry' })
    await pool.query(refund, [id])
    await pool.query('update orders set refunded_minor = 0 where id = $1', [id])
    await told({ order: `${id}` })
    await assert.rejects(pool.query(refund, [id]), /in dispute, and cannot be refunded/)
    await assert.rejects(
      pool.query('update disputed_orders set disputed_minor = 12001'),
      /More of order \d+ is in dispute than was captured/,
    )
    await told({ order: `${id}`, event: 'won' })
    await pool.query(refund, [id])
  })

  test('an answer is stored once for each stage and acknowledged by a notice', async () => {
    const { id } = await layCase()
    await told({ order: `${id}`, network_due: '2026-12-20' })
    const made = await books.answers.contest(1n, 'tracking number 17', BY)
    assert.ok(made.ok)
    const again = await books.answers.accept(1n, BY)
    assert.ok(!again.ok && again.kind === 'conflict')
    await told({ order: `${id}`, event: 'representment', answer: `${made.answerId}` })
    const shown = await books.reader.read(1n, null, new Date('2026-11-21T00:00:00Z'))
    assert.deepEqual(
      shown?.answers.map(({ state, text }) => [state, text]),
      [['acknowledged', 'tracking number 17']],
    )
    assert.deepEqual(await books.disputes(), [`C-1 represented ${id} 12000 -`])
    await told({ order: `${id}`, event: 'pre_arbitration', network_due: '2026-12-30' })
    assert.ok((await books.answers.accept(1n, BY)).ok)
  })
})
