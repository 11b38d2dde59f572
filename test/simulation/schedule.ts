import { brokenInvariants } from './invariants.ts'
import { Random } from './random.ts'
import { drawWeather } from './weather.ts'
import { playWorkload } from './workload.ts'
import { AUTHORIZATION_LIFE_MS, World, type WorldOptions } from './world.ts'

export interface Outcome {
  readonly seed: number
  /** Events that happened until the end, or until a invariant was found broken. */
  readonly steps: number
  readonly requests: number
  readonly broken: readonly string[]
}

/** One schedule from its seed: bad weather, then good weather, then the invariants. */
export async function runSchedule(
  seed: number,
  options: Partial<Omit<WorldOptions, 'seed'>> = {},
): Promise<Outcome> {
  // Apart from the world's own draws, so that a change of the one leaves the other.
  const random = new Random(seed ^ 0x5bd1e995)
  const weather = drawWeather(random)
  const processes = random.between(2, 3)
  const world = new World({ seed, weather, processes, ...options })
  playWorkload(world)
  await world.playOut()
  return end(world, seed)
}

/** Good weather until all is done, twice: the second time after every authorization has ended. */
export async function end(world: World, seed: number): Promise<Outcome> {
  await world.drain()
  let broken = brokenInvariants(world)
  if (broken.length === 0) {
    world.jumpClock(AUTHORIZATION_LIFE_MS)
    await world.drain()
    broken = brokenInvariants(world)
  }
  return { seed, steps: world.scheduler.steps, requests: world.requests.length, broken }
}
