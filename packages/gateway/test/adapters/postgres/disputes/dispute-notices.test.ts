import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { disputeInvariants } from '../../../../src/adapters/postgres/books/invariants/dispute-invariants.ts'
import {
  dueDayOf,
  type DisputePlace,
  type DisputeView,
} from '../../../../src/usecases/disputes/dispute-views.ts'
import { noticeFileText } from '../../../domain/disputes/notice-text.ts'
import { fileText } from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { BY, openDisputeBooks, type DisputeBooks } from './dispute-books.ts'
import { DISPUTE_PLANTS } from './dispute-plants.ts'

suite('the notices of an acquirer', () => {
  let server: TestServer
  let books: DisputeBooks
  let order: { readonly id: number; readonly rrn: string }
  before(async () => {
    server = await startTestServer()
  })
  beforeEach(async () => {
    books = await openDisputeBooks(await server.createDatabase(), 'live')
    order = await books.order([{ kind: 'sale', minor: 12000 }])
  })
  afterEach(() => books?.close())
  after(() => server?.stop())

  const live = { mode: 'live' }
  const refusal = async (text: string): Promise<string> => {
    const outcome = await books.importText(text)
    return outcome.kind === 'refused' ? `${outcome.line}: ${outcome.reason}` : outcome.kind
  }

  test('find their order by its id, by DE 37 and by both, and are kept without one', async () => {
    await books.notices([
      { order: `${order.id}` },
      { rrn: order.rrn, case: 'C-2', amount: '1.00' },
      { order: `${order.id}`, rrn: order.rrn, case: 'C-3', amount: '1.00' },
      { order: `${order.id}`, rrn: '632310999999', case: 'C-4' },
      { order: '5', case: 'C-5' },
    ])
    assert.deepEqual(await books.disputes(), [
      `C-1 chargeback ${order.id} 12000 2026-12-13`,
      `C-2 chargeback ${order.id} 100 2026-12-13`,
      `C-3 chargeback ${order.id} 100 2026-12-13`,
      'C-4 chargeback no order 0 2026-12-13',
      'C-5 chargeback no order 0 2026-12-13',
    ])
    assert.deepEqual(await books.broken(), [])
  })

  test('change nothing when the same file comes again, and go on behind it', async () => {
    const first = noticeFileText([{ n: 1, order: `${order.id}` }], live)
    const more = noticeFileText(
      [
        { n: 1, order: `${order.id}` },
        { n: 2, order: `${order.id}`, event: 'withdrawn' },
      ],
      live,
    )
    const counts = async (text: string) => {
      const outcome = await books.importText(text)
      return outcome.kind === 'recorded' ? [outcome.recorded, outcome.repeated] : outcome.reason
    }
    assert.deepEqual(await counts(first), [1, 0])
    assert.deepEqual(await counts(first), [0, 1])
    assert.deepEqual(await counts(more), [1, 1])
    assert.deepEqual(await books.disputes(), [`C-1 withdrawn ${order.id} 0 -`])
  })

  test('are refused as a whole, with line and reason', async () => {
    const key = { order: `${order.id}` }
    const file = (...records: readonly Readonly<Record<string, unknown>>[]) =>
      noticeFileText(records, live)
    assert.equal(
      await refusal(file({ n: 1, ...key }, { n: 3, ...key, event: 'won' })),
      '3: Notice 3 came; expected notice 2.',
    )
    assert.equal(
      await refusal(file({ n: 1, ...key, event: 'won' })),
      '2: Case C-1 begins with won; expected a notice that opens it.',
    )
    assert.equal(
      await refusal(file({ n: 1, ...key }, { n: 2, ...key, event: 'chargeback' })),
      '3: Case C-1 is in state chargeback, which chargeback cannot follow.',
    )
    assert.equal(
      await refusal(file({ n: 1, ...key }, { n: 2, ...key, id: 'N-1', event: 'won' })),
      '3: The id N-1 is that of another notice.',
    )
    assert.equal(
      await refusal(noticeFileText([{ n: 1, ...key }], { ...live, account: 'OTHER' })),
      '1: The file is for an account that no settlement source names.',
    )
    assert.equal(
      await refusal(noticeFileText([{ n: 1, ...key }], { mode: 'test' })),
      '1: The file is for an account that no settlement source names.',
    )
    assert.deepEqual(await books.disputes(), [])
    await books.notices([key])
    assert.equal(
      await refusal(file({ n: 1, ...key, amount: '119.99' })),
      '2: Notice 1 was recorded with other content.',
    )
    assert.deepEqual(
      await books.rows(
        `select count(*) from audit_entries where operation = 'dispute.notices_refused'`,
      ),
      ['7'],
    )
  })

  test('block refunds from the charge on, never for an inquiry or a report of fraud', async () => {
    const key = { order: `${order.id}` }
    const blocked = () => books.rows('select disputed_minor from disputed_orders')
    await books.notices([
      { ...key, event: 'inquiry' },
      { ...key, case: 'F-1', event: 'fraud_report' },
    ])
    assert.deepEqual(await blocked(), ['0'])
    await books.notices([{ ...key, amount: '60.00' }])
    assert.deepEqual(await blocked(), ['6000'])
    await books.notices([{ ...key, amount: '60.00', event: 'won' }])
    assert.deepEqual(await blocked(), ['0'])
    await books.notices([{ ...key, case: 'R-1', event: 'rapid_resolution', amount: '10.00' }])
    assert.deepEqual(await blocked(), ['1000'])
    await books.notices([{ ...key, case: 'R-2', currency: 'USD', amount: '7.00' }])
    assert.deepEqual(await blocked(), ['13000'])
    assert.deepEqual(await books.broken(), [])
  })

  test('mark a case as overdue behind its day of answer, unless it was answered', async () => {
    const key = { order: `${order.id}`, network_due: '2026-12-20', amount: '1.00' }
    await books.notices([
      key,
      { ...key, case: 'C-2' },
      { ...key, case: 'C-3', network_due: '2026-11-22' },
    ])
    assert.deepEqual(await books.disputes(), [
      `C-1 chargeback ${order.id} 100 2026-12-13`,
      `C-2 chargeback ${order.id} 100 2026-12-13`,
      `C-3 chargeback ${order.id} 100 2026-11-22`,
    ])
    assert.ok((await books.answers.accept(1n, BY)).ok)
    assert.equal((await books.watch('2026-11-22T12:00:00Z')).overdue, 0)
    assert.equal((await books.watch('2026-11-23T12:00:00Z')).overdue, 1)
    assert.equal((await books.watch('2026-12-13T12:00:00Z')).overdue, 0)
    assert.equal((await books.watch('2026-12-14T12:00:00Z')).overdue, 1)
    const overdue = await books.rows('select case_id from disputes where is_overdue order by id')
    assert.deepEqual(overdue, ['C-2', 'C-3'])
  })

  test('keep evidence by its content, within limits, and only for its merchant', async () => {
    await books.notices([{ order: `${order.id}` }])
    const bytes = (text: string) => new TextEncoder().encode(text)
    const add = (name: string, content: Uint8Array) =>
      books.answers.addFile(1n, { name, content }, BY)
    const faultOf = async (name: string, content: Uint8Array): Promise<string> => {
      const added = await add(name, content)
      return added.ok ? 'kept' : (added.faults[0] ?? '')
    }
    assert.match(await faultOf('photo.png', Uint8Array.of(0, 1, 2)), /neither PDF, PNG, JPEG nor/)
    assert.match(await faultOf('a/b.txt', bytes('x')), /name of the file/)
    assert.match(await faultOf('card.txt', bytes('4111 1111 1111 1111')), /card number/)
    assert.match(await faultOf('big.txt', bytes('x'.repeat(4_000_001))), /4000001 bytes/)
    assert.equal(await faultOf('invoice.exe', bytes('%PDF-1.7 invoice')), 'kept')
    const read = await books.reader.readFile(1n, 1n, 1n)
    assert.equal(Buffer.from(read?.content ?? []).toString(), '%PDF-1.7 invoice')
    assert.equal(read?.file.type, 'application/pdf')
    assert.equal(await books.reader.readFile(1n, 1n, 2n), null)
    assert.equal(await books.reader.read(1n, 2n, new Date()), null)
    const second = await add('note.txt', bytes('delivered'))
    assert.ok(second.ok && (await books.answers.removeFile(1n, second.fileId, BY)).ok)
    const contested = await books.answers.contest(1n, '', BY)
    assert.ok(contested.ok)
    const removed = await books.answers.removeFile(1n, 1n, BY)
    assert.ok(!removed.ok && removed.kind === 'missing')
    assert.deepEqual(
      await books.rows(
        `select operation from audit_entries where operation ~ '^dispute' order by number`,
      ),
      [
        'dispute.notices_recorded',
        'dispute.evidence_added',
        'dispute.evidence_added',
        'dispute.evidence_removed',
        'dispute.answered',
      ],
    )
  })

  test('are listed by their day of answer, the first one first, page by page', async () => {
    const key = { order: `${order.id}`, amount: '1.00' }
    await books.notices([
      { ...key, case: 'late', network_due: '2026-12-20' },
      { ...key, case: 'answered', network_due: '2026-12-01' },
      { ...key, case: 'soon', network_due: '2026-12-10' },
      { ...key, case: 'ended', event: 'rapid_resolution' },
      { ...key, case: 'also late', network_due: '2026-12-20' },
    ])
    assert.ok((await books.answers.accept(2n, BY)).ok)
    const all = { ...NO_FILTER, merchantId: 1n }
    const now = new Date('2026-11-23T12:00:00Z')
    const listed: string[] = []
    let after: DisputePlace | null = null
    for (let page = 0; page < 3; page += 1) {
      const found: readonly DisputeView[] = await books.reader.list(
        { ...all, group: null },
        { order: 'due', after, limit: 2 },
        now,
      )
      listed.push(...found.map(({ caseId }) => caseId))
      const last = found.at(-1)
      if (last !== undefined) after = { id: last.id, day: dueDayOf(last) }
    }
    assert.deepEqual(listed, ['soon', 'late', 'also late', 'answered', 'ended'])
  })

  test('are listed page by page with the newest opening first, in any sequence of their notices', async () => {
    const key = { order: `${order.id}`, amount: '1.00' }
    await books.notices([
      { ...key, case: 'between', at: '2026-11-18T09:00:00Z' },
      { ...key, case: 'first', at: '2026-11-10T09:00:00Z' },
      { ...key, case: 'last', at: '2026-11-19T09:00:00Z' },
    ])
    const all = { ...NO_FILTER, merchantId: 1n }
    const listed: string[] = []
    let after: DisputePlace | null = null
    for (let page = 0; page < 3; page += 1) {
      const found: readonly DisputeView[] = await books.reader.list(
        { ...all, group: null },
        { order: 'newest', after, limit: 1 },
        new Date('2026-11-23T12:00:00Z'),
      )
      listed.push(...found.map(({ caseId }) => caseId))
      const last = found.at(-1)
      if (last !== undefined) after = { id: last.id, day: dueDayOf(last) }
    }
    assert.deepEqual(listed, ['last', 'between', 'first'])
  })

  test('are listed by group with their totals', async () => {
    const key = { order: `${order.id}`, amount: '1.00' }
    await books.notices([
      key,
      { ...key, case: 'C-2', event: 'rapid_resolution' },
      { ...key, case: 'F-1', event: 'fraud_report' },
    ])
    const all = { ...NO_FILTER, merchantId: 1n }
    const now = new Date('2026-11-23T12:00:00Z')
    const groups = ['open', 'due', 'ended', 'reported', null] as const
    const listed = await Promise.all(
      groups.map(async (group) =>
        (
          await books.reader.list(
            { ...all, group },
            { order: 'newest', after: null, limit: 9 },
            now,
          )
        ).map(({ caseId, daysLeft }) => [caseId, daysLeft]),
      ),
    )
    assert.deepEqual(listed, [
      [['C-1', 20]],
      [['C-1', 20]],
      [['C-2', null]],
      [['F-1', null]],
      [
        ['F-1', null],
        ['C-2', null],
        ['C-1', 20],
      ],
    ])
    assert.deepEqual(await books.reader.total({ ...all, group: null }, now), [
      { currency: 'EUR', count: 3, amountMinor: 300n },
    ])
    assert.deepEqual(await books.reader.total({ ...all, merchantId: 2n, group: null }, now), [])
  })
})

suite('the dispute rules of verify', () => {
  let server: TestServer
  let books: DisputeBooks
  before(async () => {
    server = await startTestServer()
    books = await openDisputeBooks(await server.createDatabase(), 'test')
    const { id } = await books.order([{ kind: 'sale', minor: 12000 }])
    await books.notices([{ order: `${id}` }])
    assert.ok((await books.answers.contest(1n, 'delivered', BY)).ok)
    const line = { kind: 'chargeback', order: `${id}`, case: 'C-1', gross: '-120.00' }
    const sale = { kind: 'sale', order: `${id}`, gross: '120.00' }
    assert.equal((await books.import(fileText([sale, line]))).kind, 'booked')
    await books.notices([
      { order: `${id}`, event: 'representment', answer: '1' },
      { order: `${id}`, event: 'lost' },
    ])
  })
  after(async () => {
    await books?.close()
    await server?.stop()
  })

  test('hold for a case that was answered and lost', async () => {
    assert.deepEqual(await books.broken(), [])
  })

  for (const { name, sql } of disputeInvariants) {
    test(`find a breach of ${name}`, async () => {
      const client = await books.database.pool.connect()
      try {
        await client.query('begin')
        await client.query('set local session_replication_role = replica')
        const planted = await client.query(DISPUTE_PLANTS[name] ?? '')
        assert.ok((planted.rowCount ?? 0) > 0, 'nothing was planted')
        assert.ok((await client.query(sql)).rows.length > 0)
      } finally {
        await client.query('rollback')
        client.release()
      }
    })
  }
})

/** Any case of any merchant. */
const NO_FILTER = {
  merchantAccountId: null,
  orderId: null,
  state: null,
  brand: null,
  currency: null,
  month: null,
}
