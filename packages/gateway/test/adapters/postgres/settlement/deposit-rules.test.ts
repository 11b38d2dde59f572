import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { inspect } from 'node:util'
import { depositInvariants } from '../../../../src/adapters/postgres/books/invariants/deposit-invariants.ts'
import { fileText } from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { openDepositBooks, type DepositBooks } from './deposit-books.ts'
import { DEPOSIT_PLANTS } from './deposit-plants.ts'

suite('the deposit rules of verify', () => {
  let server: TestServer
  let books: DepositBooks
  before(async () => {
    server = await startTestServer()
    books = await openDepositBooks(await server.createDatabase())
    const payout = { kind: 'payout', gross: '-119.41', payout: 'PO-417', trace: 'TRACE-417' }
    const credit = { kind: 'adjustment', reason: 'ADJ', gross: '119.41' }
    const outcome = await books.import(fileText([credit, payout]))
    assert.equal(outcome.kind, 'booked', inspect(outcome))
    assert.ok((await books.putAccount()).ok)
    assert.ok((await books.putPayer()).ok)
    const entries = [
      { amount: '119.41', endToEndId: 'TRACE-417' },
      { amount: '-20.00', payer: 'LANDLORD' },
    ]
    const strange = [{ amount: '7.00', text: 'NO NAME' }]
    const imported = await books.statements([
      { id: 'S1', opening: '0.00', entries },
      { id: 'S2', opening: '99.41', day: '2026-11-24', entries: strange },
    ])
    assert.equal(imported.kind, 'imported', inspect(imported))
  })
  after(async () => {
    await books?.close()
    await server?.stop()
  })

  test('hold for a deposit, other business and an entry without a payout', async () => {
    assert.deepEqual(await books.found(), ['payout_unknown nothing 700 open'])
    assert.deepEqual(await books.broken(), [])
  })

  for (const { name, sql } of depositInvariants) {
    test(`find a breach of ${name}`, async () => {
      const client = await books.database.pool.connect()
      try {
        await client.query('begin')
        await client.query('set local session_replication_role = replica')
        const planted = await client.query(DEPOSIT_PLANTS[name] ?? '')
        assert.ok((planted.rowCount ?? 0) > 0, 'nothing was planted')
        assert.ok((await client.query(sql)).rows.length > 0)
      } finally {
        await client.query('rollback')
        client.release()
      }
    })
  }
})
