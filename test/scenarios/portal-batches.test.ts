import { parse } from 'csv-parse/sync'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { runProgram } from '../../packages/tollgate/test/program.ts'
import { auditedAsDone } from '../support/audit.ts'
import { untilBatchEnded } from '../support/batches.ts'
import { brokenInvariants } from '../support/books.ts'
import { untilSeen } from '../support/eventually.ts'
import { outcome, payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { addPortalUser, signIn, OTHER_OWNER, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

suite('batches in the portal', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
  })
  after(() => gateway?.stop())

  /** The account's open batch as the list shows it. */
  async function openBatch(account = '2001') {
    const { body } = await owner.get(`/batches?account=${account}&state=open`)
    assert.equal(body.batches.length, 1)
    return body.batches[0]
  }

  test('an open batch shows sales, captures, capture voids and refunds by currency', async () => {
    const client = gateway.client()
    const sale = await client.sale(payment('10.00'))
    await client.sale(payment('500', { currency: 'JPY' }))
    const authorized = await client.authorize(payment('8.00'))
    await client.capture({ orderId: authorized.orderId, amount: '5.00' })
    await client.captureVoid({ orderId: authorized.orderId, amount: '2.00' })
    await client.refund({ orderId: sale.orderId, amount: '1.50' })
    await client.authorize(payment('99.00'))

    const { sums } = await openBatch()

    assert.deepEqual(
      sums.map((sum: Record<string, unknown>) => Object.values(sum).join(' ')),
      [
        'JPY sale Visa 1 500 0',
        'USD sale Visa 1 1000 0',
        'USD capture Visa 1 500 200',
        'USD refund Visa 1 150 0',
      ],
    )
  })

  test('a batch is closed once, and the second attempt returns who closed it and when', async () => {
    const finance = await signIn(gateway, await addPortalUser(gateway, 'finance'))
    await untilNoAdviceIsQueued(gateway)
    const { id } = await openBatch()

    const [first, second] = await Promise.all([
      owner.post(`/batches/${id}/close`),
      finance.post(`/batches/${id}/close`),
    ])

    const [done, late] = first.status === 200 ? [first, second] : [second, first]
    assert.equal(done.status, 200, done.text)
    assert.equal(late.status, 409)
    assert.match(
      late.body.error.message,
      /^The batch was closed by (owner|finance-\w+)@tollgate\.test at 20/,
    )
    assert.equal((await openBatch()).id, done.body.nextId)
    const { rows } = await gateway.pool.query(
      `select actor from audit_entries where operation = 'batch.closed' and object = $1`,
      [`batch ${id}`],
    )
    assert.equal(rows.length, 1)
  })

  test('a capture in a closed batch can only be refunded', async () => {
    const client = gateway.client()
    const sale = await client.sale(payment('20.00'))
    await untilNoAdviceIsQueued(gateway)
    await owner.post(`/batches/${(await openBatch()).id}/close`)

    assert.equal(outcome(await client.void({ orderId: sale.orderId })), 'DECLINED 0/525')
    assert.equal(
      outcome(await client.refund({ orderId: sale.orderId, amount: '20.00' })),
      'APPROVED 0/100',
    )
  })

  test('an empty batch is not closed', async () => {
    const { body } = await owner.get('/batches?account=2003&state=open')
    const { status, body: refused } = await owner.post(`/batches/${body.batches[0].id}/close`)

    assert.equal(status, 409)
    assert.equal(refused.error.code, 'empty')
  })

  test('while batches are closed again and again, every sale, capture and refund is in one batch, and in its sums', async () => {
    const client = gateway.client()
    let selling = true
    const sell = async (): Promise<number> => {
      let approved = 0
      while (selling) {
        const sale = await client.sale(payment('3.00'))
        assert.equal(outcome(sale), 'APPROVED 0/100')
        const authorized = await client.authorize(payment('4.00'))
        assert.equal(
          outcome(await client.capture({ orderId: authorized.orderId, amount: '4.00' })),
          'APPROVED 0/100',
        )
        approved += 2
        // Not all of them: one that is in a closed batch by now is refused.
        await client.captureVoid({ orderId: authorized.orderId, amount: '1.00' })
      }
      return approved
    }
    const sellers = Array.from({ length: 8 }, sell)
    const closed: string[] = []
    await untilSeen(
      'twelve batches are closed',
      async () => {
        const { id } = await openBatch()
        const answer = await owner.post(`/batches/${id}/close`)
        if (answer.status === 200) closed.push(id)
        else assert.equal(answer.body.error.code, 'empty')
        return closed.length
      },
      (count) => count === 12,
      { everyMs: 0 },
    )
    selling = false
    const approved = (await Promise.all(sellers)).reduce((sum, count) => sum + count, 0)
    const ends = await Promise.all(closed.map((id) => untilBatchEnded(gateway, id)))
    // One that had to give all it held to the next batch has nothing to agree.
    assert.deepEqual(
      ends.filter((end) => end !== 'agreed' && end !== 'none'),
      [],
    )
    assert.ok(ends.includes('agreed'), 'the bank was asked')

    const { rows } = await gateway.pool.query(
      `select s.batch_id, s.action, s.transactions, s.amount_minor, s.voided_minor
         from batch_sums s where s.batch_id = any($1::bigint[])
       except
       select t.batch_id, t.kind, count(*), sum(t.value_minor), sum(t.voided_minor)
         from transactions t where t.batch_id = any($1::bigint[]) and t.kind in ('sale', 'capture', 'refund')
        group by t.batch_id, t.kind`,
      [closed],
    )
    assert.deepEqual(rows, [], 'nothing came into a batch, or changed in it, once it was closed')
    const last = await openBatch()
    const { rows: counted } = await gateway.pool.query<{ count: string }>(
      `select count(*) from transactions where batch_id = any($1::bigint[]) and kind in ('sale', 'capture')`,
      [[...closed, last.id]],
    )
    assert.ok(approved > 12, 'there was something to close')
    assert.equal(Number(counted[0]?.count), approved)
    assert.deepEqual(await brokenInvariants(gateway), [])
  })

  test('the file of a batch has every transaction, and the page the same, piece by piece', async () => {
    const client = gateway.client()
    await untilNoAdviceIsQueued(gateway)
    await owner.post(`/batches/${(await openBatch()).id}/close`)
    await Promise.all(Array.from({ length: 60 }, () => client.sale(payment('2.00'))))
    await client.sale(payment('2.00', { orderReference: '=1+1' }))
    await client.sale(payment('2.00', { orderReference: '-1+1' }))
    const { id } = await openBatch()

    const first = await owner.get(`/batches/${id}/transactions`)
    const rest = await owner.get(`/batches/${id}/transactions?after=${first.body.next}`)
    const file = await owner.get(`/batches/${id}/transactions.csv`)

    assert.equal(first.body.transactions.length, 50)
    assert.equal(rest.body.next, null)
    const shown = [...first.body.transactions, ...rest.body.transactions].map(
      (row: { id: string }) => row.id,
    )
    const [, ...rows]: string[][] = parse(file.text)
    assert.deepEqual(
      rows.map(([id]) => id),
      shown,
    )
    const texts = rows.map((row) => row.slice(2, 9).join())
    assert.ok(texts.includes("'-1+1,Sale,USD,2.00,0.00,Visa,1111"))
    assert.ok(texts.includes("'=1+1,Sale,USD,2.00,0.00,Visa,1111"))
  })

  test('another merchant has no such batch, and a role without the right closes none', async () => {
    const { id } = await openBatch()
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    const reader = await signIn(gateway, await addPortalUser(gateway, 'read_only'))
    const support = await signIn(gateway, await addPortalUser(gateway, 'support'))

    for (const path of [
      `/batches/${id}`,
      `/batches/${id}/transactions`,
      `/batches/${id}/transactions.csv`,
    ]) {
      assert.equal((await otherOwner.get(path)).status, 404)
    }
    assert.equal((await otherOwner.post(`/batches/${id}/close`)).status, 404)
    assert.equal((await otherOwner.put('/batch-accounts/2001/cutoff', { minute: 5 })).status, 404)
    assert.equal((await reader.post(`/batches/${id}/close`)).status, 403)
    assert.equal((await support.get('/batches')).status, 403)
    assert.equal((await openBatch()).id, id)
  })

  test('operators list the batches of an account and close the open one, which is in the audit log under their name', async () => {
    await gateway.client().sale(payment('16.00'))
    await untilNoAdviceIsQueued(gateway)
    const { id } = await openBatch()
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-batches-command-'))
    const run = async (...args: readonly string[]) => {
      const env = {
        DATABASE_URL: gateway.databaseUrl,
        DATA_DIR: folder,
        NODE_OPTIONS: '--conditions=tollgate-source',
      }
      const program = runProgram(new URL('../../packages/tollgate/src/cli.ts', import.meta.url), {
        args,
        env,
      })
      return { code: await program.end(), output: program.output() }
    }

    const [listed, unknown] = await Promise.all([
      run('batches', 'list', '2001'),
      run('batches', 'close', '999'),
    ])
    const closed = await run('batches', 'close', '2001')
    rmSync(folder, { recursive: true })

    assert.match(
      listed.output,
      new RegExp(`^batch ${id}: opened 20\\S+, open\n  Visa sale: \\d+, \\S+ USD`),
    )
    assert.deepEqual(
      [unknown.code, unknown.output.split('\n')[0]],
      [1, 'Merchant account 999 does not exist.'],
    )
    assert.equal(closed.code, 0, closed.output)
    assert.match(closed.output, /can no longer be voided, only refunded/)
    const { rows } = await gateway.pool.query<{ closed_by: string }>(
      'select closed_by from batches where id = $1',
      [id],
    )
    assert.match(rows[0]?.closed_by ?? '', /^operator:/)
    await gateway.client().sale(payment('16.00'))
  })

  test('a batch that was opened before the cut-off of its account is closed by itself', async () => {
    const { id } = await openBatch()
    await gateway.pool.query(
      `update batches set opened_at = opened_at - interval '2 days' where id = $1`,
      [id],
    )

    assert.equal((await owner.put('/batch-accounts/2001/cutoff', { minute: 0 })).status, 200)

    const { closed_by: by } = await untilRow(
      gateway,
      'the batch is closed',
      'select closed_by from batches where id = $1 and closed_at is not null',
      [id],
    )
    assert.match(String(by), /^gateway:/)
    await owner.put('/batch-accounts/2001/cutoff', { minute: null })
  })

  test('each of these operations is in the audit log as done', async () => {
    const operations = ['batch.cutoff_set'] as const
    assert.deepEqual(await auditedAsDone(gateway.pool, operations), operations)
  })
})
