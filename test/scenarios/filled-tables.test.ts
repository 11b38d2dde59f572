import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { eventually } from '../support/eventually.ts'
import { payment } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

/** As statements of payments are planned: once, and by a key. */
const ONE_PLAN = '-c enable_seqscan=off -c plan_cache_mode=force_generic_plan'
/** Fewer rows than these may be met one after the other. */
const FILLED = 200

suite('tables that fill after a vacuum', () => {
  let gateway: RunningGateway
  let session: pg.Client

  before(async () => {
    // Autovacuum would bring new plans too, in a minute.
    gateway = await startRunningGateway({}, undefined, { settings: { autovacuum: 'off' } })
    session = new pg.Client({ connectionString: gateway.databaseUrl, options: ONE_PLAN })
    await session.connect()
  })
  after(async () => {
    await session.end()
    await gateway.stop()
  })

  const plan = async (): Promise<string> => {
    const { rows } = await session.query<{ 'QUERY PLAN': string }>('explain execute of_order (1)')
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  test('a statement that was planned while its table was empty gets a plan by the key', async () => {
    await session.query('vacuum')
    await session.query(
      'prepare of_order (bigint) as select captured_minor from orders where id = $1',
    )
    const ofEmpty = await plan()
    assert.doesNotMatch(ofEmpty, /using orders_pkey/)

    const client = gateway.client()
    const pay = (): Promise<unknown> => client.authorize(payment('12.50'))
    for (let paid = 0; paid < FILLED; paid += 20) await Promise.all(Array.from({ length: 20 }, pay))

    // PostgreSQL counts the rows of a connection when that is used again, or after ten seconds.
    await eventually('the plan uses the key', async () => {
      await pay()
      return (await plan()).includes('orders_pkey')
    })
  })

  test('a role that writes no orders has no right to new statistics', async () => {
    await session.query('create role reader')
    await session.query('set session authorization reader')
    try {
      await assert.rejects(session.query('select analyze_filled_tables()'), /permission denied/)
    } finally {
      await session.query('reset session authorization')
    }
  })
})
