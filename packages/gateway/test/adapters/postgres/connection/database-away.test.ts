import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isDatabaseAway,
  openDatabase,
} from '../../../../src/adapters/postgres/connection/database.ts'
import {
  OutcomeUncertainError,
  untilKnown,
  type Patience,
} from '../../../../src/usecases/payments/learn-truth.ts'

/** A clock that only waiting moves. */
function aPatience(): Patience & { readonly waitedMs: () => number } {
  let now = 0
  return {
    monotonicMs: () => now,
    pause: (ms) => {
      now += ms
      return Promise.resolve()
    },
    waitedMs: () => now,
  }
}

test('a write that may have happened is never reported as certainly not accepted', async () => {
  const gone = Object.assign(new Error('terminating connection'), { code: '57P01' })
  let tries = 0

  const uncertain = untilKnown(aPatience(), 750, () => {
    tries += 1
    return Promise.reject(gone)
  })

  await assert.rejects(uncertain, OutcomeUncertainError)
  assert.equal(tries, 4)
  assert.equal(isDatabaseAway(gone), true)
  assert.equal(isDatabaseAway(await uncertain.catch((error: unknown) => error)), false)
})

test('a write is retried until the database is back', async () => {
  let tries = 0
  const result = await untilKnown(aPatience(), 10_000, () => {
    tries += 1
    return tries < 3 ? Promise.reject(new Error('away')) : Promise.resolve('written')
  })

  assert.equal(result, 'written')
})

for (const [what, error] of [
  ['a silent connection', new Error('Query read timeout')],
  [
    'a broken connection',
    new Error('Client has encountered a connection error and is not queryable'),
  ],
  [
    'a machine that is gone',
    Object.assign(new Error('read EHOSTUNREACH'), { code: 'EHOSTUNREACH' }),
  ],
] as const) {
  test(`${what} is a database that is away, so a group is not written a second time`, () => {
    assert.equal(isDatabaseAway(error), true)
  })
}

test('all who read and write settlement files share two connections', async () => {
  const database = openDatabase('postgresql://localhost:1/nobody', () => undefined)
  const asked = [database.files(), database.files(), database.files()]

  assert.equal(new Set(asked).size, 1)
  assert.equal(asked[0]?.options.max, 2)
  const pools = database.countConnections().map(({ pool }) => pool)
  assert.deepEqual(
    pools.filter((pool) => pool === 'tollgate files'),
    ['tollgate files'],
  )
  await database.close()
})
