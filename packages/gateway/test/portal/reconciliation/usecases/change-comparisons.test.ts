import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  createChangeComparisons,
  type ComparisonTx,
} from '../../../../src/portal/reconciliation/usecases/change-comparisons.ts'

/** The comparisons of a merchant, and every step that was taken on them. */
function comparisons(unfinished: bigint | null, dailyHour: number | null = null) {
  const steps: string[] = []
  const step = <Read>(name: string, read: Read): Promise<Read> => {
    steps.push(name)
    return Promise.resolve(read)
  }
  const tx: ComparisonTx = {
    lockComparisons: () => step('lock', undefined),
    readUnfinished: () => step('read', unfinished),
    addRun: () => step('add', 302n),
    readDailyHour: () => step('read', dailyHour),
    writeDailyHour: (_, hour) => step(`write ${hour}`, undefined),
    audit: (entries) =>
      step(JSON.stringify(entries.map(({ object, details }) => [object, details])), undefined),
  }
  return { change: createChangeComparisons((work) => work(tx)), steps }
}

const BY = { portalUserId: 7n, actor: 'portal:test', address: '' }

suite('changes of comparisons', () => {
  test('starting a comparison locks, reads, adds it, and writes the audit entry last', async () => {
    const { change, steps } = comparisons(null)
    assert.deepEqual(await change.start(1n, BY), { ok: true, id: 302n })
    assert.deepEqual(steps, ['lock', 'read', 'add', '[["reconciliation 302",null]]'])
  })

  test('a comparison that is refused writes nothing', async () => {
    const { change, steps } = comparisons(301n)
    assert.equal((await change.start(1n, BY)).ok, false)
    assert.deepEqual(steps, ['lock', 'read'])
  })

  test('the audit entry of the daily hour has the hours before and after', async () => {
    const { change, steps } = comparisons(null, 4)
    await change.setDailyHour(1n, null, BY)
    const entry = '[["daily reconciliation",{"before":4,"after":null}]]'
    assert.deepEqual(steps, ['lock', 'read', 'write null', entry])
  })
})
