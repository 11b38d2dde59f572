/**
 * Runs schedules by seed, or one with all that happens in it:
 *
 *   node --conditions=tollgate-source test/simulation/run.ts --seed 1234
 *   node --conditions=tollgate-source test/simulation/run.ts --from 1 --count 100000
 *
 * or one of the short stories, with deaths at the given moments or a fault at one database step:
 *
 *   node --conditions=tollgate-source test/simulation/run.ts --scenario capture --deaths 3,17
 * node --conditions=tollgate-source test/simulation/run.ts --scenario sale --step 2 --fault
 * comes_late
 */
import { parseArgs } from 'node:util'
import type { StepFault } from './database.ts'
import { SCENARIOS, tellScenario } from './scenarios.ts'
import { runSchedule, type Outcome } from './schedule.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '10000' },
    scenario: { type: 'string' },
    deaths: { type: 'string', default: '' },
    step: { type: 'string' },
    fault: { type: 'string', default: 'fails' },
  },
})

function tell(text: string): void {
  process.stdout.write(`${text}\n`)
}

function tellEnd({ broken, steps }: Outcome): boolean {
  for (const sentence of broken) tell(`BROKEN at step ${steps}: ${sentence}`)
  tell(`${steps} steps, ${broken.length} broken invariants.`)
  return broken.length === 0
}

async function replayScenario(name: string): Promise<boolean> {
  const scenario = SCENARIOS[name]
  if (scenario === undefined) {
    tell(`There is no scenario '${name}'. There are: ${Object.keys(SCENARIOS).join('; ')}.`)
    return false
  }
  const deaths = values.deaths === '' ? [] : values.deaths.split(',').map(Number)
  const fault = values.fault as StepFault
  const step = values.step === undefined ? {} : { step: { number: Number(values.step), fault } }
  const { outcome } = await tellScenario(scenario, { deaths, ...step }, tell)
  return tellEnd(outcome)
}

async function runMany(from: number, count: number): Promise<boolean> {
  const startedAt = performance.now()
  let steps = 0
  let requests = 0
  let failed = 0
  for (let seed = from; seed < from + count; seed += 1) {
    const outcome = await runSchedule(seed)
    steps += outcome.steps
    requests += outcome.requests
    if (outcome.broken.length === 0) continue
    failed += 1
    tell(`Seed ${seed}, step ${outcome.steps}: ${outcome.broken.join(' ')}`)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  tell(
    `${count} schedules, ${requests} requests and ${steps} steps in ${seconds.toFixed(1)} s: ` +
      `${Math.round(count / seconds)} schedules a second, ${failed} failed.`,
  )
  return failed === 0
}

async function run(): Promise<boolean> {
  if (values.scenario !== undefined) return replayScenario(values.scenario)
  if (values.seed === undefined) return runMany(Number(values.from), Number(values.count))
  return tellEnd(await runSchedule(Number(values.seed), { trace: tell }))
}

const fine = await run()
process.exitCode = fine ? 0 : 1
