import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { assertBooksAgree } from '../support/agreeing-books.ts'
import { comingYear, expiryIn } from '../support/dates.ts'
import { startGatewayNode } from '../support/gateway-node.ts'
import { ask, codes, sale, untilCatalogueIsKnown, type Record } from '../support/memberships.ts'
import { payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { booksOfSite } from '../support/site-books.ts'
import { clock } from '../support/site-clocks.ts'
import { newToken } from '../support/tokens.ts'

const DAY_MS = 86_400_000
const BEGIN = `${comingYear(2030)}-01-01T00:00:00.000Z`
/** Four years, so that one of them has a leap day. */
const END = `${comingYear(2030) + 3}-12-30T00:00:00.000Z`
const STEPS = (Date.parse(END) - Date.parse(BEGIN)) / DAY_MS

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway({ REQUEST_RATE_LIMIT: '0' })
  // By the same ids at both sites, so that their books can be compared.
  await gateway.pool.query(`
    insert into products (site_id, code, name, type, metric, period, price_minor, currency, active)
    select site, code, code, type, metric, period, price, 'USD', active
      from unnest(array[1001, 1003]) as site,
           (values ('days', 'renews', 'D', 30, 300, true), ('month', 'renews', 'M', 1, 1000, true),
                   ('year', 'renews', 'Y', 1, 9000, true), ('pass', 'ends', 'M', 6, 5000, true),
                   ('gone', 'renews', 'M', 1, 1100, false)) as p (code, type, metric, period, price, active)`)
  await untilCatalogueIsKnown(gateway, 'gone')
})
after(() => gateway.stop())

/** The same at either site, whose clocks stand at the same moment. */
async function trade(site: 1001 | 1003): Promise<void> {
  const shop = gateway.client(site)
  const open = await shop.authorize(payment('10.00', { expiry: expiryIn(19) }))
  const part = await shop.authorize(payment('20.00', { expiry: expiryIn(19) }))
  await shop.capture({ orderId: part.orderId, amount: '5.00' })
  const sold = await shop.sale(payment('30.00', { expiry: expiryIn(19) }))
  await shop.refund({ orderId: sold.orderId, amount: '7.00' })
  await newToken(gateway.baseUrl, {}, site)
  assert.deepEqual([open.status, part.status, sold.status], ['APPROVED', 'APPROVED', 'APPROVED'])
  await sellMemberships(site)
}

const AWAY = '4012889000000913'
const LOST = '4012889000000418'
const WAITS_SIX_DAYS = '5200829000004282'

/** Such as are paid for four years, and such as are declined, cancelled, changed, or end. */
async function sellMemberships(site: 1001 | 1003): Promise<void> {
  const accepted = async (form: Parameters<typeof ask>[1]): Promise<Record> => {
    const answer = await ask(gateway, { ...credentials(site), ...form })
    assert.match(codes(answer), /^(APPROVED 0\/100|- 0\/0|- 0\/102)$/)
    return answer
  }
  const join = (
    products: readonly string[],
    more: Parameters<typeof sale>[0] = {},
  ): Promise<Record> =>
    accepted(
      sale({
        PMT_EXPIRY: expiryIn(19),
        ...Object.fromEntries(
          products.flatMap((id, at) => [
            [`LI_PROD_ID_${at + 1}`, id],
            [`LI_VALUE_${at + 1}`, '10.00'],
          ]),
        ),
        ...more,
      }),
    )
  await join(['days'])
  await join(['month', 'year', 'pass'])
  // Due on the same days, and each counts for the other.
  await join(['days', 'month'], { PMT_NUMB: AWAY })
  await join(['month', 'year'], { PMT_NUMB: LOST })
  await join(['month'], { PMT_NUMB: WAITS_SIX_DAYS })
  const { MBSHP_ID_1: cancelled = '' } = await join(['year'])
  await accepted({ REQUEST_ACTION: 'SUB_CANCEL', REQUEST_REF_MBSHP_ID: cancelled })
  const { MBSHP_ID_1: changed = '' } = await join(['month'])
  await accepted({
    REQUEST_ACTION: 'SUB_UPDATE',
    REQUEST_REF_MBSHP_ID: changed,
    SUB_UPDATE_PROD_ID: 'year',
  })
}

test(`one jump over four years and ${STEPS} steps of a day lead to the same books`, async () => {
  for (const site of [1001, 1003] as const) {
    await clock(gateway, 'stop', {}, site)
    assert.equal((await clock(gateway, 'jump', { to: BEGIN }, site)).time, BEGIN)
    await trade(site)
  }
  await untilNoAdviceIsQueued(gateway)
  const before = await booksOfSite(gateway.pool, 1001)
  assert.deepEqual(await booksOfSite(gateway.pool, 1003), before)

  // Neither site knows of the other, so that one moves while the other does.
  const jump = clock(gateway, 'jump', { to: END, wait: 60 }, 1001)
  for (let step = 0; step < STEPS; step += 1) {
    const { status, error } = await clock(gateway, 'step', { by: 'P1D' }, 1003)
    assert.equal(error?.message ?? status, 200)
  }
  assert.equal((await clock(gateway, '', {}, 1003)).time, END)
  await jump
  // A busy machine may take longer than an answer is waited for.
  await untilRow(
    gateway,
    'the jump has arrived',
    'select 1 from site_clocks where site_id = 1001 and target_at is null',
    [],
    300_000,
  )
  assert.equal((await clock(gateway, '', {}, 1001)).time, END)
  await untilNoAdviceIsQueued(gateway)

  const jumped = await booksOfSite(gateway.pool, 1001)
  assert.notDeepEqual(jumped, before)
  const charged = jumped.filter((line) => line.startsWith('charge '))
  assert.ok(charged.length > 100, `${charged.length} renewals`)
  assert.ok(charged.some((line) => line.includes('declined')))
  assert.deepEqual(await booksOfSite(gateway.pool, 1003), jumped)
})

test('a process that is killed in the middle of a move is followed by another one, and nothing is done twice', async (t) => {
  const node = async () => {
    const [port, tlsPort] = await freePorts(2)
    const started = await startGatewayNode({
      ...gateway.nodeSettings,
      PORT: String(port),
      TLS_PORT: String(tlsPort),
    })
    t.after(() => started.kill())
    return started
  }
  await clock(gateway, 'stop', {}, 1002)
  const { time: begin } = await clock(gateway, 'jump', { to: BEGIN }, 1002)
  const shop = gateway.client(1002)
  const orders: string[] = []
  for (let number = 0; number < 150; number += 1) {
    orders.push(String((await shop.authorize(payment('10.00', { expiry: expiryIn(19) }))).orderId))
  }
  // One expires every fourth day, so that there are as many windows to pass through.
  await gateway.pool.query(
    `update orders o set expires_at = $2::timestamptz + n.number * interval '4 days'
       from (select id, row_number() over (order by id) as number from orders where id = any($1::bigint[])) n
      where o.id = n.id`,
    [orders, begin],
  )
  // The clock cannot pass this order until its lock is released.
  const holder = await gateway.pool.connect()
  await holder.query('begin')
  await holder.query('select from orders where id = $1 for update', [orders[99]])
  const first = await node()
  await gateway.stopGateway()
  const asked = await clock(first, 'jump', { to: END, wait: 0 }, 1002)
  assert.equal(`${asked.status} ${asked.movingTo}`, `202 ${END}`)
  const again = await clock(first, 'jump', { to: END, wait: 0 }, 1002)
  assert.equal(`${again.status} ${again.error?.code}`, '409 moving')
  await untilRow(
    gateway,
    'some of the way is behind it',
    `select from site_clocks where site_id = 1002 and site_at > $1::timestamptz + interval '60 days'`,
    [begin],
  )
  await first.kill()
  await holder.query('rollback')
  holder.release()
  const left = await untilRow(
    gateway,
    'the move is under way',
    'select * from site_clocks where site_id = 1002',
  )
  assert.deepEqual((left['target_at'] as Date).toISOString(), END)

  const second = await node()
  await untilRow(
    gateway,
    'the move is over',
    'select from site_clocks where site_id = 1002 and target_at is null',
    [],
    120_000,
  )
  const { done, time } = await clock(second, '', {}, 1002)
  assert.equal(time, END)
  assert.ok((done['authorizations'] ?? 0) <= orders.length)
  await untilNoAdviceIsQueued(gateway)
  const { rows } = await gateway.pool.query(
    `select count(*)::int as orders, count(*) filter (where o.released_at = o.expires_at)::int as released,
            count(*) filter (where o.voided_minor = 1000)::int as voided,
            sum((select count(*) from advices a where a.order_id = o.id))::int as advices
       from orders o where o.id = any($1::bigint[])`,
    [orders],
  )
  assert.deepEqual(rows, [{ orders: 150, released: 150, voided: 150, advices: 150 }])
  assert.ok((await assertBooksAgree(gateway)) > 0)
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials(1002)
  const open = createSingleRequestClient({
    baseUrl: second.baseUrl,
    username,
    password,
    siteId: 1002,
  })
  assert.equal(
    (await open.authorize(payment('10.00', { expiry: expiryIn(19) }))).status,
    'APPROVED',
  )
})
