import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { outcome, payment } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
/** A connection that the guard takes for the gateway's. */
let ours: pg.Client

before(async () => {
  gateway = await startRunningGateway()
  ours = new pg.Client({
    connectionString: gateway.databaseUrl,
    application_name: 'tollgate test',
  })
  await ours.connect()
  assert.equal(outcome(await gateway.client().sale(payment('12.50'))), 'APPROVED 0/100')
})

after(async () => {
  await ours.end()
  await gateway.stop()
})

suite('the state guard of scenario databases', () => {
  test('it refuses a move that no state table declares', async () => {
    const move = `update transactions set state = 'declined' where kind = 'sale'`
    await assert.rejects(ours.query(move), /do not declare this: UPDATE of transactions/)
  })

  test('it refuses a row that starts in an undeclared state', async () => {
    const copy = `insert into orders select o.* from (select * from orders limit 1) o`
    await assert.rejects(ours.query(copy), /do not declare this: INSERT of orders/)
  })

  test('it refuses to open a closed batch', async () => {
    await ours.query(`update batches set closed_at = now() where closed_at is null`)
    await assert.rejects(
      ours.query(`update batches set closed_at = null`),
      /do not declare this: UPDATE of batches/,
    )
  })

  test('it lets a declared move pass', async () => {
    await ours.query('begin')
    const { rowCount } = await ours.query(`update sites set mode = 'live' where id = 1002`)
    // The record of the move would have to follow before a commit.
    await ours.query('rollback')
    assert.equal(rowCount, 1)
  })
})
