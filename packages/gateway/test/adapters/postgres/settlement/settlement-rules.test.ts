import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { inspect } from 'node:util'
import { settlementInvariants } from '../../../../src/adapters/postgres/books/invariants/settlement-invariants.ts'
import { fileText } from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { openBooks, type SettlementBooks } from './settlement-books.ts'
import { SETTLEMENT_PLANTS } from './settlement-plants.ts'

suite('the settlement rules of verify', () => {
  let server: TestServer
  let books: SettlementBooks
  before(async () => {
    server = await startTestServer()
    books = await openBooks(await server.createDatabase(), 'test')
    const { id } = await books.order([{ kind: 'sale', minor: 12000 }])
    const sale = { kind: 'sale', order: `${id}`, gross: '120.00', fees: { acquirer: '-0.59' } }
    const payout = { kind: 'payout', gross: '-119.41', payout: 'P1', trace: 'TG417' }
    const outcome = await books.import(fileText([sale, payout]))
    assert.equal(outcome.kind, 'booked', inspect(outcome))
  })
  after(async () => {
    await books?.close()
    await server?.stop()
  })

  test('hold for a settled sale and its payout', async () => {
    assert.deepEqual(await books.broken(), [])
  })

  for (const [name, sql] of Object.entries(SETTLEMENT_PLANTS)) {
    test(`find a breach of ${name}`, async () => {
      const found = settlementInvariants.find((rule) => rule.name === name)
      assert.ok(found !== undefined)
      const client = await books.database.pool.connect()
      try {
        await client.query('begin')
        await client.query('set local session_replication_role = replica')
        assert.ok(((await client.query(sql)).rowCount ?? 0) > 0, 'nothing was planted')
        assert.ok((await client.query(found.sql)).rows.length > 0)
      } finally {
        await client.query('rollback')
        client.release()
      }
    })
  }
})
