import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { BREACHES } from './broken-rules.ts'
import { runSchedule } from './schedule.ts'

// Fixed seeds, so that a run today is a run tomorrow. TOLLGATE_SIMULATION_SCHEDULES=1000000 asks
// for more of them. A failure names its seed; what happened in it is shown by
//
//   node --conditions=tollgate-source test/simulation/run.ts --seed N

const isFull = process.env['TOLLGATE_TEST_DEPTH'] === 'full' // `npm run test:all`
const SCHEDULES = Number(process.env['TOLLGATE_SIMULATION_SCHEDULES'] ?? (isFull ? 15_000 : 5_000))
const REPLAY = 'node --conditions=tollgate-source test/simulation/run.ts --seed'

test('the books agree and every answer stays true under lost, late and doubled messages and crashes', async () => {
  for (let seed = 1; seed <= SCHEDULES; seed += 1) {
    const { broken, steps } = await runSchedule(seed)
    assert.deepEqual(broken, [], `Broken at step ${steps}. See it: ${REPLAY} ${seed}`)
  }
})

test('a seed decides everything: a second run takes the same steps to the same end', async () => {
  const tellAll = async (seed: number): Promise<string[]> => {
    const lines: string[] = []
    const outcome = await runSchedule(seed, { trace: (line) => lines.push(line) })
    return [...lines, JSON.stringify(outcome)]
  }
  for (let seed = 1; seed <= 200; seed += 1)
    assert.deepEqual(await tellAll(seed), await tellAll(seed))
})

/** Seeds within which each breach must show. */
const ENOUGH = 2_000

suite('a rule that is left out is found', () => {
  for (const [rule, { options, shows }] of Object.entries(BREACHES)) {
    test(`left out: ${rule}`, async () => {
      for (let seed = 1; seed <= ENOUGH; seed += 1) {
        const { broken } = await runSchedule(seed, options)
        if (broken.some((sentence) => shows.test(sentence))) return
      }
      assert.fail(`No seed up to ${ENOUGH} shows it.`)
    })
  }
})
