/**
 * Runs schedules by seed, or one with all that happens in it:
 *
 *   node --conditions=tollgate-source test/simulation/run.ts --seed 1234
 *   node --conditions=tollgate-source test/simulation/run.ts --from 1 --count 100000
 */
import { parseArgs } from 'node:util'
import { runSchedule } from './schedule.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '10000' },
  },
})

function tell(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function replay(seed: number): Promise<boolean> {
  const { broken, steps } = await runSchedule(seed, { trace: tell })
  for (const sentence of broken) tell(`BROKEN at step ${steps}: ${sentence}`)
  tell(`Seed ${seed}: ${steps} steps, ${broken.length} broken laws.`)
  return broken.length === 0
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

const fine =
  values.seed === undefined
    ? await runMany(Number(values.from), Number(values.count))
    : await replay(Number(values.seed))
process.exitCode = fine ? 0 : 1
