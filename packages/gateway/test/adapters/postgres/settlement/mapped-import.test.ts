import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { importMappedFile } from '../../../../src/wiring/mapped-import.ts'
import { createSettlementOperator } from '../../../../src/wiring/operator-settlement.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { fileOf, workedExample } from '../../settlement-files/support/mapped-file.ts'
import { openBooks, type SettlementBooks } from './settlement-books.ts'

suite('the import of an acquirer file by a mapping', () => {
  let server: TestServer
  let books: SettlementBooks
  before(async () => {
    server = await startTestServer()
    books = await openBooks(await server.createDatabase(), 'test')
  })
  after(async () => {
    await books?.close()
    await server?.stop()
  })

  async function imported(csv: string, changes: { from: string; to: string } | null = null) {
    const { json } = workedExample()
    const mapping = changes === null ? json : json.replace(changes.from, changes.to)
    const { database } = books
    const operator = createSettlementOperator(database, database.pool, 'operator:test')
    const file = { mapping, path: fileOf(csv), seq: null, sender: null }
    const done = await importMappedFile(operator, file)
    if (!done.ok) return done.faults.join(' ')
    const { outcome } = done
    return outcome.kind === 'refused' ? outcome.refusal.code : outcome.kind
  }
  const stored = (): Promise<string[]> =>
    books.rows(`select seq, state, lines, mapping, mapping_version, opening_minor, closing_minor
                  from settlement_files order by seq`)

  test('a file with a fault books nothing', async () => {
    const { csv } = workedExample()
    assert.match(await imported(csv.replace('119.41', '119.48')), /^Line 2, column "Gross Credit/)
    assert.deepEqual(await stored(), [])
  })

  test('a file of an account without a source is refused with the command that sets one', async () => {
    const { csv } = workedExample()
    assert.match(
      await imported(csv, { from: '"as": "MA-1042"', to: '"as": "MA-7"' }),
      /No source has the account MA-7 in EUR; set it with "tollgate settlement source"/,
    )
    assert.deepEqual(await stored(), [])
  })

  test('the example is booked with its mapping and version, and its sums are in the ledger', async () => {
    assert.equal(await imported(workedExample().csv), 'booked')
    assert.deepEqual(await stored(), ['417 booked 7 adyen-like 1 0 0'])
    const { fee_acquirer, fee_interchange, fee_other, fee_scheme, payout_in_transit } =
      await books.balances()
    assert.deepEqual(
      { fee_acquirer, fee_interchange, fee_other, fee_scheme, payout_in_transit },
      {
        fee_acquirer: 65,
        fee_interchange: 134,
        fee_other: 32,
        fee_scheme: 27,
        payout_in_transit: 9_906,
      },
    )
    assert.deepEqual(await books.rows('select net_minor, trace from settlement_payouts'), [
      '9906 TX417',
    ])
    assert.deepEqual(await books.broken(), [])
  })

  test('the same file again changes nothing, also after a later file', async () => {
    assert.equal(await imported(workedExample().csv), 'repeated')
    const next = workedExample().csv.replaceAll(',417\n', ',418\n').replaceAll('MOD0', 'MOD1')
    assert.equal(await imported(next), 'booked')
    assert.equal(await imported(workedExample().csv), 'repeated')
    assert.equal(await imported(next), 'repeated')
    assert.equal((await stored()).length, 2)
  })

  test('other content under a booked number, and a number too far, are refused', async () => {
    const { csv } = workedExample()
    const other = csv.replace('880101', '880109')
    assert.equal(await imported(other), 'S11')
    assert.equal(await imported(csv.replaceAll(',417\n', ',420\n')), 'S12')
    assert.equal((await stored()).length, 2)
  })
})
