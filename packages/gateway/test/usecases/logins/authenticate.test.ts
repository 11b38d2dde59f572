import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswordMemory } from '../../../src/adapters/credentials/password-memory.ts'
import { Secret } from '../../../src/base/secret.ts'
import { LoginsBusyError } from '../../../src/usecases/logins/attempts-under-way.ts'
import { createAuthenticate } from '../../../src/usecases/logins/authenticate.ts'
import type { LoginDirectory, StoredApiUser } from '../../../src/usecases/logins/login-ports.ts'
import type { SlowLoginDeps } from '../../../src/usecases/logins/slow-login.ts'
import { SITE } from '../../http/fake-gateway.ts'

const PASSWORD = 'Right-password-1'

function aUser(name: string, changes: Partial<StoredApiUser> = {}): StoredApiUser {
  return {
    id: 1n,
    merchantId: SITE.merchantId,
    username: name,
    passwords: [{ number: 1, hash: `hash of ${name}: ${PASSWORD}` }],
    readsApi: false,
    requestRate: null,
    state: 'enabled',
    isAllowedFrom: (address) => address !== 'elsewhere',
    ...changes,
  }
}

const USERS = [
  aUser('good'),
  aUser('disabled', { state: 'disabled' }),
  aUser('idle', { state: 'idle' }),
  aUser('without password', { passwords: [] }),
]

/** Ports that record their calls; users and sites are always fresh once they were read. */
function aLogin(changes: Partial<SlowLoginDeps> = {}) {
  const calls: string[] = []
  const seen = new Map<string, StoredApiUser>()
  const sites = new Set<bigint>()
  const directory: LoginDirectory = {
    recallUser(username) {
      const user = seen.get(username)
      return user === undefined ? undefined : { user, fresh: true }
    },
    async readUser(username) {
      calls.push('read user')
      const user = USERS.find((user) => user.username === username) ?? null
      if (user !== null) seen.set(username, user)
      return user
    },
    recallSite: (_, siteId) => (sites.has(siteId) ? SITE : undefined),
    async readSite(merchantId, siteId) {
      calls.push('read site')
      if (merchantId !== SITE.merchantId || siteId !== SITE.id) return null
      sites.add(siteId)
      return SITE
    },
  }
  const deps: SlowLoginDeps = {
    directory,
    memory: createPasswordMemory(() => 0),
    attempts: {
      isLocked: () => false,
      async begin() {
        calls.push('begin')
        return { caller: 'caller', window: 'window' }
      },
      async fail() {
        calls.push('close')
        return { failures: 1, locked: false }
      },
      async withdraw() {
        calls.push('close')
      },
    },
    journal: {
      async verified() {
        calls.push('verified')
      },
      failed: () => undefined,
      locked: () => undefined,
    },
    enter: () => ({ run: (work) => work(), leave: () => undefined, proven: () => undefined }),
    async matchPassword(password, hashes) {
      calls.push(`verify against ${hashes.length}`)
      return hashes.findIndex((hash) => hash.endsWith(`: ${password.reveal()}`))
    },
    noteUse: async () => undefined,
    pause: () => Promise.resolve(),
    ...changes,
  }
  const authenticate = createAuthenticate(deps)
  const outcome = async (
    username: string,
    password = PASSWORD,
    site = '1001',
    address = 'home',
  ) => {
    const access = await authenticate(username, new Secret(password), site, address)
    return access.kind === 'granted' ? 'granted' : access.refusal
  }
  return { calls, outcome, deps }
}

test('a cached password needs no query', async () => {
  const { calls, outcome } = aLogin()
  assert.equal(await outcome('good'), 'granted')
  calls.length = 0

  assert.equal(await outcome('good'), 'granted')
  assert.equal(await outcome('good', PASSWORD, '0'), 'granted')

  assert.deepEqual(calls, [])
})

const REFUSED: readonly (readonly [string, string, [name: string, ...rest: string[]]])[] = [
  ['an unknown user', 'credentials_wrong', ['nobody']],
  ['a wrong password', 'credentials_wrong', ['good', 'Wrong-1']],
  ['a wrong password of a disabled user', 'credentials_wrong', ['disabled', 'Wrong-1']],
  ['a user without a password', 'credentials_wrong', ['without password']],
  ['an address that is not allowed', 'credentials_wrong', ['good', PASSWORD, '1001', 'elsewhere']],
  ['a disabled user', 'user_inactive', ['disabled']],
  ['an idle user', 'user_inactive', ['idle']],
  ['an unknown site', 'site_unknown', ['good', PASSWORD, '999']],
  ['a site that is no number', 'site_unknown', ['good', PASSWORD, 'shop']],
]
for (const [what, refusal, attempt] of REFUSED) {
  test(`the refusal of ${what} takes one of each step, cached or not`, async () => {
    const { calls, outcome } = aLogin()
    for (const round of ['first', 'second']) {
      calls.length = 0
      assert.equal(await outcome(...attempt), refusal)
      assert.deepEqual(
        calls.toSorted(),
        ['begin', 'close', 'read site', 'read user', 'verify against 1'],
        `the ${round} time`,
      )
    }
    // The cache of a request that was let in does not help either.
    await outcome('good')
    calls.length = 0
    assert.equal(await outcome(...attempt), refusal)
    assert.equal(calls.length, 5)
  })
}

test('no password is compared with the cache while another attempt of the caller is being counted', async () => {
  const counted = Promise.withResolvers<'locked'>()
  let isLocked = false
  const { outcome, deps } = aLogin()
  await outcome('good')
  const guarded = createAuthenticate({
    ...deps,
    attempts: { ...deps.attempts, isLocked: () => isLocked, begin: () => counted.promise },
  })
  const ask = (password: string) => guarded('good', new Secret(password), '1001', 'home')

  const answers = [ask('Wrong-1'), ask(PASSWORD)]
  isLocked = true
  counted.resolve('locked')

  const refused = { kind: 'refused', refusal: 'throttled' }
  assert.deepEqual(await Promise.all(answers), [refused, refused])
})

test('a right password that was refused is recorded when it is let in', async () => {
  const { calls, outcome } = aLogin()
  assert.equal(await outcome('good', PASSWORD, '999'), 'site_unknown')

  assert.equal(await outcome('good'), 'granted')

  assert.ok(calls.includes('verified'))
})

test('requests that bring the same right password at once are verified once', async () => {
  const { calls, outcome } = aLogin()

  const answers = await Promise.all(Array.from({ length: 20 }, () => outcome('good')))

  assert.deepEqual(new Set(answers), new Set(['granted']))
  assert.equal(calls.filter((call) => call.startsWith('verify')).length, 1)
  assert.equal(calls.filter((call) => call === 'verified').length, 1)
})

test('a sign-in attempt whose password check fails with an error is withdrawn, and the error is reported', async () => {
  const { calls, outcome } = aLogin({
    matchPassword: () => Promise.reject(new Error('out of memory')),
  })

  await assert.rejects(outcome('good'), /out of memory/)

  assert.deepEqual(
    calls.filter((call) => call === 'close'),
    ['close'],
  )
})

test('a login without a free place counts nothing and makes no query', async () => {
  const { calls, outcome } = aLogin({
    enter() {
      throw new LoginsBusyError()
    },
  })

  await assert.rejects(outcome('good'), LoginsBusyError)
  await assert.rejects(outcome('nobody'), LoginsBusyError)

  assert.deepEqual(calls, [])
})

test('a login that cannot be recorded in the audit log is refused, then and from the cache', async () => {
  const { deps } = aLogin()
  let isAway = true
  const authenticate = createAuthenticate({
    ...deps,
    journal: {
      ...deps.journal,
      verified: () => (isAway ? Promise.reject(new Error('the log is away')) : Promise.resolve()),
    },
  })
  const ask = () => authenticate('good', new Secret(PASSWORD), '1001', 'home')

  await assert.rejects(ask(), /the log is away/)
  await assert.rejects(ask(), /the log is away/)
  isAway = false
  assert.equal((await ask()).kind, 'granted')
})

test('an attempt waits while others of its caller fill the limit, and gets 100 when that lasts', async () => {
  let full = 5
  const { deps } = aLogin()
  const begin = async () => {
    full -= 1
    return full < 0 ? { caller: 'caller', window: 'window' } : ('full' as const)
  }
  const authenticate = createAuthenticate({ ...deps, attempts: { ...deps.attempts, begin } })
  const ask = () => authenticate('good', new Secret(PASSWORD), '1001', 'home')

  assert.equal((await ask()).kind, 'granted')
  full = Infinity
  const refused = await authenticate('good', new Secret('Wrong-1'), '1001', 'home')
  assert.deepEqual(refused, { kind: 'refused', refusal: 'throttled' })
})

test('a login that has to give way to another is not counted, and nothing is verified', async () => {
  const { calls, outcome } = aLogin({
    enter: () => ({
      run: () => Promise.reject(new LoginsBusyError()),
      leave: () => undefined,
      proven: () => assert.fail('nothing was proven'),
    }),
  })
  await assert.rejects(outcome('good'), LoginsBusyError)
  assert.deepEqual(calls, ['begin', 'close'])
})

test('an address counts as known after a right password, not after a wrong one', async () => {
  let proven = 0
  const { outcome } = aLogin({
    enter: () => ({
      run: (work) => work(),
      leave: () => undefined,
      proven: () => (proven += 1),
    }),
  })
  await outcome('good', 'Wrong-password-1')
  await outcome('nobody')
  await outcome('disabled')
  assert.equal(proven, 0)
  await outcome('good')
  assert.equal(proven, 1)
})
