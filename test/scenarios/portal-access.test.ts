import type { Route } from '@tollgate/portal-contract/route'
import * as table from '@tollgate/portal-contract/routes'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { after, before, suite, test } from 'node:test'
import type { PortalRoute } from '../../packages/gateway/src/portal/shell/portal-route.ts'
import { untilSeen } from '../support/eventually.ts'
import { payment, untilRow } from '../support/payments.ts'
import { PORTAL_BODIES, PORTAL_OBJECTS } from '../support/portal-objects.ts'
import {
  NO_RIGHT_NEEDED,
  PORTAL_RIGHTS,
  ROLE_OF_LETTER,
  SIGN_IN_ROUTES,
} from '../support/portal-rights.ts'
import { addPortalUser, signIn, OTHER_OWNER, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`
/** A number that nothing has. */
const NOTHING = '987654321012345'
const somewhere = (path: string): string => path.replace(/:[^/]+/g, NOTHING)

/** The entries of a part of the route table, which may have parts itself. */
function entriesOf(part: object): Route[] {
  return Object.values(part).flatMap((each: object) =>
    'path' in each ? [each as Route] : entriesOf(each),
  )
}

suite('every address of the portal', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  let routes: readonly PortalRoute[]
  before(async () => {
    gateway = await startRunningGateway()
    routes = gateway.portalRoutes
    owner = await signIn(gateway)
  })
  after(() => gateway?.stop())

  /** Status and code of the answer to a route, for ids that do not exist. */
  async function ask(route: PortalRoute, headers: Record<string, string>): Promise<string> {
    const isRead = route.method === 'GET'
    const response = await fetch(new URL(`/portal/api${somewhere(route.path)}`, gateway.baseUrl), {
      method: route.method,
      headers: { ...(isRead ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(isRead ? {} : { body: '{}' }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    const answered = isJson ? (JSON.parse(text) as { error?: { code: string } }) : {}
    return `${response.status} ${answered.error?.code}`
  }

  /** Status and code of the answer to each route, of those that are not as expected. */
  async function odd(
    asked: readonly PortalRoute[],
    expected: string,
    headers: (route: PortalRoute) => Record<string, string>,
  ): Promise<string[]> {
    const found: string[] = []
    for (const route of asked) {
      const answer = await ask(route, headers(route))
      if (answer !== expected) found.push(`${nameOf(route)}: ${answer}`)
    }
    return found
  }

  test('is one of many, and none is there twice', () => {
    assert.ok(routes.length >= 115)
    assert.equal(new Set(routes.map(nameOf)).size, routes.length)
  })

  test('is in the route table, where each entry but those of signing in wants a session', () => {
    const { session: _sign_in, ...afterSignIn } = table
    assert.deepEqual(routes.map(nameOf).toSorted(), entriesOf(afterSignIn).map(nameOf).toSorted())
  })

  test('wants a session', async () => {
    assert.deepEqual(await odd(routes, '401 signed_out', () => ({})), [])
    assert.deepEqual(
      await odd(routes, '401 signed_out', () => ({ cookie: 'tollgate_portal=made-up' })),
      [],
    )
  })

  test('wants the token of the session for what changes something', async () => {
    const writing = routes.filter(({ method }) => method !== 'GET')
    assert.deepEqual(await odd(writing, '403 csrf', () => ({ cookie: owner.cookie })), [])
    assert.deepEqual(
      await odd(writing, '403 csrf', () => ({
        cookie: owner.cookie,
        'x-csrf-token': 'A'.repeat(43),
      })),
      [],
    )
  })

  test('refuses requests from foreign pages, even with a session and its token', async () => {
    const whole = { cookie: owner.cookie, 'x-csrf-token': owner.session.csrfToken as string }
    for (const foreign of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      assert.deepEqual(
        await odd(
          routes,
          '403 foreign_page',
          () => ({ ...whole, ...foreign }) as Record<string, string>,
        ),
        [],
      )
    }
  })

  test('is in the table of rights that is written by hand, and in one row of it', () => {
    const ofRights = Object.values(PORTAL_RIGHTS).flatMap(({ routes: each }) => each)
    assert.deepEqual(
      routes.map(nameOf).toSorted(),
      [...ofRights, ...NO_RIGHT_NEEDED].toSorted(),
      'a new route needs a row in test/support/portal-rights.ts',
    )
    assert.deepEqual(entriesOf(table.session).map(nameOf).toSorted(), SIGN_IN_ROUTES.toSorted())
  })

  test('the page about users gives each role the rights of that table', () => {
    const page = readFileSync(new URL('../../docs/portal/users.md', import.meta.url), 'utf8')
    const cell = (has: boolean): string => (has ? ' yes ' : '  ')
    for (const [right, { roles }] of Object.entries(PORTAL_RIGHTS)) {
      const cells = Object.keys(ROLE_OF_LETTER).map((letter) => cell(roles.includes(letter)))
      assert.ok(page.includes(`\n| ${right} |${cells.join('|')}|\n`), right)
    }
    const rows =
      page
        .match(/^\| May \|.*\n(?:\|.*\n)*/m)?.[0]
        .trim()
        .split('\n') ?? []
    assert.equal(rows.length - 2, Object.keys(PORTAL_RIGHTS).length)
  })

  test('lets in the roles that have its right, and refuses all others', async () => {
    const refused = new Map<string, string>()
    await Promise.all(
      Object.entries(ROLE_OF_LETTER).map(async ([letter, role]) => {
        const user = await signIn(gateway, await addPortalUser(gateway, role))
        const headers = { cookie: user.cookie, 'x-csrf-token': user.session.csrfToken as string }
        for (const route of routes) {
          const answer = await ask(route, headers)
          // A session that was ended would be refused as well.
          assert.notEqual(answer.split(' ')[0], '401', `${nameOf(route)} ${role}`)
          if (answer === '403 not_allowed')
            refused.set(nameOf(route), `${refused.get(nameOf(route)) ?? ''}${letter}`)
        }
      }),
    )
    const wrong = Object.values(PORTAL_RIGHTS).flatMap(({ roles, routes: ofRight }) =>
      ofRight.flatMap((name) => {
        const got = Object.keys(ROLE_OF_LETTER).filter((each) => !refused.get(name)?.includes(each))
        return got.join('') === roles ? [] : [`${name} is for ${roles}, and let ${got.join('')} in`]
      }),
    )
    assert.deepEqual(wrong, [])
    assert.deepEqual(
      NO_RIGHT_NEEDED.filter((name) => refused.has(name)),
      [],
    )
  })

  test("knows nothing of another merchant's: the answer is that for what is not there", async () => {
    const faults: string[] = []
    // The name of a list belongs to no merchant.
    for (const route of routes.filter(
      ({ path }) => path.includes(':') && !path.includes('/:list'),
    )) {
      const [kind] = Object.keys(PORTAL_OBJECTS)
        .filter((prefix) => route.path === prefix || route.path.startsWith(`${prefix}/`))
        .toSorted((a, b) => b.length - a.length)
      const rest = kind === undefined ? route.path : route.path.slice(kind.length)
      const make = kind === undefined ? undefined : PORTAL_OBJECTS[kind]
      if (kind === undefined || make === undefined || rest.includes(':')) {
        faults.push(`${nameOf(route)} has no row in test/support/portal-objects.ts`)
        continue
      }
      const [path = '', query] = (await make(gateway)).split('?')
      const asked = [`${path}${rest}`, `${kind.replace(/:[^/]+/g, NOTHING)}${rest}`]
      // Fresh ones, so that ending a session or anything else leaves the next route as it was.
      const otherOwner = await signIn(gateway, OTHER_OWNER)
      const [theirs, none] = await Promise.all(
        asked.map(async (address) => {
          const response = await fetch(
            new URL(
              `/portal/api${address}${query === undefined ? '' : `?${query}`}`,
              gateway.baseUrl,
            ),
            {
              method: route.method,
              headers: {
                cookie: otherOwner.cookie,
                'x-csrf-token': otherOwner.session.csrfToken as string,
                ...(route.method === 'GET' ? {} : { 'content-type': 'application/json' }),
              },
              ...(route.method === 'GET'
                ? {}
                : { body: JSON.stringify(PORTAL_BODIES[nameOf(route)] ?? {}) }),
            },
          )
          return `${response.status} ${await response.text()}`
        }),
      )
      if (theirs !== none || theirs?.startsWith('404 ') !== true) {
        faults.push(`${nameOf(route)}: ${theirs} | ${none} (a 400 wants a row in PORTAL_BODIES)`)
      }
    }
    assert.deepEqual(faults, [])
  })

  test('reads JSON alone, and no more of it than a file of settings has', async () => {
    const send = async (type: string, body: string): Promise<number> => {
      const headers = {
        cookie: owner.cookie,
        'x-csrf-token': owner.session.csrfToken as string,
        'content-type': type,
      }
      return (
        await fetch(new URL('/portal/api/users', gateway.baseUrl), {
          method: 'POST',
          headers,
          body,
        })
      ).status
    }

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ]) {
      assert.equal(await send(type, '{"email":"a@b.example"}'), 415, type)
    }
    assert.equal(await send('application/json', `{"email":"${'a'.repeat(300_000)}"}`), 413)
    assert.equal(await send('application/json', '{"__proto__":{"role":"owner"}}'), 400)
    assert.equal(await send('application/json', '{'), 400)
  })

  test('a text that the database cannot hold, or an invalid day, is answered as an invalid request', async () => {
    const queries = [
      'orders?q=a%00b',
      'orders?status=%00',
      'orders?user=%00',
      'customers?search=a%00b',
      'orders?from=2026-02-31',
      'transactions?to=0000-01-01',
      'orders/totals?to=9999-12-31',
      'orders?after=-999999999999999999.1',
    ]
    for (const query of queries) assert.equal((await owner.get(`/${query}`)).status, 400, query)
    assert.equal((await owner.get('/orders?q=9999-12-31')).status, 200)
    const strange = await fetch(new URL('/portal/api/session', gateway.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'a\0b', password: 'x' }),
    })
    assert.equal(strange.status, 400)
    assert.equal(
      (
        await owner.post('/order-views', {
          list: 'orders',
          name: 'Half',
          search: 'q=%zz',
          shared: false,
        })
      ).status,
      200,
    )
    assert.ok(!gateway.logged().includes('failed with an internal error'))
  })

  test('no sentence says a card number again, and none is kept where an id, a key or a filter belongs', async () => {
    const number = '4111111111111111'
    const dotted = '4111.1111.1111.1111'
    const answers = await Promise.all([
      owner.put('/settings/sites/1001/token-origins', { origins: [number], seen: [] }),
      owner.post('/settings/api-users/demo%40tollgate.test/networks/check', { networks: [number] }),
      owner.post('/settings/sites/1001/go-live', {
        digest: '0'.repeat(64),
        reason: `for ${number}`,
      }),
      owner.post('/reconciliation/differences/1', {
        version: 1,
        what: 'noted',
        note: `the card is ${number}`,
      }),
      owner.post('/orders/1/notes', { key: number, text: 'hello' }),
      owner.put('/settings/sites/1001/token-origins', { origins: [dotted], seen: [] }),
    ])
    for (const { status, text } of answers) {
      assert.equal(status, 400, text)
      assert.ok(!text.includes(number) && !text.includes(dotted), text)
    }
    await owner.get(`/audit?operation=${number}`)
    await owner.get(`/audit?before=${number}`)
    const { rows } = await gateway.pool.query(
      'select details from audit_entries where details like $1',
      [`%${number}%`],
    )
    assert.deepEqual(rows, [])
  })

  test('is answered with what keeps browsers from keeping, framing and guessing it', async () => {
    const asked = [
      ['/session', {}, 401],
      ['/users', {}, 401],
      ['/users', { cookie: owner.cookie }, 200],
      [`/orders/${NOTHING}`, { cookie: owner.cookie }, 404],
      ['/orders/csv', { cookie: owner.cookie }, 200],
    ] as const
    for (const [path, sent, expected] of asked) {
      const response = await fetch(new URL(`/portal/api${path}`, gateway.baseUrl), {
        headers: sent,
      })
      await response.text()
      const { headers } = response
      assert.equal(response.status, expected, path)
      assert.equal(headers.get('cache-control'), 'no-store', path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      assert.match(headers.get('tollgate-request-id') ?? '', /^[a-p]{12}-\w+$/, path)
      assert.equal(headers.get('x-frame-options'), 'DENY', path)
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, path)
      assert.equal(headers.get('location'), null, path)
    }
  })

  test('delays no payment, however many requests portal users send at once', async () => {
    const { raw } = await gateway.client().sale(payment('1.00'))
    const again = {
      REQUEST_ACTION: 'CCAUTHCAP',
      CUST_ID: String(raw['CUST_ID']),
      LI_VALUE_1: '2.00',
      REQUEST_CURRENCY: 'USD',
    }
    const slow = await gateway.pool.connect()
    await slow.query('begin; lock table portal_order_views in access exclusive mode')
    const asked = Promise.all(Array.from({ length: 20 }, () => owner.get('/order-lists/orders')))
    try {
      await untilRow(
        gateway,
        'portal users wait',
        `select from pg_locks l join pg_class c on c.oid = l.relation where c.relname = 'portal_order_views' and not l.granted`,
      )
      assert.equal((await gateway.client().raw(again))['TRANS_STATUS_NAME'], 'APPROVED')
    } finally {
      await slow.query('rollback')
      slow.release()
    }
    assert.deepEqual([...new Set((await asked).map(({ status }) => status))], [200])
  })

  test('sends a portal user two files at once, and no more until one of them is over', async () => {
    const slow = await gateway.pool.connect()
    await slow.query('begin; lock table orders in access exclusive mode')
    try {
      const begun = await Promise.all(
        [1, 2].map(() =>
          fetch(new URL('/portal/api/orders/csv', gateway.baseUrl), {
            headers: { cookie: owner.cookie },
          }),
        ),
      )
      assert.deepEqual(
        begun.map(({ status }) => status),
        [200, 200],
      )
      const more = await owner.get('/orders/csv')
      assert.equal(`${more.status} ${more.body?.error.code}`, '429 too_many_files')
      const other = await fetch(new URL('/portal/api/orders/csv', gateway.baseUrl), {
        headers: {
          cookie: (await signIn(gateway, await addPortalUser(gateway, 'finance'))).cookie,
        },
      })
      assert.equal(other.status, 200)
      for (const { body } of [...begun, other]) await body?.cancel()
    } finally {
      await slow.query('rollback')
      slow.release()
    }
    await untilSeen(
      'the owner gets a file again',
      async () => (await owner.get('/orders/csv')).status,
      (status) => status === 200,
    )
  })

  test('counts no file of a portal user who left before it began', async () => {
    const { rows } = await gateway.pool.query<{ id: string }>(
      'select id from batches where merchant_id = 1 limit 1',
    )
    const url = new URL(`/portal/api/batches/${rows[0]?.id}/transactions.csv`, gateway.baseUrl)
    for (let left = 0; left < 2; left += 1) {
      const slow = await gateway.pool.connect()
      await slow.query('begin; lock table batches in access exclusive mode')
      try {
        const leaving = new AbortController()
        const asked = fetch(url, { headers: { cookie: owner.cookie }, signal: leaving.signal })
        await untilRow(
          gateway,
          'the file waits',
          `select from pg_locks l join pg_class c on c.oid = l.relation where c.relname = 'batches' and not l.granted and l.mode = 'AccessShareLock'`,
        )
        leaving.abort()
        await assert.rejects(asked)
        // By the time that others are answered it was noticed.
        for (let at = 0; at < 3; at += 1) await owner.get('/session/left')
      } finally {
        await slow.query('rollback')
        slow.release()
      }
      await untilRow(
        gateway,
        'nothing waits',
        `select 1 where not exists (select from pg_locks l join pg_class c on c.oid = l.relation where c.relname = 'batches' and not l.granted)`,
      )
      for (let at = 0; at < 3; at += 1) await owner.get('/session/left')
    }
    const answer = await owner.get(`/batches/${rows[0]?.id}/transactions.csv`)
    assert.equal(answer.status, 200, answer.text)
  })

  test('answers 400 requests of a session at once and 20 a second, and no other session fewer', async () => {
    const flooding = await signIn(gateway, await addPortalUser(gateway, 'support'))
    const begun = performance.now()
    const answered = { 200: 0, 429: 0 }
    // As many as a slow machine needs to be faster than the rate, which continues to refill.
    for (let at = 0; at < 300 && answered[429] === 0; at += 1) {
      for (const { status } of await Promise.all(
        Array.from({ length: 20 }, () => flooding.get('/session/left')),
      ))
        answered[status as 200 | 429] += 1
    }
    const allowed = 400 + (20 * (performance.now() - begun)) / 1_000
    assert.ok(answered[429] > 0 && answered[200] >= 400, JSON.stringify(answered))
    assert.ok(answered[200] <= allowed + 1, `${answered[200]} of ${allowed}`)
    assert.equal((await owner.get('/session/left')).status, 200)
  })

  test('answers 3,000 requests of an address at once and 200 a second, and no other address fewer', async () => {
    // Linux has all of 127.0.0.0/8: the owner keeps the address of the other tests.
    const agent = new Agent({ keepAlive: true, maxSockets: 20, localAddress: '127.0.0.2' })
    const url = new URL('/portal/api/session', gateway.baseUrl)
    const status = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        get(url, { agent }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode))
        }).once('error', reject)
      })
    const begun = performance.now()
    const answered = new Map<number | undefined, number>()
    for (let at = 0; at < 200 && !answered.has(429); at += 1) {
      for (const each of await Promise.all(Array.from({ length: 100 }, status)))
        answered.set(each, (answered.get(each) ?? 0) + 1)
    }
    agent.destroy()
    const allowed = 3_000 + (200 * (performance.now() - begun)) / 1_000
    const signedOut = answered.get(401) ?? 0
    assert.ok(answered.has(429) && signedOut >= 3_000, JSON.stringify([...answered]))
    assert.ok(signedOut <= allowed + 1, `${signedOut} of ${allowed}`)
    assert.equal((await owner.get('/session/left')).status, 200)
  })
})
