import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { outcome, payment, postForm } from '../support/payments.ts'
import { OWNER, signIn } from '../support/portal.ts'
import { startMembership, untilCharged } from '../support/renewals.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { CARD, enrol, said, untilCardRanges } from '../support/three-ds.ts'

/** Troubles that only the log and a metric show: payments go on. */
suite('the log reports', () => {
  let gateway: RunningGateway
  before(async () => {
    gateway = await startRunningGateway({}, undefined, {}, {})
    await untilCardRanges(gateway)
  })
  after(() => gateway?.stop())

  const untilLogged = (text: string): Promise<unknown> =>
    eventually(`the log has: ${text}`, () => gateway.logged().includes(text))
  const lost = async (metric: string): Promise<number> => {
    const line = (await gateway.metrics()).split('\n').find((each) => each.startsWith(`${metric} `))
    return Number(line?.slice(metric.length))
  }
  /** Does something while a table is away. */
  async function without(table: string, work: () => Promise<unknown>): Promise<void> {
    await gateway.pool.query(`alter table ${table} rename to gone`)
    try {
      await work()
    } finally {
      await gateway.pool.query(`alter table gone rename to ${table}`)
    }
  }

  test('a failed login of an API user that cannot be audited', () =>
    without('audit_entries', async () => {
      await postForm(gateway, { REQUEST_ACTION: 'TESTAUTH', REQ_PASSWORD: 'wrong' })
      await untilLogged('"msg":"a failed login could not be audited"')
    }))

  test('a failed sign-in to the portal that cannot be audited', () =>
    without('audit_entries', async () => {
      await fetch(new URL('/portal/api/session', gateway.baseUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: OWNER.email, password: 'wrong' }),
      })
      await untilLogged('"msg":"a failed sign-in could not be audited"')
    }))

  test('a request that cannot be stored in the request log, while payments go on', () =>
    without('requests', async () => {
      assert.equal(outcome(await gateway.client().sale(payment('12.00'))), 'APPROVED 0/100')
      await untilLogged('"msg":"a request could not be stored in the request log"')
      assert.ok((await lost('tollgate_request_log_lost_total')) > 0)
    }))

  test('a 3-D Secure message that cannot be stored, while payments go on', () =>
    without('three_ds_messages', async () => {
      assert.equal(said(await enrol(gateway, CARD.authenticated)), 'APPROVED Y 05 0/100')
      await untilLogged('"msg":"a 3-D Secure message could not be stored"')
      assert.ok((await lost('tollgate_three_ds_messages_lost_total')) > 0)
    }))

  test('a fault of a page of the portal, whose answer has nothing of it', async () => {
    const owner = await signIn(gateway)
    const { orderId } = await gateway.client().sale(payment('12.00'))
    await without('order_lines', async () => {
      const { status, text } = await owner.get(`/orders/${orderId}`)
      assert.equal(status, 500, text)
      assert.doesNotMatch(text, /order_lines|relation|select/)
      await untilLogged('relation \\"order_lines\\" does not exist')
    })
  })

  test('a data key that cannot be loaded, while the others are in use', async () => {
    await gateway.pool.query(`
      insert into data_keys (purpose, wrapped, kek_id, state, retired_at)
      select 'pan', decode('00', 'hex'), kek_id, 'retired', now() from data_keys
       where purpose = 'pan' and state = 'active'`)
    await untilLogged('"msg":"a data key could not be loaded; the others are in use"')
    assert.equal(outcome(await gateway.client().sale(payment('12.00'))), 'APPROVED 0/100')
  })

  test('a due membership that cannot be charged, while the others are', async () => {
    const later = new Date(Date.now() + 86_400_000)
    const faulty = await startMembership(gateway, { dueAt: later })
    const sound = await startMembership(gateway, { dueAt: later })
    await gateway.pool.query(
      `create function refuse_charge() returns trigger language plpgsql
         as 'begin raise exception ''planted''; end'`,
    )
    await gateway.pool.query(
      `create trigger planted before update on memberships for each row
         when (old.id = ${faulty.id} and new.charge_at is not null) execute function refuse_charge()`,
    )
    await gateway.pool.query('update memberships set next_at = now() where id = any($1)', [
      [faulty.id, sound.id],
    ])
    const [charge] = await untilCharged(gateway, sound.id)
    assert.equal(charge?.outcome, 'approved')
    await untilLogged(`"membership":"${faulty.id}"`)
    assert.match(gateway.logged(), /"msg":"a due membership cannot be charged: it stays due"/)
  })
})
