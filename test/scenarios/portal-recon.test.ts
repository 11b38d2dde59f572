import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createReconQueue } from '../../packages/gateway/src/portal/reconciliation/store/recon-queue.ts'
import { auditedAsDone } from '../support/audit.ts'
import { assertSchema, eventsOf } from '../support/events.ts'
import { payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { addPortalUser, signIn, OTHER_OWNER, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

suite('the reconciliation in the portal', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
  })
  after(() => gateway?.stop())

  /** Asks for a comparison; gives it once it is over. */
  async function compare(user: SignedInUser = owner) {
    const { status, body, text } = await user.post('/reconciliation/runs')
    assert.equal(status, 200, text)
    await untilRow(
      gateway,
      'it is over',
      `select 1 from recon_runs where id = $1 and state in ('done', 'failed')`,
      [body.id],
    )
    return (await user.get(`/reconciliation/runs/${body.id}`)).body
  }

  async function differences(show = 'open', user: SignedInUser = owner) {
    return (await user.get(`/reconciliation/differences?show=${show}`)).body.differences
  }

  async function orderId(): Promise<string> {
    const { rows } = await gateway.pool.query<{ id: string }>(
      `select id from orders where merchant_id = 1 and captured_minor = 1000 order by id limit 1`,
    )
    return rows[0]?.id ?? ''
  }

  test("books that agree come to zero differences, with orders and sums to put one's name under", async () => {
    const client = gateway.client()
    const sale = await client.sale(payment('10.00'))
    await client.sale(payment('5.00'))
    await client.refund({ orderId: sale.orderId, amount: '1.00' })
    await client.authorize(payment('500', { currency: 'JPY' }))
    await gateway.client(1002).sale(payment('77.00'))
    await untilNoAdviceIsQueued(gateway)

    const run = await compare()

    assert.deepEqual([run.state, run.fault, run.orders, run.differences], ['done', '', 3, 0])
    const usd = { approvedMinor: '1500', capturedMinor: '1500', refundedMinor: '100' }
    const jpy = { approvedMinor: '500', capturedMinor: '0', refundedMinor: '0' }
    assert.deepEqual(run.totals, [
      { currency: 'JPY', orders: 1, gateway: jpy, ledger: jpy, bank: jpy },
      { currency: 'USD', orders: 2, gateway: usd, ledger: usd, bank: usd },
    ])
  })

  test('another process makes the comparison that a stopping process returned to the queue', async () => {
    const { rows } = await gateway.pool.query<{ id: string }>(
      `insert into recon_runs (merchant_id, asked_by, state, doing) values (2, 'portal:owner@other.test', 'running', 'comparing') returning id`,
    )
    const id = BigInt(rows[0]?.id ?? 0)
    await createReconQueue(gateway.pool).requeue(id)
    await untilRow(
      gateway,
      'it is over',
      `select 1 from recon_runs where id = $1 and state = 'done'`,
      [id],
    )
    await createReconQueue(gateway.pool).requeue(id)
    assert.equal(
      (
        await gateway.pool.query('select from recon_runs where id = $1 and state = $2', [
          id,
          'done',
        ])
      ).rowCount,
      1,
    )
  })

  test('a difference says what differs in words, keeps its age, and is gone once the books agree again', async () => {
    const id = await orderId()
    await gateway.pool.query(
      'update orders set refunded_minor = refunded_minor + 50 where id = $1',
      [id],
    )

    assert.equal((await compare()).differences, 1)
    const [first] = await differences()
    assert.equal((await compare()).differences, 1)
    const [again] = await differences()
    await gateway.pool.query(
      'update orders set refunded_minor = refunded_minor - 50 where id = $1',
      [id],
    )
    assert.equal((await compare()).differences, 0)

    assert.equal(first.orderId, id)
    assert.equal(BigInt(first.gateway.refundedMinor) - BigInt(first.bank.refundedMinor), 50n)
    assert.match(first.reasons.join(' '), /The ledger and the order disagree/)
    assert.deepEqual([again.id, again.firstSeenAt], [first.id, first.firstSeenAt])
    assert.deepEqual(await differences(), [])
    const [gone] = await differences('gone')
    assert.equal(gone.id, first.id)
    assert.ok(gone.goneAt)
    const events = await eventsOf(gateway, `difference ${first.id}`)
    for (const event of events) assertSchema(event)
    assert.deepEqual(
      events.map(({ data, type }) => [type, data['po_id']]),
      [
        ['reconciliation.difference', id],
        ['reconciliation.cleared', id],
      ],
    )
  })

  test('a difference is taken on, handed over and resolved with a note, and outdated changes are refused', async () => {
    const finance = await signIn(gateway, await addPortalUser(gateway, 'finance'))
    const id = await orderId()
    await gateway.pool.query(
      'update orders set refunded_minor = refunded_minor + 50 where id = $1',
      [id],
    )
    await compare()
    const [found] = await differences()
    const path = `/reconciliation/differences/${found.id}`

    assert.equal((await finance.post(path, { version: found.version, what: 'taken' })).status, 200)
    const late = await owner.post(path, { version: found.version, what: 'resolved', note: 'mine' })
    assert.equal(late.status, 409)
    assert.match(late.body.error.message, /^Pat finance took ownership at 20/)
    const { portalUser } = owner.session
    assert.equal(
      (await finance.post(path, { version: 2, what: 'handed', ownerId: portalUser.id })).status,
      200,
    )
    assert.equal((await owner.post(path, { version: 3, what: 'resolved' })).status, 400)
    assert.equal(
      (
        await owner.post(path, {
          version: 3,
          what: 'resolved',
          note: 'The bank books it tomorrow.',
        })
      ).status,
      200,
    )

    const [resolved] = await differences('resolved')
    assert.deepEqual(
      [
        resolved.owner.id,
        resolved.resolvedBy.id,
        resolved.notes.map(({ what }: { what: string }) => what),
      ],
      [portalUser.id, portalUser.id, ['taken', 'handed', 'resolved']],
    )
    assert.equal(resolved.notes[2].text, 'The bank books it tomorrow.')
    await compare()
    assert.deepEqual(
      await differences(),
      [],
      'what is resolved stays so while its figures are the same',
    )
    await gateway.pool.query(
      'update orders set refunded_minor = refunded_minor + 1 where id = $1',
      [id],
    )
    await compare()
    assert.equal((await differences())[0].id, found.id, 'and is open again with others')
    await gateway.pool.query(
      'update orders set refunded_minor = refunded_minor - 51 where id = $1',
      [id],
    )
    const { rows } = await gateway.pool.query(
      `select details::json ->> 'what' as what from audit_entries where operation = 'recon.difference_changed' order by number`,
    )
    assert.deepEqual(
      rows.map(({ what }) => what),
      ['taken', 'handed', 'resolved'],
    )
  })

  test('one comparison of a merchant is made at a time, and one that died is made again', async () => {
    const { rows } = await gateway.pool.query<{ id: string }>(
      `insert into recon_runs (merchant_id, asked_by, state, alive_at) values (1, 'test', 'running', now()) returning id`,
    )

    const refused = await owner.post('/reconciliation/runs')
    await gateway.pool.query(
      `update recon_runs set alive_at = now() - interval '1 hour' where id = $1`,
      [rows[0]?.id],
    )

    assert.equal(refused.status, 409)
    await untilRow(
      gateway,
      'it is made',
      `select 1 from recon_runs where id = $1 and state = 'done'`,
      [rows[0]?.id],
    )
  })

  test('the daily comparison is made once a day, by the gateway', async () => {
    assert.equal((await owner.put('/reconciliation/daily', { hour: 0 })).status, 200)

    await untilRow(
      gateway,
      'it is made',
      `select 1 from recon_runs where asked_by = 'gateway' and state = 'done'`,
    )
    await compare()

    const { rows } = await gateway.pool.query(`select 1 from recon_runs where asked_by = 'gateway'`)
    assert.equal(rows.length, 1)
    await owner.put('/reconciliation/daily', { hour: null })
  })

  test('another merchant sees none of it, and a role without the right does nothing', async () => {
    const id = await orderId()
    await gateway.pool.query(
      'update orders set refunded_minor = refunded_minor + 50 where id = $1',
      [id],
    )
    await compare()
    const [found] = await differences()
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    const reader = await signIn(gateway, await addPortalUser(gateway, 'read_only'))
    const support = await signIn(gateway, await addPortalUser(gateway, 'support'))

    const run = await compare(otherOwner)
    assert.deepEqual([run.orders, run.differences, run.totals.length], [1, 0, 1])
    assert.deepEqual(await differences('all', otherOwner), [])
    const change = { version: found.version, what: 'taken' }
    assert.equal(
      (await otherOwner.post(`/reconciliation/differences/${found.id}`, change)).status,
      404,
    )
    const [own] = (await owner.get('/reconciliation')).body.runs
    assert.equal((await otherOwner.get(`/reconciliation/runs/${own.id}`)).status, 404)
    assert.equal((await reader.post(`/reconciliation/differences/${found.id}`, change)).status, 403)
    assert.equal((await reader.post('/reconciliation/runs')).status, 403)
    assert.equal((await support.get('/reconciliation')).status, 403)
    await gateway.pool.query(
      'update orders set refunded_minor = refunded_minor - 50 where id = $1',
      [id],
    )
  })

  test('books that cannot be read fail the comparison with a sentence, and change no difference', async () => {
    const before = await differences('all')
    await gateway.stopBank()

    const run = await compare()

    assert.equal(run.state, 'failed')
    assert.match(
      run.fault,
      /^The bank's books cannot be read|^The address of the bank's control API cannot be read/,
    )
    assert.deepEqual(await differences('all'), before)
  })

  test('each of these operations is in the audit log as done', async () => {
    const operations = ['recon.run_asked'] as const
    assert.deepEqual(await auditedAsDone(gateway.pool, operations), operations)
  })
})
