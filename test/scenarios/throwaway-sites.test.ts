import { createTokenClient } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import {
  AUDITED,
  inTransaction,
} from '../../packages/gateway/src/adapters/postgres/connection/transaction.ts'
import { throwawaySitesTransact } from '../../packages/gateway/src/adapters/postgres/merchants/throwaway-site-store.ts'
import { eraseCustomers } from '../../packages/gateway/src/adapters/postgres/retention/customer-erasure.ts'
import { createEndedSitesStore } from '../../packages/gateway/src/adapters/postgres/retention/ended-sites-store.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { createThrowawaySites } from '../../packages/gateway/src/usecases/merchants/throwaway-sites.ts'
import { booksDifferences } from '../support/bank-books.ts'
import { brokenInvariants } from '../support/books.ts'
import { untilSeen } from '../support/eventually.ts'
import { ask, codes, monthly, sale } from '../support/memberships.ts'
import { outcome, payment, untilNoAdviceIsQueued, untilRow, VISA } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '3000' })
})
after(() => gateway?.stop())

interface Made {
  readonly site: number
  readonly account: number
  readonly tokenKey: string
  readonly currencies: readonly string[]
  readonly expires: string
}

/** Takes at most 500.00 a day. */
const DAILY = '4242429000000621'
const LOGIN = { username: 'demo@tollgate.test', password: 'Sandbox-4.14-demo', site: 1001 }

async function call(
  path: string,
  more: Readonly<Record<string, unknown>> = {},
  method = 'POST',
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const answer = await fetch(new URL(`/sandbox/${path}`, gateway.baseUrl), {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...LOGIN, ...more }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function newSite(more: Readonly<Record<string, unknown>> = {}): Promise<Made> {
  const { body, status } = await call('sites', more)
  assert.equal(status, 201, JSON.stringify(body))
  return body as unknown as Made
}

const end = (site: number) => call(`sites/${site}`, {}, 'DELETE')

function shopOf({ site }: Pick<Made, 'site'>) {
  const { password, username } = LOGIN
  return createSingleRequestClient({ baseUrl: gateway.baseUrl, username, password, siteId: site })
}

suite('throwaway sites', () => {
  test('a site is made with an account, a token key and a clock, and takes payments at once', async () => {
    const made = await newSite()
    assert.deepEqual(made.currencies, ['USD', 'EUR', 'GBP', 'JPY', 'KWD'])
    assert.equal(outcome(await shopOf(made).sale(payment('12.50'))), 'APPROVED 0/100')
    const { baseUrl } = gateway
    const tokens = createTokenClient({ baseUrl, siteId: made.site, siteKey: made.tokenKey })
    assert.notEqual((await tokens.createToken({ cardNumber: VISA })).token, '')
    const stepped = await call('clock/step', { site: made.site, by: 'P40D' })
    assert.equal(stepped.status, 200)
    const { body } = await call('clock')
    assert.equal(body['ownClock'], false)
  })

  test('forty sites pay at once, and each has its own day of a limited card and its own link faults', async () => {
    const sites = await Promise.all(Array.from({ length: 40 }, () => newSite()))
    assert.equal(new Set(sites.map(({ site }) => site)).size, 40)
    const breaking = ['9104.00', '9105.00', '9106.00', '9107.02']
    const outcomes = await Promise.all(
      sites.map(async (made, at) => {
        const amount = breaking[at]
        const first =
          amount === undefined ? payment('300.00', { cardNumber: DAILY }) : payment(amount)
        return outcome(await shopOf(made).sale(first))
      }),
    )
    assert.deepEqual(outcomes.slice(0, 4), Array(4).fill('FAILED 0/502'))
    assert.deepEqual(outcomes.slice(4), Array(36).fill('APPROVED 0/100'))
    const again = await shopOf(sites[5] ?? newFailure()).sale(
      payment('300.00', { cardNumber: DAILY }),
    )
    assert.equal(outcome(again), 'DECLINED 0/540')
    for (const { site } of sites) assert.equal((await end(site)).status, 200)
  })

  test('a site that is ended takes nothing any more, its id is not used again, and books and bank agree', async () => {
    const made = await newSite()
    const shop = shopOf(made)
    const held = await shop.authorize(payment('20.00', { customer: { email: 'ann@shop.example' } }))
    await shop.sale(payment('12.50'))
    const login = { ...credentials(), SITE_ID: String(made.site) }
    assert.equal(
      codes(await ask(gateway, { ...sale(monthly('Gold')), ...login })),
      'APPROVED 0/100',
    )
    assert.equal((await end(made.site)).status, 200)
    assert.equal((await end(made.site)).status, 404)
    await untilSeen(
      'the site is refused',
      async () => codes(await ask(gateway, { ...sale(), ...login })),
      (seen) => seen === '- 103/0 SITE_ID',
    )
    await untilRow(
      gateway,
      'the data of the site are removed',
      'select from throwaway_sites where site_id = $1 and removed_at is not null',
      [made.site],
      60_000,
    )
    const { rows } = await gateway.pool.query(
      `select (select voided_minor::text from orders where id = $2) as voided,
              (select count(*)::integer from memberships
                where site_id = $1 and over_at is null) as memberships,
              (select count(*)::integer from requests where site_id = $1) as requests,
              (select count(*)::integer from payment_methods p join orders o
                 on o.customer_id = p.customer_id
                where o.site_id = $1 and p.removed_at is null) as cards,
              (select c.email from customers c join orders o on o.customer_id = c.id
                where o.id = $2) as email,
              (select array_agg(operation order by number) from audit_entries
                where object = 'site ' || $1 and operation like 'sandbox_site.%') as entries`,
      [made.site, held.orderId],
    )
    assert.deepEqual(rows, [
      {
        voided: '2000',
        memberships: 0,
        requests: 0,
        cards: 0,
        email: '',
        entries: ['sandbox_site.created', 'sandbox_site.ended', 'sandbox_site.removed'],
      },
    ])
    assert.ok((await newSite()).site > made.site)
    await untilNoAdviceIsQueued(gateway)
    assert.deepEqual(await booksDifferences(gateway), [])
    assert.deepEqual(await brokenInvariants(gateway), [])
  })

  test('the removal of a site goes on behind customers who were erased before', async () => {
    const made = await newSite()
    const shop = shopOf(made)
    const all = Array.from({ length: 21 }, (_, at) => `buyer${at}@shop.example`)
    await Promise.all(all.map((email) => shop.sale(payment('3.00', { customer: { email } }))))
    const ofSite = `select c.id, c.email from customers c join orders o on o.customer_id = c.id
                     where o.site_id = $1 order by c.id`
    const { rows } = await gateway.pool.query<{ id: string }>(ofSite, [made.site])
    const before = rows.slice(0, 20).map(({ id }) => id)
    await inTransaction(gateway.pool, AUDITED, async (client) => {
      await eraseCustomers(client, before, 'test')
      return { ok: true }
    })
    const store = createEndedSitesStore(gateway.pool, 'test')
    const site = { siteId: BigInt(made.site), merchantId: 1n }
    assert.equal(await store.eraseCustomers(site), 'more')
    assert.equal(await store.eraseCustomers(site), 'done')

    const { rows: left } = await gateway.pool.query<{ email: string }>(ofSite, [made.site])
    assert.deepEqual(
      left.filter(({ email }) => email !== ''),
      [],
    )
  })

  test('no address of sites repeats a card number', async () => {
    for (const [path, more, method] of [
      ['sites', { days: DAILY }, 'POST'],
      ['sites', { [DAILY]: 1 }, 'POST'],
      [`sites/${DAILY}`, {}, 'DELETE'],
      ['reset', { [DAILY]: 1 }, 'POST'],
    ] as const) {
      const { body, status } = await call(path, more, method)
      assert.match(`${status}`, /^40[04]$/)
      assert.ok(!JSON.stringify(body).includes(DAILY), path)
    }
  })

  test('a forgotten site is ended, and the removal of its data leaves the sites of others alone', async () => {
    const [forgotten, kept] = [await newSite({ days: 1 }), await newSite()]
    await gateway.pool.query(
      `update throwaway_sites set expires_at = now() - interval '1 second' where site_id = $1`,
      [forgotten.site],
    )
    await createThrowawaySites({
      transact: throwawaySitesTransact(gateway.pool),
      newTokenKey: () => new Secret('unused'),
      seal: async () => ({ ciphertext: Buffer.alloc(0), dataKeyId: 0 }),
    }).endForgotten({ actor: 'tollgate', address: '' })
    const open = await gateway.pool.query<{ site_id: string }>(
      'select site_id from throwaway_sites where ended_at is null and site_id = any($1::bigint[])',
      [[forgotten.site, kept.site]],
    )
    assert.deepEqual(open.rows, [{ site_id: String(kept.site) }])
  })

  test('a reset brings a site back: references, authorizations, volume of the day and fault rules', async () => {
    const made = await newSite()
    const shop = shopOf(made)
    const held = await shop.authorize(payment('20.00'))
    const rule = {
      match: { merchant: `TGSITE${made.account}` },
      action: { kind: 'code', code: '05' },
    }
    const control = new URL('/faults', gateway.bank.controlUrl ?? '')
    const headers = { 'content-type': 'application/json' }
    await fetch(control, { method: 'POST', headers, body: JSON.stringify(rule) })
    assert.equal(outcome(await shop.sale(payment('5.00'))), 'DECLINED 0/650')
    const answer = await call('reset', { site: made.site })
    assert.deepEqual([answer.status, answer.body['reset']], [200, true])
    assert.equal(outcome(await shop.sale(payment('5.00'))), 'APPROVED 0/100')
    const { rows } = await gateway.pool.query(
      'select voided_minor::text as voided from orders where id = $1',
      [held.orderId],
    )
    assert.deepEqual(rows, [{ voided: '2000' }])
  })

  test('no merchant makes a site beyond the limit, with a live site, or for a site of another', async () => {
    const wrong = await call('sites', { days: 31 })
    assert.deepEqual([wrong.status, errorOf(wrong)], [400, 'days is no whole number from 1 to 30.'])
    assert.equal((await call('sites/1001', {}, 'DELETE')).status, 404)
    await gateway.pool.query(
      `insert into sites (id, merchant_id, name) select n, 2, 'filler' from generate_series(50001, 50100) n`,
    )
    await gateway.pool.query(
      `insert into throwaway_sites (site_id, merchant_id, made_by, expires_at)
       select n, 2, 'test', now() + interval '1 day' from generate_series(50001, 50100) n`,
    )
    const other = { username: 'other@tollgate.test', password: 'Sandbox-4.14-other', site: 1002 }
    const full = await call('sites', other)
    assert.equal(full.status, 409)
    assert.match(errorOf(full), /^The merchant has 100 throwaway sites, and may have 100\. Delete /)
    const foreign = await call('sites/50001', {}, 'DELETE')
    assert.equal(foreign.status, 404)
    await assert.rejects(
      gateway.pool.query(`update sites set mode = 'live' where id = 50001`),
      /was made for a test and stays in test mode/,
    )
  })
})

function errorOf({ body }: { readonly body: Record<string, unknown> }): string {
  return (body['error'] as { readonly message: string }).message
}

function newFailure(): never {
  throw new Error('There is no such site.')
}
