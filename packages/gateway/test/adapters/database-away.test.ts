import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OutcomeUncertainError, untilKnown } from '../../src/usecases/learn-truth.ts'
import { isDatabaseAway } from '../../src/adapters/postgres/database.ts'

test('what may have been written is never said to be certainly not accepted', async () => {
  const gone = Object.assign(new Error('terminating connection'), { code: '57P01' })
  const patience = { waitForDatabase: (waited: number) => Promise.resolve(waited < 3) }
  let tries = 0

  const uncertain = untilKnown(patience, () => {
    tries += 1
    return Promise.reject(gone)
  })

  await assert.rejects(uncertain, OutcomeUncertainError)
  assert.equal(tries, 4)
  assert.equal(isDatabaseAway(gone), true)
  assert.equal(isDatabaseAway(await uncertain.catch((error: unknown) => error)), false)
})

test('a write is tried again until the database is back', async () => {
  let tries = 0
  const result = await untilKnown({ waitForDatabase: () => Promise.resolve(true) }, () => {
    tries += 1
    return tries < 3 ? Promise.reject(new Error('away')) : Promise.resolve('written')
  })

  assert.equal(result, 'written')
})
