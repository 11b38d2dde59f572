import { Secret } from '@tollgate/gateway/operator'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { logIn, newUser, tally, withUsers } from '../support/logins.ts'
import { untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let secondNode: GatewayNode
/** Of both gateways. */
let nodes: readonly string[]
before(async () => {
  gateway = await startRunningGateway({
    LOGIN_FAILURE_LIMIT: '10',
    API_USER_IDLE_DAYS: '90',
    TRUST_PROXY: '127.0.0.1',
  })
  const [port, tlsPort] = await freePorts(2)
  secondNode = await startGatewayNode({
    ...gateway.nodeSettings,
    PORT: String(port),
    TLS_PORT: String(tlsPort),
  })
  nodes = [gateway.baseUrl, secondNode.baseUrl]
})
after(async () => {
  await secondNode?.stop()
  await gateway?.stop()
})

const nodeOf = (at: number): string => nodes[at % nodes.length] ?? ''

/** Asks again until the answer is another one. */
async function answerOtherThan(answer: string, ask: () => Promise<string>): Promise<string> {
  return untilSeen(`the answer is another than ${answer}`, ask, (seen) => seen !== answer, {
    everyMs: 0,
  })
}

/** Counts a user's audit entries. Waits for them: a failure is entered after its answer. */
async function audited(username: string, entries: number): Promise<Record<string, number>> {
  await untilRow(
    gateway,
    `there are ${entries} entries`,
    'select from (select count(*) as entries from audit_entries where actor = $1) e where entries >= $2',
    [`api:${username}`, entries],
  )
  const { rows } = await gateway.pool.query<{ what: string }>(
    `select operation || coalesce(': ' || (details::json ->> 'reason'), '') as what
       from audit_entries where actor = $1`,
    [`api:${username}`],
  )
  return tally(rows.map((row) => row.what))
}

test('R8: of 200 wrong guesses at once over two nodes ten are verified, and the rest get code 100', async () => {
  const user = await newUser(gateway)
  const guess = (at: number) => logIn(nodeOf(at), { ...user, password: `Wrong-guess-${at}` })

  const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => guess(at)))

  assert.deepEqual(tally(answers), { 100: 190, 101: 10 })
  for (const node of nodes) {
    assert.equal(await logIn(node, user), '100', 'the right password of a locked user')
    assert.equal(await logIn(node, { ...user, address: '192.0.2.2' }), '0', 'from elsewhere')
  }
  assert.deepEqual(await audited(user.username, 13), {
    'login.failed: wrong password': 10,
    'login.locked': 1,
    'login.verified': 2,
  })
})

test('R8: the same wrong password 200 times is ten wrong guesses', async () => {
  const user = await newUser(gateway)
  const ask = (at: number) => logIn(nodeOf(at), { ...user, password: 'Always-the-same-1' })

  const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => ask(at)))

  assert.deepEqual(tally(answers), { 100: 190, 101: 10 })
})

test('R8: a remembered password that is guessed within a burst does not get around the limit', async () => {
  const user = await newUser(gateway)
  assert.equal(await logIn(gateway.baseUrl, user), '0')
  const attempts = 'select coalesce(sum(attempts), 0)::int as sum from login_failures'
  const { rows } = await gateway.pool.query<{ sum: number }>(attempts)
  const guess = (at: number) => logIn(gateway.baseUrl, { ...user, password: `Wrong-guess-${at}` })

  const guesses = Array.from({ length: 60 }, (_, at) => guess(at))
  // The right one must not be among the first ten, which may all be let in.
  await untilRow(
    gateway,
    'ten guesses are under way',
    `select from (${attempts}) a where a.sum >= $1`,
    [(rows[0]?.sum ?? 0) + 10],
  )

  assert.equal(await logIn(gateway.baseUrl, user), '100')
  assert.deepEqual(tally(await Promise.all(guesses)), { 100: 50, 101: 10 })
})

test('R8: 200 requests at once with the right password, which no node remembers, are all let in', async () => {
  const user = await newUser(gateway)

  const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => logIn(nodeOf(at), user)))

  assert.deepEqual(tally(answers), { 0: 200 })
  assert.deepEqual(await audited(user.username, 2), { 'login.verified': 2 })
})

test('R8: a lock ends by the clock of the database, on every node', async () => {
  const user = await newUser(gateway)
  for (let at = 0; at < 10; at += 1) await logIn(nodeOf(0), { ...user, password: 'Wrong-1' })
  assert.equal(await logIn(nodeOf(0), user), '100')
  assert.equal(await answerOtherThan('0', () => logIn(nodeOf(1), user)), '100')

  await gateway.pool.query(
    `update login_failures set locked_until = locked_until - interval '10 minutes',
       window_started_at = window_started_at - interval '10 minutes'`,
  )

  for (const node of nodes) {
    assert.equal(await answerOtherThan('100', () => logIn(node, user)), '0')
  }
})

test('two passwords are taken side by side, and a retired one by no node, though it is remembered', async () => {
  const user = await newUser(gateway)
  const renewed = { ...user, password: 'Chosen-by-nobody-4712' }
  for (const node of nodes) assert.equal(await logIn(node, user), '0')

  const made = await withUsers(gateway, (users) =>
    users.addPassword(user.username, new Secret(renewed.password)),
  )

  assert.deepEqual(made, { ok: true, number: 2, generated: null })
  for (const node of nodes) {
    assert.equal(await logIn(node, renewed), '0')
    assert.equal(await logIn(node, user), '0')
  }
  await withUsers(gateway, (users) => users.retirePassword(user.username, 1))
  for (const node of nodes) {
    assert.equal(await answerOtherThan('0', () => logIn(node, user)), '101')
    assert.equal(await logIn(node, renewed), '0')
  }
})

test('a third live password is refused by the command and by the database', async () => {
  const { username } = await newUser(gateway)

  const [second, third] = await withUsers(gateway, async (users) => [
    await users.addPassword(username, null),
    await users.addPassword(username, null),
  ])

  assert.ok(second?.ok === true && second.generated !== null)
  assert.ok(third?.ok === false)
  assert.match(
    third.faults.join(),
    /two live passwords already, numbers 1 and 2, .* Retire the one/,
  )
  await assert.rejects(
    gateway.pool.query(
      `insert into api_user_passwords (user_id, number, place, hash, made_by)
       select id, 3, 1, 'x', 'test' from api_users where username = $1`,
      [username],
    ),
    /api_user_passwords_two_live/,
  )
})

test('of three operators who make a password at once two succeed, and the third is refused', async () => {
  const { username } = await newUser(gateway)

  const made = await Promise.all(
    [1, 2, 3].map(() => withUsers(gateway, (users) => users.addPassword(username, null))),
  )

  assert.deepEqual(made.map(({ ok }) => ok).toSorted(), [false, false, true])
})

test('none of the last four passwords is taken again, and an older one is', async () => {
  const { username, password } = await newUser(gateway)

  await withUsers(gateway, async (users) => {
    const take = (text: string) => users.addPassword(username, new Secret(text))
    for (let number = 2; number <= 5; number += 1) {
      const again = await take(password)
      assert.ok(!again.ok, `password ${number}`)
      assert.match(again.faults.join(), /one of the last 4/)
      assert.ok((await take(`Chosen-by-nobody-${number}`)).ok)
      assert.ok((await users.retirePassword(username, number - 1)).ok)
    }
    assert.ok((await take(password)).ok)
  })
})

test('a user is let in from its networks only; elsewhere it is answered like a wrong password, and counted', async () => {
  const user = await newUser(gateway)
  const away = { ...user, address: '198.51.100.7' }
  for (const node of nodes) assert.equal(await logIn(node, away), '0')

  await withUsers(gateway, (users) =>
    users.allowFrom(user.username, ['192.0.2.0/24', '2001:db8::/32'], null),
  )

  for (const node of nodes) {
    assert.equal(await answerOtherThan('0', () => logIn(node, away)), '101')
    assert.equal(await logIn(node, user), '0')
    assert.equal(await logIn(node, { ...user, address: '2001:db8::7' }), '0')
  }
  for (let at = 2; at < 10; at += 1) assert.equal(await logIn(nodeOf(at), away), '101')
  assert.equal(await logIn(gateway.baseUrl, away), '100')
  const entries = await audited(user.username, 13)
  assert.equal(entries['login.failed: address not allowed'], 10)
})

test('a disabled user with the right password gets code 102, and can log in again once enabled', async () => {
  const user = await newUser(gateway)
  for (const node of nodes) assert.equal(await logIn(node, user), '0')

  await withUsers(gateway, (users) => users.disable(user.username))
  for (const node of nodes) {
    assert.equal(await answerOtherThan('0', () => logIn(node, user)), '102')
    assert.equal(await logIn(node, { ...user, password: 'Wrong-1' }), '101')
  }

  await withUsers(gateway, (users) => users.enable(user.username))
  for (const node of nodes) assert.equal(await answerOtherThan('102', () => logIn(node, user)), '0')
})

test('right passwords that are refused for the site never lock', async () => {
  const user = await newUser(gateway)
  const sites = ['1002', '999999', 'no number', '1002', '999999', '00']

  for (let round = 0; round < 4; round += 1) {
    for (const site of sites) assert.equal(await logIn(gateway.baseUrl, { ...user, site }), '103')
  }

  assert.equal(await logIn(gateway.baseUrl, user), '0')
})

test('a user that was neither used nor enabled for 90 days is refused, and shown as idle', async () => {
  const user = await newUser(gateway)
  const age = (column: string) =>
    gateway.pool.query(
      `update api_users set ${column} = now() - interval '91 days' where username = $1`,
      [user.username],
    )
  const state = () =>
    withUsers(gateway, async (users) => {
      const listed = await users.list(null)
      return listed.find(({ name }) => name === user.username)?.state
    })
  await age('made_at')
  assert.equal(await logIn(gateway.baseUrl, user), '102')
  assert.equal(await state(), 'idle')

  await withUsers(gateway, (users) => users.enable(user.username))
  assert.equal(await state(), 'enabled')
  assert.equal(await answerOtherThan('102', () => logIn(gateway.baseUrl, user)), '0')

  await age('enabled_at')
  assert.equal(await logIn(nodeOf(1), user), '0', 'it was used just now')
  await age('last_used_at')
  assert.equal(await answerOtherThan('0', () => logIn(nodeOf(1), user)), '102')
})

test('the last use of a user and its password is noted once an hour at most', async () => {
  const user = await newUser(gateway)
  const noted = async () => {
    const { rows } = await gateway.pool.query<{ minutes: number[] }>(
      `select array[extract(epoch from now() - u.last_used_at), extract(epoch from now() - p.last_used_at)]
                ::numeric[]::int[] as minutes
         from api_users u join api_user_passwords p on p.user_id = u.id where u.username = $1`,
      [user.username],
    )
    return rows[0]?.minutes.map((seconds) => Math.floor(seconds / 60))
  }
  const moveTo = (minutes: number) =>
    gateway.pool.query(
      `with p as (update api_user_passwords set last_used_at = now() - $2 * interval '1 minute'
                   where user_id = (select id from api_users where username = $1))
       update api_users set last_used_at = now() - $2 * interval '1 minute' where username = $1`,
      [user.username, minutes],
    )
  await logIn(nodeOf(0), user)
  assert.deepEqual(await noted(), [0, 0])

  await moveTo(58)
  await logIn(nodeOf(1), user)
  assert.deepEqual(await noted(), [58, 58])

  const other = await newUser(gateway)
  await gateway.pool.query(
    `update api_users set last_used_at = now() - interval '61 minutes' where username = $1`,
    [other.username],
  )
  await logIn(nodeOf(0), other)
  const { rows } = await gateway.pool.query<{ recent: boolean }>(
    `select last_used_at > now() - interval '5 minutes' as recent from api_users where username = $1`,
    [other.username],
  )
  assert.deepEqual(rows, [{ recent: true }])
})

test('no card number that is sent as a user name is stored', async () => {
  const numbers = ['4111111111111111', '4111 1111 1111 1111', '4012.8888.8888.1881']
  for (const username of numbers) {
    assert.equal(await logIn(gateway.baseUrl, { username, password: username }), '101')
  }

  const stored = await gateway.pool.query<{ line: string }>(
    `select a::text as line from audit_entries a
     union all select f::text from login_failures f union all select r::text from requests r`,
  )
  const text = stored.rows.map(({ line }) => line).join('\n')
  assert.match(text, /unknown user name [0-9a-f]{16}/)
  for (const username of numbers) assert.ok(!text.includes(username), username)
  assert.ok(!gateway.logged().includes('4111111111111111'))
})

test('a remembered user may turn to another of its sites with 200 requests at once', async () => {
  const user = await newUser(gateway)
  assert.equal(await logIn(gateway.baseUrl, user), '0')

  const answers = await Promise.all(
    Array.from({ length: 200 }, () => logIn(gateway.baseUrl, { ...user, site: '1003' })),
  )

  assert.deepEqual(tally(answers), { 0: 200 })
})
