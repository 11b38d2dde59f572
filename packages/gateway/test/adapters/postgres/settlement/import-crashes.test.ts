import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { eventually, untilSeen } from '../../../../../../test/support/eventually.ts'
import { fileText, type FileRecord } from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { openBooks, type SettlementBooks } from './settlement-books.ts'

const PROCESS = new URL('./import-process.ts', import.meta.url).pathname
const LINES = 6_000

suite('processes that die inside the import of a settlement file', () => {
  let server: TestServer
  let folder: string
  const children: ChildProcess[] = []
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-import-'))
    server = await startTestServer()
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('an import that SIGKILL ends at staging and at booking has the result of an undisturbed one', async () => {
    const url = await server.createDatabase()
    const disturbed = await openBooks(url, 'test')
    const undisturbed = await openBooks(await server.createDatabase(), 'test')
    try {
      const text = await layFile(disturbed)
      assert.equal(await layFile(undisturbed), text)
      const path = join(folder, 'file.jsonl')
      writeFileSync(path, text)
      const state = () =>
        disturbed.rows(`select (select state from settlement_files), count(*),
                               (select count(*) from settlement_postings) from settlement_lines`)

      const staging = startImport(url, path, ['stop'])
      await once(staging.stdout ?? staging, 'data')
      await kill(staging)
      assert.deepEqual(await state(), ['staging 5000 0'])

      // The lock keeps the transaction of the booking from its end.
      const blocker = await disturbed.database.pool.connect()
      try {
        await blocker.query('begin')
        await blocker.query('lock table settled_transactions in share mode')
        await untilFree(disturbed)
        const booking = startImport(url, path, [])
        await untilSeen(
          'the booking waits for the lock',
          () =>
            disturbed.rows(`select count(*) from pg_locks
                             where relation = 'settled_transactions'::regclass and not granted`),
          ([waiting]) => waiting === '1',
        )
        await kill(booking)
      } finally {
        await blocker.query('rollback')
        blocker.release()
      }
      await untilFree(disturbed)
      assert.deepEqual(await state(), [`staging ${LINES} 0`])

      assert.equal((await disturbed.import(text)).kind, 'booked')
      assert.equal((await undisturbed.import(text)).kind, 'booked')

      assert.deepEqual(await resultOf(disturbed), await resultOf(undisturbed))
      assert.equal((await disturbed.rows('select from settled_transactions')).length, 2)
      assert.equal((await disturbed.import(text)).kind, 'repeated')
      assert.deepEqual(await disturbed.broken(), [])
    } finally {
      await disturbed.close()
      await undisturbed.close()
    }
  })

  /** Three orders, and a file with two of them and many that the gateway does not know. */
  async function layFile(books: SettlementBooks): Promise<string> {
    const sold = await books.order([{ kind: 'sale', minor: 1_000 }])
    const back = await books.order([{ kind: 'sale', minor: 700 }])
    await books.order([{ kind: 'sale', minor: 300 }])
    const unknown: FileRecord[] = Array.from({ length: LINES - 3 }, () => ({
      kind: 'sale',
      order: '1',
      gross: '1.00',
    }))
    return fileText([
      ...unknown,
      { kind: 'sale', rrn: sold.rrn, gross: '10.00', fees: { interchange: '-0.03' } },
      { kind: 'sale', rrn: back.rrn, gross: '7.00' },
      { kind: 'fee', gross: '0.00', fees: { scheme: '-2.50' }, fee_code: 'monthly' },
    ])
  }

  function startImport(url: string, path: string, more: readonly string[]): ChildProcess {
    const child = spawn(
      process.execPath,
      ['--conditions=tollgate-source', PROCESS, url, path, ...more],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    children.push(child)
    return child
  }

  async function kill(child: ChildProcess): Promise<void> {
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    assert.deepEqual(await exit, [null, 'SIGKILL'])
  }

  /** The server has noticed the death: the source is held by no connection. */
  async function untilFree(books: SettlementBooks): Promise<void> {
    await eventually('the source is free', async () => {
      const held = await books.rows(`select from pg_locks
        where locktype = 'advisory' and classid = 4140043
          and database = (select oid from pg_database where datname = current_database())`)
      return held.length === 0
    })
  }

  /** Everything that the import left, without ids that sequences give and without moments. */
  async function resultOf(books: SettlementBooks) {
    return {
      lines: await books.rows(`select n, line_id, kind, gross_minor, net_minor
                                 from settlement_lines order by n`),
      postings: await books.rows(`select event, n, kind, currency, amount_minor
                                    from settlement_postings order by 1, 2, 3`),
      settled: await books.rows(`select transaction_id, state, gross_minor, n
                                   from settled_transactions order by 1`),
      differences: await books.differences(),
      balances: await books.balances(),
      audited: await books.rows(`select operation, count(*) from audit_entries
                                  group by operation order by 1`),
    }
  }
})
