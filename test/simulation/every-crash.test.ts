import { suite, test } from 'node:test'
import assert from 'node:assert/strict'
import type { StepFault } from './database.ts'
import { end } from './schedule.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { FINE } from './weather.ts'
import { World, type WorldOptions } from './world.ts'

// No chance here: each story is told once for each moment at which something can happen to it, up to
// its end. A failure names the moment; telling it again with `trace` shows all of it.

interface Fault {
  /** Deaths, by the number of the moment: before each event that a process would go on with. */
  readonly deaths: readonly number[]
  /** One step of the database, by its number. */
  readonly step?: { readonly number: number; readonly fault: StepFault }
}

async function tell(
  { play, journey }: Scenario,
  { deaths, step }: Fault,
  trace?: WorldOptions['trace'],
): Promise<World> {
  const world = new World({
    seed: 1,
    weather: FINE,
    processes: 2,
    script: {
      crashes: (moment) => deaths.includes(moment),
      stepFault: (_, number) => (number === step?.number ? step.fault : 'none'),
      ...(journey === undefined ? {} : { journey }),
    },
    ...(trace === undefined ? {} : { trace }),
  })
  world.play(() => play(world))
  await world.playOut()
  const { broken } = await end(world, 1)
  assert.deepEqual(broken, [], JSON.stringify({ deaths, step }))
  return world
}

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  suite(name, () => {
    test('nothing happens to it', async () => {
      const world = await tell(scenario, { deaths: [] })

      assert.ok(world.crashPoints >= 5, `only ${world.crashPoints} moments`)
      assert.ok(world.requests.every(({ told }) => told?.kind === 'told'))
    })

    test('a process dies at any moment, and the books agree', async () => {
      for (let moment = 0; ; moment += 1) {
        const world = await tell(scenario, { deaths: [moment] })
        if (world.crashPoints <= moment) break
      }
    })

    test('a second process dies at any moment after, and the books agree', async () => {
      for (let first = 0, more = true; more; first += 1) {
        for (let second = first + 1; ; second += 1) {
          const world = await tell(scenario, { deaths: [first, second] })
          more = world.crashPoints > first
          if (world.crashPoints <= second) break
        }
      }
    })

    for (const fault of ['fails', 'answer_lost', 'comes_late'] as const) {
      test(`any step of the database: ${fault}, and the books agree`, async () => {
        for (let number = 0; ; number += 1) {
          const world = await tell(scenario, { deaths: [], step: { number, fault } })
          if (world.databaseSteps <= number) break
        }
      })
    }
  })
}
