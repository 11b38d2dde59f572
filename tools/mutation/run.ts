// Puts deliberate mistakes into the code that decides about money, and counts those that tests
// notice. Usage: node --conditions=tollgate-source tools/mutation/run.ts [--only PATH] [--write]
// or, for the mistakes that were described by hand: ... --known [PART OF A NAME]
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { runKnown } from './known-run.ts'
import { runMutants } from './mutation-run.ts'
import { newSurvivors, percent, readRecord, scoreOf, writeRecord } from './record.ts'
import { sourceFiles, testFiles } from './scope.ts'

/** More workers only help where more cores are free; the limits of time assume one core each. */
const MOST_WORKERS = 4

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true },
    write: { type: 'boolean', default: false },
    known: { type: 'boolean', default: false },
  },
})
const tell = (line: string): void => void process.stdout.write(`${line}\n`)

process.exitCode = values.known
  ? await runKnown(positionals, tell)
  : await runAll(values.only ?? [], values.write)

async function runAll(only: readonly string[], write: boolean): Promise<number> {
  const all = sourceFiles()
  const chosen = all.filter((path) => only.length === 0 || only.some((each) => path.includes(each)))
  if (chosen.length === 0) throw new Error(`No mutated file's path holds ${only.join(' or ')}.`)
  const workers = Math.min(MOST_WORKERS, availableParallelism())
  const record = readRecord()
  const result = await runMutants(chosen, testFiles(), workers, tell)
  const score = scoreOf(result)
  tell(
    score.mutants === 0
      ? 'Nothing in these files can be mutated.'
      : `The tests notice ${score.noticed} of ${score.mutants} mutants: ${percent(score)} %.`,
  )
  if (write) {
    const kept = [...record].filter(([path]) => all.includes(path))
    writeRecord(new Map([...kept, ...result]))
    return 0
  }
  const fresh = newSurvivors(record, result)
  for (const each of fresh) tell(each)
  if (fresh.length === 0) tell('No mutant survives that is not on record.')
  return fresh.length === 0 ? 0 : 1
}
