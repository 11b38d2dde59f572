import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { untilSeen } from '../../../../../../test/support/eventually.ts'
import { inTransaction } from '../../../../src/adapters/postgres/connection/transaction.ts'
import { evidenceRows } from '../../../../src/adapters/postgres/retention/evidence-rows.ts'
import { noticeFileText } from '../../../domain/disputes/notice-text.ts'
import { fileText } from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { BY, openDisputeBooks, type DisputeBooks } from './dispute-books.ts'

const IMPORT = fileURLToPath(new URL('import-main.ts', import.meta.url))

suite('the records of disputes', () => {
  let server: TestServer
  let books: DisputeBooks
  let url = ''
  before(async () => {
    server = await startTestServer()
  })
  beforeEach(async () => {
    url = await server.createDatabase()
    books = await openDisputeBooks(url, 'live')
  })
  afterEach(() => books?.close())
  after(() => server?.stop())

  const counts = () =>
    books.rows(`select (select count(*) from disputes), (select count(*) from dispute_notices),
                       (select count(*) from disputed_orders)`)

  test('a killed import of notices leaves nothing, and the repetition books all of them once', async () => {
    const { id } = await books.order([{ kind: 'sale', minor: 12000 }])
    const notices = [
      { n: 1, order: `${id}` },
      { n: 2, order: `${id}`, event: 'lost' },
    ]
    const text = noticeFileText(notices, { mode: 'live' })
    const { pool } = books.database
    const holder = await pool.connect()
    try {
      // Everything is written, and the entry of the audit log waits.
      await holder.query('begin')
      await holder.query('lock table audit_entries in exclusive mode')
      const child = spawn(process.execPath, ['--conditions=tollgate-source', IMPORT, url, text])
      const ended = once(child, 'exit')
      const waiting = await untilSeen(
        'the import waits for the audit log',
        () => books.rows(`select pid from pg_locks where not granted`),
        (pids) => pids.length > 0,
      )
      child.kill('SIGKILL')
      await ended
      await holder.query('rollback')
      await untilSeen(
        'the database has noticed that the import is gone',
        () => books.rows(`select pid from pg_stat_activity where pid = ${waiting[0]}`),
        (pids) => pids.length === 0,
      )
    } finally {
      holder.release(true)
    }
    assert.deepEqual(await counts(), ['0 0 0'])
    assert.equal((await books.importText(text)).kind, 'recorded')
    assert.equal((await books.importText(text)).kind, 'recorded')
    assert.deepEqual(await counts(), ['1 2 1'])
    assert.deepEqual(await books.broken(), [])
  })

  test('the erasure of evidence leaves no content of texts and files, and keeps what they were', async () => {
    const { id } = await books.order([{ kind: 'sale', minor: 12000 }])
    await books.notices([{ order: `${id}`, network_due: '2026-12-20' }])
    const content = new TextEncoder().encode('tracking number 17')
    assert.ok((await books.answers.addFile(1n, { name: 'proof.txt', content }, BY)).ok)
    assert.ok((await books.answers.contest(1n, 'It was delivered.', BY)).ok)
    const erase = (now: string) =>
      inTransaction(books.database.pool, null, (client) =>
        evidenceRows.erase(client, ['1'], { kind: 'evidence', days: 540, now: new Date(now) }),
      )
    assert.equal(await erase('2030-01-01T00:00:00Z'), 0, 'the case is open')
    await books.notices([{ order: `${id}`, event: 'lost', at: '2026-11-20T09:30:00Z' }])
    assert.equal(await erase('2028-05-13T00:00:00Z'), 0, 'the days are not over')
    assert.equal(await erase('2028-05-14T10:00:00Z'), 1)
    assert.deepEqual(
      await books.rows(`
        select f.content_ciphertext is null, f.key_ciphertext is null, f.name, f.bytes,
               w.text_ciphertext is null, w.answer, length(f.sha256)
          from dispute_files f join dispute_answers w on w.id = f.answer_id`),
      ['true true proof.txt 18 true contest 64'],
    )
    assert.equal(await books.reader.readFile(1n, 1n, null), null)
    assert.equal(await erase('2028-05-14T10:00:00Z'), 0)
  })

  test('two settled sales of the same card, 120 to 365 days old, are the pair of a fraud case', async () => {
    const { pool } = books.database
    const sale = async (days: number, extras: object): Promise<number> => {
      const at = new Date(Date.parse('2026-11-20T09:00:00Z') - days * 86_400_000)
      const { id } = await books.order([{ kind: 'sale', minor: 1000 }], { at })
      await pool.query('update orders set extras = $2 where id = $1', [id, JSON.stringify(extras)])
      return id
    }
    await pool.query(`insert into customers (id, merchant_id, created_at, mode)
                      values (1, 1, now(), 'live')`)
    await pool.query(`insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext,
                        data_key_id, fingerprint, brand, last4, created_at, last_used_at)
                      values (1, 1, 1, 'live', '\\x01', 1, sha256('card'), 'visa', '1111', now(), now())`)
    const same = { XTL_IP: '192.0.2.7' }
    const ids = {
      tooOld: await sale(366, same),
      oldest: await sale(364, same),
      unsettled: await sale(200, same),
      disputed: await sale(190, same),
      elsewhere: await sale(180, { XTL_IP: '192.0.2.9' }),
      youngest: await sale(121, same),
      tooYoung: await sale(119, same),
      now: await sale(2, same),
    }
    const { unsettled, ...settled } = ids
    const lines = Object.values(settled).map((id) => ({
      kind: 'sale',
      order: `${id}`,
      gross: '10.00',
    }))
    assert.equal((await books.import(fileText(lines, { mode: 'live' }))).kind, 'booked')
    const key = { amount: '10.00', network_due: '2026-12-20' }
    await books.notices([
      { ...key, order: `${ids.disputed}`, case: 'C-0', event: 'fraud_report' },
      { ...key, order: `${ids.now}` },
    ])
    const shown = await books.reader.read(2n, null, new Date('2026-11-21T00:00:00Z'))
    assert.deepEqual(
      shown?.compellingPair?.sales.map(({ orderId }) => orderId),
      [BigInt(ids.youngest), BigInt(ids.oldest)],
    )
    assert.deepEqual(shown.compellingPair.equal, ['user', 'ip'])
    await pool.query('delete from settled_transactions where order_id = $1', [ids.oldest])
    const again = await books.reader.read(2n, null, new Date('2026-11-21T00:00:00Z'))
    assert.equal(again?.compellingPair, null)
    assert.ok(unsettled > 0)
  })

  test('a dispute in another currency keeps all that was captured from refunds until it is won', async () => {
    const { id } = await books.order([{ kind: 'sale', minor: 12000 }])
    const { pool } = books.database
    const refund = 'update orders set refunded_minor = 1 where id = $1'
    const key = { order: `${id}`, amount: '30.00', currency: 'USD' }
    await books.notices([key])
    assert.deepEqual(await books.rows('select disputed_minor, is_excess from disputed_orders'), [
      '12000 false',
    ])
    await assert.rejects(pool.query(refund, [id]), /in dispute, and cannot be refunded/)
    await books.notices([{ ...key, event: 'won' }])
    await pool.query(refund, [id])
    assert.deepEqual(await books.broken(), [])
  })
})
