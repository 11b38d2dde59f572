import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { SCENARIOS, tellScenario, type Misfortune } from './scenarios.ts'
import type { World } from './world.ts'

// No randomness here: each scenario is played once for each moment at which a fault can happen, up
// to its end. A failure names the moments, and the command that shows all that happens then.

const REPLAY = 'node --conditions=tollgate-source test/simulation/run.ts --scenario'

/**
 * The pairs of deaths grow with the square of the moments. Of a long scenario each first death gets
 * every eighth second one, and the next first death the one after it.
 */
const MANY_MOMENTS = 60
const STRIDE = 8

async function tell(name: string, misfortune: Misfortune): Promise<World> {
  const scenario = SCENARIOS[name]
  assert.ok(scenario !== undefined)
  const { world, outcome } = await tellScenario(scenario, misfortune)
  const { deaths, step } = misfortune
  const fault = step === undefined ? '' : ` --step ${step.number} --fault ${step.fault}`
  const replay = `${REPLAY} '${name}' --deaths '${deaths.join()}'${fault}`
  assert.deepEqual(outcome.broken, [], `Broken at step ${outcome.steps}. See it: ${replay}`)
  return world
}

for (const name of Object.keys(SCENARIOS)) {
  suite(name, () => {
    test('nothing happens to it', async () => {
      const world = await tell(name, { deaths: [] })

      assert.ok(world.crashPoints >= 5, `only ${world.crashPoints} moments`)
      assert.ok(world.requests.every(({ told }) => told?.kind === 'told'))
    })

    test('a process dies at any moment, and the books agree', async () => {
      for (let moment = 0; ; moment += 1) {
        const world = await tell(name, { deaths: [moment] })
        if (world.crashPoints <= moment) break
      }
    })

    test('a second process dies at any moment after, and the books agree', async () => {
      const { crashPoints } = await tell(name, { deaths: [] })
      const stride = crashPoints > MANY_MOMENTS ? STRIDE : 1
      for (let first = 0, more = true; more; first += 1) {
        for (let second = first + 1 + (first % stride); ; second += stride) {
          const world = await tell(name, { deaths: [first, second] })
          more = world.crashPoints > first
          if (world.crashPoints <= second) break
        }
      }
    })

    for (const fault of ['fails', 'answer_lost', 'comes_late'] as const) {
      test(`any step of the database: ${fault}, and the books agree`, async () => {
        for (let number = 0; ; number += 1) {
          const world = await tell(name, { deaths: [], step: { number, fault } })
          if (world.databaseSteps <= number) break
        }
      })
    }
  })
}
