import { equivalentReason } from './equivalents.ts'
import type { Survey } from './messages.ts'
import { mutantsOf, type Mutant } from './mutants.ts'
import { reachOf, type Reach } from './reach.ts'
import { hashOf, type FileRecord } from './record.ts'
import { readSource } from './scope.ts'
import { WorkerProcess } from './worker-process.ts'

const SURVEY_LIMIT_MS = 120_000
const LEAST_LIMIT_MS = 8_000
/** A test may take this many times its time without a mistake. */
const PATIENCE = 10

interface Tried {
  readonly source: string
  readonly mutant: Mutant
  readonly isNoticed: boolean
}

type Tell = (line: string) => void

/** Runs every mutant of the sources against the tests that reach it. */
export async function runMutants(
  sources: readonly string[],
  testFiles: readonly string[],
  workers: number,
  tell: Tell,
): Promise<Map<string, FileRecord>> {
  const pool = Array.from({ length: workers }, () => new WorkerProcess())
  try {
    const surveys = await share(pool, testFiles, surveyOf)
    const cases = surveys.reduce((sum, each) => sum + each.cases, 0)
    tell(`${surveys.length} test files with ${cases} tests pass without a mistake.`)
    const reach = reachOf(surveys)
    const tasks = sources.flatMap((source) => meaningfulMutants(source))
    tell(`${tasks.length} mutants of ${sources.length} files follow.`)
    // The counting of a survey slows code down.
    await Promise.all(pool.map((each) => each.stop()))
    const quickest = new Map<string, string>()
    let done = 0
    const tried = await share(pool, tasks, async (worker, { source, mutant }) => {
      const by = await tryMutant(worker, reach, quickest.get(source), source, mutant)
      if (by !== null) quickest.set(source, by)
      done += 1
      if (done % 250 === 0) tell(`${done} mutants done`)
      return { source, mutant, isNoticed: by !== null }
    })
    return new Map(sources.map((source) => [source, recordOf(source, tried)]))
  } finally {
    await Promise.all(pool.map((each) => each.stop()))
  }
}

function meaningfulMutants(source: string): { source: string; mutant: Mutant }[] {
  return mutantsOf(source, readSource(source))
    .filter((mutant) => equivalentReason(source, mutant) === null)
    .map((mutant) => ({ source, mutant }))
}

/** Gives the tasks to the workers; the results stand in the sequence of the tasks. */
async function share<Task, Result>(
  pool: readonly WorkerProcess[],
  tasks: readonly Task[],
  perform: (worker: WorkerProcess, task: Task) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = [...tasks.entries()]
  const work = async (worker: WorkerProcess): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      results[next[0]] = await perform(worker, next[1])
    }
  }
  await Promise.all(pool.map(work))
  return results
}

async function surveyOf(worker: WorkerProcess, test: string): Promise<Survey> {
  const report = await worker.ask({ kind: 'survey', test }, SURVEY_LIMIT_MS)
  if (report?.kind !== 'surveyed') throw new Error(`${test} does not end without a mistake.`)
  if (report.failure === null) return report
  throw new Error(`${test} fails without a mistake: ${report.failure}`)
}

/** The test file that notices a mutant; null when none does. */
async function tryMutant(
  worker: WorkerProcess,
  reach: Reach,
  quickest: string | undefined,
  source: string,
  mutant: Mutant,
): Promise<string | null> {
  const reached = reach.testsAt(source, mutant.start)
  if (reached.length === 0) return null
  const tests = reached.toSorted((a, b) => Number(b === quickest) - Number(a === quickest))
  const affected = reach.affected(source)
  const usual = tests.reduce((sum, test) => sum + reach.milliseconds(test), 0)
  const limit = LEAST_LIMIT_MS + PATIENCE * usual
  const report = await worker.ask(
    { kind: 'try', source, text: mutant.text, affected, tests },
    limit,
  )
  // No answer is a loop without end or the death of the process: the tests would hang.
  return report?.kind === 'tried' ? report.by : (tests[0] ?? null)
}

function recordOf(source: string, tried: readonly Tried[]): FileRecord {
  const own = tried.filter((each) => each.source === source)
  const survivors = own.filter(({ isNoticed }) => !isNoticed)
  return {
    hash: hashOf(source, readSource(source)),
    mutants: own.length,
    noticed: own.length - survivors.length,
    survivors: survivors.map(
      ({ mutant: { line, lineText, change } }) => `${line} | ${change} | ${lineText}`,
    ),
  }
}
