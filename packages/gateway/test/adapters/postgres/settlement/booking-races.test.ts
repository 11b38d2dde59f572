import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { untilSeen } from '../../../../../../test/support/eventually.ts'
import { createDeadlineStore } from '../../../../src/adapters/postgres/settlement/deadline-store.ts'
import { raiseMissing } from '../../../../src/usecases/settlement/raise-missing.ts'
import { fileText } from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { openBooks, type SettlementBooks } from './settlement-books.ts'

const OVERDUE = '2026-11-25T12:00:00Z'
const clock = { now: () => new Date(OVERDUE) }
const BY = { actor: 'operator:test', address: '' }

suite('a file that is booked while its captures become or stop being missing', () => {
  let server: TestServer
  let books: SettlementBooks
  before(async () => {
    server = await startTestServer()
  })
  beforeEach(async () => {
    books = await openBooks(await server.createDatabase(), 'live')
  })
  afterEach(() => books?.close())
  after(() => server?.stop())

  /** The second work begins when the first one waits for a table, and both go on together. */
  async function whileLocked<First, Second>(
    table: string,
    first: () => Promise<First>,
    second: () => Promise<Second>,
    until: 'waits' | 'ends' = 'waits',
  ): Promise<[First, Second]> {
    const blocker = await books.database.pool.connect()
    try {
      await blocker.query('begin')
      await blocker.query(`lock table ${table} in share mode`)
      const one = first()
      await untilSeen('the first work waits', waiting, (count) => count === 1)
      let isDone = false
      const other = second().finally(() => (isDone = true))
      await untilSeen(
        `the second work ${until}, or is done`,
        async () => isDone || (until === 'waits' && (await waiting()) === 2),
        (seen) => seen,
      )
      await blocker.query('commit')
      return await Promise.all([one, other])
    } finally {
      blocker.release()
    }
  }

  /** Statements that wait for a lock. */
  async function waiting(): Promise<number> {
    const [count] = await books.rows(
      `select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return Number(count)
  }

  test('no capture stays missing that the file settles meanwhile', async () => {
    const { rrn } = await books.order([{ kind: 'sale', minor: 500 }])
    const text = fileText([{ kind: 'sale', rrn, gross: '5.00' }], { mode: 'live' })

    // The captures are found missing before the file is booked, and committed after it.
    const [raised, imported] = await whileLocked(
      'settlement_checked_batches',
      // Another process does it, with connections of its own.
      () => raiseMissing({ store: createDeadlineStore(books.database.pool), clock }),
      () => books.import(text),
    )

    assert.equal(raised, 1)
    assert.equal(imported.kind, 'booked')
    assert.deepEqual(await books.differences(), [
      'missing_at_bank no line 500 nothing ended matched_late',
    ])
    assert.deepEqual(await books.broken(), [])
  })

  test('a missing capture is not written off while the file settles it', async () => {
    const { rrn } = await books.order([{ kind: 'sale', minor: 500 }])
    assert.equal(await books.raiseMissing(OVERDUE), 1)
    const text = fileText([{ kind: 'sale', rrn, gross: '5.00' }], { mode: 'live' })

    const [imported, ended] = await whileLocked(
      'settled_transactions',
      () => books.import(text),
      () => books.changes.end(1n, 'written_off', 'Lost.', BY),
    )

    assert.equal(imported.kind, 'booked')
    assert.equal(ended.ok ? '' : ended.kind, 'conflict')
    assert.deepEqual(await books.differences(), [
      'missing_at_bank no line 500 nothing ended matched_late',
    ])
    assert.deepEqual(await books.balances(), { acquirer_balance: 500, merchant_payable: -500 })
    assert.deepEqual(await books.broken(), [])
  })

  test('a person who changes a difference during a long booking is asked to try again', async () => {
    const { rrn } = await books.order([{ kind: 'sale', minor: 500 }])
    assert.equal(await books.raiseMissing(OVERDUE), 1)
    const text = fileText([{ kind: 'sale', rrn, gross: '5.00' }], { mode: 'live' })

    const [, noted] = await whileLocked(
      'settled_transactions',
      () => books.import(text),
      () => books.changes.note(1n, 'The acquirer was asked.', BY),
      'ends',
    )

    assert.equal(noted.ok ? '' : noted.kind, 'conflict')
    assert.deepEqual(await books.rows('select * from settlement_difference_notes'), [])
  })
})
