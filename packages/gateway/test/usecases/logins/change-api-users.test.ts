import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Secret } from '../../../src/base/secret.ts'
import type { StoredPassword } from '../../../src/domain/logins/api-user.ts'
import type { AuditEntry } from '../../../src/usecases/audit/audit-log.ts'
import type { ApiUserStore, ApiUserTx } from '../../../src/usecases/logins/api-user-store.ts'
import { createApiUserAdmin } from '../../../src/usecases/logins/change-api-users.ts'

/** A user whose passwords are `before` until its lock is held, and `locked` from then on. */
function aUser(
  before: readonly StoredPassword[],
  locked = before,
  maker: { readonly id: bigint; readonly hasLimit: boolean } | null = null,
) {
  const written: string[] = []
  const tx: ApiUserTx = {
    hasRefundLimit: (id) => Promise.resolve(id === maker?.id && maker.hasLimit),
    lockUser: (name) =>
      Promise.resolve({
        id: 1n,
        merchantId: 1n,
        name,
        active: true,
        idle: false,
        readsApi: false,
        requestRate: null,
        allowedFrom: [],
      }),
    countUsers: () => Promise.resolve(1),
    findMerchants: () => Promise.resolve([]),
    insertUser: () => Promise.resolve(null),
    readPasswords: () => Promise.resolve(locked),
    insertPassword: async (_, { number, place, hash }) => {
      written.push(`${number} ${place} ${hash}`)
    },
    retirePassword: () => Promise.resolve(),
    setAllowedFrom: () => Promise.resolve(),
    setActive: () => Promise.resolve(),
    setReadsApi: () => Promise.resolve(),
    setRequestRate: () => Promise.resolve(),
    audit: async (entries: readonly AuditEntry[]) => {
      written.push(...entries.map(({ operation }) => operation))
    },
  }
  const store: ApiUserStore = {
    transact: (work) => work(tx),
    list: () => Promise.resolve([]),
    readPasswords: () => Promise.resolve(before),
    readMerchantName: () => Promise.resolve('Bee Shop'),
    readMerchantNameOf: () => Promise.resolve('Bee Shop'),
    readNetwork: () => Promise.resolve(null),
  }
  const users = createApiUserAdmin({
    store,
    by: { actor: 'operator:test', address: '' },
    portalUserId: maker?.id ?? null,
    generatePassword: () => new Secret('made'),
    passwordFaults: (given) => (given.reveal() === 'short' ? ['It is short.'] : []),
    hashPassword: (given, alongside = 'none') =>
      Promise.resolve(`${given.reveal()} alongside ${alongside}`),
    matchPassword: (given, hashes) => Promise.resolve(hashes.indexOf(given.reveal())),
  })
  return { users, written }
}

const FIRST: StoredPassword = { number: 1, place: 1, hash: 'first', isRetired: false }
const SECOND: StoredPassword = { number: 2, place: 2, hash: 'second', isRetired: false }

suite('a new password of an API user', () => {
  test('it is hashed for the place that is free, and is on record', async () => {
    const { users, written } = aUser([FIRST])
    const made = await users.addPassword('shop', null)
    assert.ok(made.ok)
    assert.equal(made.generated?.reveal(), 'made')
    assert.deepEqual(written, ['2 2 made alongside first', 'user.password_made'])
  })

  test('it is refused where another one was made while it was hashed', async () => {
    const { users, written } = aUser([FIRST], [SECOND, { ...FIRST, isRetired: true }])
    const made = await users.addPassword('shop', null)
    assert.ok(!made.ok)
    assert.equal(made.code, 'changed_meanwhile')
    assert.deepEqual(written, [])
  })

  test('the state under the lock decides: two passwords used by then leave no place', async () => {
    const { users, written } = aUser([FIRST], [SECOND, FIRST])
    const made = await users.addPassword('shop', null)
    assert.deepEqual([made.ok ? '' : made.code, written], ['two_passwords', []])
  })

  test('no portal user with a refund limit makes one, and without a limit they do', async () => {
    const limited = aUser([FIRST], [FIRST], { id: 7n, hasLimit: true })
    const made = await limited.users.addPassword('shop', null)
    assert.deepEqual([made.ok ? '' : made.code, limited.written], ['refund_limit', []])
    const added = await limited.users.add(1, 'other', null)
    assert.deepEqual([added.ok ? '' : added.code, limited.written], ['refund_limit', []])
    const free = aUser([FIRST], [FIRST], { id: 7n, hasLimit: false })
    assert.ok((await free.users.addPassword('shop', null)).ok)
  })

  for (const [given, fault] of [
    ['short', /It is short/],
    ['first', /one of the last 4/],
  ] as const) {
    test(`a given one is refused: ${given}`, async () => {
      const { users, written } = aUser([FIRST])
      const made = await users.addPassword('shop', new Secret(given))
      assert.ok(!made.ok)
      assert.match(made.faults.join(), fault)
      assert.deepEqual(written, [])
    })
  }
})
