import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createLoginJournal } from '../../../src/adapters/credentials/login-journal.ts'
import { hashPassword, matchPassword } from '../../../src/adapters/credentials/password-hash.ts'
import { createPasswordMemory } from '../../../src/adapters/credentials/password-memory.ts'
import {
  generatePassword,
  passwordFaults,
} from '../../../src/adapters/credentials/password-rules.ts'
import {
  createVerificationTurns,
  type VerificationLimits,
} from '../../../src/adapters/credentials/verification-turns.ts'
import {
  addressToCount,
  allowedAddresses,
} from '../../../src/adapters/postgres/logins/allowed-addresses.ts'
import {
  API_LOGINS,
  createLoginAttempts,
  type LoginAttemptStore,
} from '../../../src/adapters/postgres/logins/login-failures.ts'
import { Secret } from '../../../src/base/secret.ts'
import { nameWithoutCards } from '../../../src/domain/logins/caller-name.ts'
import type { AuditEntry } from '../../../src/usecases/audit/audit-log.ts'
import { LoginsBusyError } from '../../../src/usecases/logins/attempts-under-way.ts'
import { DECOY_HASH } from '../../../src/usecases/logins/decoy-hash.ts'
import type { OpenAttempt, VerificationPlace } from '../../../src/usecases/logins/login-ports.ts'
import { startTestServer, type TestServer } from '../../support/database.ts'

let server: TestServer
let pool: pg.Pool
before(async () => {
  server = await startTestServer()
  const url = await server.createDatabase()
  pool = new pg.Pool({ connectionString: url })
})
after(async () => {
  await pool.end()
  await server.stop()
})

test('only the right password matches, whichever of two hashes is its own', async () => {
  const [first, second] = [new Secret('Correct-horse-1'), new Secret('Correct-horse-2')]
  const firstHash = await hashPassword(first)
  const hashes = [firstHash, await hashPassword(second, firstHash)]

  assert.equal(await matchPassword(first, hashes), 0)
  assert.equal(await matchPassword(second, hashes), 1)
  assert.equal(await matchPassword(new Secret('Correct-horse-3'), hashes), -1)
  assert.equal(await matchPassword(first, ['no hash at all']), -1)
})

test('two passwords of one user share their salt, and those of two users do not', async () => {
  const password = new Secret('Correct-horse-1')
  const one = await hashPassword(password)
  const saltOf = (hash: string) => hash.split('$')[4]

  assert.equal(saltOf(await hashPassword(new Secret('Another-horse-1'), one)), saltOf(one))
  assert.notEqual(saltOf(await hashPassword(password)), saltOf(one))
})

test('a cached password does not help a wrong one, a changed hash, or a login after its expiry', () => {
  let now = 0
  const memory = createPasswordMemory(() => now)
  const stored = { number: 1, hash: 'hash one' }
  const digest = memory.digestOf(new Secret('Correct-horse-1'))
  memory.learn(stored, digest, 'let in')

  const found = memory.find([{ number: 2, hash: 'hash two' }, stored], digest)
  assert.deepEqual(found, { password: stored, as: 'let in' })
  assert.equal(memory.find([stored], memory.digestOf(new Secret('wrong'))), null)
  assert.equal(memory.find([{ number: 1, hash: 'hash three' }], digest), null)
  memory.learn(stored, digest, 'right')
  assert.equal(memory.find([stored], digest)?.as, 'let in')
  now = 15 * 60_000
  assert.equal(memory.find([stored], digest), null)
})

test('a cached password that is used stays cached for a day, and no longer', () => {
  const MINUTE = 60_000
  let now = 0
  const memory = createPasswordMemory(() => now)
  const stored = { number: 1, hash: 'hash one' }
  const digest = memory.digestOf(new Secret('Correct-horse-1'))
  memory.learn(stored, digest, 'let in')

  const notes: number[] = []
  for (now = 0; now < 24 * 60 * MINUTE; now += 14 * MINUTE) {
    assert.equal(memory.find([stored], digest)?.as, 'let in', `after ${now / MINUTE} minutes`)
    if (memory.isUseToNote(stored)) notes.push(now / MINUTE)
  }
  now = 24 * 60 * MINUTE
  assert.equal(memory.find([stored], digest), null)
  assert.equal(notes.length, 20)
  assert.deepEqual(notes.slice(0, 3), [70, 140, 210])
})

test('a generated password has 192 bits, and letters and digits', () => {
  const passwords = Array.from({ length: 50 }, () => generatePassword().reveal())

  assert.equal(new Set(passwords).size, 50)
  for (const text of passwords) assert.match(text, /^(?=.*[a-zA-Z])(?=.*[0-9])[A-Za-z0-9_-]{32}$/)
})

test('a chosen password that is too short, one-sided or contains the user name is refused unrepeated', () => {
  const faultsOf = (text: string) =>
    passwordFaults(new Secret(text), 'shop@example.com', ['Anna Keeper'])

  assert.deepEqual(faultsOf('Good-enough-4711'), [])
  for (const text of [
    'Short-4711x',
    'no-digits-in-here',
    '471147114711',
    ' Blank-at-the-end-1',
    'Ünot-ascii-4711',
    'x-SHOP@example.com-1',
    'password1234',
    'Keeper-2026-anna',
  ]) {
    const faults = faultsOf(text)
    assert.equal(faults.length, 1, text)
    assert.ok(!faults.join().includes(text))
  }
})

const digest = (text: string): string => createHmac('sha256', 'a key').update(text).digest('hex')
const attemptsOf = (limit: number): LoginAttemptStore =>
  createLoginAttempts({ pool, lane: pool, digest }, limit, () => 0, API_LOGINS)

async function begun(
  store: LoginAttemptStore,
  name: string,
  address: string,
): Promise<OpenAttempt> {
  const attempt = await store.begin(name, address)
  assert.ok(typeof attempt === 'object', `the attempt was ${String(attempt)}`)
  return attempt
}

test('R8: the limit of failures locks the user from that address only, on every node', async () => {
  const [node, otherNode] = [attemptsOf(3), attemptsOf(3)]
  for (let failure = 1; failure <= 3; failure += 1) {
    const counted = await node.fail(await begun(node, 'user', '192.0.2.1'))
    assert.deepEqual(counted, { failures: failure, locked: failure === 3 })
  }

  assert.equal(await node.isLocked('user', '192.0.2.1'), true)
  assert.equal(await otherNode.isLocked('user', '192.0.2.1'), true)
  assert.equal(await otherNode.begin('user', '192.0.2.1'), 'locked')
  assert.equal(await node.isLocked('user', '192.0.2.2'), false)
  assert.equal(await node.isLocked('somebody else', '192.0.2.1'), false)
  await begun(node, 'user', '192.0.2.2')
})

test('R8: open attempts count against the limit, and withdrawn ones make room again', async () => {
  const node = attemptsOf(2)
  const [first] = [await begun(node, 'burst', '192.0.2.1'), await begun(node, 'burst', '192.0.2.1')]

  assert.equal(await node.begin('burst', '192.0.2.1'), 'full')
  await node.withdraw(first)
  await begun(node, 'burst', '192.0.2.1')
  assert.equal(await node.begin('burst', '192.0.2.1'), 'full')
})

test('R8: of 100 attempts that begin at once the limit is counted', async () => {
  const nodes = [attemptsOf(10), attemptsOf(10)]

  const begun = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => nodes[at % 2]?.begin('crowd', '192.0.2.1')),
  )

  assert.equal(begun.filter((attempt) => typeof attempt === 'object').length, 10)
  assert.equal(begun.filter((attempt) => attempt === 'full').length, 90)
})

test('R8: failures older than ten minutes do not add up', async () => {
  const node = attemptsOf(2)
  await node.fail(await begun(node, 'slow', '192.0.2.9'))
  await pool.query(`update login_failures set window_started_at = now() - interval '11 minutes'`)

  const counted = await node.fail(await begun(node, 'slow', '192.0.2.9'))

  assert.deepEqual(counted, { failures: 1, locked: false })
})

test('an attempt of an earlier window counts nothing in the present one', async () => {
  const node = attemptsOf(2)
  const late = await begun(node, 'late', '192.0.2.9')
  await pool.query(`update login_failures set window_started_at = now() - interval '11 minutes'`)
  await node.fail(await begun(node, 'late', '192.0.2.9'))

  await node.withdraw(late)

  const counted = await node.fail(await begun(node, 'late', '192.0.2.9'))
  assert.deepEqual(counted, { failures: 2, locked: true })
})

test('attempts whose process ended count as failures after two minutes', async () => {
  const node = attemptsOf(1)
  await begun(node, 'crashed', '192.0.2.9')
  assert.equal(await node.begin('crashed', '192.0.2.9'), 'full')
  await pool.query(`update login_failures set opened_at = now() - interval '121 seconds'`)

  assert.equal(await node.begin('crashed', '192.0.2.9'), 'locked')
})

test('the purge removes counts that neither lock nor add up, and keeps a lock', async () => {
  const node = attemptsOf(1)
  await node.fail(await begun(node, 'keeps its lock', '192.0.2.9'))
  await begun(node, 'is forgotten', '192.0.2.9')
  await pool.query(`update login_failures set window_started_at = now() - interval '61 minutes'`)

  await node.forgetOld()

  assert.equal(await attemptsOf(1).isLocked('keeps its lock', '192.0.2.9'), true)
  const { rows } = await pool.query('select caller from login_failures where locked_until is null')
  assert.deepEqual(rows, [])
})

test('no user name and no address is stored with the attempts', async () => {
  await begun(attemptsOf(5), 'Name-that-stands-out', '203.0.113.77')

  const { rows } = await pool.query('select t::text as line from login_failures t')
  assert.doesNotMatch(JSON.stringify(rows), /stands-out|203\.0\.113/)
})

test('a card number in a user name is not even digested', () => {
  const other = nameWithoutCards('shop 4111 1111 1111 1111')
  assert.equal(nameWithoutCards('shop 5500-0055-5555-5559'), other)
  assert.equal(nameWithoutCards('shop ４１１１１１１１１１１１１１１１'), other)
  assert.notEqual(nameWithoutCards('shop-12@example.com'), nameWithoutCards('shop-13@example.com'))
})

test('an IPv6 sender is counted by its /64, and IPv4 by its address however it is written', () => {
  assert.equal(addressToCount('2001:db8::1'), addressToCount('2001:0db8:0:0:ffff:1:2:3'))
  assert.notEqual(addressToCount('2001:db8::1'), addressToCount('2001:db8:0:1::1'))
  assert.equal(addressToCount('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(addressToCount('192.0.2.1'), '192.0.2.1')
})

test('a list of networks holds what is in it, and an empty one everything', () => {
  const isAllowed = allowedAddresses(['192.0.2.0/24', '2001:db8::/32'])

  assert.equal(isAllowed('192.0.2.200'), true)
  assert.equal(isAllowed('::ffff:192.0.2.200'), true)
  assert.equal(isAllowed('2001:db8:5::1'), true)
  assert.equal(isAllowed('192.0.3.1'), false)
  assert.equal(isAllowed('no address'), false)
  assert.equal(allowedAddresses([])('no address'), true)
})

/** Turns for a few logins, with places that are the same for known addresses and others. */
function turnsOf(changes: Partial<VerificationLimits> = {}) {
  return createVerificationTurns(() => 0, {
    atOnce: 1,
    places: 9,
    placesPerAddress: 9,
    placesOfKnown: 4,
    knownForMs: 1_000,
    mostKnown: 2,
    ...changes,
  })
}

/** Runs one login of each address, in this sequence, and gives the names as they were served. */
async function served(
  enter: (address: string) => VerificationPlace,
  addresses: readonly string[],
): Promise<string[]> {
  const order: string[] = []
  await Promise.all(
    addresses.map(async (address, at) => {
      const name = `${address}${at}`
      try {
        await enter(address).run(async () => void order.push(name))
      } catch (error) {
        assert.ok(error instanceof LoginsBusyError, String(error))
        order.push(`${name} refused`)
      }
    }),
  )
  return order
}

test('verifications take turns by address, a few at once', async () => {
  const order = await served(turnsOf(), ['a', 'a', 'a', 'b', 'b'])
  assert.deepEqual(order, ['a0', 'a1', 'b3', 'a2', 'b4'])
})

test('no more verifications wait than there are places, of one address and of all', () => {
  const enter = turnsOf({ places: 3, placesPerAddress: 2 })
  const [first] = [enter('a'), enter('a')]
  assert.throws(() => enter('a'), LoginsBusyError)
  enter('b')
  assert.throws(() => enter('b'), LoginsBusyError)
  first.leave()
  first.leave()
  enter('b')
  assert.throws(() => enter('a'), LoginsBusyError)
})

test('a newcomer without a free place displaces the last login of the busiest address', async () => {
  const order = await served(turnsOf({ places: 6 }), ['a', 'a', 'b', 'b', 'b', 'b', 'c'])
  assert.deepEqual(order.toSorted(), ['a0', 'a1', 'b2', 'b3', 'b4', 'b5 refused', 'c6'])
})

test('a newcomer displaces a login that has a place and does not wait for its turn yet', async () => {
  const enter = turnsOf({ places: 2 })
  const [, second] = [enter('a'), enter('a')]
  const order = await served(enter, ['b'])
  assert.deepEqual(order, ['b0'])
  await assert.rejects(
    second?.run(() => Promise.resolve()),
    LoginsBusyError,
  )
})

test('a newcomer of an address that is as busy as the others, less one, displaces no other', async () => {
  const order = await served(turnsOf({ places: 4 }), ['a', 'a', 'b', 'b', 'b', 'a'])
  assert.deepEqual(order.toSorted(), ['a0', 'a1', 'a5 refused', 'b2', 'b3', 'b4 refused'])
})

/** Makes these addresses known by a right password, one after the other. */
function prove(enter: (address: string) => VerificationPlace, addresses: readonly string[]): void {
  for (const address of addresses) {
    const place = enter(address)
    place.proven()
    place.leave()
  }
}

test('an address with a right password keeps its share of places and turns among many others', async () => {
  const enter = turnsOf({ places: 4, placesOfKnown: 2 })
  prove(enter, ['k'])
  const order = await served(enter, ['a', 'b', 'c', 'd', 'k'])
  assert.deepEqual(order, ['a0', 'd3 refused', 'k4', 'b1', 'c2'])
})

test('known addresses that have more than their share give way like others', async () => {
  const enter = turnsOf({ places: 4, placesOfKnown: 2 })
  prove(enter, ['k'])
  const order = await served(enter, ['k', 'k', 'k', 'a', 'b'])
  assert.deepEqual(order.toSorted(), ['a3', 'b4', 'k0', 'k1', 'k2 refused'])
})

test('known addresses that have less than their share give way to no other, and the oldest is forgotten', async () => {
  const enter = turnsOf({ places: 4, placesOfKnown: 5 })
  prove(enter, ['x', 'k', 'l'])
  const order = await served(enter, ['k', 'k', 'k', 'l', 'x'])
  assert.deepEqual(order.toSorted(), ['k0', 'k1', 'k2', 'l3', 'x4 refused'])
})

function journalOf(entries: AuditEntry[], now: () => number) {
  return createLoginJournal({
    audit: { append: async (entry) => void entries.push(entry) },
    process: 'gateway:test:1',
    monotonicMs: now,
    digest,
    onLost: (error) => assert.fail(String(error)),
  })
}

const USER = {
  id: 1n,
  merchantId: 7n,
  username: 'shop@example.com',
  readsApi: false,
  requestRate: null,
}

test('a flood of failed logins is summed up as 1,000 entries, one a second, and a number', async () => {
  let now = 0
  const entries: AuditEntry[] = []
  const journal = journalOf(entries, () => now)
  const fail = () =>
    journal.failed({ username: 'x', user: null, address: '192.0.2.1' }, 'unknown user')
  for (let at = 0; at < 5_000; at += 1) fail()
  now = 2_000
  for (let at = 0; at < 5; at += 1) fail()

  await journal.enterLeftOut()
  await journal.enterLeftOut()

  assert.equal(entries.length, 1_003)
  assert.deepEqual(entries.at(-1)?.details, { left_out: 4_003 })
})

test('a flood of invented names keeps no failed login of a user out of the audit log', () => {
  const entries: AuditEntry[] = []
  const journal = journalOf(entries, () => 0)
  for (let at = 0; at < 5_000; at += 1) {
    journal.failed({ username: `x${at}`, user: null, address: '192.0.2.1' }, 'unknown user')
  }

  const event = { username: USER.username, user: USER, address: '192.0.2.9' }
  journal.failed(event, 'wrong password')
  journal.locked(event, 10)

  assert.deepEqual(
    entries.slice(-2).map(({ actor, operation }) => `${actor} ${operation}`),
    ['api:shop@example.com login.failed', 'api:shop@example.com login.locked'],
  )
})

test('a verified password is recorded once in a quarter of an hour, and again when that failed', async () => {
  let now = 0
  let fails = true
  const entries: AuditEntry[] = []
  const journal = createLoginJournal({
    audit: {
      async append(entry) {
        if (fails) throw new Error('The database is away.')
        entries.push(entry)
      },
    },
    process: 'gateway:test:1',
    monotonicMs: () => now,
    digest,
    onLost: () => undefined,
  })
  const event = { username: USER.username, user: USER, address: '192.0.2.1' }
  const verified = () => journal.verified(event, { number: 2, hash: 'h' })

  await assert.rejects(verified())
  fails = false
  await verified()
  await verified()
  assert.equal(entries.length, 1)
  assert.deepEqual(entries[0], {
    actor: 'api:shop@example.com',
    operation: 'login.verified',
    object: 'api user shop@example.com',
    merchantId: 7n,
    address: '192.0.2.1',
    result: 'done',
    details: { password: 2 },
  })
  now = 15 * 60_000
  await verified()
  assert.equal(entries.length, 2)
})

test('an unknown name and a forged address are not in the audit log', () => {
  const entries: AuditEntry[] = []
  const journal = journalOf(entries, () => 0)

  journal.failed(
    { username: 'My-own-password-1', user: null, address: '4111111111111111' },
    'unknown user',
  )

  const [entry] = entries
  assert.match(entry?.object ?? '', /^unknown user name [0-9a-f]{16}$/)
  assert.doesNotMatch(JSON.stringify({ ...entry, merchantId: null }), /password-1|4111/)
})

test('the verification for an unknown user costs as much as that of a password', async () => {
  const costs = (hash: string): string => hash.split('$').slice(1, 4).join('$')

  assert.equal(costs(DECOY_HASH), costs(await hashPassword(new Secret('any-password-1'))))
  assert.equal(await matchPassword(new Secret('any-password-1'), [DECOY_HASH]), -1)
})
