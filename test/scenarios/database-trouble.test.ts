import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { assertBooksAgree, assertKept } from '../support/agreeing-books.ts'
import { openConnectionCutter, type ConnectionCutter } from '../support/connection-cutter.ts'
import { untilSeen } from '../support/eventually.ts'
import { newReference, payment, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { openShop } from '../support/shop.ts'

let gateway: RunningGateway
let cutter: ConnectionCutter
before(async () => {
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '2000' }, undefined, {
    settings: { max_connections: '24' },
    detour: async (url) => {
      cutter = await openConnectionCutter(url)
      return cutter.url
    },
  })
})
after(async () => {
  await gateway.stop()
  await cutter.close()
})

/** The status of `/health/ready`, once it reports the database so. */
async function untilReadiness(database: string): Promise<number> {
  const { status } = await untilSeen(
    `the gateway says that its database is ${database}`,
    async () => {
      const reply = await fetch(new URL('/health/ready', gateway.baseUrl))
      const body = (await reply.json()) as { readonly database: string }
      return { ...body, status: reply.status }
    },
    (seen) => seen.database === database,
  )
  return status
}

async function asOperator(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: gateway.databaseUrl })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const END_THE_OTHERS = `
select pg_terminate_backend(pid) from pg_stat_activity
 where pid <> pg_backend_pid() and application_name like 'tollgate%'`

for (const how of ['fast', 'crash'] as const) {
  const named = how === 'fast' ? 'restarted' : 'killed and started again'
  test(`a database that is ${named} under load loses no approval, and the books agree`, async (t) => {
    const shop = openShop(gateway.client(), 8)
    await shop.untilApproved(30)
    await gateway.stopDatabase(how)
    await shop.untilToldOtherwise()
    assert.equal(await untilReadiness('away'), 503)
    await gateway.startDatabase()
    assert.equal(await untilReadiness('writable'), 200)
    await shop.untilApproved(30)
    await shop.close()

    await assertBooksAgree(gateway)
    await assertKept(gateway, shop)
    t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(shop.answers))}`)
  })
}

test('a payment that the bank has approved while the database restarts is approved', async () => {
  const reference = newReference()
  const cut = cutter.cutNext('conclude', 'before the server')
  const answered = gateway.client().authorize(payment('15.00', { orderReference: reference }))
  await cut
  await gateway.stopDatabase('fast')
  await gateway.startDatabase()

  assert.equal((await answered).status, 'APPROVED')
  await assertBooksAgree(gateway)
})

test('a read-only database is answered 503, and payments go on when it takes writes again', async () => {
  const shop = openShop(gateway.client(), 4)
  await shop.untilApproved(10)
  await asOperator('alter database tollgate set default_transaction_read_only = on', END_THE_OTHERS)
  await shop.untilToldOtherwise()
  assert.equal(await untilReadiness('read_only'), 503)
  await assert.rejects(gateway.client().sale(payment('16.00')), { accepted: 'no' })

  await asOperator(
    'set default_transaction_read_only = off',
    'alter database tollgate reset default_transaction_read_only',
    END_THE_OTHERS,
  )
  assert.equal(await untilReadiness('writable'), 200)
  await shop.untilApproved(10)
  await shop.close()

  await assertBooksAgree(gateway)
  await assertKept(gateway, shop)
})

test('a database that takes no more connections is answered 503 until it does', async () => {
  const shop = openShop(gateway.client(), 4)
  await shop.untilApproved(10)
  const guests = await takeAllConnections()
  await shop.untilToldOtherwise()
  assert.equal(await untilReadiness('away'), 503)

  await Promise.all(guests.map((guest) => guest.end()))
  assert.equal(await untilReadiness('writable'), 200)
  await shop.untilApproved(10)
  await shop.close()

  await assertBooksAgree(gateway)
  await assertKept(gateway, shop)
})

/** Connects until the server refuses, and ends the gateway's sessions until it has none left. */
async function takeAllConnections(): Promise<pg.Client[]> {
  const guests: pg.Client[] = []
  await untilSeen(
    'the gateway has no session left',
    async () => {
      await takeFreeConnections(guests)
      return (await guests[0]?.query(END_THE_OTHERS))?.rowCount
    },
    (ended) => ended === 0,
    { everyMs: 0 },
  )
  return guests
}

async function takeFreeConnections(guests: pg.Client[]): Promise<void> {
  for (;;) {
    const guest = new pg.Client({ connectionString: gateway.databaseUrl })
    guest.on('error', () => undefined)
    try {
      await guest.connect()
      guests.push(guest)
    } catch (error) {
      if ((error as { code?: unknown }).code === '53300') return
      throw error
    }
  }
}

test('the gateway reports a silent database as away, and disconnects when it does not answer', async () => {
  const client = gateway.client()
  assert.equal((await client.authorize(payment('17.00'))).status, 'APPROVED')
  cutter.silence()

  assert.equal(await untilReadiness('away'), 503)
  const told = await client.authorize(payment('18.00')).then(
    (answer) => answer.status || `API ${answer.api.code}`,
    (error: { accepted?: string }) => error.accepted ?? 'no answer',
  )
  assert.ok(['no', 'API 120'].includes(told), told)
  cutter.restore()

  assert.equal(await untilReadiness('writable'), 200)
  assert.equal((await client.authorize(payment('19.00'))).status, 'APPROVED')
  await assertBooksAgree(gateway)
})

test('a gateway whose bank is away is ready, and says that the link is down', async () => {
  await gateway.stopBank()
  await untilRow(gateway, 'the database answers', 'select 1')
  await untilSeen(
    'the gateway says that the link is down',
    async () => {
      const reply = await fetch(new URL('/health/ready', gateway.baseUrl))
      const body = (await reply.json()) as {
        readonly status: string
        readonly links: readonly { readonly state: string }[]
      }
      assert.equal(body.status, 'ready')
      return body
    },
    (body) => body.links[0]?.state === 'down',
  )
  const answer = await gateway.client().authorize(payment('20.00'))
  assert.equal(`${answer.status} ${answer.service.code}`, 'FAILED 530')
})
